# Agents: what to ask the model and what its reply means.
plugin_PROGRAMS += %D%/codeact.so %D%/dummy.so %D%/readonly.so
plugins_agents_codeact_so_SOURCES = %D%/codeact.c %D%/turn.c %D%/turn.h
plugins_agents_codeact_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_dummy_so_SOURCES = %D%/dummy.c
plugins_agents_dummy_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_readonly_so_SOURCES = %D%/readonly.c %D%/turn.c %D%/turn.h
plugins_agents_readonly_so_LDFLAGS = $(PLUGIN_LINK)
