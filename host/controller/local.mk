include %D%/plugins/local.mk
# The core of the controller: states, steps, turns, calls, and the table of features.
libhost_a_SOURCES += %D%/actions.c %D%/actions.h \
	%D%/agent-frame.h %D%/agents.c %D%/agents.h %D%/call.c %D%/call.h %D%/closing.c \
	%D%/closing.h %D%/conversation-parts.h %D%/conversation.h %D%/core.h %D%/dispatch.c %D%/dispatch.h \
	%D%/facts.c %D%/feature-api.h %D%/feature.h %D%/features.c %D%/features.h \
	%D%/observations.c %D%/observations.h %D%/overlay.c %D%/overlay.h \
	%D%/runner-events.c %D%/runner-events.h %D%/sandbox.c %D%/sandbox.h \
	%D%/step.c %D%/step.h %D%/transitions.c %D%/transitions.h \
	%D%/turn-actions.c %D%/turn-actions.h %D%/turn-internal.h %D%/turn.c %D%/turn.h \
	%D%/watchers.c %D%/watchers.h
