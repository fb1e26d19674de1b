# Jupyter kernels.
if HAVE_ZMQ
IPYTHON_TEST_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS) -I$(top_srcdir)/plugins/tools/ipython
check_PROGRAMS += %D%/test-ipython
tests_tools_test_ipython_SOURCES = %D%/test-ipython.c %D%/ipython-kit.h
tests_tools_test_ipython_CPPFLAGS = $(IPYTHON_TEST_CPPFLAGS)
tests_tools_test_ipython_LDADD = $(LIBMT)
EXTRA_tests_tools_test_ipython_DEPENDENCIES = plugins/tools/ipython.so
TESTS += %D%/test-ipython
endif HAVE_ZMQ
if HAVE_ZMQ
TESTS += %D%/ipython.bats
endif HAVE_ZMQ
EXTRA_DIST += %D%/ipython.bats %D%/ipython.mk
