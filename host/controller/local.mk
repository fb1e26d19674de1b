# The controller: states, steps, dispatch, resume.
libhost_a_SOURCES += %D%/action-hash.c %D%/action-hash.h %D%/parallel-calls.c %D%/analyze.c %D%/analyze.h %D%/analyzers.c %D%/analyzers.h %D%/approval-commands.c %D%/approval-commands.h \
	%D%/approval-paths.c %D%/approval-paths.h %D%/approval-programs.c %D%/approval-programs.h \
	%D%/approval-scope.c %D%/approval-scope.h \
	%D%/approvals.c %D%/approval-store.c %D%/approval-store.h \
	%D%/model-request.c %D%/subagent-process.c %D%/tool-completions.c %D%/subagents.c %D%/subagent-usage.c %D%/subagents.h %D%/delegate.c %D%/condense.c %D%/confirm.c %D%/confirm-answer.c %D%/confirm.h \
	%D%/conversation.c %D%/conversation.h %D%/dispatch.c %D%/spools.c %D%/exit-code.h %D%/tool-search.c \
	%D%/hook-runner.c %D%/hook-runner.h \
	%D%/internal.h %D%/launch.c %D%/launch.h %D%/limits.c %D%/limits.h \
	%D%/meta.c %D%/meta.h %D%/questions.c %D%/step-policy.c %D%/step-policy.h %D%/context-recall.c \
	%D%/context-recall.h %D%/tool-requests.c %D%/log-search.c %D%/resume.c \
	%D%/rewind.c %D%/rewind.h %D%/plugin-host.c %D%/budget.c %D%/side-usage.c %D%/state.c %D%/state.h \
	%D%/relist.c %D%/slices.c %D%/usage-checkpoint.c %D%/usage-checkpoint.h %D%/actions.c %D%/feature.h %D%/features.c %D%/call.c %D%/call.h %D%/offered-tools.c %D%/turn.c %D%/turn.h %D%/step.c %D%/loop-detector.c %D%/loop-detector.h %D%/setup.c %D%/status-text.c %D%/loop-recovery.c %D%/volatile-text.c %D%/volatile-text.h %D%/wiring.c
libhost_a_SOURCES += %D%/fork.c %D%/fork.h %D%/task-list.c %D%/task-list.h %D%/condense-preview.c %D%/condense-preview.h
libhost_a_SOURCES += %D%/replay.c %D%/replay.h %D%/replay-compare.c %D%/replay-internal.h
