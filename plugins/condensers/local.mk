# Condensers: what of the history the model gets to see.
plugin_PROGRAMS += %D%/noop.so %D%/recent.so %D%/observation_masking.so \
	%D%/browser_output_masking.so %D%/conversation_window.so %D%/amortized.so \
	%D%/llm.so %D%/structured.so %D%/llm_attention.so
plugins_condensers_noop_so_SOURCES = %D%/noop.c
plugins_condensers_noop_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_recent_so_SOURCES = %D%/recent.c
plugins_condensers_recent_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_observation_masking_so_SOURCES = %D%/observation_masking.c \
	%D%/masking.h
plugins_condensers_observation_masking_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_browser_output_masking_so_SOURCES = %D%/browser_output_masking.c \
	%D%/masking.h
plugins_condensers_browser_output_masking_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_conversation_window_so_SOURCES = %D%/conversation_window.c
plugins_condensers_conversation_window_so_LDFLAGS = $(PLUGIN_LINK)
CONDENSER_UTIL = %D%/condenser-util.c %D%/condenser-util.h
CONDENSER_SUMMARY = $(CONDENSER_UTIL) %D%/summary.c %D%/summary.h
plugins_condensers_amortized_so_SOURCES = %D%/amortized.c $(CONDENSER_UTIL)
plugins_condensers_amortized_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_amortized_so_LDADD = $(LIBMT)
plugins_condensers_llm_so_SOURCES = %D%/llm.c $(CONDENSER_SUMMARY)
plugins_condensers_llm_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_llm_so_LDADD = $(LIBMT)
plugins_condensers_structured_so_SOURCES = %D%/structured.c $(CONDENSER_SUMMARY)
plugins_condensers_structured_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_structured_so_LDADD = $(LIBMT)
plugins_condensers_llm_attention_so_SOURCES = %D%/llm_attention.c $(CONDENSER_UTIL)
plugins_condensers_llm_attention_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_llm_attention_so_LDADD = $(LIBMT)
