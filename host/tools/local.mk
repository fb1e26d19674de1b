# The client of a runner; tool calls and the catalog.
libhost_a_SOURCES += %D%/calls.c %D%/calls.h %D%/catalog.c %D%/catalog.h \
	%D%/repair.c %D%/repair.h
