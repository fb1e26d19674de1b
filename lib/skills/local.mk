# Skills: where they are found, what they say, archives of them.
noinst_LIBRARIES += libskills.a
libskills_a_SOURCES = \
	%D%/packs-cache.c %D%/packs-index.c %D%/packs-install.c %D%/packs.h \
	%D%/skill-files.c %D%/skill-inputs.c %D%/skill-mcp.c %D%/skill-paths.c \
	%D%/skill.c %D%/skill.h %D%/skills-internal.h %D%/skills-list.c %D%/skills.c \
	%D%/skills.h %D%/triggers.c %D%/triggers.h
libskills_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(UTF8PROC_CFLAGS) $(DIRECTORIES)
