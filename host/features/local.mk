include %D%/approval/local.mk
# Features of the controller, which it asks by their table.
libhost_a_SOURCES += %D%/budget.c %D%/budget.h %D%/condense-preview.c \
	%D%/condense-preview.h %D%/condense.c %D%/condense.h %D%/context-recall.c \
	%D%/context-recall.h %D%/delegation.c %D%/delegation.h %D%/environment-command.c \
	%D%/environment-command.h %D%/features-table.c %D%/file-history.c %D%/file-history.h \
	%D%/goal.c %D%/goal.h %D%/hook-moment.c %D%/hook-moment.h %D%/hook-runner.c \
	%D%/hook-runner.h %D%/judge.c %D%/judge.h %D%/limits.c %D%/limits.h %D%/log-search.c %D%/loop-detector.c \
	%D%/loop-detector.h %D%/loop-recovery.c %D%/loop-recovery.h %D%/nested-calls.c \
	%D%/nested-calls.h %D%/questions.c \
	%D%/questions.h %D%/relist.c %D%/relist.h %D%/replay-compare.c %D%/replay-internal.h \
	%D%/replay.c %D%/replay.h %D%/setup.c %D%/setup.h %D%/side-question.c \
	%D%/side-question.h %D%/side-usage.c %D%/side-usage.h %D%/slices.c %D%/slices.h \
	%D%/spools.c %D%/spools.h %D%/status-text.c %D%/subagent-process.c \
	%D%/subagent-usage.c %D%/subagents.c %D%/subagents.h %D%/task-list.c %D%/task-list.h \
	%D%/tool-completions.c %D%/tool-completions.h %D%/tool-http.c %D%/tool-http.h %D%/tool-notices.c %D%/tool-notices.h \
	%D%/tool-requests.c %D%/tool-search.c %D%/tool-search.h %D%/volatile-text.c \
	%D%/volatile-text.h
