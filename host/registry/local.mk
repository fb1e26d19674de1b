# What plugins are there.
libhost_a_SOURCES += %D%/cache.c %D%/describe.c %D%/descriptor.c %D%/discovery.c %D%/guard.c %D%/guard.h \
	%D%/internal.h %D%/load.c %D%/names.c %D%/probe.c %D%/registry.h
