# The runner: what runs tools. It links neither curl nor libuv nor libcrypto.
helper_PROGRAMS += mortise-runner
RUNNER_PARTS = %D%/ask.c %D%/call.c %D%/function.c %D%/function.h \
	%D%/listing.c %D%/live.c %D%/loader.c %D%/loader.h %D%/services.c \
	%D%/services.h %D%/spool.c %D%/worker.c %D%/worker.h \
	%D%/calls.c %D%/children.c %D%/frame.c %D%/frame.h %D%/frames.c \
	%D%/host.c %D%/message.c %D%/message.h %D%/results.c %D%/spec.c %D%/spec.h \
	%D%/supervisor.c %D%/supervisor.h %D%/tree.c %D%/tree.h
mortise_runner_SOURCES = %D%/main.c $(RUNNER_PARTS)
mortise_runner_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE $(FFI_CFLAGS)
mortise_runner_CFLAGS = $(AM_CFLAGS) -pthread
mortise_runner_LDFLAGS = $(AM_LDFLAGS) -pthread
mortise_runner_LDADD = libmt.a $(JSONC_LIBS) $(FFI_LIBS) -lm
