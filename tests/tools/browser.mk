# The browser.
check_PROGRAMS += %D%/test-browser-text
tests_tools_test_browser_text_SOURCES = %D%/test-browser-text.c %D%/axtree.h %D%/put-call.h \
	plugins/agents/browse-reply.c plugins/agents/browse.h
tests_tools_test_browser_text_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_browser_text_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_browser_text_LDADD = $(LIBBROWSER)
TESTS += %D%/test-browser-text
check_PROGRAMS += %D%/test-outline
tests_tools_test_outline_SOURCES = %D%/test-outline.c
tests_tools_test_outline_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_outline_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_outline_LDADD = $(LIBBROWSER)
TESTS += %D%/test-outline

# With a real Chromium; skipped where there is none.
check_PROGRAMS += %D%/test-browser %D%/test-browser-faults
tests_tools_test_browser_SOURCES = %D%/test-browser.c %D%/browser-kit.h %D%/plugin-kit.h
tests_tools_test_browser_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) \
	-I$(top_srcdir)/plugins/tools/browser
tests_tools_test_browser_LDADD = $(LIBBROWSER)
EXTRA_tests_tools_test_browser_DEPENDENCIES = plugins/tools/browser.so
tests_tools_test_browser_faults_SOURCES = %D%/test-browser-faults.c %D%/browser-kit.h \
	%D%/plugin-kit.h
tests_tools_test_browser_faults_CPPFLAGS = $(tests_tools_test_browser_CPPFLAGS)
tests_tools_test_browser_faults_LDADD = $(LIBBROWSER)
EXTRA_tests_tools_test_browser_faults_DEPENDENCIES = plugins/tools/browser.so
TESTS += %D%/test-browser %D%/test-browser-faults %D%/browser.bats \
	tests/browser/miniwob.sh
EXTRA_DIST += tests/browser %D%/browser.bats
