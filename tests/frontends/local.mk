# The frontends of a conversation: with one of which only the log is real (fake.h),
# and with the programs.
FRONTENDS_TEST_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += %D%/fake.h
check_PROGRAMS += %D%/test-protocol
tests_frontends_test_protocol_SOURCES = %D%/test-protocol.c %D%/fake.h
tests_frontends_test_protocol_CPPFLAGS = $(FRONTENDS_TEST_CPPFLAGS)
tests_frontends_test_protocol_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_frontends_test_protocol_LDADD = $(LIBHOST)
TESTS += %D%/test-protocol
check_PROGRAMS += %D%/test-socket
tests_frontends_test_socket_SOURCES = %D%/test-socket.c %D%/fake.h
tests_frontends_test_socket_CPPFLAGS = $(FRONTENDS_TEST_CPPFLAGS) -I$(top_srcdir)/cli
tests_frontends_test_socket_LDADD = libcli.a $(LIBHOST)
TESTS += %D%/test-socket
TESTS += %D%/session.sh
EXTRA_DIST += %D%/session.sh %D%/session.py
TESTS += %D%/clients.bats
EXTRA_DIST += %D%/clients.bats
