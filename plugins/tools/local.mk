# The tools. The editor's own work is a library, which its tests link too.
noinst_LIBRARIES += libeditor.a
libeditor_a_SOURCES = \
	%D%/editor/charset.c %D%/editor/charset.h %D%/editor/commands.c \
	%D%/editor/commands.h %D%/editor/diff.c %D%/editor/diff.h \
	%D%/editor/editor.c %D%/editor/editor.h %D%/editor/edits.c \
	%D%/editor/listing.c %D%/editor/memory.c %D%/editor/memory.h \
	%D%/editor/nearmiss.c %D%/editor/nearmiss.h %D%/editor/params.c \
	%D%/editor/params.h %D%/editor/store.c %D%/editor/textfile.c \
	%D%/editor/textfile.h %D%/editor/view.c %D%/editor/view.h
libeditor_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(UCHARDET_CFLAGS)
LIBEDITOR = libeditor.a libmt.a $(JSONC_LIBS)

plugin_PROGRAMS += %D%/editor.so
plugins_tools_editor_so_SOURCES = %D%/editor/main.c
plugins_tools_editor_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_editor_so_LDADD = $(LIBEDITOR)

plugin_PROGRAMS += %D%/control.so
plugins_tools_control_so_SOURCES = %D%/control.c
plugins_tools_control_so_LDFLAGS = $(PLUGIN_LINK)
