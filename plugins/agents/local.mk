# Agents: what to ask the model and what its reply means.
plugin_PROGRAMS += %D%/codeact.so %D%/dummy.so %D%/readonly.so
plugins_agents_codeact_so_SOURCES = %D%/codeact.c %D%/turn.c %D%/turn.h
plugins_agents_codeact_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_dummy_so_SOURCES = %D%/dummy.c
plugins_agents_dummy_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_readonly_so_SOURCES = %D%/readonly.c %D%/turn.c %D%/turn.h
plugins_agents_readonly_so_LDFLAGS = $(PLUGIN_LINK)
plugin_PROGRAMS += %D%/browsing.so %D%/visualbrowsing.so
BROWSE_SOURCES = %D%/browse.c %D%/browse.h %D%/browse-reply.c
plugins_agents_browsing_so_SOURCES = %D%/browsing.c $(BROWSE_SOURCES)
plugins_agents_browsing_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_agents_browsing_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_browsing_so_LDADD = libmt.a $(JSONC_LIBS) -lm
plugins_agents_visualbrowsing_so_SOURCES = %D%/visualbrowsing.c $(BROWSE_SOURCES)
plugins_agents_visualbrowsing_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_agents_visualbrowsing_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_visualbrowsing_so_LDADD = libmt.a $(JSONC_LIBS) -lm
