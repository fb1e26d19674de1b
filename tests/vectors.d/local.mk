# tests/vectors COMPONENT FILE runs recorded cases. A component has a program
# vec-COMPONENT here (see vec.h), these four lines, and nothing else to do:
#   check_PROGRAMS += %D%/vec-x
#   tests_vectors_d_vec_x_SOURCES = %D%/vec-x.c %D%/vec.h
#   tests_vectors_d_vec_x_CPPFLAGS = $(VEC_CPPFLAGS)
#   tests_vectors_d_vec_x_LDADD = $(LIBMT) $(CRYPTO_LIBS)
VEC_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir) $(CRYPTO_CFLAGS)

check_PROGRAMS += %D%/vec-str_replace_editor
tests_vectors_d_vec_str_replace_editor_SOURCES = \
	%D%/vec-str_replace_editor.c %D%/vec.h
tests_vectors_d_vec_str_replace_editor_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_str_replace_editor_LDADD = $(LIBEDITOR) $(CRYPTO_LIBS)

TESTS += %D%/vectors.sh
EXTRA_DIST += %D%/vectors.sh tests/vectors

check_PROGRAMS += %D%/vec-events
tests_vectors_d_vec_events_SOURCES = %D%/vec-events.c %D%/vec.h
tests_vectors_d_vec_events_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_events_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-bash_parsing %D%/vec-bash_sessions
tests_vectors_d_vec_bash_parsing_SOURCES = %D%/vec-bash_parsing.c %D%/vec.h
tests_vectors_d_vec_bash_parsing_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_bash_parsing_LDADD = $(LIBBASH) $(CRYPTO_LIBS)
tests_vectors_d_vec_bash_sessions_SOURCES = %D%/vec-bash_sessions.c %D%/vec.h
tests_vectors_d_vec_bash_sessions_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_bash_sessions_LDADD = $(LIBBASH) $(CRYPTO_LIBS)

check_PROGRAMS += %D%/vec-tool_calls
tests_vectors_d_vec_tool_calls_SOURCES = %D%/vec-tool_calls.c %D%/vec.h \
	tests/tools/calls-kit.h
tests_vectors_d_vec_tool_calls_CPPFLAGS = $(VEC_CPPFLAGS) -DSOURCES='"$(abs_top_srcdir)"'
tests_vectors_d_vec_tool_calls_LDADD = $(LIBHOST)
EXTRA_tests_vectors_d_vec_tool_calls_DEPENDENCIES = mortise$(EXEEXT) \
	plugins/tools/bash.so plugins/tools/editor.so plugins/tools/control.so \
	plugins/tools/search.so plugins/tools/tasks.so
EXTRA_DIST += tests/fixtures/tools.json

check_PROGRAMS += %D%/vec-sigv4
tests_vectors_d_vec_sigv4_SOURCES = %D%/vec-sigv4.c %D%/vec.h %D%/walk.h $(AWS_SOURCES)
tests_vectors_d_vec_sigv4_CPPFLAGS = $(VEC_CPPFLAGS) -I$(top_srcdir)/plugins/dialects
tests_vectors_d_vec_sigv4_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-model_features %D%/vec-fn_call_converter
tests_vectors_d_vec_model_features_SOURCES = %D%/vec-model_features.c %D%/vec.h
tests_vectors_d_vec_model_features_CPPFLAGS = $(VEC_CPPFLAGS) \
	-DMODEL_TABLE='"$(abs_top_srcdir)/data/models.ini"'
tests_vectors_d_vec_model_features_LDADD = $(LIBHOST)
tests_vectors_d_vec_fn_call_converter_SOURCES = %D%/vec-fn_call_converter.c %D%/vec.h
tests_vectors_d_vec_fn_call_converter_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_fn_call_converter_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-llm-wire
tests_vectors_d_vec_llm_wire_SOURCES = %D%/vec-llm-wire.c %D%/vec.h %D%/walk.h \
	tests/llm/decode.h tests/llm/frames.h
tests_vectors_d_vec_llm_wire_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_llm_wire_LDADD = $(LIBMT) $(CRYPTO_LIBS)
EXTRA_tests_vectors_d_vec_llm_wire_DEPENDENCIES = plugins/dialects/openai.so \
	plugins/dialects/anthropic.so plugins/dialects/gemini.so \
	plugins/dialects/bedrock.so plugins/dialects/ollama.so

check_PROGRAMS += %D%/vec-stuck_detector
tests_vectors_d_vec_stuck_detector_SOURCES = %D%/vec-stuck_detector.c %D%/vec.h
tests_vectors_d_vec_stuck_detector_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_stuck_detector_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-security
tests_vectors_d_vec_security_SOURCES = %D%/vec-security.c %D%/vec.h
tests_vectors_d_vec_security_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_security_LDADD = libpolicy.a $(LIBHOST) $(UTF8PROC_LIBS)

check_PROGRAMS += %D%/vec-condensers
tests_vectors_d_vec_condensers_SOURCES = %D%/vec-condensers.c %D%/vec.h \
	tests/controller/kit.h
tests_vectors_d_vec_condensers_CPPFLAGS = $(VEC_CPPFLAGS) $(libhost_a_CPPFLAGS) \
	-I$(top_srcdir)/tests -DBUILD='"$(abs_top_builddir)"' -DSOURCES='"$(abs_top_srcdir)"'
tests_vectors_d_vec_condensers_LDADD = $(LIBHOST)
EXTRA_tests_vectors_d_vec_condensers_DEPENDENCIES = mortise-runner$(EXEEXT) \
	plugins/agents/codeact.so plugins/dialects/script.so \
	plugins/condensers/noop.so \
	plugins/condensers/recent.so plugins/condensers/amortized.so \
	plugins/condensers/observation_masking.so \
	plugins/condensers/browser_output_masking.so \
	plugins/condensers/conversation_window.so plugins/condensers/llm.so \
	plugins/condensers/structured.so plugins/condensers/llm_attention.so

check_PROGRAMS += %D%/vec-misc_v1
tests_vectors_d_vec_misc_v1_SOURCES = %D%/vec-misc_v1.c %D%/vec.h
tests_vectors_d_vec_misc_v1_CPPFLAGS = $(VEC_CPPFLAGS) $(UV_CFLAGS)
tests_vectors_d_vec_misc_v1_LDADD = libtext.a libpatch.a $(LIBHOST)

check_PROGRAMS += %D%/vec-controller
tests_vectors_d_vec_controller_SOURCES = %D%/vec-controller.c %D%/vec.h \
	tests/controller/kit.h
tests_vectors_d_vec_controller_CPPFLAGS = $(VEC_CPPFLAGS) $(libhost_a_CPPFLAGS) \
	-I$(top_srcdir)/tests -DBUILD='"$(abs_top_builddir)"' -DSOURCES='"$(abs_top_srcdir)"'
tests_vectors_d_vec_controller_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-conversation_memory
tests_vectors_d_vec_conversation_memory_SOURCES = %D%/vec-conversation_memory.c %D%/vec.h
tests_vectors_d_vec_conversation_memory_CPPFLAGS = $(VEC_CPPFLAGS) \
	-DSOURCES='"$(abs_top_srcdir)"'
tests_vectors_d_vec_conversation_memory_LDADD = $(LIBHOST)

check_PROGRAMS += %D%/vec-microagents_skills
tests_vectors_d_vec_microagents_skills_SOURCES = %D%/vec-microagents_skills.c %D%/vec.h
tests_vectors_d_vec_microagents_skills_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_microagents_skills_LDADD = libskill.a $(LIBHOST)

check_PROGRAMS += %D%/vec-browser
tests_vectors_d_vec_browser_SOURCES = %D%/vec-browser.c %D%/vec.h \
	plugins/agents/browse-reply.c plugins/agents/browse.h
tests_vectors_d_vec_browser_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_browser_LDADD = $(LIBBROWSER) $(CRYPTO_LIBS)

check_PROGRAMS += %D%/vec-config
tests_vectors_d_vec_config_SOURCES = %D%/vec-config.c %D%/vec.h
tests_vectors_d_vec_config_CPPFLAGS = $(VEC_CPPFLAGS)
tests_vectors_d_vec_config_LDADD = $(LIBHOST)
