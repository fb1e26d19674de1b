# Conversations: opening, wiring, resuming, forking, messages and commands.
libhost_a_SOURCES += %D%/agent-spec.c %D%/agent-spec.h %D%/commands.c \
	%D%/conversation.h %D%/exit-code.c %D%/fork.c %D%/fork.h %D%/message-log.c %D%/message-log.h \
	%D%/messages.c %D%/messages.h %D%/meta.c \
	%D%/meta.h %D%/named-models.c %D%/named-models.h %D%/offered-tools.c %D%/offered-tools.h %D%/open.c %D%/open.h \
	%D%/restore.c %D%/resume.c %D%/rewind.c %D%/rewind.h %D%/runner-ahead.c \
	%D%/runner-ahead.h %D%/shell-directory.c %D%/shell-directory.h %D%/usage-checkpoint.c %D%/usage-checkpoint.h \
	%D%/waiting-messages.c %D%/waiting-messages.h %D%/wiring.c %D%/wiring.h
