# Skills: where they are found, what they say, archives of them.
libhost_a_SOURCES += \
	%D%/packs.h %D%/packs-cache.c %D%/packs-index.c %D%/packs-install.c \
	%D%/skill.c %D%/skill.h \
	%D%/skill-files.c %D%/skill-inputs.c %D%/skill-mcp.c %D%/skill-paths.c %D%/skills.c %D%/skills.h \
	%D%/skills-internal.h %D%/skills-list.c %D%/triggers.c %D%/triggers.h
