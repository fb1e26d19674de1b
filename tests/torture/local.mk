# tests/torture: system calls and allocations that fail
check_PROGRAMS += %D%/calls.so
tests_torture_calls_so_SOURCES = %D%/calls.c
tests_torture_calls_so_CFLAGS = $(MORTISE_CFLAGS)
tests_torture_calls_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_torture_calls_so_LDADD = -ldl
TESTS += %D%/torture.sh
EXTRA_DIST += %D%/torture.sh %D%/torture.py
