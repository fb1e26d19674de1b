# Runtimes: how a runner is launched.
plugin_PROGRAMS += %D%/local.so
plugins_runtimes_local_so_SOURCES = %D%/local.c
plugins_runtimes_local_so_LDFLAGS = $(PLUGIN_LINK)
plugin_PROGRAMS += %D%/bwrap.so
plugins_runtimes_bwrap_so_SOURCES = %D%/bwrap.c
plugins_runtimes_bwrap_so_LDFLAGS = $(PLUGIN_LINK)
plugin_PROGRAMS += %D%/ssh.so
plugins_runtimes_ssh_so_SOURCES = %D%/ssh.c %D%/start.h
plugins_runtimes_ssh_so_LDFLAGS = $(PLUGIN_LINK)
plugin_PROGRAMS += %D%/docker.so
plugins_runtimes_docker_so_SOURCES = %D%/docker.c %D%/start.h
plugins_runtimes_docker_so_LDFLAGS = $(PLUGIN_LINK)
