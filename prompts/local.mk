# Prompt templates, in our own words.
dist_prompt_DATA += %D%/condense.mustache %D%/condense_choice.mustache \
	%D%/condense_form.mustache %D%/context.mustache %D%/continue.mustache \
	%D%/knowledge.mustache %D%/planning.mustache %D%/readonly.mustache %D%/rule.mustache %D%/rules.mustache \
	%D%/stuck.mustache %D%/system.mustache
