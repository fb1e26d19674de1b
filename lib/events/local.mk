# Events and the log that stores them: a library that knows no conversation.
noinst_LIBRARIES += libevents.a
libevents_a_SOURCES = \
	%D%/agent-state.c %D%/agent-state.h %D%/evlog-blobs.c %D%/evlog-checkpoint.c \
	%D%/confirmation.c %D%/confirmation.h %D%/edit-diff.c \
	%D%/event.c %D%/event.h %D%/event-read.c %D%/event-text.c %D%/event-internal.h \
	%D%/json-write.c %D%/line-scan.c %D%/evlog.c %D%/evlog.h %D%/evlog-damage.c \
	%D%/evlog-delegations.c %D%/evlog-index.c %D%/evlog-internal.h %D%/evlog-open.c \
	%D%/evlog-read.c %D%/evlog-records.c %D%/python.c %D%/step-policy.c \
	%D%/step-policy.h %D%/trajectory.h \
	%D%/trajectory-read.c %D%/trajectory-write.c %D%/types.c %D%/types.h
libevents_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
