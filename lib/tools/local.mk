# The catalog of tools, and their calls.
noinst_LIBRARIES += libtools.a
libtools_a_SOURCES = \
	%D%/action-to-call.c %D%/call-to-action.c %D%/calls.h %D%/catalog.c %D%/catalog.h \
	%D%/ffi-tools.c %D%/ffi-tools.h %D%/mapping.c %D%/mapping.h \
	%D%/mcp-servers.c %D%/mcp-servers.h %D%/risk-schema.c %D%/risk-schema.h \
	%D%/option-secrets.c %D%/option-secrets.h \
	%D%/result-to-observation.c %D%/secret-requests.c %D%/secret-requests.h \
	%D%/tool-instance.h %D%/tool-list-cache.c %D%/tool-list-cache.h \
	%D%/tool-name-repair.c %D%/tool-name-repair.h
libtools_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(DIRECTORIES) $(UV_CFLAGS)
