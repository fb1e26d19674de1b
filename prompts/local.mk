# Prompt templates, in our own words.
dist_prompt_DATA += %D%/browsing.mustache %D%/browsing_actions.mustache \
	%D%/browsing_step.mustache %D%/visualbrowsing.mustache \
	%D%/visualbrowsing_step.mustache %D%/condense.mustache %D%/condense_choice.mustache \
	%D%/condense_form.mustache %D%/context.mustache %D%/continue.mustache \
	%D%/judge_done.mustache %D%/judge_risk.mustache \
	%D%/knowledge.mustache %D%/planning.mustache %D%/readonly.mustache %D%/review.mustache \
	%D%/risk.mustache %D%/rule.mustache %D%/rules.mustache %D%/side_question.mustache \
	%D%/stuck.mustache %D%/subagent.mustache \
	%D%/surroundings.mustache %D%/surroundings_small.mustache \
	%D%/system.mustache %D%/system_interactive.mustache \
	%D%/system_long_horizon.mustache %D%/system_small.mustache \
	%D%/system_technical.mustache
