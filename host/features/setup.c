/* SPDX-License-Identifier: MIT
 *
 * setup.c - actions of the environment that run once at the start of a conversation,
 * before the agent acts: the setup script of a project, in a separate shell with its
 * own time limit, which is not sent to the model; and git, to list changed files. The
 * results are in the log. */
#include "features/setup.h"

#include "config/choices.h"
#include "context/repository.h"
#include "controller/agents.h"
#include "controller/feature-api.h"
#include "controller/turn.h"
#include "features/environment-command.h"
#include "features/replay-internal.h"
#include "files.h"
#include "utf8.h"

#include <string.h>

#define SETUP_SCRIPT ".openhands/setup.sh"

enum {
	SETUP_MAX = 1 << 20,
	TIMED_OUT = 124,
	STATUS_SECONDS = 3,
	STATUS_LINES = 20,
	LIST_MAX = 4096, /* bytes of these lines, which can have long paths */
	HAS_FILTERS = 3, /* exit code */
};

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
static bool setup_begin(struct conversation *c, const char *command, int64_t limit)
{
	struct error err = ERROR_NONE;
	struct call *call = environment_command(c, command, true, limit + 30, &err);

	if (!call) {
		conversation_notice(c, MT_LOG_WARNING, "%s not run: %s", SETUP_SCRIPT,
				    err.text);
		return false;
	}
	conversation_notice(c, MT_LOG_INFO, "%s runs", SETUP_SCRIPT);
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
	return setup_begin(c, command.text, limit);
}

#define STATUS_COMMAND "( exec 3>&1 >/dev/null 2>&1 </dev/null; "

/* Lists the changes in the repository. Programs that its configuration names are not run:
 * git has no option to ignore filters, which the repository may name for any file. */
static int put_status_command(struct strbuf *out)
{
	return strbuf_addf(
		out,
		STATUS_COMMAND
		"if command git config --local --includes --get-regexp '^filter[.]' || "
		"command git config --worktree --includes --get-regexp '^filter[.]'; "
		"then builtin exit %d; fi; "
		"text=$(GIT_ALLOW_PROTOCOL= timeout -k 1 %d git --no-optional-locks "
		"-c core.fsmonitor=false -c core.hooksPath=/dev/null "
		"status --short --ignore-submodules=all) || builtin exit; "
		"builtin mapfile -t list <<<\"$text\"; "
		"builtin printf '%%s\\n' \"${list[@]:0:%d}\" >&3; "
		"(( ${#list[@]} <= %d )) || "
		"builtin echo \"[$(( ${#list[@]} - %d )) more]\" >&3 )",
		HAS_FILTERS, STATUS_SECONDS, STATUS_LINES, STATUS_LINES, STATUS_LINES);
}

/* An agent without a shell reads only the branch. */
static void begin_status(struct conversation *c)
{
	AUTO(strbuf) struct strbuf command = STRBUF(2048);
	struct error err = ERROR_NONE;
	struct repository r;
	struct call *call;

	if (!config_bool(conversation_config(c), conversation_agent(c)->section,
			 "git_status") ||
	    repository_read(conversation_workspace(c), &r))
		return;
	repository_clear(&r);
	if (put_status_command(&command))
		return;
	call = environment_command(c, command.text, true, STATUS_SECONDS + 5, &err);
	if (call)
		environment_command_start(c, call, &err);
}

static bool is_status(const struct event *action)
{
	return strncmp(event_arg(action, "command"), STATUS_COMMAND,
		       sizeof STATUS_COMMAND - 1) == 0;
}

/* Whether it is a command of this feature. */
static bool is_setup(const struct event *action)
{
	return action->source == SOURCE_ENVIRONMENT && event_hidden(action);
}

/* The lines that fit. */
static size_t list_cut(const char *list, size_t len)
{
	size_t at = LIST_MAX;

	if (len <= at)
		return len;
	while (at && list[at] != '\n')
		at--;
	return at ? at : utf8_cut(list, len, LIST_MAX);
}

/* The model reads the changes as a message; the command and its output are hidden. */
static void log_changes(struct conversation *c, const char *list)
{
	AUTO(strbuf) struct strbuf text = STRBUF(2 * LIST_MAX);
	struct error err = ERROR_NONE;
	json_object *args = js_new_object();
	size_t len = strlen(list), shown = list_cut(list, len);

	if (len)
		strbuf_addf(&text,
			    "Uncommitted changes at the start (git status):\n%.*s%s",
			    (int)shown, list,
			    shown < len ? "\n[more, with long names]" : "");
	else
		strbuf_add(&text, "The work tree has no uncommitted changes.");
	js_set_strn(args, "content", text.text, text.len);
	conversation_log_event(c, event_action("message", SOURCE_ENVIRONMENT, args, &err),
			       &err);
}

/* `e`: the newest event. */
static void end_status(struct conversation *c, const struct event *action,
		       const struct event *e)
{
	int64_t code = js_int(js_get(event_args(e), "metadata"), "exit_code", -1);

	if (e->type->id != OBSERVATION_RUN || e->cause != action->id)
		return;
	if (code == 0)
		log_changes(c, js_str(e->json, "content", ""));
	else if (code == HAS_FILTERS)
		conversation_notice(c, MT_LOG_INFO,
				    "changes are not shown to the model: the repository "
				    "configures filters");
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
	struct evlog *log = conversation_log(c);
	AUTO(event) struct event *e = NULL;

	if (!is_setup(action))
		return;
	if (is_status(action))
		e = evlog_event(log, evlog_count(log) - 1, NULL);
	else if (conversation_state(c) == STATE_RUNNING && turn_is_idle(c))
		begin_status(c);
	if (e)
		end_status(c, action, e);
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
	if (!is_setup(action) || is_status(action) || !e)
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
