# What a person or a program talks to.
libhost_a_SOURCES += %D%/render.c %D%/render.h
libhost_a_SOURCES += %D%/protocol.c %D%/protocol.h %D%/protocol-internal.h %D%/protocol-held.c \
	%D%/commands.c %D%/approval.c %D%/approval.h %D%/channel.c %D%/channel.h %D%/stdio.c %D%/stdio.h \
	%D%/places.c %D%/places.h %D%/socket.c %D%/socket.h %D%/peer.c %D%/peer.h
