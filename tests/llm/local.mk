# Models: the scripted one, and one of our own behind a local HTTP server.
LLM_TEST_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += %D%/bench.h %D%/decode.h %D%/server.h
check_PROGRAMS += %D%/test-script %D%/test-openai
tests_llm_test_script_SOURCES = %D%/test-script.c
tests_llm_test_script_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_script_LDADD = $(LIBHOST)
tests_llm_test_openai_SOURCES = %D%/test-openai.c
tests_llm_test_openai_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_openai_LDADD = $(LIBHOST)
TESTS += %D%/test-script %D%/test-openai

check_PROGRAMS += %D%/test-decode
tests_llm_test_decode_SOURCES = %D%/test-decode.c $(OPENAI_SOURCES)
tests_llm_test_decode_CPPFLAGS = $(LLM_TEST_CPPFLAGS) -I$(top_srcdir)/plugins/dialects
tests_llm_test_decode_LDADD = $(LIBMT)
TESTS += %D%/test-decode

check_PROGRAMS += %D%/test-reply
tests_llm_test_reply_SOURCES = %D%/test-reply.c
tests_llm_test_reply_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_reply_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_llm_test_reply_LDADD = $(LIBHOST)
TESTS += %D%/test-reply

check_PROGRAMS += %D%/talk
tests_llm_talk_SOURCES = %D%/talk.c
tests_llm_talk_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_talk_LDADD = $(LIBHOST)
TESTS += %D%/aimock.sh
EXTRA_DIST += %D%/aimock.sh

check_PROGRAMS += %D%/test-body
tests_llm_test_body_SOURCES = %D%/test-body.c
tests_llm_test_body_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_body_LDADD = $(LIBHOST)
TESTS += %D%/test-body

check_PROGRAMS += %D%/test-models %D%/test-fncall %D%/test-text-calls
tests_llm_test_models_SOURCES = %D%/test-models.c
tests_llm_test_models_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_models_LDADD = $(LIBHOST)
tests_llm_test_fncall_SOURCES = %D%/test-fncall.c
tests_llm_test_fncall_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_fncall_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_llm_test_fncall_LDADD = $(LIBHOST)
tests_llm_test_text_calls_SOURCES = %D%/test-text-calls.c
tests_llm_test_text_calls_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_text_calls_LDADD = $(LIBHOST)
TESTS += %D%/test-models %D%/test-fncall %D%/test-text-calls
