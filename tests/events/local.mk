# tests/events
EVENT_TESTS = %D%/test-event %D%/test-log %D%/test-repair %D%/test-trajectory %D%/test-oom \
	%D%/test-doc
check_PROGRAMS += $(EVENT_TESTS)
TESTS += $(EVENT_TESTS)
EVENT_TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_events_test_event_SOURCES = %D%/test-event.c
tests_events_test_event_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_event_LDADD = $(LIBHOST)
tests_events_test_log_SOURCES = %D%/test-log.c %D%/logs.h
tests_events_test_log_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_log_LDADD = $(LIBHOST)
tests_events_test_repair_SOURCES = %D%/test-repair.c %D%/logs.h
tests_events_test_repair_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_repair_LDADD = $(LIBHOST)
tests_events_test_trajectory_SOURCES = %D%/test-trajectory.c %D%/logs.h
tests_events_test_trajectory_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_trajectory_LDADD = $(LIBHOST)
tests_events_test_oom_SOURCES = %D%/test-oom.c %D%/logs.h
tests_events_test_oom_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_oom_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_events_test_oom_LDADD = $(LIBHOST)
tests_events_test_doc_SOURCES = %D%/test-doc.c
tests_events_test_doc_CPPFLAGS = $(EVENT_TEST_CPPFLAGS)
tests_events_test_doc_LDADD = $(LIBHOST)
TESTS += %D%/conversations.bats %D%/damage.bats %D%/earlier.bats
EXTRA_DIST += %D%/conversations.bats %D%/damage.bats %D%/model.py %D%/earlier.bats
EXTRA_DIST += tests/fixtures/config-1.ini tests/fixtures/conversation-1
