# What the model gets to see.
TESTS += %D%/condense-long.sh %D%/prompts.sh
EXTRA_DIST += %D%/condense-long.sh %D%/condense-long.py %D%/prompts.sh %D%/prompts.py

TESTS += %D%/skills.bats
EXTRA_DIST += %D%/skills.bats %D%/seen.py

check_PROGRAMS += %D%/test-skills
tests_context_test_skills_SOURCES = %D%/test-skills.c
tests_context_test_skills_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_context_test_skills_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_context_test_skills_LDADD = $(LIBHOST)
TESTS += %D%/test-skills
TESTS += %D%/packs.bats
EXTRA_DIST += %D%/packs.bats
TESTS += %D%/real-packs.sh
EXTRA_DIST += %D%/real-packs.sh %D%/real-packs.py
TESTS += %D%/skill-servers.bats
EXTRA_DIST += %D%/skill-servers.bats
TESTS += %D%/setup.bats
EXTRA_DIST += %D%/setup.bats

check_PROGRAMS += %D%/test-packs
tests_context_test_packs_SOURCES = %D%/test-packs.c
tests_context_test_packs_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_context_test_packs_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_context_test_packs_LDADD = $(LIBHOST)
TESTS += %D%/test-packs

check_PROGRAMS += %D%/test-view-rules
tests_context_test_view_rules_SOURCES = %D%/test-view-rules.c
tests_context_test_view_rules_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_context_test_view_rules_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_context_test_view_rules_LDADD = $(LIBHOST)
TESTS += %D%/test-view-rules

check_PROGRAMS += %D%/test-recall-text
tests_context_test_recall_text_SOURCES = %D%/test-recall-text.c
tests_context_test_recall_text_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests \
	-I$(top_srcdir)/host -DSOURCES='"$(abs_top_srcdir)"'
tests_context_test_recall_text_LDADD = $(LIBHOST)
TESTS += %D%/test-recall-text
