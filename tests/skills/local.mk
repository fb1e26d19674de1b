# Skills and archives of skills.
TESTS += %D%/skills.bats %D%/packs.bats %D%/real-packs.sh %D%/skill-mcp.bats
EXTRA_DIST += %D%/skills.bats %D%/packs.bats %D%/real-packs.sh %D%/real-packs.py \
	%D%/skill-mcp.bats

check_PROGRAMS += %D%/test-skills
tests_skills_test_skills_SOURCES = %D%/test-skills.c
tests_skills_test_skills_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_skills_test_skills_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_skills_test_skills_LDADD = $(LIBHOST)
TESTS += %D%/test-skills

check_PROGRAMS += %D%/test-packs
tests_skills_test_packs_SOURCES = %D%/test-packs.c
tests_skills_test_packs_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -I$(top_srcdir)/host
tests_skills_test_packs_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_skills_test_packs_LDADD = $(LIBHOST)
TESTS += %D%/test-packs
