# tests/model: conversations with a scripted model that looks at the requests it gets
TESTS += %D%/jobs-end.bats %D%/results-budget.bats %D%/results-environment.bats %D%/results-errors.bats %D%/results-search.bats \
	%D%/results-shell.bats %D%/results-tools.bats
EXTRA_DIST += %D%/errors-model.py %D%/jobs-end.bats %D%/results-budget.bats %D%/results-environment.bats %D%/results-errors.bats \
	%D%/results-search.bats %D%/results-shell.bats %D%/results-tools.bats

TESTS += %D%/browser-results.bats
EXTRA_DIST += %D%/browser-results.bats
TESTS += %D%/editor-edits.bats %D%/editor-views.bats %D%/editor-patches.bats \
	%D%/editor-stale.bats
EXTRA_DIST += %D%/editor-edits.bats %D%/editor-views.bats %D%/editor-patches.bats \
	%D%/editor-stale.bats
TESTS += %D%/files-changed.bats %D%/media.bats
EXTRA_DIST += %D%/files-changed.bats %D%/media.bats
TESTS += %D%/text-calls.bats
EXTRA_DIST += %D%/text-calls.bats %D%/text-example.py
TESTS += %D%/delegation-errors.bats
EXTRA_DIST += %D%/delegation-errors.bats
TESTS += %D%/delegation-agents.bats
EXTRA_DIST += %D%/delegation-agents.bats
TESTS += %D%/delegation-told.bats
EXTRA_DIST += %D%/delegation-told.bats
TESTS += %D%/delegation-context.bats
EXTRA_DIST += %D%/delegation-context.bats
TESTS += %D%/judge-done.bats %D%/judge-risk.bats
EXTRA_DIST += %D%/judge-done.bats %D%/judge-risk.bats
TESTS += %D%/loops.bats
EXTRA_DIST += %D%/loops.bats
TESTS += %D%/goal.bats
EXTRA_DIST += %D%/goal.bats
TESTS += %D%/prompts.bats
EXTRA_DIST += %D%/prompts.bats
TESTS += %D%/delegation-background.bats
EXTRA_DIST += %D%/delegation-background.bats


TESTS += %D%/steering-agent.bats %D%/steering-between.bats %D%/steering-btw.bats %D%/steering-forgetting.bats \
	%D%/steering-polling.bats %D%/steering-stop.bats
EXTRA_DIST += %D%/steering-agent.bats %D%/steering-between.bats %D%/steering-btw.bats %D%/steering-forgetting.bats \
	%D%/steering-polling.bats %D%/steering-stop.bats %D%/steer.py
