# tests/limits
check_PROGRAMS += %D%/test-cgroup
tests_limits_test_cgroup_SOURCES = %D%/test-cgroup.c
tests_limits_test_cgroup_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/runner
tests_limits_test_cgroup_LDADD = liblimits.a $(LIBMT)
TESTS += %D%/test-cgroup
