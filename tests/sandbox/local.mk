# The sandbox of tools.
check_PROGRAMS += %D%/test-host-pattern
tests_sandbox_test_host_pattern_SOURCES = %D%/test-host-pattern.c
tests_sandbox_test_host_pattern_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_sandbox_test_host_pattern_LDADD = libsandbox.a $(LIBMT)

check_PROGRAMS += %D%/test-proxy-request
tests_sandbox_test_proxy_request_SOURCES = %D%/test-proxy-request.c %D%/hello.h
tests_sandbox_test_proxy_request_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_sandbox_test_proxy_request_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_sandbox_test_proxy_request_LDADD = libsandbox.a $(LIBMT)
TESTS += %D%/test-host-pattern %D%/test-network-proxy %D%/test-proxy-request

check_PROGRAMS += %D%/test-network-proxy
tests_sandbox_test_network_proxy_SOURCES = %D%/test-network-proxy.c %D%/hello.h
tests_sandbox_test_network_proxy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_sandbox_test_network_proxy_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_sandbox_test_network_proxy_LDADD = libsandbox.a $(LIBMT)

check_PROGRAMS += %D%/serve-network-proxy
tests_sandbox_serve_network_proxy_SOURCES = %D%/serve-network-proxy.c
tests_sandbox_serve_network_proxy_LDADD = libsandbox.a $(LIBMT)

check_PROGRAMS += %D%/hostile-calls
tests_sandbox_hostile_calls_SOURCES = %D%/hostile-calls.c
tests_sandbox_hostile_calls_LDADD = $(LIBMT)

sandbox_scripts = \
	%D%/call-handler.bats \
	%D%/effects.bats \
	%D%/file-guard.bats \
	%D%/grants.bats \
	%D%/ignore.bats \
	%D%/kill-any.sh \
	%D%/network-proxy.bats \
	%D%/overlay.bats \
	%D%/planted.bats \
	%D%/roots.bats \
	%D%/sandbox.bats \
	%D%/tokens.bats
TESTS += $(sandbox_scripts)
EXTRA_DIST += $(sandbox_scripts)
EXTRA_DIST += %D%/ordinary-work %D%/ordinary-work.sh
