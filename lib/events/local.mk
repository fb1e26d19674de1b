# Events and the log that stores them: a library that knows no conversation.
noinst_LIBRARIES += libevents.a
libevents_a_SOURCES = \
	%D%/agent-state.c %D%/agent-state.h %D%/blobs.c %D%/checkpoint.c \
	%D%/confirmation.c %D%/confirmation.h %D%/edit-diff.c \
	%D%/event.c %D%/event.h %D%/event-read.c %D%/event-text.c %D%/internal.h \
	%D%/json-write.c %D%/line-scan.c %D%/log.c %D%/log.h %D%/log-damage.c \
	%D%/log-delegations.c %D%/log-index.c %D%/log-internal.h %D%/log-open.c \
	%D%/log-read.c %D%/log-records.c %D%/python.c %D%/trajectory.h \
	%D%/trajectory-read.c %D%/trajectory-write.c %D%/types.c %D%/types.h
libevents_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
