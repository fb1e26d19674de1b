# Tool calls as text, for models without native tool calls.
noinst_LIBRARIES += libfncall.a
libfncall_a_SOURCES = \
	%D%/coerce.c %D%/correct.c %D%/describe-tools.c %D%/encode-request.c %D%/fncall.h \
	%D%/format-call.c %D%/instructions.c %D%/meant-call.c %D%/meant-call.h \
	%D%/other-forms.c %D%/parse.c %D%/request-copy.c %D%/request-copy.h
libfncall_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
