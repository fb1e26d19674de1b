# Requests to models and their replies, as data.
noinst_LIBRARIES += librequest.a
librequest_a_SOURCES = \
	%D%/body.c %D%/body.h %D%/reply.c %D%/request.c %D%/request.h \
	%D%/script-writer.c %D%/script-writer.h
librequest_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
