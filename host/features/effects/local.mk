# Approval of the effects of a command instead of the command.
libhost_a_SOURCES += \
	%D%/effects-ask.c \
	%D%/effects-end.c \
	%D%/effects-internal.h \
	%D%/effects-overlay.c \
	%D%/effects-run.c \
	%D%/effects-shell.c \
	%D%/effects-shell.h \
	%D%/effects-text.c \
	%D%/effects-text.h \
	%D%/effects.c \
	%D%/effects.h
