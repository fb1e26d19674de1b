# Plugins: where they are found, what they are, loading them.
noinst_LIBRARIES += libregistry.a
libregistry_a_SOURCES = \
	%D%/cache.c %D%/component-options.c %D%/describe.c %D%/describe-permissions.c \
	%D%/descriptor.c %D%/discovery.c %D%/guard.c \
	%D%/guard.h %D%/guard-signals.c %D%/guard-signals.h %D%/internal.h %D%/load.c %D%/names.c \
	%D%/namespaces.c %D%/namespaces.h %D%/probe.c %D%/providers.c %D%/queries.c %D%/registry.h \
	%D%/trusted-path.c %D%/trusted-path.h
libregistry_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(DIRECTORIES)
