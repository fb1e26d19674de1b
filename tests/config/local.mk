# Configuration and registry.
check_PROGRAMS += %D%/test-config
tests_config_test_config_SOURCES = %D%/test-config.c %D%/config-kit.h
tests_config_test_config_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_config_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_config_test_config_LDADD = $(LIBHOST)
TESTS += %D%/test-config

check_PROGRAMS += %D%/test-config-sections
tests_config_test_config_sections_SOURCES = %D%/test-config-sections.c %D%/config-kit.h
tests_config_test_config_sections_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_config_sections_LDADD = $(LIBHOST)
TESTS += %D%/test-config-sections

check_PROGRAMS += %D%/test-config-show
tests_config_test_config_show_SOURCES = %D%/test-config-show.c %D%/config-kit.h
tests_config_test_config_show_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_config_show_LDADD = $(LIBHOST)
TESTS += %D%/test-config-show

check_PROGRAMS += %D%/test-config-choices
tests_config_test_config_choices_SOURCES = %D%/test-config-choices.c %D%/config-kit.h
tests_config_test_config_choices_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_config_choices_LDADD = $(LIBHOST)
TESTS += %D%/test-config-choices

check_PROGRAMS += %D%/test-registry %D%/condenser.so
tests_config_test_registry_SOURCES = %D%/test-registry.c
tests_config_test_registry_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_config_test_registry_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_config_test_registry_LDADD = $(LIBHOST)
tests_config_condenser_so_SOURCES = %D%/condenser.c
tests_config_condenser_so_LDFLAGS = $(PLUGIN_LINK)
TESTS += %D%/test-registry

# The headers of plugins: layout, baseline, languages.
check_PROGRAMS += %D%/test-abi
tests_config_test_abi_SOURCES = %D%/test-abi.c
tests_config_test_abi_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
TESTS += %D%/test-abi %D%/abi.sh %D%/abi-growth.sh %D%/headers.sh
EXTRA_DIST += tests/fixtures/abi-1.0 %D%/abi.sh %D%/abi-growth.sh %D%/abi-growth.c %D%/headers.sh
