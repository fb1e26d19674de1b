# What the model gets to see: history, views, messages, prompts.
libhost_a_SOURCES += \
	%D%/event-facts.c %D%/event-facts.h %D%/event-names.c %D%/event-names.h %D%/history.c %D%/history.h %D%/images.c \
	%D%/images.h %D%/message-options.h %D%/message-parts.c %D%/message-parts.h %D%/message-turn.c %D%/message-turn.h %D%/prompts.c %D%/prompts.h \
	%D%/recall-text.c %D%/recall-text.h %D%/repository.c %D%/repository.h \
	%D%/request-messages.c %D%/request-messages.h %D%/turn-budget.c %D%/turn-budget.h \
	%D%/view-beginning.c %D%/view-beginning.h %D%/view-invariants.c \
	%D%/view-invariants.h %D%/view-item.h
