# The wire formats of model providers.
plugin_PROGRAMS += %D%/script.so %D%/openai.so
plugins_dialects_script_so_SOURCES = %D%/script.c %D%/script-parse.c %D%/script-parse.h
plugins_dialects_script_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_script_so_LDADD = $(LIBMT)

# What the dialects over HTTP share.
DIALECT_KIT = plugins/dialects/kit.c plugins/dialects/kit.h plugins/dialects/answer.c

OPENAI_SOURCES = plugins/dialects/openai.c plugins/dialects/openai-decode.c \
	plugins/dialects/openai-responses.c plugins/dialects/openai-responses-decode.c \
	plugins/dialects/openai.h $(DIALECT_KIT)
plugins_dialects_openai_so_SOURCES = $(OPENAI_SOURCES)
plugins_dialects_openai_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_openai_so_LDADD = $(LIBMT)

plugin_PROGRAMS += %D%/anthropic.so
plugins_dialects_anthropic_so_SOURCES = %D%/anthropic.c %D%/anthropic-decode.c \
	%D%/anthropic.h $(DIALECT_KIT)
plugins_dialects_anthropic_so_LDFLAGS = $(PLUGIN_LINK)
plugins_dialects_anthropic_so_LDADD = $(LIBMT)
