# Strings, errors, JSON, parsers, files: knows nobody.
noinst_LIBRARIES += libmt.a
libmt_a_SOURCES = \
	%D%/auto.h %D%/error.c %D%/error.h %D%/files.c %D%/files.h \
	%D%/ini.c %D%/ini.h %D%/js.c %D%/js.h %D%/jsonl.c %D%/jsonl.h \
	%D%/log.c %D%/log.h %D%/mask.c %D%/mask.h %D%/mustache.c %D%/mustache.h \
	%D%/options.c %D%/options.h %D%/schema.c %D%/schema.h %D%/sse.c %D%/sse.h \
	%D%/strbuf.c %D%/strbuf.h %D%/utf8.c %D%/utf8.h
# What programs and plugins add to link it; plugins may need less.
LIBMT = libmt.a $(JSONC_LIBS) $(INIH_LIBS) $(PCRE2_LIBS)
