# The browser: all but the ABI is a library, which its tests link too.
noinst_LIBRARIES += libbrowser.a
libbrowser_a_SOURCES = \
	%D%/actions.c %D%/actions.h %D%/axtree.c %D%/axtree.h %D%/literal.c %D%/literal.h
libbrowser_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
LIBBROWSER = libbrowser.a libmt.a $(JSONC_LIBS) -lm
