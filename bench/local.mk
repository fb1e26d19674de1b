# Built on demand: make bench-programs, or bench/run. See README.md there.
BENCHES = %D%/mock %D%/stamp %D%/floor-http %D%/floor-step %D%/floor-flood \
	%D%/log-open %D%/echo %D%/floor-browser %D%/analysis %D%/plugins/reader.so
EXTRA_DIST += %D%/run %D%/readme %D%/figures.json
EXTRA_PROGRAMS += $(BENCHES)
check_PROGRAMS += %D%/long-log
bench_mock_SOURCES = %D%/mock.c
bench_mock_CPPFLAGS = -D_GNU_SOURCE
bench_stamp_SOURCES = %D%/stamp.c
bench_stamp_CPPFLAGS = -D_GNU_SOURCE
bench_floor_http_SOURCES = %D%/floor-http.c
bench_floor_http_CPPFLAGS = -D_GNU_SOURCE $(CURL_CFLAGS)
bench_floor_http_LDADD = $(CURL_LIBS)
bench_floor_step_SOURCES = %D%/floor-step.c
bench_floor_step_CPPFLAGS = -D_GNU_SOURCE
bench_floor_flood_SOURCES = %D%/floor-flood.c
bench_floor_flood_CPPFLAGS = -D_GNU_SOURCE
bench_floor_browser_SOURCES = %D%/floor-browser.c
bench_floor_browser_CPPFLAGS = -D_GNU_SOURCE
bench_echo_SOURCES = %D%/echo.c
bench_echo_CPPFLAGS = -D_GNU_SOURCE
bench_log_open_SOURCES = %D%/log-open.c
bench_log_open_CPPFLAGS = $(libhost_a_CPPFLAGS)
bench_log_open_LDADD = $(LIBHOST)
bench_long_log_SOURCES = %D%/long-log.c
bench_long_log_CPPFLAGS = $(libhost_a_CPPFLAGS)
bench_long_log_LDADD = $(LIBHOST)
bench_plugins_reader_so_SOURCES = %D%/reader.c
bench_plugins_reader_so_LDFLAGS = $(PLUGIN_LINK)
bench_analysis_SOURCES = %D%/analysis.c
bench_analysis_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -I$(top_srcdir)
bench_analysis_LDADD = $(LIBPOLICY)
if HAVE_ZMQ
BENCHES += %D%/floor-cell
bench_floor_cell_SOURCES = %D%/floor-cell.c
bench_floor_cell_CPPFLAGS = -D_GNU_SOURCE $(ZMQ_CFLAGS) $(CRYPTO_CFLAGS)
bench_floor_cell_LDADD = $(ZMQ_LIBS) $(CRYPTO_LIBS)
endif HAVE_ZMQ
CLEANFILES += $(BENCHES)

bench-programs: $(BENCHES) %D%/long-log

bench: all
	$(top_srcdir)/%D%/run --build .

.PHONY: bench bench-programs
