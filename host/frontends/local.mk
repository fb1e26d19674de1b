# What a person or a program talks to.
libhost_a_SOURCES += %D%/render.c %D%/render.h
libhost_a_SOURCES += %D%/protocol-output.c %D%/protocol.h %D%/protocol-internal.h %D%/protocol-held.c \
	%D%/protocol-input.c %D%/approval.c %D%/approval.h %D%/transport.c %D%/transport.h %D%/stdio.c %D%/stdio.h \
	%D%/socket-dir.c %D%/socket-dir.h %D%/server.c %D%/server.h %D%/client.c %D%/client.h
