# tests/events
check_PROGRAMS += %D%/test-event %D%/test-log
TESTS += %D%/test-event %D%/test-log
tests_events_test_event_SOURCES = %D%/test-event.c
tests_events_test_event_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_events_test_event_LDADD = $(LIBHOST)
tests_events_test_log_SOURCES = %D%/test-log.c
tests_events_test_log_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_events_test_log_LDADD = $(LIBHOST)
