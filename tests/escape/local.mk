# Attempts to break out, under any sandbox.
check_PROGRAMS += %D%/escape
tests_escape_escape_SOURCES = %D%/escape.c
tests_escape_escape_LDADD = libsandbox.a $(LIBMT)
TESTS += %D%/escape.bats
EXTRA_DIST += %D%/escape.bats %D%/shell-tool %D%/table
