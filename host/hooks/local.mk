# Commands of the user that are run at certain moments.
libhost_a_SOURCES += %D%/hooks.h %D%/load.c %D%/matcher.c %D%/run.c %D%/result.c
