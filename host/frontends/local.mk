# The protocol of a conversation, and the sockets and streams that carry it.
libhost_a_SOURCES += \
	%D%/protocol.h %D%/protocol-held.c %D%/protocol-input.c %D%/protocol-internal.h \
	%D%/protocol-output.c %D%/server.c %D%/server.h %D%/socket-dir.c %D%/socket-dir.h \
	%D%/stdio.c %D%/stdio.h %D%/transport.c %D%/transport.h
