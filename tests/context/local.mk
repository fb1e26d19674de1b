# What the model gets to see.
TESTS += %D%/condense-long.sh %D%/prompts.sh %D%/setup.bats
EXTRA_DIST += %D%/condense-long.sh %D%/condense-long.py %D%/prompts.sh %D%/prompts.py \
	%D%/seen.py %D%/setup.bats

check_PROGRAMS += %D%/test-view-invariants
tests_context_test_view_invariants_SOURCES = %D%/test-view-invariants.c
tests_context_test_view_invariants_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_context_test_view_invariants_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_context_test_view_invariants_LDADD = $(LIBHOST)
TESTS += %D%/test-view-invariants

check_PROGRAMS += %D%/test-history
tests_context_test_history_SOURCES = %D%/test-history.c
tests_context_test_history_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_context_test_history_LDADD = $(LIBHOST)
TESTS += %D%/test-history

check_PROGRAMS += %D%/test-recall-text
tests_context_test_recall_text_SOURCES = %D%/test-recall-text.c
tests_context_test_recall_text_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests \
	-I$(top_srcdir)/host -DSOURCES='"$(abs_top_srcdir)"'
tests_context_test_recall_text_LDADD = $(LIBHOST)
TESTS += %D%/test-recall-text

check_PROGRAMS += %D%/test-event-facts
tests_context_test_event_facts_SOURCES = %D%/test-event-facts.c
tests_context_test_event_facts_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_context_test_event_facts_LDADD = $(LIBHOST)
TESTS += %D%/test-event-facts
