/* SPDX-License-Identifier: MIT
 *
 * fake.h - a conversation of which only the log is real: the functions that its
 * frontends call, without agent, model and tools. Include it in one file of a program. */
#ifndef TESTS_FACES_FAKE_H
#define TESTS_FACES_FAKE_H

#include "conversation/conversation.h"
#include "exit-code.h"
#include "conversation/rewind.h"
#include "features/goal.h"
#include "features/loop-recovery.h"
#include "features/permissions.h"
#include "features/snapshots.h"
#include "files.h"

#include <string.h>
#include <sys/stat.h>

enum { FAKE_WATCHERS = 32 };

struct conversation {
	struct evlog *log;
	char dir[256];
	enum agent_state state;
	const char *reason;
	bool refuse_message;
	int runner_pid;
	const struct question *questions;
	struct {
		const struct watcher *w;
		void *arg;
	} watchers[FAKE_WATCHERS];
};

#define FAKE_TELL(c, member, ...)                                                        \
	for (int i_ = 0; i_ < FAKE_WATCHERS; i_++)                                       \
		if ((c)->watchers[i_].w && (c)->watchers[i_].w->member)                  \
	(c)->watchers[i_].w->member((c)->watchers[i_].arg, __VA_ARGS__)

static inline void fake_event(struct evlog *log, const struct event *e, void *arg)
{
	struct conversation *c = arg;

	(void)log;
	FAKE_TELL(c, event, e);
}

static inline struct conversation *fake_new(const char *under)
{
	struct evlog_options o = { .sync = SYNC_NONE };
	struct conversation *c = calloc(1, sizeof *c);
	struct error err = ERROR_NONE;
	static int number;

	if (!c)
		abort();
	snprintf(c->dir, sizeof c->dir, "%s/conversation-%d-%d", under, (int)getpid(),
		 number++);
	dir_remove(c->dir, NULL);
	if (evlog_open(c->dir, EVLOG_CREATE, &o, &c->log, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	c->reason = "";
	c->runner_pid = -1;
	evlog_subscribe(c->log, fake_event, c);
	return c;
}

static inline void fake_free(struct conversation *c)
{
	evlog_close(c->log);
	dir_remove(c->dir, NULL);
	free(c);
}

static inline void fake_say(struct conversation *c, const char *text, size_t len)
{
	json_object *args = json_object_new_object();
	struct error err = ERROR_NONE;
	struct event *e;

	js_set_strn(args, "content", text, len);
	e = event_action("message", SOURCE_USER, args, &err);
	if (e)
		evlog_append(c->log, e, &err);
	event_unref(e);
}

static inline void fake_state(struct conversation *c, enum agent_state state,
			      const char *reason)
{
	c->state = state;
	c->reason = reason;
	FAKE_TELL(c, state, state, reason);
}

/* ---- calls of the frontends -------------------------------------------------- */

int conversation_watch(struct conversation *c, const struct watcher *w, void *arg)
{
	for (int i = 0; i < FAKE_WATCHERS; i++)
		if (!c->watchers[i].w) {
			c->watchers[i].w = w;
			c->watchers[i].arg = arg;
			return i;
		}
	return MT_ELIMIT;
}

void conversation_unwatch(struct conversation *c, int handle)
{
	if (handle >= 0)
		c->watchers[handle].w = NULL;
}

int conversation_say(struct conversation *c, const char *text, size_t len,
		     json_object *images, bool queue, struct error *err)
{
	(void)images, (void)queue;
	if (c->refuse_message)
		return fail(err, MT_EDENIED, "the conversation is being closed");
	fake_say(c, text, len);
	fake_state(c, STATE_RUNNING, "");
	return MT_OK;
}

int conversation_interrupt(struct conversation *c, struct error *err)
{
	(void)c, (void)err;
	return MT_OK;
}

int conversation_withdraw(struct conversation *c, struct error *err)
{
	(void)c;
	return fail(err, MT_ENOTFOUND, "no message is waiting");
}

int conversation_ask_aside(struct conversation *c, const char *text, size_t len,
			   struct error *err)
{
	(void)c, (void)text, (void)len, (void)err;
	return MT_OK;
}

int conversation_continue(struct conversation *c, struct error *err)
{
	(void)err;
	fake_state(c, STATE_RUNNING, "");
	return MT_OK;
}

int conversation_pause(struct conversation *c, const char *reason, struct error *err)
{
	if (c->state != STATE_RUNNING)
		return fail(err, MT_EINVAL, "there is nothing to pause");
	fake_state(c, STATE_PAUSED, reason);
	return MT_OK;
}

void conversation_stop(struct conversation *c, const char *reason)
{
	fake_state(c, STATE_STOPPED, reason);
}

int conversation_confirm(struct conversation *c, const struct approval *a,
			 struct error *err)
{
	static const char *const names[] = { "no", "yes", "always" };

	(void)c;
	return fail(err, MT_EINVAL, "%s: %s %s %d %s %s", names[a->answer],
		    a->reason ? a->reason : "", a->hash ? a->hash : "-", (int)a->scope,
		    a->project ? "project" : "conversation",
		    a->arguments ? js_text(a->arguments, NULL) : "-");
}

int conversation_confirm_child(struct conversation *c, const char *child,
			       const struct approval *a, struct error *err)
{
	(void)c;
	return fail(err, MT_ENOTFOUND, "%s: %d: %s", child, (int)a->answer,
		    a->reason ? a->reason : "");
}

json_object *conversation_asks(const struct conversation *c)
{
	(void)c;
	return NULL;
}

json_object *conversation_waits(const struct conversation *c)
{
	static const char waits[] =
		"{\"action\":0,\"hash\":\"00\",\"risk\":\"LOW\",\"reason\":\"why\","
		"\"scopes\":[{\"text\":\"exactly this action\"}],\"scope\":0,"
		"\"kind\":\"exactly this action\"}";

	return c->state == STATE_AWAITING_USER_CONFIRMATION
		       ? js_parse(waits, sizeof waits - 1, NULL)
		       : NULL;
}

json_object *conversation_approvals(const struct conversation *c)
{
	static const char list[] = "[{\"text\":\"every `git` command\",\"items\":[]}]";

	(void)c;
	return js_parse(list, sizeof list - 1, NULL);
}

int conversation_revoke(struct conversation *c, const char *text, struct error *err)
{
	(void)c;
	return strcmp(text, "every `git` command") == 0
		       ? MT_OK
		       : fail(err, MT_ENOTFOUND, "unknown approval `%s`", text);
}

int conversation_condense(struct conversation *c, struct error *err)
{
	(void)c;
	return fail(err, MT_EUNSUPPORTED, "no condensers here");
}

int conversation_action(struct conversation *c, json_object *action, struct error *err)
{
	AUTO(event) struct event *e = event_from_json(action, err);

	(void)c;
	return e ? MT_OK : err->code;
}

static bool fake_restores;

int conversation_rewind(struct conversation *c, int64_t to, bool files, int64_t *ret_to,
			struct error *err)
{
	fake_restores = files;
	if (to < 0)
		return fail(err, MT_EINVAL, "no event %d", (int)to);
	*ret_to = to;
	FAKE_TELL(c, rewound, to);
	return MT_OK;
}

int conversation_take_back(struct conversation *c, int64_t messages, bool files,
			   char **ret_text, struct error *err)
{
	(void)c;
	fake_restores = files;
	if (messages > 1)
		return fail(err, MT_EINVAL, "there is nothing to take back");
	*ret_text = strdup("taken \"back\"");
	return MT_OK;
}

char *snapshots_take_report(struct conversation *c)
{
	(void)c;
	return fake_restores ? strdup("1 file") : NULL;
}

int loop_recovery_choose(struct conversation *c, int64_t option, struct error *err)
{
	(void)c;
	return fail(err, MT_EINVAL, "option %d", (int)option);
}

int goal_set(struct conversation *c, const char *command, char **ret_text,
	     struct error *err)
{
	(void)c, (void)err;
	*ret_text = strdup(command);
	return MT_OK;
}

int permissions_change(struct conversation *c, json_object *changes, bool reset,
		       struct error *err)
{
	(void)c, (void)reset;
	return js_length(changes) > 1 ? fail(err, MT_EINVAL, "too many changes") : MT_OK;
}

char *permissions_table(struct conversation *c, struct error *err)
{
	(void)c, (void)err;
	return strdup("profile  workspace");
}

int conversation_tell(struct conversation *c, enum telling what, char **ret,
		      struct error *err)
{
	(void)c, (void)err;
	*ret = strdup(what == TELL_SKILLS ? "no skills" : "no servers");
	return MT_OK;
}

const char topic_asks[] = "asks", topic_questions[] = "questions",
	   topic_side_answer[] = "side answer";

const struct question *conversation_questions(const struct conversation *c)
{
	return c->questions;
}

int conversation_answer(struct conversation *c, int64_t question, const char *text,
			struct error *err)
{
	if (!c->questions || c->questions->id != question)
		return fail(err, MT_ENOTFOUND, "no tool asks that: %s",
			    text ? text : "-");
	c->questions = NULL;
	FAKE_TELL(c, published, topic_questions, NULL);
	return MT_OK;
}

int conversation_input(struct conversation *c, const char *bytes, size_t len,
		       struct error *err)
{
	(void)c;
	return fail(err, MT_ENOTFOUND, "nothing reads: %.*s", (int)len, bytes);
}

json_object *conversation_servers(const struct conversation *c)
{
	(void)c;
	return json_object_new_array();
}

const char *conversation_id(const struct conversation *c)
{
	return strrchr(c->dir, '/') + 1;
}

const char *conversation_parent(const struct conversation *c)
{
	(void)c;
	return "";
}

const char *conversation_title(const struct conversation *c)
{
	(void)c;
	return "a \"title\"";
}

const char *conversation_workspace(const struct conversation *c)
{
	(void)c;
	return "/w";
}

enum agent_state conversation_state(const struct conversation *c)
{
	return c->state;
}

const char *conversation_reason(const struct conversation *c)
{
	return c->reason;
}

int conversation_exit_code(const struct conversation *c)
{
	return c->state == STATE_FINISHED ? EXIT_DONE : EXIT_INTERRUPTED;
}

bool conversation_busy(const struct conversation *c)
{
	return c->state == STATE_RUNNING;
}

struct evlog *conversation_log(const struct conversation *c)
{
	return c->log;
}

int conversation_runner_pid(const struct conversation *c)
{
	return c->runner_pid;
}

int64_t conversation_steps(const struct conversation *c)
{
	(void)c;
	return 3;
}

const struct llm_usage_totals *conversation_bill(const struct conversation *c)
{
	(void)c;
	return NULL;
}

#endif
