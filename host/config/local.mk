# The INI layers.
libhost_a_SOURCES += %D%/choices.h %D%/config.h %D%/explain.c %D%/overrides.c %D%/layers.c %D%/layers.h %D%/leftovers.c \
	%D%/key-command.c %D%/key-command.h %D%/secrets.c %D%/tables.c %D%/trust.c %D%/values.c
