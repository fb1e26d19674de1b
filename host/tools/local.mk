# The client of a runner; tool calls and the catalog.
libhost_a_SOURCES += %D%/calls.c %D%/calls.h %D%/catalog.c %D%/catalog.h \
	%D%/calls-back.c %D%/mapping.c %D%/mapping.h %D%/names.c %D%/names.h \
	%D%/repair.c %D%/repair.h %D%/listed.c %D%/listed.h \
	%D%/declared.c %D%/declared.h %D%/servers.c %D%/servers.h
libhost_a_SOURCES += %D%/link.c %D%/link-calls.c %D%/link-lines.c %D%/link-take.c \
	%D%/link.h %D%/link-internal.h %D%/link-lines.h
