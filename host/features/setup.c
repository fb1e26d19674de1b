/* SPDX-License-Identifier: MIT
 *
 * setup.c - actions of the environment that run once at the start of a conversation,
 * before the agent acts: the setup script of a project, in a separate shell with its
 * own time limit, which is not sent to the model; and optionally git, to list changed
 * files. The results are in the log. */
#include "features/setup.h"

#include "config/choices.h"
#include "context/repository.h"
#include "controller/agents.h"
#include "controller/feature-api.h"
#include "controller/sandbox.h"
#include "controller/turn.h"
#include "features/environment-command.h"
#include "features/replay-internal.h"
#include "files.h"

#include <string.h>

#define SETUP_SCRIPT ".openhands/setup.sh"

enum { SETUP_MAX = 1 << 20, TIMED_OUT = 124, STATUS_SECONDS = 10, STATUS_LINES = 50 };

/* May the script run? If not, the reason is reported. */
static bool setup_is_allowed(struct conversation *c, const char *path)
{
	int when = config_choice(conversation_config(c), conversation_agent(c)->section,
				 "setup");
	AUTO(free) char *text = NULL;
	struct error err = ERROR_NONE;
	bool trusted = false;
	size_t len;

	if (when == SETUP_NEVER)
		return false;
	if (file_read(path, SETUP_MAX, &text, &len, &err)) {
		if (err.code != MT_ENOTFOUND)
			conversation_notice(c, MT_LOG_WARNING, "setup script not run: %s",
					    err.text);
		return false;
	}
	if (when == SETUP_ALWAYS)
		return true;
	if (config_trusted(path, text, len, &trusted, &err))
		conversation_notice(c, MT_LOG_WARNING, "%s not run: %s", SETUP_SCRIPT,
				    err.text);
	else if (!trusted)
		conversation_notice(c, MT_LOG_WARNING,
				    "%s not run: it is not trusted at its current "
				    "content; run `mortise config trust` to trust it",
				    SETUP_SCRIPT);
	return trusted;
}

/* @return true if the script runs. */
static bool setup_begin(struct conversation *c, const char *what, const char *command,
			bool hidden, int64_t limit)
{
	struct error err = ERROR_NONE;
	struct call *call = environment_command(c, command, hidden, limit + 30, &err);

	if (!call) {
		conversation_notice(c, MT_LOG_WARNING, "%s not run: %s", what, err.text);
		return false;
	}
	conversation_notice(c, MT_LOG_INFO, "%s runs", what);
	return environment_command_start(c, call, &err) >= 0;
}

static bool begin_script(struct conversation *c)
{
	AUTO(free) char *path = path_join(conversation_workspace(c), SETUP_SCRIPT);
	AUTO(strbuf) struct strbuf command = STRBUF(512);
	int64_t limit = config_int(conversation_config(c), conversation_agent(c)->section,
				   "setup_timeout") /
			1000;

	if (!path || !setup_is_allowed(c, path))
		return false;
	strbuf_addf(&command, "timeout -k 10 %lld bash %s </dev/null", (long long)limit,
		    SETUP_SCRIPT);
	return setup_begin(c, SETUP_SCRIPT, command.text, true, limit);
}

/* Git has no option to ignore filters, which the repository may name for any file. */
#define UNLESS_FILTERS                                                                  \
	"if git config --local --includes --get-regexp '^filter[.]' >/dev/null 2>&1 || " \
	"git config --worktree --includes --get-regexp '^filter[.]' >/dev/null 2>&1; "  \
	"then echo not shown, because the repository configures filters; else "

/* The changes in the repository, for the model. Programs that its configuration names
 * are not run, except filters in a sandbox. */
static bool begin_status(struct conversation *c)
{
	AUTO(strbuf) struct strbuf command = STRBUF(1024);
	const bool sandboxed = conversation_is_sandboxed(c);
	struct repository r;

	if (!config_bool(conversation_config(c), conversation_agent(c)->section,
			 "git_status") ||
	    repository_read(conversation_workspace(c), &r))
		return false;
	repository_clear(&r);
	strbuf_addf(
		&command,
		"echo git status at the start:; %sGIT_ALLOW_PROTOCOL= timeout -k 1 %d "
		"git --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null "
		"status --short --branch --ignore-submodules=all </dev/null | head -n %d%s",
		sandboxed ? "" : UNLESS_FILTERS, STATUS_SECONDS, STATUS_LINES,
		sandboxed ? "" : "; fi");
	return setup_begin(c, "git status", command.text, false, STATUS_SECONDS);
}

static void setup_after_message(struct conversation *c, bool first)
{
	if (!first || agents_depth(c) || replay_is_active(c) || !turn_is_idle(c))
		return;
	if (!begin_script(c))
		begin_status(c);
}

static void setup_after_observation(struct conversation *c, struct event *action)
{
	if (action->source == SOURCE_ENVIRONMENT && event_hidden(action) &&
	    conversation_state(c) == STATE_RUNNING && turn_is_idle(c))
		begin_status(c);
}

static const char *last_line(const char *text, size_t *ret_len)
{
	size_t end = strlen(text), at;

	while (end && strchr(" \r\n", text[end - 1]))
		end--;
	for (at = end; at && text[at - 1] != '\n' && end - at < 200;)
		at--;
	*ret_len = end - at;
	return text + at;
}

static void setup_before_observation(struct conversation *c, struct event *action,
				     const struct call *call, struct event *e)
{
	const char *last;
	int64_t code;
	size_t len;

	(void)call;
	if (action->source != SOURCE_ENVIRONMENT || !event_hidden(action) || !e)
		return;
	last = last_line(js_str(e->json, "content", ""), &len);
	code = js_int(js_get(event_args(e), "metadata"), "exit_code", -1);
	if (e->type->id != OBSERVATION_RUN)
		conversation_notice(c, MT_LOG_WARNING, "%s did not complete",
				    SETUP_SCRIPT);
	else if (code == TIMED_OUT)
		conversation_notice(c, MT_LOG_WARNING,
				    "%s exceeded setup_timeout and was terminated",
				    SETUP_SCRIPT);
	else if (code)
		conversation_notice(c, MT_LOG_WARNING,
				    "%s failed with exit code %lld: %.*s", SETUP_SCRIPT,
				    (long long)code, (int)len, last);
}

const struct feature setup_feature = {
	.name = "set-up",
	.after_message = setup_after_message,
	.before_observation = setup_before_observation,
	.after_observation = setup_after_observation,
};
