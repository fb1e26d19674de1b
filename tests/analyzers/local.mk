# tests/analyzers
check_PROGRAMS += %D%/test-policy
tests_analyzers_test_policy_SOURCES = %D%/test-policy.c
tests_analyzers_test_policy_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests
tests_analyzers_test_policy_LDADD = $(LIBPOLICY)
tests_analyzers_test_policy_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
TESTS += %D%/test-policy

check_PROGRAMS += %D%/test-evasions
tests_analyzers_test_evasions_SOURCES = %D%/test-evasions.c
tests_analyzers_test_evasions_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -I$(top_srcdir) -I$(top_srcdir)/tests
tests_analyzers_test_evasions_LDADD = $(LIBPOLICY)
TESTS += %D%/test-evasions

check_PROGRAMS += %D%/test-daily
tests_analyzers_test_daily_SOURCES = %D%/test-daily.c
tests_analyzers_test_daily_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests
tests_analyzers_test_daily_LDADD = libpolicy.a libtext.a $(LIBHOST) $(UTF8PROC_LIBS)
TESTS += %D%/test-daily

TESTS += %D%/policy.bats
EXTRA_DIST += %D%/policy.bats

check_PROGRAMS += %D%/test-join
tests_analyzers_test_join_SOURCES = %D%/test-join.c
tests_analyzers_test_join_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_analyzers_test_join_LDADD = $(LIBHOST)
TESTS += %D%/test-join
