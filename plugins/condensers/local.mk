# Condensers: what of the history the model gets to see.
plugin_PROGRAMS += %D%/noop.so %D%/recent.so
plugins_condensers_noop_so_SOURCES = %D%/noop.c
plugins_condensers_noop_so_LDFLAGS = $(PLUGIN_LINK)
plugins_condensers_recent_so_SOURCES = %D%/recent.c
plugins_condensers_recent_so_LDFLAGS = $(PLUGIN_LINK)
