# Strings, errors, JSON, parsers, files: depends on no other directory.
noinst_LIBRARIES += libmt.a
libmt_a_SOURCES = \
	%D%/argument-repair.c %D%/argument-repair.h %D%/array.c %D%/array.h %D%/auto.h %D%/child.c %D%/child.h %D%/clock.h %D%/columns.c %D%/columns.h %D%/confine.c %D%/confine.h %D%/copy.c %D%/copy.h %D%/crc32c.c %D%/crc32c.h %D%/digest.c %D%/digest.h %D%/base64.c %D%/base64.h %D%/command.c %D%/command.h %D%/error.c %D%/error.h %D%/eventstream.c %D%/eventstream.h %D%/exit-code.h %D%/files.c %D%/files.h %D%/git-dirs.c %D%/git-dirs.h %D%/front-matter.c %D%/front-matter.h %D%/function-ini.c %D%/function-ini.h %D%/harden.c %D%/harden.h %D%/hex.h %D%/address.c %D%/address.h \
	%D%/function-words.c %D%/function-words.h %D%/function-schema.c %D%/function-schema.h %D%/js.c %D%/js.h %D%/js-parse.c %D%/js-scan.c %D%/js-scan.h %D%/library.c %D%/library.h \
	%D%/image.c %D%/image.h %D%/ini.c %D%/ini.h %D%/options.c %D%/options-show.c %D%/options.h \
	%D%/jsonl.c %D%/jsonl.h %D%/landlock.c %D%/landlock.h %D%/line-cut.c %D%/line-cut.h %D%/literal.c %D%/literal.h %D%/log.c %D%/log.h %D%/mask.c %D%/mask.h %D%/mask-forms.c %D%/mask-forms.h \
	%D%/mustache.c %D%/mustache.h %D%/notes.c %D%/notes.h %D%/output.c %D%/output.h %D%/pack.c %D%/pack.h %D%/pack-signature.c %D%/params.c %D%/params.h %D%/paths.c \
	%D%/pattern.c %D%/pattern.h %D%/schema.c %D%/schema.h \
	%D%/schema-ref.h %D%/schema-valid.c %D%/sse.c %D%/sse.h %D%/shell-words.c %D%/shell-internal.h %D%/shell.c %D%/shell.h %D%/signals.h %D%/slice.h %D%/space.h %D%/strbuf.c %D%/strbuf.h %D%/syscall-filter.c %D%/syscall-filter.h %D%/tool-plugin.h %D%/utf8.c %D%/utf8.h \
	%D%/visible.c %D%/visible.h %D%/visible-tables.h
# Quoted names only: <ini.h> is inih's, "ini.h" is ours.
libmt_a_CPPFLAGS = -D_GNU_SOURCE -I$(top_srcdir)/sdk-headers \
	-iquote $(top_srcdir)/lib $(JSONC_CFLAGS) $(CRYPTO_CFLAGS) $(SECCOMP_CFLAGS) \
	$(YAML_CFLAGS) $(ARCHIVE_CFLAGS)
# What programs and plugins add to link it; plugins may need less.
LIBMT = libmt.a $(JSONC_LIBS) $(INIH_LIBS) $(PCRE2_LIBS) -lm

# Files as text: encodings, line endings, views; patterns of paths and ignore files.
noinst_LIBRARIES += libtext.a
libtext_a_SOURCES = \
	%D%/text/argument.c %D%/text/argument.h %D%/text/charset.c %D%/text/charset.h \
	%D%/text/diff.c %D%/text/diff.h \
	%D%/text/file-view.c %D%/text/file-view.h %D%/text/glob.c %D%/text/glob.h \
	%D%/text/ignore.c %D%/text/ignore.h %D%/text/listing.c \
	%D%/text/nearmiss.c %D%/text/nearmiss.h \
	%D%/text/tool-ignore.c %D%/text/tool-ignore.h \
	%D%/text/textfile-store.c %D%/text/textfile.c %D%/text/textfile.h
libtext_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(UCHARDET_CFLAGS)
