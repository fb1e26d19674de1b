# host/events
libhost_a_SOURCES += \
	%D%/event.c %D%/event.h %D%/event-read.c %D%/event-text.c %D%/internal.h \
	%D%/json-write.c %D%/python.c %D%/types.c %D%/types.h
