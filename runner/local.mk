# The runner: what runs tools. It links neither curl nor libuv nor libcrypto.
noinst_LIBRARIES += librunner.a
librunner_a_SOURCES = %D%/host-request.c %D%/host-extensions.c %D%/instance-dirs.c %D%/instance-thread.c %D%/ffi-call.c %D%/ffi-call.h %D%/handles.c %D%/handles.h \
	%D%/tool-list.c %D%/output-stream.c %D%/loader.c %D%/loader.h %D%/tool-host.c \
	%D%/tool-host.h %D%/spool.c %D%/worker.c %D%/worker.h %D%/worker-sandbox.c \
	%D%/call-table.c %D%/workers.c %D%/frame.c %D%/frame.h %D%/frame-handlers.c \
	%D%/host-io.c %D%/limit-state.h %D%/limit-watch.c %D%/message.c %D%/message.h %D%/overlay-watch.c %D%/overlay-watch.h %D%/results.c %D%/spec.c %D%/spec.h \
	%D%/supervisor.c %D%/supervisor.h %D%/process-tree.c %D%/process-tree.h
librunner_a_CPPFLAGS = $(AM_CPPFLAGS) $(FFI_CFLAGS)
librunner_a_CFLAGS = $(AM_CFLAGS) -pthread
LIBRUNNER = librunner.a libsandbox.a liblimits.a libmt.a $(JSONC_LIBS) $(FFI_LIBS) -lm

helper_PROGRAMS += mortise-runner
mortise_runner_SOURCES = %D%/main.c
mortise_runner_LDFLAGS = $(AM_LDFLAGS) -pthread
mortise_runner_LDADD = $(LIBRUNNER)
