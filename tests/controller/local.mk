# tests/controller
TESTS += %D%/kill9.sh %D%/resume-bytes.sh
EXTRA_DIST += %D%/kill9.sh %D%/resume-bytes.sh %D%/resume_bytes.py

check_PROGRAMS += %D%/test-memory
tests_controller_test_memory_SOURCES = %D%/test-memory.c
tests_controller_test_memory_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_memory_LDADD = $(LIBHOST)
TESTS += %D%/test-memory
