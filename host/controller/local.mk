include %D%/plugins/local.mk
# The controller: states, steps, dispatch, resume.
libhost_a_SOURCES += %D%/actions.c %D%/actions.h %D%/agent-frame.h %D%/agents.c \
	%D%/agents.h %D%/call.c %D%/call.h \
	%D%/conversation-commands.c %D%/conversation-facts.c %D%/conversation.c \
	%D%/conversation.h %D%/core.h %D%/dispatch.c %D%/dispatch.h %D%/exit-code.h \
	%D%/feature-api.h %D%/feature-approval.h %D%/feature-holds.h \
	%D%/feature-states.h %D%/feature-usage.h %D%/feature-watchers.h \
	%D%/feature.h %D%/features.c %D%/fork.c %D%/fork.h \
	%D%/meta.c %D%/meta.h %D%/model-request.c \
	%D%/model-request.h %D%/offered-tools.c %D%/offered-tools.h \
	%D%/parallel-calls.c %D%/parallel-calls.h %D%/resume.c %D%/rewind.c \
	%D%/rewind.h %D%/spools.c %D%/spools.h %D%/state.c %D%/state.h \
	%D%/step-policy.c %D%/step-policy.h %D%/step.c %D%/step.h %D%/turn.c \
	%D%/turn.h %D%/usage-checkpoint.c %D%/usage-checkpoint.h %D%/waiting-messages.c \
	%D%/waiting-messages.h %D%/wiring.c %D%/wiring.h
