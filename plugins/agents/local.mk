# Agents: what to ask the model and what its reply means.
plugin_PROGRAMS += %D%/codeact.so %D%/dummy.so
plugins_agents_codeact_so_SOURCES = %D%/codeact.c
plugins_agents_codeact_so_LDFLAGS = $(PLUGIN_LINK)
plugins_agents_dummy_so_SOURCES = %D%/dummy.c
plugins_agents_dummy_so_LDFLAGS = $(PLUGIN_LINK)
