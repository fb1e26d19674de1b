# One file per command.
libhost_a_SOURCES += %D%/command.h %D%/config.c %D%/flags.c %D%/plugins.c %D%/probe.c
