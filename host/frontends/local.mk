# What a person or a program talks to.
libhost_a_SOURCES += %D%/render.c %D%/render.h
libhost_a_SOURCES += %D%/protocol-output.c %D%/protocol.h %D%/protocol-internal.h %D%/protocol-held.c \
	%D%/protocol-input.c %D%/approval.c %D%/approval.h %D%/transport.c %D%/transport.h %D%/stdio.c %D%/stdio.h \
	%D%/socket-dir.c %D%/socket-dir.h %D%/server.c %D%/server.h %D%/client.c %D%/client.h
libhost_a_SOURCES += %D%/mcp/mcp.h %D%/mcp/internal.h %D%/mcp/server.c %D%/mcp/methods.c %D%/mcp/asks.c %D%/mcp/calls.c %D%/mcp/contents.c \
	%D%/mcp/prompts.c %D%/mcp/resources.c %D%/mcp/resources.h %D%/mcp/completion.c \
	%D%/mcp/logging.c %D%/mcp/subscriptions.c %D%/mcp/http.h %D%/mcp/http.c \
	%D%/mcp/http-connection.c %D%/mcp/http-request.c %D%/mcp/http-session.c %D%/mcp/http-stream.c
