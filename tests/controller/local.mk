# tests/controller
TESTS += %D%/kill9.sh %D%/resume-bytes.sh %D%/stuck.bats %D%/fork.bats %D%/replay.bats
EXTRA_DIST += %D%/replay.bats %D%/fork.bats %D%/stuck.bats %D%/talk.py %D%/kill9.sh %D%/resume-bytes.sh %D%/resume_bytes.py
TESTS += %D%/resume-reasoning.sh
EXTRA_DIST += %D%/resume-reasoning.sh %D%/resume_reasoning.py
TESTS += %D%/resume-long.sh
EXTRA_DIST += %D%/resume-long.sh %D%/resume_long.py
TESTS += %D%/confirm-cuts.sh
EXTRA_DIST += %D%/confirm-cuts.sh %D%/confirm_cuts.py
TESTS += %D%/children.bats %D%/delegate.bats
EXTRA_DIST += %D%/children.bats %D%/delegate.bats

check_PROGRAMS += %D%/test-memory
tests_controller_test_memory_SOURCES = %D%/test-memory.c
tests_controller_test_memory_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_memory_LDADD = $(LIBHOST)
TESTS += %D%/test-memory

check_PROGRAMS += %D%/test-stuck
tests_controller_test_stuck_SOURCES = %D%/test-stuck.c tests/events/logs.h
tests_controller_test_stuck_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_stuck_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_controller_test_stuck_LDADD = $(LIBHOST)
TESTS += %D%/test-stuck

check_PROGRAMS += %D%/test-loops
tests_controller_test_loops_SOURCES = %D%/test-loops.c tests/events/logs.h
tests_controller_test_loops_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_loops_LDADD = $(LIBHOST)
TESTS += %D%/test-loops

TESTS += %D%/hooks.bats
EXTRA_DIST += %D%/hooks.bats

check_PROGRAMS += %D%/test-replay
tests_controller_test_replay_SOURCES = %D%/test-replay.c tests/events/logs.h
tests_controller_test_replay_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_replay_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_controller_test_replay_LDADD = $(LIBHOST)
TESTS += %D%/test-replay

KIT_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests \
	-DBUILD='"$(abs_top_builddir)"' -DSOURCES='"$(abs_top_srcdir)"'
check_PROGRAMS += %D%/test-machine
tests_controller_test_machine_SOURCES = %D%/test-machine.c %D%/machine.h %D%/kit.h
tests_controller_test_machine_CPPFLAGS = $(KIT_CPPFLAGS)
tests_controller_test_machine_LDADD = $(LIBHOST)
TESTS += %D%/test-machine

check_PROGRAMS += %D%/test-call
tests_controller_test_call_SOURCES = %D%/test-call.c %D%/kit.h
tests_controller_test_call_CPPFLAGS = $(KIT_CPPFLAGS)
tests_controller_test_call_LDADD = $(LIBHOST)
TESTS += %D%/test-call

TESTS += %D%/confirm.bats
EXTRA_DIST += %D%/confirm.bats
check_PROGRAMS += %D%/test-confirm
tests_controller_test_confirm_SOURCES = %D%/test-confirm.c
tests_controller_test_confirm_CPPFLAGS = $(KIT_CPPFLAGS)
tests_controller_test_confirm_LDADD = $(LIBHOST)
TESTS += %D%/test-confirm
TESTS += %D%/tasks.bats
EXTRA_DIST += %D%/tasks.bats
TESTS += %D%/limits.bats %D%/parallel.bats
EXTRA_DIST += %D%/limits.bats %D%/parallel.bats
check_PROGRAMS += %D%/test-scopes
tests_controller_test_scopes_SOURCES = %D%/test-scopes.c
tests_controller_test_scopes_CPPFLAGS = $(KIT_CPPFLAGS)
tests_controller_test_scopes_LDADD = $(LIBHOST)
TESTS += %D%/test-scopes

TESTS += %D%/log-lines.bats
EXTRA_DIST += %D%/log-lines.bats

check_PROGRAMS += %D%/test-journal
tests_controller_test_journal_SOURCES = %D%/test-journal.c
tests_controller_test_journal_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_controller_test_journal_LDADD = $(LIBHOST)
TESTS += %D%/test-journal
TESTS += %D%/snapshots.bats %D%/snapshots-large.sh
EXTRA_DIST += %D%/snapshots.bats %D%/snapshots-large.sh
