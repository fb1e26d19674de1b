include %D%/plugins/local.mk
# The core of the controller: states, steps, turns, calls, and the table of features.
libhost_a_SOURCES += %D%/actions.c %D%/actions.h %D%/agent-frame.h %D%/agents.c \
	%D%/agents.h %D%/call.c %D%/call.h %D%/conversation.c %D%/conversation.h %D%/core.h \
	%D%/dispatch.c %D%/dispatch.h %D%/exit-code.h %D%/facts.c %D%/feature-api.h \
	%D%/feature-approval.h %D%/feature-holds.h %D%/feature-states.h %D%/feature-usage.h \
	%D%/feature-watchers.h %D%/feature.h %D%/features.c %D%/model-request.c \
	%D%/model-request.h %D%/parallel-calls.c %D%/parallel-calls.h %D%/state.c %D%/state.h \
	%D%/step-policy.c %D%/step-policy.h %D%/step.c %D%/step.h %D%/turn.c %D%/turn.h
