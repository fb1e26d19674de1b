# Skills that come with the program, in our own words: a signed pack, as others are.
BUNDLED_SKILLS = %D%/github/SKILL.md %D%/code-review/SKILL.md %D%/fix_test.md \
	%D%/mortise-plugin/SKILL.md
EXTRA_DIST += $(BUNDLED_SKILLS) %D%/pack.sh
skill_DATA = %D%/mortise.tar.gz
key_DATA = %D%/mortise.pem
CLEANFILES += $(skill_DATA) $(key_DATA)

%D%/mortise.tar.gz: $(BUNDLED_SKILLS) %D%/pack.sh mortise$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && PACK_KEY='$(PACK_KEY)' OPENSSL='$(OPENSSL)' \
	MORTISE='$(abs_top_builddir)/mortise$(EXEEXT)' $(SHELL) '$(srcdir)/%D%/pack.sh' \
		%D% '$(srcdir)' '$(PACKAGE_VERSION)' $(BUNDLED_SKILLS)
%D%/mortise.pem: %D%/mortise.tar.gz
	@test -f $@ || { rm -f %D%/mortise.tar.gz && $(MAKE) $(AM_MAKEFLAGS) %D%/mortise.tar.gz; }
