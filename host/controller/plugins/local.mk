# What the plugins of the conversation process can call, and plugins in forked copies.
libhost_a_SOURCES += %D%/advance.c %D%/advance.h %D%/analyzer-out.c %D%/analyzer-out.h %D%/analyzers.c \
	%D%/analyzer-subject.c %D%/analyzer-subject.h \
	%D%/analyzers.h %D%/condenser-out.c %D%/launch.c %D%/launch.h %D%/model-request.c %D%/model-request.h \
	%D%/plugin-answer.c %D%/plugin-answer.h \
	%D%/plugin-component.h %D%/plugin-ctx.c %D%/plugin-ctx.h %D%/plugin-load.c %D%/plugin-load.h \
	%D%/plugin-view.c %D%/plugin-view.h \
	%D%/plugin-copy.c %D%/plugin-copy.h %D%/plugin-fork.c %D%/plugin-fork.h \
	%D%/plugin-host.c %D%/plugin-host.h %D%/plugin-http.c %D%/plugin-http.h \
	%D%/plugin-journal.c \
	%D%/plugin-journal.h %D%/plugin-output.c %D%/plugin-output.h %D%/plugin-prompt.c %D%/plugin-prompt.h \
	%D%/plugin-replay.c %D%/plugin-replay.h \
	%D%/plugin-sandbox.c %D%/plugin-sandbox.h %D%/plugin-stand-in.c \
	%D%/plugin-stand-in.h %D%/server-access.c %D%/server-access.h
