# What the model gets to see.
libhost_a_SOURCES += %D%/facts.c %D%/facts.h %D%/view-rules.c %D%/view-rules.h \
	%D%/history.c %D%/history.h %D%/images.c %D%/images.h %D%/memory.c %D%/memory.h %D%/pieces.c %D%/pieces.h \
	%D%/packs.c %D%/packs.h %D%/packs-cache.c %D%/packs-index.c %D%/packs-install.c %D%/packs-sign.c \
	%D%/places.c %D%/prompts.c %D%/prompts.h %D%/recall-text.c \
	%D%/recall-text.h %D%/repository.c %D%/repository.h \
	%D%/skill.c %D%/skill.h %D%/skill-files.c %D%/skill-servers.c \
	%D%/skills.c %D%/skills-list.c %D%/skills.h %D%/skills-internal.h %D%/triggers.c %D%/triggers.h \
	%D%/yaml.c %D%/yaml.h
