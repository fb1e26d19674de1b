# tests/powerloss: what a disk may hold after a loss of power
check_PROGRAMS += %D%/record.so %D%/simulate %D%/model
tests_powerloss_record_so_SOURCES = %D%/record.c %D%/journal-record.h
tests_powerloss_record_so_CFLAGS = $(MORTISE_CFLAGS)
tests_powerloss_record_so_LDFLAGS = $(AM_LDFLAGS) -shared
tests_powerloss_record_so_LDADD = -ldl
tests_powerloss_simulate_SOURCES = %D%/simulate.c %D%/simulate.h %D%/journal.c \
	%D%/journal-record.h %D%/promises.c %D%/tree.c
tests_powerloss_simulate_CPPFLAGS = -D_GNU_SOURCE
tests_powerloss_model_SOURCES = bench/mock.c
tests_powerloss_model_CPPFLAGS = -D_GNU_SOURCE
TESTS += %D%/powerloss.sh %D%/failed-sync.sh
EXTRA_DIST += %D%/powerloss.sh %D%/failed-sync.sh
