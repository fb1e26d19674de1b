# Analyzers: how risky an action is. What `policy` does is a library, which its
# tests link too.
plugin_PROGRAMS += %D%/llm-risk.so %D%/policy.so
plugins_analyzers_llm_risk_so_SOURCES = %D%/llm-risk.c
plugins_analyzers_llm_risk_so_LDFLAGS = $(PLUGIN_LINK)

noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	%D%/policy/action-text.c %D%/policy/action-text.h \
	%D%/policy/danger.c %D%/policy/danger.h \
	%D%/policy/danger-table.c %D%/policy/danger-table.h \
	%D%/policy/facts.c %D%/policy/facts.h \
	%D%/policy/harmless.c %D%/policy/harmless.h \
	%D%/policy/harmless-git.c %D%/policy/harmless-git.h \
	%D%/policy/scripts.c %D%/policy/scripts.h \
	%D%/policy/judge.c %D%/policy/judge.h \
	%D%/policy/match.c %D%/policy/match.h \
	%D%/policy/normalize.c %D%/policy/normalize.h \
	%D%/policy/patterns.c %D%/policy/patterns.h \
	%D%/policy/place.c %D%/policy/place.h \
	%D%/policy/rules.c %D%/policy/rules.h \
	%D%/policy/scan.c %D%/policy/scan.h \
	%D%/policy/sensitive.c %D%/policy/sensitive.h \
	%D%/policy/targets.c %D%/policy/targets.h \
	%D%/policy/units.c %D%/policy/units.h
libpolicy_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS)
LIBPOLICY = libpolicy.a libtext.a libmt.a $(JSONC_LIBS) $(PCRE2_LIBS) $(UTF8PROC_LIBS) -lm

plugins_analyzers_policy_so_SOURCES = %D%/policy/main.c
plugins_analyzers_policy_so_LDFLAGS = $(PLUGIN_LINK)
plugins_analyzers_policy_so_LDADD = $(LIBPOLICY)
