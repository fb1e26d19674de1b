# The controller: states, steps, dispatch, resume.
libhost_a_SOURCES += %D%/action-hash.c %D%/action-hash.h %D%/ahead.c %D%/analyze.c %D%/analyze.h %D%/analyzers.c %D%/analyzers.h %D%/approval-commands.c %D%/approval-commands.h \
	%D%/approval-paths.c %D%/approval-paths.h %D%/approval-programs.c %D%/approval-programs.h \
	%D%/approval-scope.c %D%/approval-scope.h \
	%D%/approvals.c %D%/approval-store.c %D%/approval-store.h \
	%D%/ask.c %D%/child.c %D%/complete.c %D%/children.c %D%/children-bill.c %D%/children.h %D%/delegate.c %D%/condense.c %D%/confirm.c %D%/confirm-answer.c %D%/confirm.h \
	%D%/conversation.c %D%/conversation.h %D%/dispatch.c %D%/spools.c %D%/exit_code.h %D%/finding.c \
	%D%/hooking.c %D%/hooking.h \
	%D%/internal.h %D%/launch.c %D%/launch.h %D%/limits.c %D%/limits.h \
	%D%/meta.c %D%/meta.h %D%/questions.c %D%/react.c %D%/react.h %D%/recall.c \
	%D%/recall.h %D%/recall-answers.c %D%/recollect.c %D%/resume.c \
	%D%/rewind.c %D%/rewind.h %D%/services.c %D%/spend.c %D%/spent.c %D%/state.c %D%/state.h \
	%D%/relist.c %D%/slices.c %D%/bill-checkpoint.c %D%/bill-checkpoint.h %D%/step.c %D%/stuck.c %D%/stuck.h %D%/setup.c %D%/tell.c %D%/unstick.c %D%/volatile-text.c %D%/volatile-text.h %D%/wiring.c
libhost_a_SOURCES += %D%/fork.c %D%/fork.h %D%/tasks.c %D%/tasks.h %D%/trim.c %D%/trim.h
libhost_a_SOURCES += %D%/replay.c %D%/replay.h %D%/replay-compare.c %D%/replay-internal.h
