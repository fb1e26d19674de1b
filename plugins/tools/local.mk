# The tools. The editor's own work is a library, which its tests link too.
noinst_LIBRARIES += libeditor.a
libeditor_a_SOURCES = \
	%D%/editor/commands.c %D%/editor/commands.h \
	%D%/editor/draft.c %D%/editor/draft.h %D%/editor/editor.c %D%/editor/editor.h \
	%D%/editor/edits.c %D%/editor/job.c %D%/editor/memory.c %D%/editor/memory.h %D%/editor/replace.c \
	%D%/editor/request.h
libeditor_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
LIBEDITOR = libeditor.a libtext.a libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/editor.so
plugins_tools_editor_so_SOURCES = %D%/editor/main.c
plugins_tools_editor_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_editor_so_LDADD = $(LIBEDITOR)

plugin_PROGRAMS += %D%/llm-edit.so
plugins_tools_llm_edit_so_SOURCES = %D%/editor/llm-edit.c
plugins_tools_llm_edit_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_llm_edit_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_llm_edit_so_LDADD = $(LIBEDITOR)

include plugins/tools/browser/local.mk
plugin_PROGRAMS += %D%/browser.so
plugins_tools_browser_so_SOURCES = %D%/browser/main.c
plugins_tools_browser_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_browser_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_browser_so_LDADD = $(LIBBROWSER)

plugin_PROGRAMS += %D%/control.so
plugins_tools_control_so_SOURCES = %D%/control.c
plugins_tools_control_so_LDFLAGS = $(PLUGIN_LINK)

plugin_PROGRAMS += %D%/delegation.so
plugins_tools_delegation_so_SOURCES = %D%/delegation.c
plugins_tools_delegation_so_LDFLAGS = $(PLUGIN_LINK)

# The shell: its core is a library too.
noinst_LIBRARIES += libbash.a
libbash_a_SOURCES = \
	%D%/bash/answers.c %D%/bash/answers.h %D%/bash/driver.h %D%/bash/effect.c %D%/bash/effect.h %D%/bash/jobs.c %D%/bash/jobs.h %D%/bash/keys.c %D%/bash/keys.h \
	%D%/bash/moved.c %D%/bash/moved.h \
	%D%/bash/pipeline.c %D%/bash/pipeline.h %D%/bash/prompt.c %D%/bash/prompt.h \
	%D%/bash/result-notes.c %D%/bash/result-notes.h \
	%D%/bash/result.h %D%/bash/run.c %D%/bash/run.h %D%/bash/run-internal.h %D%/bash/run-result.c %D%/bash/screen.c %D%/bash/screen.h \
	%D%/bash/session.c %D%/bash/session.h %D%/bash/spawn.c %D%/bash/spawn.h \
	%D%/bash/carry.c %D%/bash/carry.h %D%/bash/told.c %D%/bash/told.h %D%/bash/vt.c %D%/bash/vt.h %D%/bash/waiting.c %D%/bash/waiting.h
libbash_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(VTERM_CFLAGS)
LIBBASH = libbash.a libmt.a $(JSONC_LIBS) $(VTERM_LIBS) -lm

plugin_PROGRAMS += %D%/bash.so
plugins_tools_bash_so_SOURCES = %D%/bash/main.c
plugins_tools_bash_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_bash_so_LDADD = $(LIBBASH)

plugin_PROGRAMS += %D%/tasks.so
plugins_tools_tasks_so_SOURCES = %D%/tasks.c
plugins_tools_tasks_so_LDFLAGS = $(PLUGIN_LINK)

# Searching: grep, glob, view.
noinst_LIBRARIES += libsearch.a
libsearch_a_SOURCES = \
	%D%/search/content.c %D%/search/lines.c %D%/search/lines.h \
	%D%/search/ripgrep.c %D%/search/search.h \
	%D%/search/view.c %D%/search/view.h %D%/search/walk.c
libsearch_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(PCRE2_CFLAGS)
LIBSEARCH = libsearch.a libtext.a libmt.a $(JSONC_LIBS) $(PCRE2_LIBS) -lm

plugin_PROGRAMS += %D%/search.so
plugins_tools_search_so_SOURCES = %D%/search/main.c
plugins_tools_search_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_search_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_search_so_LDADD = $(LIBSEARCH)

# Skills called for by the model; what may stand in their text is a library too.
noinst_LIBRARIES += libskill.a
libskill_a_SOURCES = %D%/skill/inline.c %D%/skill/inline.h %D%/skill/run.c %D%/skill/run.h
plugin_PROGRAMS += %D%/skill.so
plugins_tools_skill_so_SOURCES = %D%/skill/main.c
plugins_tools_skill_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_skill_so_LDADD = libskill.a libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/memory.so
plugins_tools_memory_so_SOURCES = %D%/memory.c
plugins_tools_memory_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_memory_so_LDADD = libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/find-tools.so
plugins_tools_find_tools_so_SOURCES = %D%/find-tools.c %D%/asking.h
plugins_tools_find_tools_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_find_tools_so_LDADD = libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/recall.so
plugins_tools_recall_so_SOURCES = %D%/recall.c %D%/asking.h
plugins_tools_recall_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_recall_so_LDADD = libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/ffi.so
plugins_tools_ffi_so_SOURCES = %D%/ffi.c
plugins_tools_ffi_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
plugins_tools_ffi_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_ffi_so_LDADD = libmt.a $(JSONC_LIBS) -lm

# Patches of several files.
noinst_LIBRARIES += libpatch.a
libpatch_a_SOURCES = %D%/patch/apply.c %D%/patch/apply.h %D%/patch/match.c \
	%D%/patch/match.h %D%/patch/patch.c %D%/patch/patch.h
libpatch_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS)
LIBPATCH = libpatch.a libtext.a libmt.a $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/apply-patch.so
plugins_tools_apply_patch_so_SOURCES = %D%/patch/main.c
plugins_tools_apply_patch_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_apply_patch_so_LDADD = $(LIBPATCH)

include plugins/tools/ipython/local.mk
include plugins/tools/lsp/local.mk
include plugins/tools/mcp/local.mk

# Pages of the web.
noinst_LIBRARIES += libfetch.a
libfetch_a_SOURCES = %D%/fetch/entities.c \
	%D%/fetch/get.c %D%/fetch/get.h %D%/fetch/html.c %D%/fetch/html.h
libfetch_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(CURL_CFLAGS)
LIBFETCH = libfetch.a libmt.a $(CURL_LIBS) $(JSONC_LIBS) -lm

plugin_PROGRAMS += %D%/fetch.so
plugins_tools_fetch_so_SOURCES = %D%/fetch/main.c
plugins_tools_fetch_so_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) $(CURL_CFLAGS)
plugins_tools_fetch_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_fetch_so_LDADD = $(LIBFETCH)
