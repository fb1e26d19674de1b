# The library: each parser by tables, cut at every byte, and without memory.
check_PROGRAMS += %D%/test-text
tests_lib_test_text_SOURCES = %D%/test-text.c
tests_lib_test_text_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_text_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_text_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-line-cut
tests_lib_test_line_cut_SOURCES = %D%/test-line-cut.c
tests_lib_test_line_cut_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_line_cut_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_line_cut_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-array
tests_lib_test_array_SOURCES = %D%/test-array.c
tests_lib_test_array_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_array_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_array_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-confine
tests_lib_test_confine_SOURCES = %D%/test-confine.c
tests_lib_test_confine_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_confine_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-js
tests_lib_test_js_SOURCES = %D%/test-js.c
tests_lib_test_js_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_js_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_js_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-streams
tests_lib_test_streams_SOURCES = %D%/test-streams.c
tests_lib_test_streams_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_streams_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_streams_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-ini
tests_lib_test_ini_SOURCES = %D%/test-ini.c
tests_lib_test_ini_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_ini_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_ini_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-mask
tests_lib_test_mask_SOURCES = %D%/test-mask.c
tests_lib_test_mask_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_mask_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_mask_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-options
tests_lib_test_options_SOURCES = %D%/test-options.c
tests_lib_test_options_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_options_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_options_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-mustache
tests_lib_test_mustache_SOURCES = %D%/test-mustache.c
tests_lib_test_mustache_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_mustache_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_mustache_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-mustache-spec
tests_lib_test_mustache_spec_SOURCES = %D%/test-mustache-spec.c
tests_lib_test_mustache_spec_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_mustache_spec_LDADD = $(LIBMT)
TESTS += %D%/test-mustache-spec

check_PROGRAMS += %D%/test-files
tests_lib_test_files_SOURCES = %D%/test-files.c
tests_lib_test_files_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_files_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_files_LDADD = $(LIBMT)

check_PROGRAMS += %D%/test-schema
tests_lib_test_schema_SOURCES = %D%/test-schema.c
tests_lib_test_schema_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_schema_LDADD = $(LIBMT)

TESTS += %D%/test-array %D%/test-line-cut %D%/test-confine %D%/test-text %D%/test-js %D%/test-streams %D%/test-ini %D%/test-mask \
	%D%/test-options %D%/test-mustache %D%/test-files %D%/test-schema \
	%D%/schema-peer.sh
EXTRA_DIST += %D%/schema-peer.sh %D%/schema-peer.py

check_PROGRAMS += %D%/test-image
tests_lib_test_image_SOURCES = %D%/test-image.c
tests_lib_test_image_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_image_LDADD = $(LIBMT)
TESTS += %D%/test-image

check_PROGRAMS += %D%/test-function
tests_lib_test_function_SOURCES = %D%/test-function.c
tests_lib_test_function_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_function_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_function_LDADD = $(LIBMT)
TESTS += %D%/test-function

check_PROGRAMS += %D%/test-visible
tests_lib_test_visible_SOURCES = %D%/test-visible.c
tests_lib_test_visible_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_visible_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_lib_test_visible_LDADD = $(LIBMT)
TESTS += %D%/test-visible

check_PROGRAMS += %D%/test-child
tests_lib_test_child_SOURCES = %D%/test-child.c
tests_lib_test_child_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_child_LDADD = $(LIBMT)
TESTS += %D%/test-child
check_PROGRAMS += %D%/test-signals
tests_lib_test_signals_SOURCES = %D%/test-signals.c
tests_lib_test_signals_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_lib_test_signals_LDADD = $(LIBMT)
TESTS += %D%/test-signals

check_PROGRAMS += %D%/test-snapshot
tests_lib_test_snapshot_SOURCES = %D%/test-snapshot.c
tests_lib_test_snapshot_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(CRYPTO_CFLAGS) \
	-I$(top_srcdir)/tests
tests_lib_test_snapshot_LDADD = $(LIBSNAPSHOT) $(LIBMT)
TESTS += %D%/test-snapshot
