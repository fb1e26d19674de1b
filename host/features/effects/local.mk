# Approval of the effects of a command instead of the command.
libhost_a_SOURCES += \
	%D%/effects-shell.c \
	%D%/effects-shell.h \
	%D%/effects-text.c \
	%D%/effects-text.h \
	%D%/effects.c \
	%D%/effects.h
