# Language servers.
noinst_LIBRARIES += liblsp.a
liblsp_a_SOURCES = \
	%D%/client.c %D%/client.h %D%/documents.c %D%/documents.h \
	%D%/edits.c %D%/edits.h %D%/locations.c %D%/locations.h \
	%D%/positions.c %D%/positions.h %D%/rpc.c %D%/rpc.h \
	%D%/servers.c %D%/servers.h %D%/sessions.c %D%/sessions.h
liblsp_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
LIBLSP = liblsp.a libtext.a libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += plugins/tools/lsp.so
plugins_tools_lsp_so_SOURCES = %D%/main.c
plugins_tools_lsp_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_lsp_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_lsp_so_LDADD = $(LIBLSP)
