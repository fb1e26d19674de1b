/* SPDX-License-Identifier: MIT
 *
 * subagent-process.c - the process of one subagent, and the messages exchanged with
 * it. */
#include "context/prompts.h"
#include "controller/agents.h"
#include "exit-code.h"
#include "controller/feature-api.h"
#include "controller/conversation-parts.h"
#include "controller/overlay.h"
#include "controller/sandbox.h"
#include "controller/watchers.h"
#include "conversation/conversation.h"
#include "features/approval/approval.h"
#include "features/subagents.h"
#include "files.h"
#include "llm/models/models.h"
#include "log.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>

enum { LINE_MAX_BYTES = 64 << 20, PIECE = 64 << 10, CHILD_LINE_MAX = 16 << 20 };

const char topic_asks[] = "asks";

static const char refused[] =
	"The user rejected this. Find another way, or finish and state what is left.";
static const char unattended[] =
	"No user can approve this, because you work for another agent. Use a way that "
	"does not require approval, or finish and state what is left.";

const char *subagent_end_name(enum subagent_end end)
{
	static const char *const names[] = {
		[CHILD_WORKS] = "working",         [CHILD_FINISHED] = "finished",
		[CHILD_REJECTED] = "gave up",      [CHILD_ERROR] = "error",
		[CHILD_OVER_BUDGET] = "over budget", [CHILD_STUCK] = "stuck",
		[CHILD_WAITS] = "waiting",         [CHILD_STOPPED] = "stopped",
		[CHILD_CRASHED] = "crashed",       [CHILD_NOT_STARTED] = "not started",
	};

	return names[end];
}

const char *subagent_place_name(const struct subagent *ch)
{
	static const char *const names[] = { [PLACE_SHARED] = "shared",
					     [PLACE_COPY] = "copy",
					     [PLACE_OWN] = "own" };

	return names[ch->place];
}

/* ---- the end ----------------------------------------------------------- */

static enum subagent_end end_of(const struct subagent *ch)
{
	if (!ch->ended || ch->number)
		return ch->all->stopping ? CHILD_STOPPED
		       : ch->begun       ? CHILD_CRASHED
					 : CHILD_ERROR;
	switch (ch->exit_code) {
	case EXIT_DONE:
		return CHILD_FINISHED;
	case EXIT_LIMIT:
		return CHILD_OVER_BUDGET;
	case EXIT_REJECTED:
		return CHILD_REJECTED;
	case EXIT_STUCK:
		return CHILD_STUCK;
	case EXIT_WAITING:
		return CHILD_WAITS;
	case EXIT_HANGUP:
	case EXIT_INTERRUPTED:
	case EXIT_TERMINATED:
		return CHILD_STOPPED;
	default:
		return CHILD_ERROR;
	}
}

static void say_how(struct subagent *ch)
{
	if (ch->end == CHILD_CRASHED && ch->number)
		snprintf(ch->reason, sizeof ch->reason,
			 "its process was killed by signal %d (%s)", ch->number,
			 strsignal(ch->number));
	else if (ch->end == CHILD_CRASHED || (ch->end == CHILD_ERROR && !ch->ended))
		snprintf(ch->reason, sizeof ch->reason,
			 "its process exited with code %d; see children.log next to "
			 "the log of this conversation",
			 ch->exit_code);
}

static void subagent_process_on_closed(uv_handle_t *h)
{
	struct subagent *ch = h->data;

	if (--ch->handles)
		return;
	jsonl_done(&ch->lines);
	subagents_ended_one(ch);
}

static void finish_if_over(struct subagent *ch)
{
	if (!ch->exited || !ch->output_over)
		return;
	ch->end = end_of(ch);
	say_how(ch);
	uv_close((uv_handle_t *)&ch->process, subagent_process_on_closed);
	uv_close((uv_handle_t *)&ch->out, subagent_process_on_closed);
	if (!uv_is_closing((uv_handle_t *)&ch->in))
		uv_close((uv_handle_t *)&ch->in, subagent_process_on_closed);
}

/* `waits` (borrowed): one of its actions requires approval; NULL: none. */
static void set_waits(struct subagent *ch, json_object *waits)
{
	struct conversation *c = ch->all->c;
	bool same = json_object_equal(ch->waits, waits);

	json_object_put(ch->waits);
	ch->waits = json_object_get(waits);
	if (!same)
		conversation_publish(c, topic_asks, NULL);
}

static void subagent_process_on_exit(uv_process_t *p, int64_t exit_code, int number)
{
	struct subagent *ch = p->data;

	ch->exited = true;
	set_waits(ch, NULL);
	ch->exit_code = (int)exit_code;
	ch->number = number;
	finish_if_over(ch);
}

/* ---- what it tells ----------------------------------------------------- */

static void keep_message(struct subagent *ch, const char *text)
{
	char *copy = *text ? strndup(text, CHILD_MESSAGE_MAX) : NULL;

	if (!copy)
		return;
	free(ch->message);
	ch->message = copy;
}

static void subagent_process_on_event(struct subagent *ch, json_object *o)
{
	const char *action = js_str(o, "action", "");
	json_object *args = js_get(o, "args");

	if (strcmp(js_str(o, "source", ""), "agent") != 0)
		return;
	if (*action) {
		json_object_put(ch->action);
		ch->action = json_object_get(o);
	}
	if (strcmp(action, "finish") == 0)
		keep_message(ch, js_str(args, "final_thought", ""));
	else if (strcmp(action, "message") == 0)
		keep_message(ch, js_str(args, "content", ""));
	else if (strcmp(action, "reject") == 0)
		keep_message(ch, js_str(args, "thought", ""));
}

struct said {
	uv_write_t write;
	char text[];
};

static void on_said(uv_write_t *w, int status)
{
	(void)status;
	free(w->data);
}

static void subagent_process_say(struct subagent *ch, const char *text, size_t len)
{
	struct said *s =
		uv_is_closing((uv_handle_t *)&ch->in) ? NULL : malloc(sizeof *s + len);
	uv_buf_t piece;

	if (!s)
		return;
	memcpy(s->text, text, len);
	s->write.data = s;
	piece = uv_buf_init(s->text, (unsigned)len);
	if (uv_write(&s->write, (uv_stream_t *)&ch->in, &piece, 1, on_said) < 0)
		free(s);
}

int subagent_answer(struct subagent *ch, const struct approval *a)
{
	AUTO(strbuf) struct strbuf line = STRBUF(CHILD_LINE_MAX);

	struct approval told = *a;

	if (a->answer == ANSWER_NO)
		told = (struct approval){
			.answer = ANSWER_NO, .scope = -1, .hash = a->hash,
			.reason = a->reason && *a->reason ? a->reason : refused };
	strbuf_addc(&line, '{');
	approval_put(&line, &told);
	if (strbuf_add(&line, "}\n"))
		return line.error;
	set_waits(ch, NULL);
	subagent_process_say(ch, line.text, line.len);
	return MT_OK;
}

/* Ask the user; in non-interactive use, refuse. */
static void on_waits(struct subagent *ch, json_object *waits)
{
	if (conversation_is_interactive(ch->all->c))
		set_waits(ch, waits);
	else
		subagent_answer(ch,
				&(struct approval){ .reason = unattended, .scope = -1 });
}

static int on_line(char *line, size_t len, void *arg)
{
	struct subagent *ch = arg;
	AUTO(json) json_object *o = js_parse_object(line, len, NULL);
	const char *type = js_str(o, "type", "");

	if (!o)
		return MT_OK;
	if (!*type) {
		subagent_process_on_event(ch, o);
	} else if (strcmp(type, "hello") == 0) {
		ch->begun = true;
	} else if (strcmp(type, "state") == 0 || strcmp(type, "end") == 0) {
		snprintf(ch->reason, sizeof ch->reason, "%s", js_str(o, "reason", ""));
		ch->ended = strcmp(type, "end") == 0;
		if (js_get(o, "waits") && !ch->ended)
			on_waits(ch, js_get(o, "waits"));
		else
			set_waits(ch, NULL);
	}
	return MT_OK;
}

static void subagent_process_on_alloc(uv_handle_t *h, size_t wanted, uv_buf_t *ret)
{
	char *room = malloc(PIECE);

	(void)h, (void)wanted;
	*ret = uv_buf_init(room, room ? PIECE : 0);
}

static void subagent_process_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *b)
{
	struct subagent *ch = stream->data;
	int r = n > 0 ? jsonl_feed(&ch->lines, b->base, (size_t)n) : MT_OK;

	free(b->base);
	if (n == 0 || (n > 0 && !r))
		return;
	if (r)
		subagent_kill(ch);
	uv_read_stop(stream);
	ch->output_over = true;
	finish_if_over(ch);
}

/* ---- first messages ---------------------------------------------------- */

/* Its configuration: the one that its task names, or that of its parent. */
static const char *agent_of(const struct subagent *ch)
{
	const char *dot = strchr(conversation_agent(ch->all->c)->section, '.');

	return *ch->agent && !ch->forked ? ch->agent : dot ? dot + 1 : "";
}

/* A child does not run actions unconfirmed that its parent would confirm. *ret_same:
 * the child's policy is as strict as ours. */
static int set_policy(json_object *list, const struct subagent *ch, const char *section,
		      bool *ret_same)
{
	static const char *const when[] = { "never", "always", "risky" };
	static const char *const from[] = { "low", "medium", "high" };
	const struct conversation *c = ch->all->c;
	struct approval_policy p;
	AUTO(strbuf) struct strbuf text = STRBUF(1024);
	const char *forms[3];

	if (approval_policy_read(conversation_config(c), section, &p, NULL))
		return MT_EINVAL;
	p = approval_stricter(*approval_policy(c), p);
	*ret_same = p.when == approval_policy(c)->when &&
		    p.from == approval_policy(c)->from &&
		    p.unknown == approval_policy(c)->unknown;
	forms[0] = when[p.when];
	forms[1] = from[p.from < RISK_LOW ? RISK_LOW : p.from];
	forms[2] = p.unknown ? "yes" : "no";
	for (int i = 0; i < 3; i++) {
		static const char *const keys[] = { "confirmation", "confirm_risk",
						    "confirm_unknown" };

		strbuf_reset(&text);
		if (strbuf_addf(&text, "%s.%s=%s", section, keys[i], forms[i]) ||
		    js_add_new(list, json_object_new_string(text.text)))
			return MT_ENOMEM;
	}
	return MT_OK;
}

/* Set the limit of `section`, with which the child runs: its share of the limit of its
 * parent, or the limit of `from` if that is lower. */
static int subagent_process_set_limit(json_object *list, const struct subagent *ch,
				      const char *from, const char *section,
				      enum limit which)
{
	const struct conversation *c = ch->all->c;
	const char *name = budget_limit_option(which),
		   *own = config_get(conversation_config(c), from, name);
	double share = ch->all->share[which], most = own ? strtod(own, NULL) : 0;
	AUTO(strbuf) struct strbuf text = STRBUF(512);

	if (which == LIMIT_TIME)
		most = own ? (double)config_int(conversation_config(c), from, name) / 1000
			   : 0;
	if (most > 0 && (share <= 0 || most <= share)) {
		if (from == section)
			return MT_OK;
		share = most;
	}
	if (share <= 0)
		return MT_OK;
	if (which == LIMIT_COST)
		strbuf_addf(&text, "%s.%s=%.9f", section, name, share);
	else if (which == LIMIT_TIME)
		strbuf_addf(&text, "%s.%s=%.0fms", section, name, fmax(1, share * 1000));
	else
		strbuf_addf(&text, "%s.%s=%.0f", section, name, fmax(1, floor(share)));
	return js_add(list, json_object_new_string(text.text));
}

/* The limits of the section that its task names. */
static int subagent_process_set_limits(json_object *list, const struct subagent *ch,
				       const char *section)
{
	AUTO(strbuf) struct strbuf named = STRBUF(256);
	int r = MT_OK;

	strbuf_addf(&named, "controller.%s", ch->agent);
	for (int i = 0; !r && i < LIMIT_COUNT; i++)
		r = subagent_process_set_limit(list, ch,
					       *ch->agent ? named.text : section, section,
					       (enum limit)i);
	return r;
}

/* The configuration that this process has, with the models that were chosen for it
 * and the limits of one child. */
static json_object *settings_for(const struct subagent *ch, bool *ret_same)
{
	const struct conversation *c = ch->all->c;
	AUTO(json) json_object *list = config_settings(conversation_sandbox_config(c));
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	const char *model;
	int r = list ? MT_OK : MT_ENOMEM;

	for (size_t i = 0; !r && conversation_models(c) &&
			   (model = llm_models_section(conversation_models(c), i));
	     i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(4096);

		r = strbuf_addf(&text, "%s.model=%s", model,
				llm_models_name(conversation_models(c), i));
		if (!r)
			r = js_add(list, json_object_new_string(text.text));
	}
	strbuf_addf(&section, "controller%s%s", *agent_of(ch) ? "." : "", agent_of(ch));
	if (!r)
		r = set_policy(list, ch, section.text, ret_same);
	if (!r)
		r = subagent_process_set_limits(list, ch, section.text);
	return r ? NULL : STEAL(list);
}

/* The notice before its task, which states that it now works as a subagent. */
static char *notice_for(const struct subagent *ch, struct error *err)
{
	const struct conversation *c = ch->all->c;
	AUTO(json) json_object *data = js_new_object();
	struct error why = ERROR_NONE;
	char *text;

	js_set_bool(data, "forked", true);
	js_set_bool(data, "shared", true);
	js_set_bool(data, "parallel", true);
	text = prompt_render(conversation_config(c),
			     conversation_agent(c)->plugin.component->name, "subagent",
			     data, &why);
	if (!text && why.code == MT_ENOTFOUND) /* a prompt_dir has no such template */
		text = strdup("");
	if (!text)
		fail(err, why.code ? why.code : MT_ENOMEM, "%s", why.text);
	return text;
}

/* The child begins with the events before its call. */
static int add_context(const struct subagent *ch, json_object *job, struct error *err)
{
	AUTO(free) char *notice = ch->forked ? notice_for(ch, err) : NULL;

	if (!ch->forked)
		return MT_OK;
	if (!notice)
		return err->code;
	return js_set_int(job, "fork", ch->all->action - 1) ||
			       js_set_str(job, "notice", notice)
		       ? out_of_memory(err)
		       : MT_OK;
}

/* The directory to copy, as the child finds it. */
static char *copied_path(const struct conversation *c)
{
	struct overlay passed;
	int fd;

	if (!conversation_overlay(c))
		return strdup(conversation_workspace(c));
	passed = *conversation_overlay(c);
	for (size_t i = 0; i < passed.count; i++)
		passed.roots[i].fd = PASSED_FD + 2 + (int)i;
	return overlay_path(&passed, conversation_workspace(c), &fd);
}

static json_object *job_for(const struct subagent *ch)
{
	struct conversation *c = ch->all->c;
	bool same = false;
	json_object *o = json_object_new_object(), *settings = settings_for(ch, &same);
	AUTO(free) char *copied = copied_path(c);
	int r = o && settings && copied ? MT_OK : MT_ENOMEM;

	if (!r)
		r = js_set_str(o, "conversation", ch->id) ||
		    js_set_str(o, "parent", conversation_id(c)) ||
		    js_set_str(o, "group", conversation_group(c)) ||
		    js_set_int(o, "depth", agents_depth(c) + 1) ||
		    js_set_str(o, "task", ch->task) ||
		    js_set_str(o, "controller", agent_of(ch)) ||
		    js_set_str(o, "workspace", ch->workspace) ||
		    js_set_str(o, "place", subagent_place_name(ch)) ||
		    js_set_str(o, "copy_of", ch->place == PLACE_COPY ? copied : "");
	if (!r && ch->place == PLACE_SHARED && conversation_overlay(c))
		r = js_set_str(o, "overlay", conversation_overlay(c)->dir);
	if (!r && same && ch->place == PLACE_SHARED)
		r = js_set(o, "approvals", approval_scopes(c));
	if (js_set(o, "settings", settings) || r) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

static int say_job(struct subagent *ch, struct error *err)
{
	AUTO(json) json_object *job = job_for(ch);
	AUTO(strbuf) struct strbuf text = STRBUF(LINE_MAX_BYTES);
	const char *whole;
	size_t len;

	if (!job)
		return out_of_memory(err);
	if (add_context(ch, job, err))
		return err->code;
	whole = js_text(job, &len);
	if (!whole)
		return out_of_memory(err);
	strbuf_addf(&text, "%zu\n", len);
	if (strbuf_addn(&text, whole, len))
		return fail(err, text.error, "the task is too long");
	subagent_process_say(ch, text.text, text.len);
	explicit_bzero(text.text, text.len);
	return MT_OK;
}

/* ---- the process ------------------------------------------------------- */

/* Its descriptors from PASSED_FD are those of the overlay. @return their number */
static int pass_overlay(const struct conversation *c, uv_stdio_container_t *stdio)
{
	const struct overlay *o = conversation_overlay(c);

	if (!o)
		return 0;
	stdio[0].data.fd = o->user;
	stdio[1].data.fd = o->mount;
	for (size_t i = 0; i < o->count; i++)
		stdio[2 + i].data.fd = o->roots[i].fd;
	for (size_t i = 0; i < 2 + o->count; i++)
		stdio[i].flags = UV_INHERIT_FD;
	return 2 + (int)o->count;
}

static int subagent_process_spawn(struct subagent *ch, struct error *err)
{
	struct conversation *c = ch->all->c;
	AUTO(free) char *log = path_join(evlog_dir(conversation_log(c)), "children.log");
	AUTO(close) int fd =
		log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	char program[4096], command[] = "delegate";
	size_t len = sizeof program;
	char *argv[] = { program, command, NULL };
	uv_stdio_container_t stdio[PASSED_FD + 2 + OVERLAY_ROOTS_MAX] = {
		{ .flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
		  .data.stream = (uv_stream_t *)&ch->in },
		{ .flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
		  .data.stream = (uv_stream_t *)&ch->out },
		{ .flags = fd >= 0 ? UV_INHERIT_FD : UV_IGNORE, .data.fd = fd },
	};
	uv_process_options_t options = {
		.file = program, .args = argv, .exit_cb = subagent_process_on_exit,
		.flags = UV_PROCESS_DETACHED, /* this process handles Ctrl-C at the
					       * terminal */
		.stdio_count = PASSED_FD + pass_overlay(c, stdio + PASSED_FD),
		.stdio = stdio,
	};
	int failed;

	if (uv_exepath(program, &len) < 0)
		snprintf(program, sizeof program, "mortise");
	failed = uv_spawn(conversation_loop(c), &ch->process, &options);
	return failed ? fail(err, MT_EIO, "cannot start its process: %s",
			     uv_strerror(failed))
		      : MT_OK;
}

void subagent_start(struct subagent *ch)
{
	uv_loop_t *loop = conversation_loop(ch->all->c);
	struct error why = ERROR_NONE, *err = &why;
	int r;

	uv_pipe_init(loop, &ch->in, 0);
	uv_pipe_init(loop, &ch->out, 0);
	ch->in.data = ch->out.data = ch->process.data = ch;
	ch->handles = 3;
	jsonl_init(&ch->lines, LINE_MAX_BYTES, on_line, ch);
	r = subagent_process_spawn(ch, err);
	if (!r && uv_read_start((uv_stream_t *)&ch->out, subagent_process_on_alloc,
				subagent_process_on_read) < 0)
		ch->output_over = true;
	if (!r && say_job(ch, err))
		subagent_kill(ch);
	if (!r)
		return;
	ch->exited = ch->output_over = true;
	ch->end = CHILD_NOT_STARTED;
	snprintf(ch->reason, sizeof ch->reason, "%s", err->text);
	uv_close((uv_handle_t *)&ch->process, subagent_process_on_closed);
	uv_close((uv_handle_t *)&ch->out, subagent_process_on_closed);
	uv_close((uv_handle_t *)&ch->in, subagent_process_on_closed);
}

void subagent_stop(struct subagent *ch)
{
	static const char line[] = "{\"type\":\"stop\"}\n";

	if (ch->handles && !ch->exited)
		subagent_process_say(ch, line, sizeof line - 1);
}

void subagent_kill(struct subagent *ch)
{
	if (ch->handles && !ch->exited)
		uv_process_kill(&ch->process, SIGKILL);
}
