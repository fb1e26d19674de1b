# The catalog of tools, and their calls.
libhost_a_SOURCES += %D%/call-to-action.c %D%/calls.h %D%/catalog.c %D%/catalog.h \
	%D%/action-to-call.c %D%/mapping.c %D%/mapping.h %D%/tool-name-repair.c %D%/tool-name-repair.h \
	%D%/tool-list-cache.c %D%/tool-list-cache.h \
	%D%/secret-requests.c %D%/secret-requests.h %D%/ffi-tools.c %D%/ffi-tools.h %D%/mcp-servers.c %D%/mcp-servers.h \
	%D%/risk-schema.c %D%/risk-schema.h
