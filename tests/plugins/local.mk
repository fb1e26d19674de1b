# Plugins that misbehave, for the tests of the runner; never installed.
check_PROGRAMS += %D%/bad.so %D%/many.so %D%/functions.so
tests_plugins_bad_so_SOURCES = %D%/bad.c
tests_plugins_bad_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_many_so_SOURCES = %D%/many.c
tests_plugins_many_so_LDFLAGS = $(PLUGIN_LINK) -pthread
tests_plugins_functions_so_SOURCES = %D%/functions.c
tests_plugins_functions_so_LDFLAGS = $(PLUGIN_LINK)

check_PROGRAMS += %D%/newer-abi.so %D%/wrong-size.so %D%/no-symbol.so \
	%D%/needs-more.so %D%/no-toolset.so %D%/open-crash.so
tests_plugins_newer_abi_so_SOURCES = %D%/refused.c
tests_plugins_newer_abi_so_CPPFLAGS = $(AM_CPPFLAGS) -DNEWER_ABI
tests_plugins_newer_abi_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_wrong_size_so_SOURCES = %D%/refused.c
tests_plugins_wrong_size_so_CPPFLAGS = $(AM_CPPFLAGS) -DWRONG_SIZE
tests_plugins_wrong_size_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_no_symbol_so_SOURCES = %D%/refused.c
tests_plugins_no_symbol_so_CPPFLAGS = $(AM_CPPFLAGS) -DNO_SYMBOL
tests_plugins_no_symbol_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_needs_more_so_SOURCES = %D%/refused.c
tests_plugins_needs_more_so_CPPFLAGS = $(AM_CPPFLAGS) -DNEEDS_MORE
tests_plugins_needs_more_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_no_toolset_so_SOURCES = %D%/refused.c
tests_plugins_no_toolset_so_CPPFLAGS = $(AM_CPPFLAGS) -DNO_TOOLSET
tests_plugins_no_toolset_so_LDFLAGS = $(PLUGIN_LINK)
tests_plugins_open_crash_so_SOURCES = %D%/refused.c
tests_plugins_open_crash_so_CPPFLAGS = $(AM_CPPFLAGS) -DOPEN_CRASH
tests_plugins_open_crash_so_LDFLAGS = $(PLUGIN_LINK)
check_PROGRAMS += %D%/odd-analyzer.so
tests_plugins_odd_analyzer_so_SOURCES = %D%/odd-analyzer.c
tests_plugins_odd_analyzer_so_LDFLAGS = $(PLUGIN_LINK)
check_PROGRAMS += %D%/meet.so
tests_plugins_meet_so_SOURCES = %D%/meet.c
tests_plugins_meet_so_LDFLAGS = $(PLUGIN_LINK)
check_PROGRAMS += %D%/mcp-fixture.so
tests_plugins_mcp_fixture_so_SOURCES = %D%/mcp-fixture.c
tests_plugins_mcp_fixture_so_LDFLAGS = $(PLUGIN_LINK)
