# Runtimes: how a runner is launched.
plugin_PROGRAMS += %D%/local.so
plugins_runtimes_local_so_SOURCES = %D%/local.c
plugins_runtimes_local_so_LDFLAGS = $(PLUGIN_LINK)
