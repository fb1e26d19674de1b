# The tools.
EDITOR_TEST_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests

check_PROGRAMS += %D%/test-editor-bytes %D%/test-editor-calls %D%/test-editor-files \
	%D%/test-editor-plugin
tests_tools_test_editor_bytes_SOURCES = %D%/test-editor-bytes.c %D%/editor-kit.h
tests_tools_test_editor_bytes_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_editor_bytes_LDADD = $(LIBEDITOR)
tests_tools_test_editor_calls_SOURCES = %D%/test-editor-calls.c %D%/editor-kit.h
tests_tools_test_editor_calls_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_editor_calls_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_editor_calls_LDADD = $(LIBEDITOR)
tests_tools_test_editor_files_SOURCES = %D%/test-editor-files.c %D%/editor-kit.h
tests_tools_test_editor_files_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_editor_files_LDADD = $(LIBEDITOR)
tests_tools_test_editor_plugin_SOURCES = %D%/test-editor-plugin.c
tests_tools_test_editor_plugin_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_editor_plugin_LDADD = $(LIBMT)
EXTRA_tests_tools_test_editor_plugin_DEPENDENCIES = \
	plugins/tools/editor.so plugins/tools/control.so
TESTS += %D%/test-editor-bytes %D%/test-editor-calls %D%/test-editor-files \
	%D%/test-editor-plugin

check_PROGRAMS += %D%/test-bash
tests_tools_test_bash_SOURCES = %D%/test-bash.c %D%/bash-kit.h
tests_tools_test_bash_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_bash_LDADD = $(LIBBASH)
check_PROGRAMS += %D%/test-bash-results
tests_tools_test_bash_results_SOURCES = %D%/test-bash-results.c %D%/bash-kit.h
tests_tools_test_bash_results_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_bash_results_LDADD = $(LIBBASH)
check_PROGRAMS += %D%/test-bash-text
tests_tools_test_bash_text_SOURCES = %D%/test-bash-text.c
tests_tools_test_bash_text_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_bash_text_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_bash_text_LDADD = $(LIBBASH)
check_PROGRAMS += %D%/test-bash-plugin
tests_tools_test_bash_plugin_SOURCES = %D%/test-bash-plugin.c
tests_tools_test_bash_plugin_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_bash_plugin_LDADD = $(LIBMT)
EXTRA_tests_tools_test_bash_plugin_DEPENDENCIES = plugins/tools/bash.so
TESTS += %D%/test-bash %D%/test-bash-plugin %D%/test-bash-results %D%/test-bash-text

# Calls of a model as actions, and back.
check_PROGRAMS += %D%/test-calls
tests_tools_test_calls_SOURCES = %D%/test-calls.c %D%/calls-kit.h
tests_tools_test_calls_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/tests
tests_tools_test_calls_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_calls_LDADD = $(LIBHOST)
TESTS += %D%/test-calls

# Searching.
PLUGIN_TEST_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tests
check_PROGRAMS += %D%/test-search
tests_tools_test_search_SOURCES = %D%/test-search.c %D%/plugin-kit.h
tests_tools_test_search_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_search_LDADD = $(LIBSEARCH)
EXTRA_tests_tools_test_search_DEPENDENCIES = plugins/tools/search.so
TESTS += %D%/test-search

# Patches.
check_PROGRAMS += %D%/test-patch
tests_tools_test_patch_SOURCES = %D%/test-patch.c %D%/plugin-kit.h
tests_tools_test_patch_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_patch_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_patch_LDADD = $(LIBPATCH)
EXTRA_tests_tools_test_patch_DEPENDENCIES = plugins/tools/apply-patch.so
TESTS += %D%/test-patch

# Language servers.
check_PROGRAMS += %D%/test-lsp
tests_tools_test_lsp_SOURCES = %D%/test-lsp.c %D%/plugin-kit.h
tests_tools_test_lsp_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS)
tests_tools_test_lsp_LDADD = $(LIBLSP)
EXTRA_tests_tools_test_lsp_DEPENDENCIES = plugins/tools/lsp.so
TESTS += %D%/test-lsp %D%/lsp.bats
EXTRA_DIST += %D%/lsp.bats %D%/lsp-server.py
include tests/tools/ipython.mk
include tests/tools/browser.mk
include tests/tools/ffi.mk

# The MCP client against servers that misbehave, and real ones.
TESTS += %D%/mcp.bats %D%/mcp-serve.bats %D%/mcp-serve-hostile.bats %D%/mcp-login.bats
check_PROGRAMS += %D%/test-mcp-oauth
tests_tools_test_mcp_oauth_SOURCES = %D%/test-mcp-oauth.c
tests_tools_test_mcp_oauth_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_tools_test_mcp_oauth_LDADD = $(LIBMCP)
TESTS += %D%/test-mcp-oauth
check_PROGRAMS += %D%/test-mcp-stdio
tests_tools_test_mcp_stdio_SOURCES = %D%/test-mcp-stdio.c
tests_tools_test_mcp_stdio_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_tools_test_mcp_stdio_LDADD = $(LIBMCP)
TESTS += %D%/test-mcp-stdio
EXTRA_DIST += %D%/mcp.bats %D%/mcp-serve.bats %D%/mcp-serve-hostile.bats %D%/mcp-serve-hostile.py %D%/mcp-login.bats %D%/mcp-hostile.py %D%/mcp-oauth.py %D%/mcp-session.py \
	%D%/mcp-client.mjs %D%/mcp-grows.mjs

# Pages of the web.
check_PROGRAMS += %D%/test-fetch
tests_tools_test_fetch_SOURCES = %D%/test-fetch.c %D%/plugin-kit.h
tests_tools_test_fetch_CPPFLAGS = $(PLUGIN_TEST_CPPFLAGS) $(CURL_CFLAGS)
tests_tools_test_fetch_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_fetch_LDADD = $(LIBFETCH)
EXTRA_tests_tools_test_fetch_DEPENDENCIES = plugins/tools/fetch.so
TESTS += %D%/test-fetch %D%/fetch.bats
EXTRA_DIST += %D%/fetch.bats %D%/web.py

# Drafts that a model merges.
check_PROGRAMS += %D%/test-draft
tests_tools_test_draft_SOURCES = %D%/test-draft.c
tests_tools_test_draft_CPPFLAGS = $(EDITOR_TEST_CPPFLAGS)
tests_tools_test_draft_LDFLAGS = $(AM_LDFLAGS) $(WRAP_ALLOC)
tests_tools_test_draft_LDADD = $(LIBEDITOR)
TESTS += %D%/llm-edit.bats %D%/test-draft
EXTRA_DIST += %D%/llm-edit.bats

# Jobs of the shell.
TESTS += %D%/jobs.bats
EXTRA_DIST += %D%/jobs.bats

# What holds for all of them.
TESTS += %D%/every.bats
EXTRA_DIST += %D%/every.bats
