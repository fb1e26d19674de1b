/* SPDX-License-Identifier: MIT
 *
 * cell.c - exchanges the messages of one cell. */
#include "cell.h"
#include "clock.h"
#include "show.h"
#include <errno.h>
#include <string.h>

enum {
	QUIET_MS = 2000,      /* after the reply, for the remaining output */
	KERNEL_INFO_MS = 250,       /* interval of kernel_info requests to a kernel that starts */
	STRANGE_MAX = 1000,   /* invalid messages until the kernel is given up */
	CODE_MAX = 64 << 20,
	PROMPT_MAX = 2 << 20,
	ANSWER_MAX = 8 << 20,
};

struct run {
	struct kernel *k;
	const struct cell *cell;
	struct cell_result *result;
	char id[WIRE_ID_MAX];
	bool answered, idle;
	int64_t deadline;    /* of the next escalation */
	int64_t last_output;      /* time of the last output */
	int stage;           /* 0: it runs; 1, 2: interrupted; 3: killed */
	bool asking;         /* input() waits for an answer */
	int64_t asked;       /* start of that wait */
	struct strbuf prompt;
	bool hidden;
};

static int send_code(struct run *r, struct error *err)
{
	AUTO(strbuf) struct strbuf json = STRBUF(CODE_MAX);
	const struct cell *c = r->cell;

	strbuf_addc(&json, '{');
	js_key_strn(&json, "code", c->code, c->len);
	js_key_bool(&json, "silent", c->silent);
	js_key_bool(&json, "store_history", !c->silent);
	js_key_bool(&json, "allow_stdin", !c->silent);
	js_key_bool(&json, "stop_on_error", false);
	js_key(&json, "user_expressions");
	strbuf_add(&json, "{}}");
	if (json.error)
		return fail(err, json.error, "the cell is too long");
	return kernel_send(r->k, CHANNEL_SHELL, "execute_request", json.text, r->id, err);
}

/* ---- messages ------------------------------------------------------------ */

static bool cell_is_ours(const struct run *r, const struct wire_message *m)
{
	return strcmp(wire_parent(m), r->id) == 0;
}

static void take_iopub(struct run *r, const struct wire_message *m)
{
	r->last_output = clock_ms();
	if (strcmp(wire_type(m), "status") == 0) {
		if (cell_is_ours(r, m) &&
		    strcmp(js_str(m->content, "execution_state", ""), "idle") == 0)
			r->idle = true;
	} else if (!r->cell->silent) {
		show_message(wire_type(m), m->content, r->cell->events, r->cell->arg);
	}
}

/* After `exit` and the like, the kernel announces that it will exit shortly. */
static bool will_end(json_object *content)
{
	json_object *list = js_get(content, "payload");
	size_t count = js_length(list);

	for (size_t i = 0; i < count; i++) {
		json_object *one = json_object_array_get_idx(list, i);

		if (strcmp(js_str(one, "source", ""), "ask_exit") == 0)
			return !js_bool(one, "keepkernel", false);
	}
	return false;
}

static void take_shell(struct run *r, const struct wire_message *m)
{
	const char *status = js_str(m->content, "status", "");

	if (!cell_is_ours(r, m) || strcmp(wire_type(m), "execute_reply") != 0)
		return;
	r->answered = true;
	r->last_output = clock_ms();
	r->result->failed = strcmp(status, "error") == 0;
	r->result->aborted = strncmp(status, "abort", 5) == 0;
	r->result->leaving = will_end(m->content);
	if (r->result->failed)
		snprintf(r->result->error, sizeof r->result->error, "%s: %s",
			 js_str(m->content, "ename", "error"),
			 js_str(m->content, "evalue", ""));
	if (!r->cell->silent)
		show_payload(m->content, r->cell->events, r->cell->arg);
}

static void take_stdin(struct run *r, const struct wire_message *m)
{
	if (!cell_is_ours(r, m) || strcmp(wire_type(m), "input_request") != 0)
		return;
	r->asking = true;
	r->asked = clock_ms();
	r->hidden = js_bool(m->content, "password", false);
	strbuf_reset(&r->prompt);
	strbuf_add(&r->prompt, js_str(m->content, "prompt", ""));
}

/* Take one message of a channel, if there is one. */
static bool cell_take(struct run *r, enum channel channel)
{
	struct wire_message m;
	int status = kernel_read(r->k, channel, &m, NULL);

	if (status == MT_ENOTFOUND)
		return false;
	if (status != MT_OK)
		r->result->strange++;
	else if (channel == CHANNEL_IOPUB)
		take_iopub(r, &m);
	else if (channel == CHANNEL_SHELL)
		take_shell(r, &m);
	else if (channel == CHANNEL_STDIN)
		take_stdin(r, &m);
	wire_clear(&m);
	return r->result->strange < STRANGE_MAX;
}

/* Read queued messages, with a limit, so that a flood does not hide a cancellation. */
static void take_some(struct run *r, int seen)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		for (int n = 0; seen & 1 << c && n < KERNEL_WAITING_MAX; n++)
			if (!cell_take(r, (enum channel)c))
				break;
}

/* ---- stopping it --------------------------------------------------------- */

static void escalate(struct run *r)
{
	r->deadline = clock_ms() + r->cell->grace_ms;
	switch (++r->stage) {
	case 1:
		kernel_interrupt(r->k, false);
		break;
	case 2:
		kernel_interrupt(r->k, true);
		break;
	default:
		kernel_kill(r->k);
		r->result->killed = true;
	}
}

/* A kernel that waits for input is alive, and may be slow on a busy machine: extend the
 * deadline to the rest of the cell's time. */
static void refuse_input(struct run *r)
{
	int64_t end = r->deadline;

	r->asking = false;
	r->result->unanswered = true;
	escalate(r);
	if (r->deadline < end)
		r->deadline = end;
}

static void check_time(struct run *r, int seen)
{
	struct cell_result *result = r->result;

	if (seen & KERNEL_CANCEL && !result->cancelled) {
		result->cancelled = true;
		if (r->stage == 0)
			escalate(r);
	}
	if (clock_ms() < r->deadline)
		return;
	if (r->stage == 0)
		result->timed_out = true;
	escalate(r);
}

/* ---- input() ------------------------------------------------------------- */

static void send_answer(struct run *r, const struct strbuf *value)
{
	AUTO(strbuf) struct strbuf json = STRBUF(6 * value->len + 64);

	strbuf_addc(&json, '{');
	js_key_strn(&json, "value", value->text, value->len);
	strbuf_addc(&json, '}');
	if (!json.error)
		kernel_send(r->k, CHANNEL_STDIN, "input_reply", json.text, NULL, NULL);
	r->asking = false;
}

static void check_input(struct run *r)
{
	const struct cell *c = r->cell;
	AUTO(strbuf) struct strbuf value = STRBUF(ANSWER_MAX);
	int status;

	if (!r->asking || r->stage)
		return;
	status = c->events && c->events->ask
			 ? c->events->ask(c->arg, r->prompt.text, r->hidden, r->deadline,
					  &value)
			 : MT_EUNSUPPORTED;
	if (status == MT_OK) {
		send_answer(r, &value);
	} else if (status == MT_ETIMEOUT || status == MT_ECANCELLED) {
		r->asking = false; /* the cell is interrupted next */
	} else if (status != MT_ENOTFOUND || clock_ms() - r->asked >= c->input_ms) {
		refuse_input(r);
	}
}

/* ---- the loop ------------------------------------------------------------ */

static bool cell_is_over(struct run *r)
{
	if (r->result->dead || r->result->strange >= STRANGE_MAX)
		return true;
	if (r->answered && !r->idle && clock_ms() - r->last_output >= QUIET_MS)
		r->result->incomplete = true;
	return r->answered && (r->idle || r->result->incomplete);
}

static int64_t next_time(const struct run *r)
{
	int64_t next = r->deadline;

	if (r->answered && r->last_output + QUIET_MS < next)
		next = r->last_output + QUIET_MS;
	if (r->asking && r->asked + r->cell->input_ms < next)
		next = r->asked + r->cell->input_ms;
	next -= clock_ms();
	return next > 0 ? next : 0;
}

/* First process its messages from before its exit. */
static void cell_drain(struct run *r)
{
	for (int c = 0; c < CHANNEL_COUNT; c++)
		while (cell_take(r, (enum channel)c))
			;
}

static void cell_follow_conversation(struct run *r)
{
	while (!cell_is_over(r)) {
		int cancel = r->result->cancelled ? -1 : r->cell->cancel_fd;
		int seen = kernel_wait(r->k, next_time(r), cancel, r->cell->wake_fd);

		take_some(r, seen);
		if (seen & KERNEL_DEAD) {
			cell_drain(r);
			r->result->dead = true;
			return;
		}
		check_input(r);
		if (!cell_is_over(r))
			check_time(r, seen);
	}
	if (r->result->strange >= STRANGE_MAX) {
		kernel_kill(r->k);
		r->result->killed = true;
	}
}

int cell_run(struct kernel *k, const struct cell *cell, struct cell_result *ret,
	     struct error *err)
{
	struct run r = { .k = k, .cell = cell, .result = ret, .prompt = STRBUF(PROMPT_MAX),
			 .last_output = clock_ms() };

	*ret = (struct cell_result){ 0 };
	r.deadline = r.last_output + cell->timeout_ms;
	int status = send_code(&r, err);

	if (status == MT_OK)
		cell_follow_conversation(&r);
	strbuf_clear(&r.prompt);
	return status;
}

/* ---- a kernel that starts ------------------------------------------------ */

static int died(struct kernel *k, struct error *err)
{
	AUTO(strbuf) struct strbuf how = STRBUF(512);

	kernel_describe(k, &how);
	return fail(err, MT_EIO, "the kernel exited at startup (%s)%s", how.text,
		    strstr(how.text, "No module named") ? "; install python3-ipykernel"
							: "");
}

/* Read all messages of a channel, and count the invalid ones. @return whether one is of
 * type `type`. */
static bool read_channel(struct kernel *k, enum channel channel, const char *type,
			 unsigned *strange)
{
	struct wire_message m;
	bool found = false;

	for (int status; (status = kernel_read(k, channel, &m, NULL)) != MT_ENOTFOUND;) {
		if (status == MT_OK)
			found |= strcmp(wire_type(&m), type) == 0;
		else if (++*strange >= STRANGE_MAX)
			break;
		wire_clear(&m);
	}
	return found;
}

int cell_await_kernel(struct kernel *k, int64_t timeout_ms, int cancel_fd,
		      struct error *err)
{
	int64_t until = clock_ms() + timeout_ms, next_request = 0;
	bool answers = false, has_output = false;
	unsigned strange = 0;

	while (!answers || !has_output) {
		int64_t now = clock_ms();

		if (now >= until)
			return fail(
				err, strange ? MT_EDENIED : MT_ETIMEOUT,
				"the kernel did not respond within %lld s%s",
				(long long)timeout_ms / 1000,
				strange ? ", but sent messages without a valid signature"
					: "");
		/* The kernel may send its first messages before the subscription is
		 * active: repeat the request. */
		if (now >= next_request && (!next_request || answers))
			kernel_send(k, CHANNEL_SHELL, "kernel_info_request", "{}", NULL,
				    NULL);
		if (now >= next_request)
			next_request = now + KERNEL_INFO_MS;
		int64_t left = until < next_request ? until - now : next_request - now;
		int seen = kernel_wait(k, left, cancel_fd, -1);

		if (seen & KERNEL_DEAD)
			return died(k, err);
		if (seen & KERNEL_CANCEL)
			return fail(err, MT_ECANCELLED, "cancelled before it started");
		answers |= read_channel(k, CHANNEL_SHELL, "kernel_info_reply", &strange);
		has_output |= read_channel(k, CHANNEL_IOPUB, "status", &strange);
		if (strange >= STRANGE_MAX)
			return fail(err, MT_EDENIED,
				    "the kernel sends messages without a "
				    "valid signature");
	}
	return MT_OK;
}
