/* SPDX-License-Identifier: MIT
 *
 * policy-approvals.c - `mortise policy approvals` and `revoke`: manages stored
 * approvals. */
#include "policy.h"

#include "features/approval/store.h"
#include "conversation/conversation.h"
#include "client.h"
#include "visible.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MS = 5000, TEXT_MAX = 256 << 10 };

/* The approvals of a project or of a conversation. */
struct place {
	struct config *config;
	const char *workspace;
	char *id;                /* NULL: the project */
	json_object *list;
};

static void policy_approvals_place_clear(struct place *p)
{
	json_object_put(p->list);
	free(p->id);
	config_free(p->config);
}

/* ---- reading ------------------------------------------------------------------------ */

static json_object *list_of_log(const struct place *p, struct error *err)
{
	AUTO(free) char *dir = conversation_dir(p->config, p->id, err);
	struct evlog *log = NULL;
	json_object *list = NULL;
	const char *text;
	size_t len;

	if (!dir || evlog_open(dir, EVLOG_READ, NULL, &log, NULL, err))
		return NULL;
	text = evlog_state(log, APPROVALS_RECORD, &len);
	if (text)
		list = js_parse(text, len, err);
	evlog_close(log);
	if (!err->code && !json_object_is_type(list, json_type_array)) {
		json_object_put(list);
		list = js_new_list();
	}
	return list;
}

static int open_place(const struct common *common, const char *prefix, struct place *p,
		      struct error *err)
{
	*p = (struct place){ .workspace = common->workspace ? common->workspace : "." };
	if (common_config(common, &p->config, err))
		return err->code;
	if (prefix) {
		p->id = conversation_find(p->config, prefix, err);
		p->list = p->id ? list_of_log(p, err) : NULL;
	} else {
		p->list = approvals_read(p->config, p->workspace, err);
	}
	return p->list ? MT_OK : err->code ? err->code : out_of_memory(err);
}

static void policy_approvals_print_list(const struct place *p)
{
	size_t count = json_object_array_length(p->list);

	for (size_t i = 0; i < count; i++) {
		json_object *one = json_object_array_get_idx(p->list, i);
		AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);
		const char *raw = js_str(one, "text", "");

		visible_add(&text, VISIBLE_ONE_LINE, raw, strlen(raw), NULL, NULL);
		printf("%3zu  %s", i + 1, text.text);
		if (*js_str(one, "granted", ""))
			printf("  (%s, conversation %s)", js_str(one, "granted", ""),
			       js_str(one, "conversation", ""));
		putchar('\n');
	}
	if (!count)
		printf("No approvals in this %s.\n", p->id ? "conversation" : "project");
}

int policy_approvals(const struct common *common, const char *prefix, bool json)
{
	struct error err = ERROR_NONE;
	struct place p;
	const char *text = NULL;
	int r = open_place(common, prefix, &p, &err);

	if (!r && json && !(text = js_text(p.list, NULL)))
		r = out_of_memory(&err);
	if (text)
		puts(text);
	else if (!r)
		policy_approvals_print_list(&p);
	policy_approvals_place_clear(&p);
	return r ? command_report(EXIT_USAGE, &err) : EXIT_DONE;
}

/* ---- revoking ----------------------------------------------------------------------- */

struct asking {
	struct client peer;
	bool answered;
	struct error why_not;
};

static void policy_approvals_on_line(char *line, size_t len, void *arg)
{
	struct asking *a = arg;
	AUTO(json) json_object *o = len ? js_parse_object(line, len, NULL) : NULL;

	if (strcmp(js_str(o, "type", ""), "result") != 0)
		return;
	a->answered = true;
	if (!js_bool(o, "ok", false))
		fail(&a->why_not, MT_EDENIED, "%s",
		     js_str(o, "error", "rejected without a reason"));
}

/* The process that has the conversation open revokes the approval. */
static int policy_approvals_ask_one(struct asking *a, const char *text, struct error *err)
{
	AUTO(strbuf) struct strbuf line = STRBUF(TEXT_MAX);

	strbuf_add(&line, "{\"type\":\"revoke\"");
	js_key_str(&line, "text", text);
	if (strbuf_addc(&line, '}') || client_line(&a->peer, line.text, line.len))
		return out_of_memory(err);
	a->answered = false;
	while (!a->answered && !a->peer.over) {
		struct pollfd fd = { .fd = a->peer.fd, .events = client_wants(&a->peer) };

		if (poll(&fd, 1, ANSWER_MS) <= 0)
			return fail(err, MT_ETIMEOUT,
				    "the conversation process does not respond");
		client_serve(&a->peer, fd.revents);
	}
	if (a->why_not.code)
		return fail(err, a->why_not.code, "%s", a->why_not.text);
	return a->answered ? MT_OK : fail(err, MT_EIO, "the conversation process exited");
}

static int policy_approvals_ask_all(struct asking *a, json_object *texts,
				    struct error *err)
{
	int r = client_greet(&a->peer, err);

	a->peer.on_line = policy_approvals_on_line;
	a->peer.arg = a;
	for (size_t i = 0; !r && i < json_object_array_length(texts); i++)
		r = policy_approvals_ask_one(a,
					     json_object_get_string(
						     json_object_array_get_idx(texts, i)),
					     err);
	return r;
}

static int write_log(const struct place *p, json_object *texts, struct error *err)
{
	AUTO(free) char *dir = conversation_dir(p->config, p->id, err);
	AUTO(json) json_object *record = js_new_object();
	struct evlog *log = NULL;
	int r;

	if (!dir || approvals_remove(p->list, texts, err))
		return err->code;
	r = evlog_open(dir, EVLOG_WRITE, NULL, &log, NULL, err);
	if (!r && (js_set_str(record, "record", "state") ||
		   js_set_str(record, "plugin", APPROVALS_RECORD) ||
		   js_set_str(record, "text", js_text(p->list, NULL))))
		r = out_of_memory(err);
	if (!r)
		r = evlog_record(log, record, err);
	if (!r)
		r = evlog_barrier(log, err);
	evlog_close(log);
	return r;
}

static int policy_approvals_take_back(const struct place *p, json_object *texts,
				      struct error *err)
{
	struct asking a = { .peer = { .fd = -1 } };
	struct error none = ERROR_NONE;
	int r;

	if (!p->id)
		return approvals_revoke(p->config, p->workspace, texts, err);
	r = client_open(&a.peer, p->id, &none);
	if (!r)
		r = policy_approvals_ask_all(&a, texts, err);
	else
		r = write_log(p, texts, err);
	client_close(&a.peer);
	return r;
}

/* The texts of the selected approvals, or of all. Owned; NULL with `err`. */
static json_object *chosen(const struct place *p, int argc, char **argv,
			   struct error *err)
{
	size_t count = json_object_array_length(p->list);
	bool all = argc == 1 && strcmp(argv[0], "all") == 0;
	json_object *texts = js_new_list();

	for (size_t i = 0; i < (all ? count : (size_t)argc); i++) {
		char *end = NULL;
		unsigned long n = all ? i + 1 : strtoul(argv[i], &end, 10);
		json_object *one = json_object_array_get_idx(p->list, n ? n - 1 : count);

		if ((end && *end) || !one) {
			fail(err, MT_ENOTFOUND,
			     "unknown approval `%.40s`; `mortise policy approvals` "
			     "lists them",
			     argv[i]);
			json_object_put(texts);
			return NULL;
		}
		js_add_new(texts, json_object_get(js_get(one, "text")));
	}
	if (!js_failed(texts))
		return texts;
	out_of_memory(err);
	json_object_put(texts);
	return NULL;
}

int policy_revoke(const struct common *common, const char *prefix, int argc, char **argv)
{
	AUTO(json) json_object *texts = NULL;
	struct error err = ERROR_NONE;
	struct place p;
	int r = open_place(common, prefix, &p, &err);

	if (!r && !(texts = chosen(&p, argc, argv, &err)))
		r = err.code;
	if (!r)
		r = policy_approvals_take_back(&p, texts, &err);
	if (!r)
		printf("%zu revoked\n", json_object_array_length(texts));
	policy_approvals_place_clear(&p);
	return r ? command_report(EXIT_USAGE, &err) : EXIT_DONE;
}
