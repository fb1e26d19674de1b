# The browser.
check_PROGRAMS += %D%/test-browser-text
tests_tools_test_browser_text_SOURCES = %D%/test-browser-text.c
tests_tools_test_browser_text_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_browser_text_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_browser_text_LDADD = $(LIBBROWSER)
TESTS += %D%/test-browser-text
