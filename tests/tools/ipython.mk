# Jupyter kernels.
if HAVE_ZMQ
IPYTHON_TEST_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS) -I$(top_srcdir)/plugins/tools/ipython
check_PROGRAMS += %D%/test-ipython %D%/test-ipython-hostile %D%/test-ipython-text
tests_tools_test_ipython_SOURCES = %D%/test-ipython.c %D%/ipython-kit.h
tests_tools_test_ipython_CPPFLAGS = $(IPYTHON_TEST_CPPFLAGS)
tests_tools_test_ipython_LDADD = $(LIBMT)
EXTRA_tests_tools_test_ipython_DEPENDENCIES = plugins/tools/ipython.so
tests_tools_test_ipython_hostile_SOURCES = %D%/test-ipython-hostile.c %D%/ipython-kit.h
tests_tools_test_ipython_hostile_CPPFLAGS = $(IPYTHON_TEST_CPPFLAGS)
tests_tools_test_ipython_hostile_LDADD = $(LIBMT)
EXTRA_tests_tools_test_ipython_hostile_DEPENDENCIES = plugins/tools/ipython.so
tests_tools_test_ipython_text_SOURCES = %D%/test-ipython-text.c
tests_tools_test_ipython_text_CPPFLAGS = $(IPYTHON_TEST_CPPFLAGS)
tests_tools_test_ipython_text_LDADD = $(LIBIPYTHON)
TESTS += %D%/test-ipython %D%/test-ipython-hostile %D%/test-ipython-text %D%/code-mode.bats %D%/ipython.bats
endif HAVE_ZMQ
EXTRA_DIST += %D%/code-mode.bats %D%/ipython.bats %D%/hostile-kernel.py
