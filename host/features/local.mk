# Features of the controller, which it asks by their table.
libhost_a_SOURCES += %D%/features-table.c %D%/hook-runner.c %D%/hook-runner.h \
	%D%/questions.c %D%/questions.h %D%/relist.c %D%/relist.h %D%/replay-compare.c \
	%D%/replay-internal.h %D%/replay.c %D%/replay.h %D%/setup.c %D%/setup.h \
	%D%/tool-completions.c %D%/tool-completions.h
