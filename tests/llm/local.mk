# Models: the scripted one, and one of our own behind a local HTTP server.
LLM_TEST_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
EXTRA_DIST += %D%/bench.h %D%/decode-history.h %D%/decode.h %D%/server.h
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
TESTS += %D%/aimock.sh %D%/aimock-long.sh
EXTRA_DIST += %D%/aimock.sh %D%/aimock-long.sh %D%/aimock-long.py %D%/wire.py
TESTS += %D%/faults.sh
EXTRA_DIST += %D%/faults.sh %D%/faults.py

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

# Requests of all dialects, judged by the schemas of the providers.
check_PROGRAMS += %D%/requests
tests_llm_requests_SOURCES = %D%/requests.c %D%/dialogue.h
tests_llm_requests_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_requests_LDADD = $(LIBHOST)
TESTS += %D%/schemas.sh
EXTRA_DIST += %D%/schemas.sh %D%/schemas.py

# What each dialect makes of answers; the two halves of a plugin are linked in.
DECODE_CPPFLAGS = $(LLM_TEST_CPPFLAGS) -I$(top_srcdir)/plugins/dialects
DECODE_LINK = $(AM_LDFLAGS) $(WRAP_ALLOC)
EXTRA_DIST += %D%/decode-kit.h %D%/frames.h
check_PROGRAMS += %D%/test-anthropic %D%/test-responses %D%/test-gemini \
	%D%/test-bedrock %D%/test-ollama
tests_llm_test_anthropic_SOURCES = %D%/test-anthropic.c $(ANTHROPIC_SOURCES)
tests_llm_test_anthropic_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_anthropic_LDFLAGS = $(DECODE_LINK)
tests_llm_test_anthropic_LDADD = $(LIBMT)
tests_llm_test_responses_SOURCES = %D%/test-responses.c $(OPENAI_SOURCES)
tests_llm_test_responses_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_responses_LDFLAGS = $(DECODE_LINK)
tests_llm_test_responses_LDADD = $(LIBMT)
tests_llm_test_gemini_SOURCES = %D%/test-gemini.c $(GEMINI_SOURCES)
tests_llm_test_gemini_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_gemini_LDFLAGS = $(DECODE_LINK)
tests_llm_test_gemini_LDADD = $(LIBMT)
tests_llm_test_bedrock_SOURCES = %D%/test-bedrock.c $(BEDROCK_SOURCES)
tests_llm_test_bedrock_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_bedrock_LDFLAGS = $(DECODE_LINK)
tests_llm_test_bedrock_LDADD = $(LIBMT)
tests_llm_test_ollama_SOURCES = %D%/test-ollama.c $(OLLAMA_SOURCES)
tests_llm_test_ollama_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_ollama_LDFLAGS = $(DECODE_LINK)
tests_llm_test_ollama_LDADD = $(LIBMT)
TESTS += %D%/test-anthropic %D%/test-responses %D%/test-gemini %D%/test-bedrock \
	%D%/test-ollama

# What providers want back, through the log.
check_PROGRAMS += %D%/test-encode-ahead
tests_llm_test_encode_ahead_SOURCES = %D%/test-encode-ahead.c
tests_llm_test_encode_ahead_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_encode_ahead_LDADD = $(LIBHOST)
TESTS += %D%/test-encode-ahead

check_PROGRAMS += %D%/test-kept
tests_llm_test_kept_SOURCES = %D%/test-kept.c
tests_llm_test_kept_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_kept_LDADD = $(LIBHOST)
TESTS += %D%/test-kept

# What the table makes of a request.
check_PROGRAMS += %D%/test-facts
tests_llm_test_facts_SOURCES = %D%/test-facts.c
tests_llm_test_facts_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_facts_LDADD = $(LIBHOST)
TESTS += %D%/test-facts

# Images: from events into requests, and which of them are sent.
check_PROGRAMS += %D%/test-images
tests_llm_test_images_SOURCES = %D%/test-images.c %D%/dialogue.h
tests_llm_test_images_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_images_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_llm_test_images_LDADD = $(LIBHOST)
TESTS += %D%/test-images

# What is kept of requests, and learned from them.
check_PROGRAMS += %D%/test-trace
tests_llm_test_trace_SOURCES = %D%/test-trace.c
tests_llm_test_trace_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_trace_LDADD = $(LIBHOST)
TESTS += %D%/test-trace

# What is tried when a request failed, and which model is asked.
check_PROGRAMS += %D%/test-again
tests_llm_test_again_SOURCES = %D%/test-again.c
tests_llm_test_again_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_again_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_llm_test_again_LDADD = $(LIBHOST)
TESTS += %D%/test-again

# Requests that are too long.
check_PROGRAMS += %D%/test-guard
tests_llm_test_guard_SOURCES = %D%/test-guard.c
tests_llm_test_guard_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_guard_LDADD = $(LIBHOST)
TESTS += %D%/test-guard

# Keys of an AWS account.
check_PROGRAMS += %D%/test-aws
tests_llm_test_aws_SOURCES = %D%/test-aws.c $(AWS_SOURCES)
tests_llm_test_aws_CPPFLAGS = $(DECODE_CPPFLAGS)
tests_llm_test_aws_LDADD = $(LIBMT)
TESTS += %D%/test-aws

# A request that is cancelled, in each of its phases.
check_PROGRAMS += %D%/test-cancel
tests_llm_test_cancel_SOURCES = %D%/test-cancel.c
tests_llm_test_cancel_CPPFLAGS = $(LLM_TEST_CPPFLAGS)
tests_llm_test_cancel_LDADD = $(LIBHOST)
TESTS += %D%/test-cancel

# Through a proxy, and with certificates of one's own.
TESTS += %D%/proxy.sh
EXTRA_DIST += %D%/proxy.sh %D%/proxy.py

# Refusals by a content policy.
TESTS += %D%/content-policy.sh
EXTRA_DIST += %D%/content-policy.sh %D%/content-policy.py
