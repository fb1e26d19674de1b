# Configuration and registry.
check_PROGRAMS += %D%/test-config
tests_config_test_config_SOURCES = %D%/test-config.c
tests_config_test_config_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_config_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_config_test_config_LDADD = $(LIBHOST)
TESTS += %D%/test-config
