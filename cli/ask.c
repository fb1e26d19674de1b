/* SPDX-License-Identifier: MIT
 *
 * ask.c - prompts for approval and reads the answer. */
#include "ask.h"

#include "approval.h"
#include "strbuf.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { ANSWER_MAX = 4000 };

struct ask {
	uv_poll_t keys;
	struct conversation *c;
	int64_t asked;             /* action that requires approval; -1: none */
	json_object *waits, *action; /* as shown; or NULL */
	char child[80];            /* the subagent of the action; "": none */
	bool over;                 /* standard input has ended */
	struct strbuf line;
};

/* The pending action, as JSON; owned. NULL if it cannot be read. */
static json_object *ask_action_of(const struct ask *a)
{
	json_object *of_child = js_get(a->waits, "event");
	AUTO(event) struct event *e = NULL;

	if (of_child)
		return json_object_get(of_child);
	e = evlog_event(conversation_log(a->c), a->asked, NULL);
	return e ? json_object_get(e->json) : NULL;
}

static void ask_put_question(const struct ask *a)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);

	if (!a->action || approval_text(a->waits, a->action, &text)) {
		json_object_object_del(a->waits, "hash"); /* cannot be approved */
		printf("An action is waiting for approval but is too long to show. [n]o, "
		       "or type other instructions: ");
	} else {
		printf("%sRun it? [y]es, [n]o, ", text.text);
		if (*js_str(a->waits, "kind", ""))
			printf("[a]lways [N] [project], ");
		printf("/edit COMMAND, or type other instructions: ");
	}
	fflush(stdout);
}

static void stop_asking(struct ask *a)
{
	a->asked = -1;
	uv_poll_stop(&a->keys);
}

/* "a 2 project" means "/always 2 project". Longer text may be a sentence. */
static bool is_short_always(const char *line)
{
	static const char *const words[] = { "a", "always" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t len = strlen(words[i]);

		if (strncasecmp(line, words[i], len) == 0 && strchr(" ", line[len]) &&
		    (!line[len] ||
		     strspn(line + len, " 0123456789project") == strlen(line + len)))
			return true;
	}
	return false;
}

/* A word or a command; any other text tells the agent what to do instead. */
static int ask_read_answer(const struct ask *a, const char *line, struct approval *ret,
			   json_object **ret_arguments, struct error *err)
{
	AUTO(strbuf) struct strbuf full = STRBUF(ANSWER_MAX + 16);
	int r;

	if (strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0)
		strbuf_add(&full, "/confirm");
	else if (strcasecmp(line, "n") == 0 || strcasecmp(line, "no") == 0)
		strbuf_add(&full, "/reject");
	else if (is_short_always(line))
		strbuf_addf(&full, "/always%s", line + strcspn(line, " "));
	r = approval_read(full.len ? full.text : line, a->waits, a->action, ret,
			  ret_arguments, err);
	if (r == MT_ENOTFOUND)
		*ret = (struct approval){ .answer = ANSWER_NO,
					  .reason = line,
					  .scope = -1 };
	else if (ret->answer == ANSWER_NO)
		ret->reason = full.len ? "" : ret->reason;
	return r == MT_ENOTFOUND ? MT_OK : r;
}

static void give_answer(struct ask *a, const char *line)
{
	AUTO(json) json_object *arguments = NULL;
	struct error err = ERROR_NONE;
	struct approval answer;
	int r = ask_read_answer(a, line, &answer, &arguments, &err);

	stop_asking(a);
	if (!r)
		r = *a->child ? conversation_confirm_child(a->c, a->child, &answer, &err)
			      : conversation_confirm(a->c, &answer, &err);
	if (r) {
		fprintf(stderr, "mortise: %s\n", err.text);
		ask_update(a);
	}
}

static void ask_read_line(struct ask *a)
{
	char *line = a->line.text, *end;

	line += strspn(line, " \t\r\n");
	end = line + strlen(line);
	while (end > line && strchr(" \t\r\n", end[-1]))
		*--end = '\0';
	if (*line) {
		give_answer(a, line);
		return;
	}
	a->asked = -1;
	ask_update(a);
}

static void on_keys(uv_poll_t *handle, int status, int events)
{
	struct ask *a = handle->data;
	char piece[512];
	ssize_t n = status < 0 ? 0 : read(STDIN_FILENO, piece, sizeof piece);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || strbuf_addn(&a->line, piece, (size_t)n)) {
		a->over = true;
		stop_asking(a);
		printf("\n");
	} else if (memchr(piece, '\n', (size_t)n)) {
		ask_read_line(a);
	}
}

/* The action whose approval was requested already, or the first. */
static json_object *which(const struct ask *a, json_object *asks)
{
	for (size_t i = 0; a->asked >= 0 && i < json_object_array_length(asks); i++) {
		json_object *one = json_object_array_get_idx(asks, i);

		if (strcmp(js_str(one, "conversation", ""), a->child) == 0 &&
		    js_int(one, "action", -1) == a->asked)
			return one;
	}
	return json_object_array_get_idx(asks, 0);
}

void ask_update(struct ask *a)
{
	AUTO(json) json_object *waits = conversation_waits(a->c);
	int64_t action = js_int(waits, "action", -1);
	const char *child = "";
	bool open = conversation_state(a->c) == STATE_AWAITING_USER_CONFIRMATION;
	AUTO(json) json_object *asks = open ? NULL : conversation_asks(a->c);
	json_object *first = asks ? which(a, asks) : NULL;

	if (first) {
		open = true;
		child = js_str(first, "conversation", "");
		action = js_int(first, "action", -1);
	}
	if (a->asked >= 0 &&
	    (!open || action != a->asked || strcmp(child, a->child) != 0)) {
		stop_asking(a);
		printf("\n");
	}
	if (!open || action < 0 || a->over || a->asked == action)
		return;
	a->asked = action;
	json_object_put(a->waits);
	a->waits = json_object_get(first ? first : waits);
	snprintf(a->child, sizeof a->child, "%s", child);
	strbuf_reset(&a->line);
	json_object_put(a->action);
	a->action = ask_action_of(a);
	ask_put_question(a);
	if (uv_poll_start(&a->keys, UV_READABLE, on_keys) < 0)
		a->over = true;
}

bool ask_is_open(const struct ask *a)
{
	return a->asked >= 0 && !a->over;
}

bool ask_is_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

struct ask *ask_new(uv_loop_t *loop, struct conversation *c)
{
	struct ask *a;

	if (!ask_is_possible())
		return NULL;
	a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->c = c;
	a->asked = -1;
	a->line = STRBUF(ANSWER_MAX);
	if (uv_poll_init(loop, &a->keys, STDIN_FILENO) < 0) {
		free(a);
		return NULL;
	}
	a->keys.data = a;
	return a;
}

static void ask_on_closed(uv_handle_t *handle)
{
	struct ask *a = handle->data;

	strbuf_clear(&a->line);
	json_object_put(a->waits);
	json_object_put(a->action);
	free(a);
}

struct ask *ask_free(struct ask *a)
{
	if (a)
		uv_close((uv_handle_t *)&a->keys, ask_on_closed);
	return NULL;
}
