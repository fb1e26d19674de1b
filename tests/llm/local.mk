# Models: the scripted one, and one of our own behind a local HTTP server.
LLM_TEST_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += %D%/bench.h %D%/server.h
check_PROGRAMS += %D%/test-script %D%/test-openai
tests_llm_test_script_SOURCES = %D%/test-script.c
tests_llm_test_script_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_script_LDADD = $(LIBHOST)
tests_llm_test_openai_SOURCES = %D%/test-openai.c
tests_llm_test_openai_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_openai_LDADD = $(LIBHOST)
TESTS += %D%/test-script %D%/test-openai
