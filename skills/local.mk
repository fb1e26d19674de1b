# Skills that come with the program, in our own words.
BUNDLED_SKILLS = %D%/github/SKILL.md %D%/code-review/SKILL.md %D%/fix_test.md \
	%D%/mortise-plugin/SKILL.md
nobase_dist_bundled_DATA = $(BUNDLED_SKILLS)
bundleddir = $(datadir)/mortise
