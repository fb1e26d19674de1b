# Tests speak TAP. Each directory has its own fragment.
TEST_EXTENSIONS = .bats .sh
# A test must end what it started, or fails 20 seconds later. After 30 minutes it is killed.
check_PROGRAMS += %D%/no-orphans
tests_no_orphans_SOURCES = %D%/no-orphans.c
NO_ORPHANS = $(top_builddir)/tests/no-orphans 20 1800
$(TEST_LOGS): %D%/no-orphans$(EXEEXT)
TESTS += %D%/no-orphans.sh
EXTRA_DIST += %D%/no-orphans.sh
LOG_DRIVER = env --default-signal AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
BATS_LOG_DRIVER = $(LOG_DRIVER)
BATS_LOG_COMPILER = $(NO_ORPHANS) $(BATS)
AM_BATS_LOG_FLAGS = --tap
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(NO_ORPHANS) $(SHELL)
LOG_COMPILER = $(NO_ORPHANS)
# Every test finds the build and the sources by these.
AM_TESTS_ENVIRONMENT = \
	top_builddir='$(abs_top_builddir)' top_srcdir='$(abs_top_srcdir)' \
	CC='$(CC)' SANITIZE='$(SANITIZE)'; \
	export top_builddir top_srcdir CC SANITIZE; \
	. $(top_srcdir)/tests/env.sh;
EXTRA_DIST += %D%/env.sh %D%/wait.bash %D%/lsan.supp %D%/valgrind.supp %D%/tap.h %D%/oom.h %D%/growth.h %D%/fresh-debian
WRAP_ALLOC = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=strndup
TESTS += %D%/known-tests.sh
# The rules of the sources themselves, which are the same with sanitizers.
if !SANITIZERS
TESTS += %D%/layers.sh %D%/style.sh %D%/style-tests.sh %D%/commit-msg.sh %D%/format.sh %D%/doc-links.sh \
	%D%/readme.sh
endif
EXTRA_DIST += %D%/known-tests.sh %D%/layers.sh %D%/style.sh %D%/style-tests.sh %D%/commit-msg.sh \
	%D%/format.sh %D%/doc-links.sh %D%/doc-links.py %D%/readme.sh %D%/readme.py %D%/style-patterns %D%/style-ceilings

include tests/lib/local.mk
include tests/events/local.mk
include tests/config/local.mk
include tests/llm/local.mk
include tests/limits/local.mk
include tests/runner/local.mk
include tests/runtimes/local.mk
include tests/sandbox/local.mk
include tests/escape/local.mk
include tests/tools/local.mk
include tests/analyzers/local.mk
include tests/context/local.mk
include tests/skills/local.mk
include tests/controller/local.mk
include tests/torture/local.mk
include tests/powerloss/local.mk
include tests/frontends/local.mk
include tests/cli/local.mk
include tests/terminal/local.mk
include tests/model/local.mk
include tests/plugins/local.mk
include tests/fuzz/local.mk
include tests/vectors.d/local.mk

# The loop of a developer: build what changed and run the tests named by T, or those
# that belong to the changed files (scripts/try).
try:
	@MAKE='$(MAKE)' $(SHELL) $(top_srcdir)/scripts/try $(T)
list-tests:
	@printf '%s\n' $(TESTS)
list-programs:
	@printf '%s\n' $(check_PROGRAMS)
list-fixtures:
	@printf '%s\n' $(check_PROGRAMS) $(check_LIBRARIES) | grep '^tests/plugins/\|\.so$$'

# TESTS=... of a command line may name a test that does not exist. A program may still
# have to be built.
known-tests:
	@for t in $(TESTS); do \
		case ' $(check_PROGRAMS) ' in *" $$t "*) continue ;; esac; \
		test -e "$$t" || test -e "$(srcdir)/$$t" || { \
			echo "make check: no test \`$$t\`; make list-tests prints their names" >&2; \
			unknown=yes; \
		}; \
	done; test -z "$$unknown"
check_DATA = known-tests

mostlyclean-local:
	rm -rf tests/home

# The C tests once more under valgrind (a build without sanitizers), but for one
# that is about who is faster, those of kernels, which are watched by a pidfd that
# valgrind does not know, and one of a filter that applies to valgrind itself.
VALGRIND = valgrind -q --error-exitcode=99 --leak-check=full \
	--suppressions=$(abs_top_srcdir)/tests/valgrind.supp \
	--errors-for-leak-kinds=definite --child-silent-after-fork=yes
check-valgrind: all
	@programs=`for t in $(TESTS); do \
		case $$t in *.bats | *.sh | */test-end | */test-confine) ;; \
		*/test-ipython | */test-ipython-hostile) ;; *) echo $$t ;; esac; \
	done`; \
	$(MAKE) check TESTS="`echo $$programs`" LOG_COMPILER='$(VALGRIND)'

# What authors of plugins get, as it is installed.
EXTRA_DIST += %D%/installcheck.sh
installcheck-local:
	DESTDIR='$(DESTDIR)' bindir='$(bindir)' helperdir='$(helperdir)' plugindir='$(plugindir)' \
	promptdir='$(promptdir)' examplesdir='$(examplesdir)' modelsdir='$(modelsdir)' \
	pkgconfigdir='$(pkgconfigdir)' docdir='$(docdir)' CC='$(CC)' $(SHELL) $(top_srcdir)/tests/installcheck.sh

.PHONY: check-valgrind try known-tests list-tests list-programs list-fixtures
