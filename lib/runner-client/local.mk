# The host's end of the connection to a runner.
noinst_LIBRARIES += librunnerclient.a
librunnerclient_a_SOURCES = \
	%D%/runner-calls.c %D%/runner-connection.c %D%/runner-connection.h \
	%D%/runner-connection-internal.h %D%/runner-messages.c %D%/runner-protocol.c \
	%D%/runner-protocol.h %D%/runner-result.c %D%/runner-spec.h
librunnerclient_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(UV_CFLAGS)
