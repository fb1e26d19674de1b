/* SPDX-License-Identifier: MIT
 *
 * slash-commands.c - slash commands that the terminal handles itself. */
#include "chat.h"

#include "files.h"
#include "options.h"

#include <string.h>
#include <time.h>

enum {
	OUTPUT_MAX = 4 << 20,
	CHOICES_SHOWN = 20,
	CHOICES_MAX = 500,
	DIFF_MAX = 256 << 20,  /* bytes that are read */
	DIFF_SHOWN = 64 << 10, /* bytes of lines */
};

struct slash {
	const char *name;
	const char *args;
	const char *help;
	void (*run)(struct chat *c, const struct slash *self, const char *arg);
	const char *command; /* of the protocol */
	const char *member;  /* member that receives the argument; NULL: none */
};

/* ---- commands of the protocol ------------------------------------------ */

static void slash_pass_on(struct chat *c, const struct slash *self, const char *arg)
{
	chat_command(c, self->command, *arg ? self->member : NULL, arg);
}

static void run_cost(struct chat *c, const struct slash *self, const char *arg)
{
	char money[64] = "";

	(void)self, (void)arg;
	if (c->show.cost > 0)
		snprintf(money, sizeof money, ", $%.4f", c->show.cost);
	event_view_remark(&c->show, PLAIN, "%lld tokens in, %lld out%s",
			  (long long)c->show.input, (long long)c->show.output, money);
}

/* ---- changes that need another process ------------------------------------------ */

static void slash_change(struct chat *c, const struct slash *self, const char *flag,
			 const char *key, const char *arg)
{
	AUTO(strbuf) struct strbuf value = STRBUF(4096);

	strbuf_addf(&value, "%s%s", key, arg);
	if (!*arg)
		event_view_remark(&c->show, YELLOW, "Usage: %s %s", self->name,
				  self->args);
	else if (!value.error && chat_change(c, flag, value.text))
		event_view_remark(&c->show, DIM, "Using %s from now on.", arg);
}

static void run_model(struct chat *c, const struct slash *self, const char *arg)
{
	if (!*arg && *c->show.model)
		event_view_remark(&c->show, PLAIN, "%s", c->show.model);
	else
		slash_change(c, self, "--model", "", arg);
}

static void slash_run_agent(struct chat *c, const struct slash *self, const char *arg)
{
	slash_change(c, self, "--set", "controller.agent=", arg);
}

static void slash_run_confirm(struct chat *c, const struct slash *self, const char *arg)
{
	slash_change(c, self, "--set", "controller.confirmation=", arg);
}

static void slash_run_add_dir(struct chat *c, const struct slash *self, const char *arg)
{
	slash_change(c, self, "--add-dir", "", arg);
}

static void slash_run_recover(struct chat *c, const struct slash *self, const char *arg)
{
	if (*arg < '1' || *arg > '3' || arg[1])
		event_view_remark(&c->show, YELLOW, "Usage: %s %s", self->name,
				  self->args);
	else
		chat_command_number(c, "recover", "option", *arg - '0');
}

static void slash_run_goal(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self;
	chat_command(c, "goal", "command", arg);
}

/* The first word of /permissions, and the change of [sandbox] that it means. */
static const struct {
	const char *word, *change;
} permission_words[] = {
	{ "profile", "profile=" },   { "network", "network=" }, { "grant", "grants+=" },
	{ "revoke", "grants-=" },    { "host", "hosts+=" },     { "read", "read+=" },
	{ "write", "write+=" },
};

static void slash_run_permissions(struct chat *c, const struct slash *self,
				  const char *arg)
{
	size_t len = strcspn(arg, " ");
	const char *value = arg + len + strspn(arg + len, " ");
	AUTO(strbuf) struct strbuf members = STRBUF(64 << 10), change = STRBUF(8192);

	if (!*arg) {
		chat_command(c, self->command, NULL, NULL);
		return;
	}
	if (strcmp(arg, "reset") == 0) {
		chat_command_members(c, self->command, "\"reset\":true");
		return;
	}
	for (size_t i = 0; *value && i < ARRAY_LEN(permission_words); i++)
		if (strlen(permission_words[i].word) == len &&
		    strncmp(permission_words[i].word, arg, len) == 0)
			strbuf_addf(&change, "%s%s", permission_words[i].change, value);
	strbuf_add(&members, "\"set\":[");
	js_put_str(&members, change.text, change.len);
	strbuf_addc(&members, ']');
	if (!change.len || members.error)
		event_view_remark(&c->show, YELLOW, "Usage: %s %s", self->name,
				  "[profile workspace|read-only|full | network "
				  "allow-list|full|none | grant NAME | revoke NAME | "
				  "host HOST | read PATH | write PATH | reset]");
	else
		chat_command_members(c, self->command, members.text);
}

static void run_fork(struct chat *c, const struct slash *self, const char *arg)
{
	const char *args[] = { "fork", "--quiet", c->id, NULL };
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	struct error err = ERROR_NONE;

	(void)self, (void)arg;
	if (process_output(args, &out, &err)) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return;
	}
	strbuf_cut(&out, strcspn(out.text, "\n"));
	event_view_remark(&c->show, DIM,
			  "Created the copy %s. To switch to it:", out.text);
	event_view_remark(&c->show, DIM, "/resume %s", out.text);
}

/* One file that differs; without its lines when enough of them were shown. */
static void slash_show_diff(struct chat *c, json_object *file, size_t *shown)
{
	size_t len = 0;
	const char *diff = action_text(file, "diff", &len);
	int64_t added = js_int(file, "added", -1);

	event_view_remark(&c->show, BOLD, "%s", js_str(file, "path", ""));
	if (*shown + len > DIFF_SHOWN)
		event_view_remark(&c->show, DIM, "  %s, +%lld -%lld",
				  js_str(file, "change", ""), (long long)added,
				  (long long)js_int(file, "removed", -1));
	else if (added < 0)
		event_view_remark(&c->show, DIM, "  %s, not a text",
				  js_str(file, "change", ""));
	else
		style_diff(&c->show.out, &c->show.style, diff, len);
	*shown += len;
}

static void slash_run_diff(struct chat *c, const struct slash *self, const char *arg)
{
	const char *args[] = { "diff", "--json", c->id, *arg ? "--step" : NULL, arg,
			       NULL };
	AUTO(strbuf) struct strbuf out = STRBUF(DIFF_MAX);
	struct error err = ERROR_NONE;
	size_t shown = 0;

	(void)self;
	if (process_output(args, &out, &err)) {
		event_view_remark(&c->show, RED, "%s", err.text);
		return;
	}
	if (!out.len)
		event_view_remark(&c->show, DIM, "No file differs.");
	for (char *line = out.text, *end; *line; line = end + (*end != '\0')) {
		AUTO(json) json_object *file = NULL;

		end = line + strcspn(line, "\n");
		file = js_parse_object(line, (size_t)(end - line), NULL);
		slash_show_diff(c, file, &shown);
	}
}

/* ---- this program ------------------------------------------------------ */

static void run_help(struct chat *c, const struct slash *self, const char *arg);

static void run_exit(struct chat *c, const struct slash *self, const char *arg)
{
	bool begun = c->last_event > 0; /* it holds a message */

	(void)self, (void)arg;
	if (begun && connection_is_open(&c->link) && !chat_in_state(c, "finished"))
		chat_command(c, "message", "text", "/exit");
	c->busy = false;
	c->quit = true;
}

static void run_detach(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self, (void)arg;
	if (!connection_is_open(&c->link)) {
		event_view_remark(
			&c->show, YELLOW,
			"The conversation process has exited; use /exit to leave.");
		return;
	}
	chat_command(c, "keep_alive", NULL, NULL);
	c->detached = true;
	c->quit = true;
}

static void slash_run_new(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self, (void)arg;
	chat_begin(c, NULL);
}

static void run_now(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self;
	if (*arg)
		chat_message(c, arg);
	else
		chat_command(c, "interrupt", NULL, NULL);
}

static void slash_run_btw(struct chat *c, const struct slash *self, const char *arg)
{
	if (!*arg)
		event_view_remark(&c->show, YELLOW, "Usage: %s %s", self->name,
				  self->args);
	else
		chat_command(c, "btw", "text", arg);
}

/* ---- other conversations ----------------------------------------------- */

static void drop_choices(struct chat *c)
{
	for (size_t i = 0; i < c->choice_count; i++)
		free(c->choices[i]);
	free(c->choices);
	c->choices = NULL;
	c->choice_count = 0;
}

/* The time of the list, in UTC, as the local one without seconds. */
static void local_time(const char *written, char *ret, size_t room)
{
	struct tm tm = { 0 };
	time_t at;

	*ret = '\0';
	if (!strptime(written, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return;
	at = timegm(&tm);
	if (localtime_r(&at, &tm))
		strftime(ret, room, "%Y-%m-%d %H:%M", &tm);
}

static void offer_one(struct chat *c, json_object *o)
{
	const char *id = js_str(o, "id", "");
	bool begun = js_int(o, "events", 0) > 1; /* it holds a message */
	char *copy = *id && begun && strcmp(id, c->id) != 0 ? strdup(id) : NULL;
	AUTO(strbuf) struct strbuf directory = STRBUF(64 << 10);
	char when[32];

	if (!copy)
		return;
	c->choices[c->choice_count++] = copy;
	if (c->choice_count > CHOICES_SHOWN)
		return;
	local_time(js_str(o, "written", ""), when, sizeof when);
	path_abbreviate(&directory, js_str(o, "workspace", ""));
	style_line(&c->show.out, &c->show.style, PLAIN, "%3zu  %s  %s  %s",
		   c->choice_count, when, directory.text, js_str(o, "title", ""));
}

void chat_list_conversations(struct chat *c)
{
	static const char *const args[] = { "conversations", "list", "--json", NULL };
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	struct error err = ERROR_NONE;

	drop_choices(c);
	c->choices = calloc(CHOICES_MAX, sizeof *c->choices);
	if (!c->choices || process_output(args, &out, &err)) {
		event_view_remark(&c->show, RED, "%s", error_text(&err));
		return;
	}
	for (char *line = out.text, *end; *line && c->choice_count < CHOICES_MAX;
	     line = end + (*end != '\0')) {
		AUTO(json) json_object *o = NULL;

		end = line + strcspn(line, "\n");
		o = js_parse_object(line, (size_t)(end - line), NULL);
		offer_one(c, o);
	}
	if (c->choice_count == 0) {
		event_view_remark(&c->show, DIM, "No other conversations.");
		return;
	}
	if (c->choice_count > CHOICES_SHOWN)
		event_view_remark(&c->show, DIM,
				  "and %zu more; `mortise conversations list` lists all",
				  c->choice_count - CHOICES_SHOWN);
	chat_set_mode(c, MODE_PICK);
}

void chat_pick(struct chat *c, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	chat_set_mode(c, MODE_TYPE);
	if (text[strspn(text, " ")] == '\0')
		return;
	if (end == text || n < 1 || (size_t)n > c->choice_count)
		event_view_remark(&c->show, YELLOW, "Invalid number %.20s.", text);
	else
		chat_begin(c, c->choices[n - 1]);
	drop_choices(c);
}

static void slash_run_resume(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self;
	if (*arg)
		chat_begin(c, arg);
	else
		chat_list_conversations(c);
}

static void run_export(struct chat *c, const struct slash *self, const char *arg)
{
	const char *args[] = { "conversations", "export", c->id, arg, NULL };
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	struct error err = ERROR_NONE;

	(void)self;
	if (!*arg)
		event_view_remark(&c->show, YELLOW, "Usage: /export FILE");
	else if (process_output(args, &out, &err))
		event_view_remark(&c->show, RED, "%s", err.text);
	else
		event_view_remark(&c->show, DIM, "Exported to %s", arg);
}

/* ---- the table --------------------------------------------------------- */

static const struct slash table[] = {
	{ "/help", "", "show this help", run_help, NULL, NULL },
	{ "/status", "", "show the conversation and its state", slash_pass_on, "status", NULL },
	{ "/cost", "", "show tokens and cost", run_cost, NULL, NULL },
	{ "/model", "[NAME]", "show or change the model", run_model, NULL, NULL },
	{ "/agent", "NAME", "change the agent", slash_run_agent, NULL, NULL },
	{ "/add-dir", "DIR", "add a directory to the conversation", slash_run_add_dir, NULL, NULL },
	{ "/confirm", "never|always|risky", "set which actions need approval", slash_run_confirm,
	  NULL, NULL },
	{ "/permissions", "[CHANGE]", "show what tools can do; network full, grant ssh, reset",
	  slash_run_permissions, "permissions", NULL },
	{ "/condense", "", "condense the history", slash_pass_on, "condense", NULL },
	{ "/diff", "[STEP]", "show what has changed in the workspace", slash_run_diff, NULL,
	  NULL },
	{ "/undo", "", "revert your last message and the changes to files", slash_pass_on,
	  "undo", NULL },
	{ "/recover", "1|2|3", "after a loop: 1 rewind, 2 resend your message, 3 stop",
	  slash_run_recover, NULL, NULL },
	{ "/goal", "[COMMAND]", "work until COMMAND succeeds; off: remove the goal", slash_run_goal,
	  NULL, NULL },
	{ "/fork", "", "copy the conversation", run_fork, NULL, NULL },
	{ "/skills", "", "list skills", slash_pass_on, "skills", NULL },
	{ "/mcp", "", "list MCP servers", slash_pass_on, "mcp", NULL },
	{ "/pause", "", "interrupt the agent (Ctrl-C)", slash_pass_on, "pause", NULL },
	{ "/continue", "", "continue after a pause, an error or a limit", slash_pass_on, "resume",
	  NULL },
	{ "/stop", "", "stop the conversation process", slash_pass_on, "stop",
	  NULL },
	{ "/now", "[TEXT]", "interrupt the running call, and send TEXT", run_now, NULL,
	  NULL },
	{ "/btw", "QUESTION", "ask about the work without changing the conversation",
	  slash_run_btw, NULL, NULL },
	{ "/new", "", "start a new conversation", slash_run_new, NULL, NULL },
	{ "/resume", "[ID]", "resume a conversation (default: choose from a list)",
	  slash_run_resume, NULL, NULL },
	{ "/export", "FILE", "export the history as an OpenHands trajectory", run_export, NULL,
	  NULL },
	{ "/detach", "", "exit, and keep the conversation open for `mortise attach`",
	run_detach, NULL,
	  NULL },
	{ "/exit", "", "cancel running actions, finish the conversation and exit", run_exit,
	  NULL, NULL },
};

static void run_help(struct chat *c, const struct slash *self, const char *arg)
{
	(void)self, (void)arg;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		event_view_remark(&c->show, PLAIN, "%-12s %-19s %s", table[i].name,
				  table[i].args, table[i].help);
	event_view_remark(
		&c->show, PLAIN,
		"Enter sends; Alt-Enter, Ctrl-J or \\ at the end insert a line break; Tab "
		"completes.\n@path adds the text of a file; !command runs a command in the "
		"agent's shell.\nArrow up recalls earlier input; Ctrl-R searches it.\n"
		"Input typed while the agent works is read after the running call; Enter "
		"alone interrupts the call.\nCtrl-C pauses the agent, and a second "
		"Ctrl-C exits. Ctrl-D "
		"exits; the agent finishes its work.");
}

const char *slash_command_name(size_t n)
{
	return n < ARRAY_LEN(table) ? table[n].name : NULL;
}

/* Is it a command, rather than a message that begins with a path? */
static bool slash_is_command(const char *text, size_t len)
{
	return *text == '/' && len > 1 && !memchr(text + 1, '/', len - 1) &&
	       !memchr(text, '.', len);
}

static void slash_unknown(struct chat *c, const char *text)
{
	size_t len = strcspn(text, " \t\n");
	AUTO(free) char *word = strndup(text, len);
	const char *names[ARRAY_LEN(table)], *near;

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		names[i] = table[i].name;
	near = word ? option_suggest(word, names, ARRAY_LEN(names)) : NULL;
	event_view_remark(&c->show, YELLOW, "Unknown command %s%s%s (/help lists all)",
			  word, near ? "; did you mean " : "", near ? near : "");
}

static void slash_run(struct chat *c, const struct slash *self, const char *arg)
{
	if (*arg && !*self->args)
		event_view_remark(&c->show, YELLOW, "%s does not take an argument",
				  self->name);
	else
		self->run(c, self, arg);
}

bool chat_slash(struct chat *c, const char *text)
{
	size_t len = strcspn(text, " \t\n"), end = strlen(text);
	AUTO(free) char *arg = NULL;
	size_t begin = len + strspn(text + len, " \t\n");

	if (!slash_is_command(text, len))
		return false;
	while (end > begin && strchr(" \t\n", text[end - 1]))
		end--;
	arg = strndup(text + begin, end - begin);
	for (size_t i = 0; i < ARRAY_LEN(table) && arg; i++)
		if (strlen(table[i].name) == len &&
		    strncmp(table[i].name, text, len) == 0) {
			slash_run(c, &table[i], arg);
			return true;
		}
	chat_try_trigger(c, text);
	return true;
}

/* Is the word one of those that the list of skills has between commas? */
static bool is_trigger(const char *skills, const char *word, size_t len)
{
	for (const char *p = skills; (p = strstr(p, word)); p++)
		if (p > skills && p[-1] == ' ' && strchr(",\n", p[len]))
			return true;
	return false;
}

void chat_trigger(struct chat *c, const char *text, const char *skills)
{
	size_t len = strcspn(text, " \t\n");
	AUTO(free) char *word = strndup(text, len);

	if (word && is_trigger(skills, word, len))
		chat_say(c, text);
	else
		slash_unknown(c, text);
}
