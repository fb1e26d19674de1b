# tests/model: conversations with a scripted model that looks at the requests it gets
MODEL_TESTS = \
	%D%/browser-results.bats \
	%D%/browsing-steps.bats \
	%D%/code-mode.bats \
	%D%/delegation-agents.bats \
	%D%/delegation-background.bats \
	%D%/delegation-context.bats \
	%D%/delegation-errors.bats \
	%D%/delegation-told.bats \
	%D%/editor-edits.bats \
	%D%/editor-patches.bats \
	%D%/editor-stale.bats \
	%D%/editor-views.bats \
	%D%/files-changed.bats \
	%D%/goal.bats \
	%D%/jobs-end.bats \
	%D%/jobs-moved.bats \
	%D%/judge-done.bats \
	%D%/judge-risk.bats \
	%D%/loops.bats \
	%D%/media.bats \
	%D%/project-state.bats \
	%D%/prompts.bats \
	%D%/results-budget.bats \
	%D%/results-diagnostics.bats \
	%D%/results-environment.bats \
	%D%/results-errors.bats \
	%D%/results-search.bats \
	%D%/results-shell.bats \
	%D%/results-tools.bats \
	%D%/steering-agent.bats \
	%D%/steering-between.bats \
	%D%/steering-btw.bats \
	%D%/steering-forgetting.bats \
	%D%/steering-polling.bats \
	%D%/steering-stop.bats \
	%D%/text-calls.bats \
	%D%/undo.bats
TESTS += $(MODEL_TESTS)
EXTRA_DIST += $(MODEL_TESTS) %D%/README.md %D%/errors-model.py %D%/loops-recorded.py %D%/steer.py \
	%D%/text-example.py
