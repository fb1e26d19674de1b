# tests/torture: system calls and allocations that fail
check_PROGRAMS += %D%/test-json
tests_torture_test_json_SOURCES = %D%/test-json.c %D%/calls.c %D%/calls.h
tests_torture_test_json_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_torture_test_json_LDADD = $(LIBMT) -ldl
check_PROGRAMS += %D%/test-plugin-json
tests_torture_test_plugin_json_SOURCES = %D%/test-plugin-json.c %D%/calls.c %D%/calls.h
tests_torture_test_plugin_json_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_torture_test_plugin_json_LDADD = $(LIBBROWSER) $(LIBMCP) -ldl
TESTS += %D%/json.sh %D%/plugin-json.sh
EXTRA_DIST += %D%/json.sh %D%/plugin-json.sh
check_PROGRAMS += %D%/calls.so
tests_torture_calls_so_SOURCES = %D%/calls.c %D%/calls.h
tests_torture_calls_so_CFLAGS = $(MORTISE_CFLAGS)
tests_torture_calls_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_torture_calls_so_LDADD = -ldl
TESTS += %D%/torture.sh
EXTRA_DIST += %D%/torture.sh %D%/torture.py
