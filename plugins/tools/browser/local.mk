# The browser: all but the ABI is a library, which its tests link too.
noinst_LIBRARIES += libbrowser.a
libbrowser_a_SOURCES = \
	%D%/act-form.c %D%/act-mouse.c %D%/act-page.c %D%/act.h %D%/actions.c \
	%D%/actions.h %D%/browser.c %D%/browser.h %D%/cdp.c \
	%D%/cdp.h %D%/chrome.c %D%/chrome.h %D%/console.c %D%/element-script.c %D%/elements.c \
	%D%/execute.c %D%/input.c %D%/browser-internal.h %D%/look.h %D%/observe.c %D%/outline.c %D%/outline.h \
	%D%/page-tree.c %D%/screenshot.c %D%/snapshot.c
libbrowser_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
LIBBROWSER = libbrowser.a libmt.a $(JSONC_LIBS) -lm

