# The wire formats of model providers.
plugin_PROGRAMS += %D%/script.so %D%/openai.so
plugins_dialects_script_so_SOURCES = %D%/script.c %D%/script-parse.c %D%/script-parse.h
plugins_dialects_script_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_script_so_LDADD = $(LIBMT)

# What the dialects over HTTP share.
DIALECT_KIT = plugins/dialects/writer.c plugins/dialects/kit.h plugins/dialects/answer.c
DIALECT_BLOCKS = plugins/dialects/blocks.c plugins/dialects/blocks.h

OPENAI_SOURCES = plugins/dialects/openai.c plugins/dialects/openai-decode.c plugins/dialects/openai-kept.c \
	plugins/dialects/openai-responses.c plugins/dialects/openai-responses-decode.c \
	plugins/dialects/openai.h $(DIALECT_KIT)
plugins_dialects_openai_so_SOURCES = $(OPENAI_SOURCES)
plugins_dialects_openai_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_openai_so_LDADD = $(LIBMT)

plugin_PROGRAMS += %D%/anthropic.so
ANTHROPIC_SOURCES = plugins/dialects/anthropic.c plugins/dialects/anthropic-decode.c \
	plugins/dialects/anthropic.h plugins/dialects/claude.c plugins/dialects/claude.h \
	$(DIALECT_BLOCKS) $(DIALECT_KIT)
plugins_dialects_anthropic_so_SOURCES = $(ANTHROPIC_SOURCES)
plugins_dialects_anthropic_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_anthropic_so_LDADD = $(LIBMT)

plugin_PROGRAMS += %D%/bedrock.so
AWS_SOURCES = plugins/dialects/aws.c plugins/dialects/aws.h plugins/dialects/sigv4.c \
	plugins/dialects/sigv4.h
BEDROCK_SOURCES = plugins/dialects/bedrock.c plugins/dialects/bedrock-decode.c \
	plugins/dialects/bedrock.h $(AWS_SOURCES) plugins/dialects/claude.c plugins/dialects/claude.h \
	$(DIALECT_BLOCKS) $(DIALECT_KIT)
plugins_dialects_bedrock_so_SOURCES = $(BEDROCK_SOURCES)
plugins_dialects_bedrock_so_CPPFLAGS = $(AM_CPPFLAGS) $(CRYPTO_CFLAGS)
plugins_dialects_bedrock_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_bedrock_so_LDADD = $(LIBMT)

plugin_PROGRAMS += %D%/gemini.so
GEMINI_SOURCES = plugins/dialects/gemini.c plugins/dialects/gemini-args.c \
	plugins/dialects/gemini-decode.c plugins/dialects/gemini.h $(DIALECT_BLOCKS) \
	$(DIALECT_KIT)
plugins_dialects_gemini_so_SOURCES = $(GEMINI_SOURCES)
plugins_dialects_gemini_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_gemini_so_LDADD = $(LIBMT)

plugin_PROGRAMS += %D%/ollama.so
OLLAMA_SOURCES = plugins/dialects/ollama.c $(DIALECT_KIT)
plugins_dialects_ollama_so_SOURCES = $(OLLAMA_SOURCES)
plugins_dialects_ollama_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_ollama_so_LDADD = $(LIBMT)
