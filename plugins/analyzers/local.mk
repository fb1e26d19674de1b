# Analyzers: how risky an action is. What `policy` does is a library, which its
# tests link too.
plugin_PROGRAMS += %D%/llm-risk.so %D%/policy.so
plugins_analyzers_llm_risk_so_SOURCES = %D%/llm-risk.c
plugins_analyzers_llm_risk_so_LDFLAGS = $(PLUGIN_LINK)

noinst_LIBRARIES += libpolicy.a
libpolicy_a_SOURCES = \
	%D%/policy/builtin.c %D%/policy/builtin.h %D%/policy/corpus.c \
	%D%/policy/corpus.h %D%/policy/match.c %D%/policy/match.h \
	%D%/policy/net.c %D%/policy/net.h %D%/policy/normalize.c %D%/policy/normalize.h %D%/policy/rules.c \
	%D%/policy/rules.h %D%/policy/scan.c %D%/policy/scan.h
libpolicy_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(PCRE2_CFLAGS) $(UTF8PROC_CFLAGS)
LIBPOLICY = libpolicy.a libmt.a $(JSONC_LIBS) $(PCRE2_LIBS) $(UTF8PROC_LIBS) -lm

plugins_analyzers_policy_so_SOURCES = %D%/policy/main.c
plugins_analyzers_policy_so_LDFLAGS = $(PLUGIN_LINK)
plugins_analyzers_policy_so_LDADD = $(LIBPOLICY)
