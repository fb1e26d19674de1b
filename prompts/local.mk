# Prompt templates, in our own words.
dist_prompt_DATA += %D%/context.mustache %D%/continue.mustache %D%/rules.mustache \
	%D%/stuck.mustache %D%/system.mustache
