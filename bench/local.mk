# Built on demand: make bench-programs, or bench/run. See README.md there.
BENCH_PROGRAMS = %D%/mock %D%/stamp %D%/floor-http %D%/floor-step %D%/floor-flood
EXTRA_PROGRAMS += $(BENCH_PROGRAMS)
bench_mock_SOURCES = %D%/mock.c
bench_stamp_SOURCES = %D%/stamp.c
bench_floor_http_SOURCES = %D%/floor-http.c
bench_floor_http_CPPFLAGS = $(AM_CPPFLAGS) $(CURL_CFLAGS)
bench_floor_http_LDADD = $(CURL_LIBS)
bench_floor_step_SOURCES = %D%/floor-step.c
bench_floor_flood_SOURCES = %D%/floor-flood.c
CLEANFILES += $(BENCH_PROGRAMS)

bench-programs: $(BENCH_PROGRAMS)

bench: all bench-programs
	$(top_srcdir)/%D%/run --build .

.PHONY: bench bench-programs
