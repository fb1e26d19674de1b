# Approval: the gate before an action, what the user is asked and what runs without.
libhost_a_SOURCES += \
	%D%/action-hash.c \
	%D%/action-hash.h \
	%D%/analyze.c \
	%D%/analyze.h \
	%D%/answer.c \
	%D%/approval-internal.h \
	%D%/approval.h \
	%D%/gate.c \
	%D%/grants.c \
	%D%/preview.c \
	%D%/risk-judge.c \
	%D%/scope-commands.c \
	%D%/scope-commands.h \
	%D%/scope-paths.c \
	%D%/scope-paths.h \
	%D%/scope-programs.c \
	%D%/scope-programs.h \
	%D%/scope.c \
	%D%/scope.h \
	%D%/store.c \
	%D%/store.h
