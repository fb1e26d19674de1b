# Hooks: commands of the user that are run at certain moments.
noinst_LIBRARIES += libhooks.a
libhooks_a_SOURCES = %D%/hooks.h %D%/load.c %D%/matcher.c %D%/result.c %D%/run.c
libhooks_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(UV_CFLAGS)
