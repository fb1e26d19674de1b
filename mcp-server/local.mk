# The MCP server (`mortise tools serve`): a client of the host, started by the command line.
noinst_LIBRARIES += libmcpserver.a
libmcpserver_a_SOURCES = \
	%D%/asks.c %D%/calls.c %D%/completion.c %D%/contents.c %D%/http.c %D%/http.h \
	%D%/http-connection.c %D%/http-request.c %D%/http-session.c %D%/http-stream.c \
	%D%/internal.h %D%/logging.c %D%/mcp-server.h %D%/methods.c %D%/prompts.c \
	%D%/resources.c %D%/resources.h %D%/server.c %D%/subscriptions.c
libmcpserver_a_CPPFLAGS = $(libhost_a_CPPFLAGS)
