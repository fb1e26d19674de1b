# The runner: what runs tools. It links neither curl nor libuv nor libcrypto.
noinst_LIBRARIES += librunner.a
librunner_a_SOURCES = %D%/ask.c %D%/call.c %D%/function.c %D%/function.h %D%/handles.c %D%/handles.h \
	%D%/listing.c %D%/live.c %D%/loader.c %D%/loader.h %D%/services.c \
	%D%/services.h %D%/spool.c %D%/worker.c %D%/worker.h \
	%D%/calls.c %D%/children.c %D%/frame.c %D%/frame.h %D%/frames.c \
	%D%/host.c %D%/message.c %D%/message.h %D%/results.c %D%/spec.c %D%/spec.h \
	%D%/supervisor.c %D%/supervisor.h %D%/tree.c %D%/tree.h
librunner_a_CPPFLAGS = $(AM_CPPFLAGS) $(FFI_CFLAGS)
librunner_a_CFLAGS = $(AM_CFLAGS) -pthread
LIBRUNNER = librunner.a libmt.a $(JSONC_LIBS) $(FFI_LIBS) -lm

helper_PROGRAMS += mortise-runner
mortise_runner_SOURCES = %D%/main.c
mortise_runner_LDFLAGS = $(AM_LDFLAGS) -pthread
mortise_runner_LDADD = $(LIBRUNNER)
