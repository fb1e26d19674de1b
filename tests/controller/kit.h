/* SPDX-License-Identifier: MIT
 *
 * kit.h - a conversation in this process, with the scripted model and without a
 * runner, for tests that inspect its state. Needs BUILD and SOURCES, the
 * directories, as macros. */
#ifndef TESTS_CONTROLLER_KIT_H
#define TESTS_CONTROLLER_KIT_H

#include "controller/core.h"
#include "controller/feature-api.h"
#include "conversation/conversation.h"

#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIT_SETTINGS = 24 };

static char kit_home[] = "/tmp/mortise-kit-XXXXXX";

static inline void kit_put(const char *name, const char *base, const char *rest)
{
	char value[4096];

	snprintf(value, sizeof value, "%s%s", base, rest);
	setenv(name, value, 1);
}

/* A home of its own; plugins and programs of the build tree. */
static inline bool kit_begin(void)
{
	static const char *const kinds[] = { "tools", "agents", "condensers", "dialects",
					     "runtimes", "analyzers" };
	char path[8192] = "", programs[8192];

	if (!mkdtemp(kit_home))
		return false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		snprintf(path + strlen(path), sizeof path - strlen(path),
			 "%s" BUILD "/plugins/%s", i ? "," : "", kinds[i]);
	snprintf(programs, sizeof programs, BUILD ":%s", getenv("PATH"));
	setenv("PATH", programs, 1);
	setenv("MORTISE_CORE_PLUGIN_PATH", path, 1);
	setenv("MORTISE_BUILTIN_PLUGINS", "no", 1);
	kit_put("MORTISE_CORE_RUNNER", BUILD, "/mortise-runner");
	kit_put("MORTISE_CORE_PROMPT_DIR", SOURCES, "/prompts");
	kit_put("MORTISE_CORE_MODEL_TABLE", SOURCES, "/data/models.ini");
	kit_put("HOME", kit_home, "");
	kit_put("XDG_CONFIG_HOME", kit_home, "/config");
	kit_put("XDG_STATE_HOME", kit_home, "/state");
	kit_put("XDG_CACHE_HOME", kit_home, "/cache");
	kit_put("XDG_RUNTIME_DIR", kit_home, "");
	return true;
}

static inline void kit_end(void)
{
	dir_remove(kit_home, NULL);
}

static inline struct config_input kit_input(const char *const *settings,
					    const char **list)
{
	struct config_input in = { .overrides = list };

	list[in.override_count++] = "core.sync=none";
	/* The tests answer, also when the risk is UNKNOWN. */
	list[in.override_count++] = "controller.on_ask=stop";
	list[in.override_count++] = "sandbox.mode=off";
	for (; settings && *settings && in.override_count < KIT_SETTINGS; settings++)
		list[in.override_count++] = *settings;
	return in;
}

/* `settings` ends with NULL. */
static inline struct conversation *kit_new(uv_loop_t *loop, const char *const *settings,
					   bool headless)
{
	const char *list[KIT_SETTINGS];
	const struct config_input in = kit_input(settings, list);
	char script[128], workspace[128];
	const struct conversation_options o = { .workspace = workspace, .model = script,
						.headless = headless };
	struct error err = ERROR_NONE;
	struct config *config = NULL;
	struct registry *registry = NULL;
	struct conversation *c = NULL;

	snprintf(script, sizeof script, "script:%s/script", kit_home);
	snprintf(workspace, sizeof workspace, "%s/workspace", kit_home);
	mkdir(workspace, 0700);
	if (config_load(&in, &config, &err) || registry_open(config, &registry, &err) ||
	    conversation_create(loop, config, registry, &o, &c, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return c;
}

/* Resume the conversation, as another process would. */
static inline struct conversation *kit_resume(uv_loop_t *loop, const char *id,
					      const char *const *settings, bool headless)
{
	const char *list[KIT_SETTINGS];
	const struct config_input in = kit_input(settings, list);
	const struct conversation_options o = { .id = id, .headless = headless };
	struct error err = ERROR_NONE;
	struct conversation *c = NULL;
	char *report = NULL;

	if (conversation_resume(loop, &in, &o, &c, &report, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	free(report);
	return c;
}

static inline void kit_script(const char *text)
{
	char path[128];
	struct error err = ERROR_NONE;

	snprintf(path, sizeof path, "%s/script", kit_home);
	if (file_write(path, text, strlen(text), 0600, false, &err))
		abort();
}

static inline void kit_closed(void *arg)
{
	*(bool *)arg = true;
}

static inline void kit_close(uv_loop_t *loop, struct conversation *c)
{
	bool closed = false;

	conversation_close(c, kit_closed, &closed);
	while (!closed)
		uv_run(loop, UV_RUN_ONCE);
	while (uv_run(loop, UV_RUN_NOWAIT))
		;
}

/* An action in the log that came from a tool call. */
static inline int64_t kit_action(struct conversation *c, const char *type,
				 const char *args)
{
	struct error err = ERROR_NONE;
	struct event *e = event_action(type, SOURCE_AGENT,
				       js_parse_object(args, strlen(args), &err), &err);

	if (!e || event_set_tool_meta(e, "execute_bash", "call_1", "reply_1", 1))
		abort();
	return conversation_log_event(c, e, &err);
}

#endif
