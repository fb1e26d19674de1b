# The sandbox of tools: namespaces, Landlock, system calls; the proxy of its network.
noinst_LIBRARIES += libsandbox.a
libsandbox_a_SOURCES = \
	%D%/access.c %D%/access.h %D%/call-connect.c %D%/call-handler.c %D%/call-handler.h \
	%D%/call-metadata.c %D%/held-call.c %D%/held-call.h %D%/caches.c %D%/caches.h \
	%D%/file-guard.c %D%/file-guard.h %D%/file-rules.c %D%/file-rules.h \
	%D%/grants.c %D%/grants.h \
	%D%/mounts.c %D%/namespaces.c %D%/namespaces.h %D%/probe.c %D%/probe.h \
	%D%/profile.c %D%/profile.h %D%/program.c %D%/program.h %D%/roots.c %D%/roots.h \
	%D%/rules.c %D%/rules.h %D%/sandbox.c %D%/sandbox.h %D%/summary.c %D%/summary.h \
	%D%/tool-filter.c %D%/tool-filter.h
libsandbox_a_SOURCES += \
	%D%/host-pattern.c %D%/host-pattern.h \
	%D%/network-proxy.c %D%/network-proxy.h %D%/proxy-answer.c %D%/proxy-checks.c %D%/proxy-connect.c \
	%D%/proxy-connection.c %D%/proxy-connection.h %D%/network-proxy-internal.h \
	%D%/proxy-process.c %D%/proxy-process.h %D%/proxy-lookup.c %D%/proxy-upstream.c \
	%D%/proxy-request.c %D%/proxy-request.h %D%/tls-hello.c %D%/tls-hello.h
libsandbox_a_SOURCES += \
	%D%/escape.c %D%/escape.h %D%/escape-attempts.c %D%/escape-internal.h %D%/escape-races.c
libsandbox_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
