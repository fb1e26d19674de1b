# The runner and the link to it.
RUNNER_TEST_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/runner
EXTRA_DIST += %D%/kit.h

check_PROGRAMS += %D%/test-link
tests_runner_test_link_SOURCES = %D%/test-link.c
tests_runner_test_link_CPPFLAGS = $(RUNNER_TEST_CPPFLAGS)
tests_runner_test_link_LDADD = $(LIBHOST)
TESTS += %D%/test-link
check_PROGRAMS += %D%/test-misbehave %D%/test-end
tests_runner_test_misbehave_SOURCES = %D%/test-misbehave.c
tests_runner_test_misbehave_CPPFLAGS = $(RUNNER_TEST_CPPFLAGS)
tests_runner_test_misbehave_LDADD = $(LIBHOST)
tests_runner_test_end_SOURCES = %D%/test-end.c
tests_runner_test_end_CPPFLAGS = $(RUNNER_TEST_CPPFLAGS)
tests_runner_test_end_LDADD = $(LIBHOST)
TESTS += %D%/test-misbehave %D%/test-end
check_PROGRAMS += %D%/test-lines
tests_runner_test_lines_SOURCES = %D%/test-lines.c
tests_runner_test_lines_CPPFLAGS = $(RUNNER_TEST_CPPFLAGS)
tests_runner_test_lines_LDADD = $(LIBHOST)
TESTS += %D%/test-lines
check_PROGRAMS += %D%/test-parts
tests_runner_test_parts_SOURCES = %D%/test-parts.c
tests_runner_test_parts_CPPFLAGS = $(RUNNER_TEST_CPPFLAGS)
tests_runner_test_parts_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC) -pthread
tests_runner_test_parts_LDADD = librunner.a $(LIBHOST) $(FFI_LIBS)
TESTS += %D%/test-parts
