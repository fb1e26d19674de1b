# The client of MCP servers.
noinst_LIBRARIES += libmcp.a
libmcp_a_SOURCES = \
	%D%/client.c %D%/client.h %D%/elicit.c %D%/elicit.h %D%/protocol-version.c \
	%D%/http-headers.c %D%/http-headers.h %D%/http.c %D%/http.h \
	%D%/http-listener.c %D%/http-transfer.c %D%/token-store.c %D%/token-store.h %D%/rpc.c %D%/rpc.h \
	%D%/oauth.h %D%/oauth-client.c %D%/oauth-discover.c %D%/oauth-fetch.c %D%/oauth-login.c \
	%D%/oauth-token.c %D%/result.c %D%/result.h %D%/serve.c \
	%D%/settings.c %D%/settings.h %D%/stdio.c %D%/tools.c %D%/tools.h
libmcp_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(CURL_CFLAGS) $(CRYPTO_CFLAGS)
libmcp_a_CFLAGS = $(AM_CFLAGS) -pthread
LIBMCP = libmcp.a libmt.a $(JSONC_LIBS) $(PCRE2_LIBS) $(CURL_LIBS) -lm

plugin_PROGRAMS += plugins/tools/mcp.so
plugins_tools_mcp_so_SOURCES = %D%/main.c
plugins_tools_mcp_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_mcp_so_LDFLAGS = $(PLUGIN_LINK) -pthread
plugins_tools_mcp_so_LDADD = $(LIBMCP)

# The client as the official conformance suite drives it.
check_PROGRAMS += mortise-mcp-conformance
mortise_mcp_conformance_SOURCES = %D%/conformance.c
mortise_mcp_conformance_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
mortise_mcp_conformance_LDFLAGS = $(AM_LDFLAGS) -pthread
mortise_mcp_conformance_LDADD = $(LIBMCP) $(CRYPTO_LIBS)

# The login of `mortise mcp login`.
helper_PROGRAMS += mortise-mcp-login
mortise_mcp_login_SOURCES = %D%/login.c %D%/browse.c %D%/browse.h
mortise_mcp_login_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
mortise_mcp_login_LDFLAGS = $(AM_LDFLAGS) -pthread
mortise_mcp_login_LDADD = $(LIBMCP) $(CRYPTO_LIBS)
