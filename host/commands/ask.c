/* SPDX-License-Identifier: MIT
 *
 * ask.c - the question, and the line that answers it. */
#include "commands/ask.h"

#include "strbuf.h"
#include "utf8.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { ANSWER_MAX = 4000 };

struct ask {
	uv_poll_t keys;
	struct conversation *c;
	int64_t asked;             /* action that is asked about; -1: none */
	json_object *waits;        /* what was shown of it; or NULL */
	char child[80];            /* the delegate whose action it is; "": our own */
	bool over;                 /* nothing more can be read */
	struct strbuf line;
};

static void put_event(const struct event *e)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 20);

	if (event_message(e, &text))
		return;
	for (size_t i = 0, n; i < text.len; i += n ? n : 1) {
		n = text.text[i] == '\n' ? 0 : utf8_control(text.text + i, text.len - i);
		if (!n)
			putchar(text.text[i]);
	}
	putchar('\n');
}

/* What was asked before this program was started is shown once more. */
static void put_old(const struct ask *a, int64_t action)
{
	struct evlog *log = conversation_log(a->c);
	AUTO(event) struct event *e =
		action < evlog_opened(log) ? evlog_event(log, action, NULL) : NULL;

	if (e)
		put_event(e);
}

/* A delegate is not seen at its work. */
static void put_foreign(const struct ask *a, json_object *asks)
{
	AUTO(event) struct event *e = event_from_json(js_get(asks, "event"), NULL);

	printf("The delegate %s asks. ", a->child);
	if (e)
		put_event(e);
}

static void put_question(const struct ask *a)
{
	const char *why = js_str(a->waits, "reason", ""), *kind = js_str(a->waits, "kind", "");

	printf("risk %s%s%s. Run it? [y]es, [n]o, ", js_str(a->waits, "risk", ""),
	       *why ? ": " : "", why);
	if (*kind)
		printf("[a]lways for %s, ", kind);
	printf("or say what to do instead: ");
	fflush(stdout);
}

static void stop_asking(struct ask *a)
{
	a->asked = -1;
	uv_poll_stop(&a->keys);
}

static void give_answer(struct ask *a, const char *line)
{
	static const struct {
		const char *word;
		enum answer answer;
	} words[] = {
		{ "y", ANSWER_YES }, { "yes", ANSWER_YES }, { "n", ANSWER_NO },
		{ "no", ANSWER_NO }, { "a", ANSWER_ALWAYS }, { "always", ANSWER_ALWAYS },
	};
	struct error err = ERROR_NONE;
	struct approval a_ = { .answer = ANSWER_NO, .reason = line, .scope = -1,
			       .hash = js_str(a->waits, "hash", NULL) };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasecmp(words[i].word, line) == 0) {
			a_.answer = words[i].answer;
			a_.reason = "";
		}
	stop_asking(a);
	if (*a->child ? conversation_confirm_child(a->c, a->child, &a_, &err)
		      : conversation_confirm(a->c, &a_, &err)) {
		fprintf(stderr, "mortise: %s\n", err.text);
		ask_update(a);
	}
}

static void read_line(struct ask *a)
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
		read_line(a);
	}
}

/* The one that is asked about already, or the first. */
static json_object *which(const struct ask *a, json_object *asks)
{
	for (size_t i = 0; a->asked >= 0 && i < json_object_array_length(asks); i++) {
		json_object *one = json_object_array_get_idx(asks, i);

		if (strcmp(js_str(one, "conversation", ""), a->child) == 0
		    && js_int(one, "action", -1) == a->asked)
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
	if (a->asked >= 0 && (!open || action != a->asked || strcmp(child, a->child) != 0)) {
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
	if (first)
		put_foreign(a, first);
	else
		put_old(a, action);
	put_question(a);
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

static void on_closed(uv_handle_t *handle)
{
	struct ask *a = handle->data;

	strbuf_clear(&a->line);
	json_object_put(a->waits);
	free(a);
}

struct ask *ask_free(struct ask *a)
{
	if (a)
		uv_close((uv_handle_t *)&a->keys, on_closed);
	return NULL;
}
