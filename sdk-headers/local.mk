# What a vendor gets: the headers and a .pc file.
mortiseincludedir = $(includedir)/mortise
mortiseinclude_HEADERS = %D%/mortise/plugin.h %D%/mortise/tool.h %D%/mortise/function.h \
	%D%/mortise/extensions.h %D%/mortise/harness.h \
	%D%/mortise/harness-base.h %D%/mortise/harness-advance.h \
	%D%/mortise/harness-agent.h %D%/mortise/harness-analyzer.h \
	%D%/mortise/harness-condenser.h %D%/mortise/harness-dialect.h \
	%D%/mortise/harness-runtime.h \
	%D%/mortise/advance.h %D%/mortise/agent.h %D%/mortise/condenser.h \
	%D%/mortise/dialect.h %D%/mortise/runtime.h %D%/mortise/analyzer.h
pkgconfig_DATA += %D%/mortise-plugin.pc %D%/mortise-harness.pc
nobase_dist_examples_DATA += %D%/README.md
EXTRA_DIST += %D%/abi/tool-1.abi %D%/abi/witness.c
