# The configuration: INI layers, their tables, secrets and trusted files.
noinst_LIBRARIES += libconfig.a
libconfig_a_SOURCES = \
	%D%/changed.c %D%/choices.h %D%/config.h %D%/environment.c %D%/environment.h \
	%D%/explain.c %D%/key-command.c %D%/key-command.h \
	%D%/layers.c %D%/layers.h %D%/leftovers.c %D%/overrides.c %D%/secrets.c \
	%D%/settings.c %D%/tables.c %D%/trust.c %D%/values.c
libconfig_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(DIRECTORIES)
