/* SPDX-License-Identifier: MIT
 *
 * request-messages.c - converts a view into the messages of a request. */
#include "context/request-messages.h"

#include "array.h"
#include "context/message-parts.h"
#include "context/message-turn.h"
#include "context/turn-budget.h"
#include "context/view-beginning.h"
#include "slice.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <search.h>
#include <string.h>

enum { ITEMS_AT_ONCE = 8192, LEAVE_FROM = 4096 };

/* The start of the newest view that later events cannot change. The layout of a view with
 * the same start continues from there. */
struct stable_prefix {
	unsigned number; /* of the layout */
	int64_t *events;
	size_t count, room;
	struct llm_message *messages;
	size_t message_count, message_room;
	bool is_new; /* started after the last view that was built */
};

struct request_messages {
	struct evlog *log;
	struct request_messages_options options;
	struct message_part **pieces; /* by event id; NULL: not created yet */
	size_t room, piece_count;
	struct message_turn **turns;
	size_t turn_count, turn_room, turns_used; /* used: by the newest view */
	void *turn_tree; /* the same turns, by the id of the reply */
	unsigned generation;
	size_t open; /* started turns that may still change */
	struct stable_prefix stable;
	struct tool_list tools;
	json_object *offered; /* tools that replace those of the first event; or NULL */
	unsigned tools_version;
	struct summary *summaries;
	int64_t first_user; /* the user's first message; -1: not seen yet */
	struct request_messages *left; /* the next entry of the list `left` */
};

/* Parts of messages that are created for one view only. */
struct summary {
	struct summary *next;
	struct llm_part part;
	char text[];
};

struct request_messages *request_messages_new(struct evlog *log,
					      const struct request_messages_options *o)
{
	struct request_messages *m = calloc(1, sizeof *m);

	if (m) {
		m->log = log;
		m->options = *o;
		if (!m->options.items_at_once)
			m->options.items_at_once = ITEMS_AT_ONCE;
		m->stable.number = 1;
		m->first_user = -1;
	}
	return m;
}

struct request_messages *request_messages_copy(const struct request_messages *m)
{
	struct request_messages *copy = request_messages_new(m->log, &m->options);

	if (copy)
		copy->offered = json_object_get(m->offered);
	return copy;
}

static void drop_summaries(struct request_messages *m)
{
	while (m->summaries) {
		struct summary *next = m->summaries->next;

		free(m->summaries);
		m->summaries = next;
	}
}

static void retain_turn(void *turn)
{
	(void)turn; /* `turns` owns it */
}

struct request_messages *request_messages_free(struct request_messages *m)
{
	if (!m)
		return NULL;
	for (size_t i = 0; i < m->room; i++)
		message_part_free(m->pieces[i]);
	free(m->pieces);
	for (size_t i = 0; i < m->turn_count; i++)
		free(m->turns[i]);
	free(m->turns);
	tdestroy(m->turn_tree, retain_turn);
	message_tool_list_clear(&m->tools);
	json_object_put(m->offered);
	free(m->stable.events);
	free(m->stable.messages);
	drop_summaries(m);
	free(m);
	return NULL;
}

struct request_messages *request_messages_leave(struct request_messages *m)
{
	static struct request_messages *left; /* keeps them reachable for leak checkers */

	if (!m || m->piece_count < LEAVE_FROM)
		return request_messages_free(m);
	m->left = left;
	left = m;
	return NULL;
}

static struct message_part *piece_of(struct request_messages *m, int64_t id,
				     struct error *err)
{
	AUTO(event) struct event *e = NULL;

	if ((uint64_t)id >= m->room) {
		size_t old = m->room;

		if (ARRAY_GROW(m->pieces, &m->room, (size_t)id + 1, ARRAY_MAX)) {
			out_of_memory(err);
			return NULL;
		}
		memset(m->pieces + old, 0, (m->room - old) * sizeof *m->pieces);
	}
	if (m->pieces[id])
		return m->pieces[id];
	e = evlog_event(m->log, id, err);
	if (!e)
		return NULL;
	m->pieces[id] = message_part_make(e, &m->options, m->log);
	if (m->pieces[id])
		m->piece_count++;
	else
		out_of_memory(err);
	return m->pieces[id];
}

/* ---- turns ------------------------------------------------------------ */

static struct message_turn *turn_find(struct request_messages *m, const char *response)
{
	struct message_turn key = { .response = response }, **found;

	found = tfind(&key, &m->turn_tree, message_turn_compare);
	return found ? *found : NULL;
}

static int turn_make(struct request_messages *m, const char *response,
		     struct message_turn **ret, struct error *err)
{
	struct error why = ERROR_NONE;
	struct message_turn *t;

	if (ARRAY_GROW(m->turns, &m->turn_room, m->turn_count + 1, ARRAY_MAX))
		return out_of_memory(err);
	t = message_turn_read(m->log, response, &why);
	if (t && !tsearch(t, &m->turn_tree, message_turn_compare)) {
		free(t);
		return out_of_memory(err);
	}
	*ret = t;
	if (t)
		m->turns[m->turn_count++] = t;
	else if (why.code != MT_ENOTFOUND)
		return fail(err, why.code ? why.code : MT_ENOMEM, "%s", error_text(&why));
	return MT_OK;
}

/* The turn of a result, restarted for this view. If the reply is not in the log, this is
 * not an error: its calls and results are not sent. */
static int turn_of(struct request_messages *m, struct message_part *p,
		   struct message_turn **ret, struct error *err)
{
	struct message_turn *t = p->turn ? p->turn : turn_find(m, p->response);

	*ret = NULL;
	if (!t) {
		int r = turn_make(m, p->response, &t, err);

		if (r || !t)
			return r;
	}
	if (!p->turn && !message_turn_place(t, p->call, &p->place))
		return MT_OK;
	p->turn = t;
	if (t->generation != m->generation) {
		t->generation = m->generation;
		m->turns_used++;
		t->wanted = t->seen = 0;
		t->sent = false;
		memset(t->results, 0, t->count * sizeof(struct message_part *));
	}
	*ret = t;
	return MT_OK;
}

/* ---- laying out a view ------------------------------------------------ */

static int plain(struct llm_request *request, const struct message_part *p)
{
	static const int roles[] = {
		[MESSAGE_PART_SYSTEM] = MT_ROLE_SYSTEM,
		[MESSAGE_PART_USER] = MT_ROLE_USER,
		[MESSAGE_PART_ASSISTANT] = MT_ROLE_ASSISTANT,
		[MESSAGE_PART_RESULT] = MT_ROLE_USER,
	};
	struct llm_message message = { .role = roles[p->kind],
				       .stamp = p->shown_stamp,
				       .parts = p->parts,
				       .part_count = p->part_count };
	size_t n = request->message_count;

	if (p->kind == MESSAGE_PART_USER && p->parts == p->own_parts && n &&
	    request->messages[n - 1].role == MT_ROLE_USER) {
		message.parts = p->apart;
		message.stamp = p->apart_stamp;
	}
	return llm_request_add(request, &message);
}

/* The text shown instead of an event: a summary, or the mask of an observation. */
static const struct llm_part *own_text(struct request_messages *m, const char *text,
				       size_t len)
{
	struct summary *s = malloc(sizeof *s + len + 1);

	if (!s)
		return NULL;
	memcpy(s->text, text, len);
	s->text[len] = '\0';
	s->part = (struct llm_part){ .text = s->text, .len = len };
	s->next = m->summaries;
	m->summaries = s;
	return &s->part;
}

/* A call as the model sent it: its name and arguments. */
static struct mt_str call_text(struct request_messages *m, struct message_part *p)
{
	struct message_turn *t = p->turn ? p->turn : turn_find(m, p->response);
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);
	const struct llm_part *own;
	size_t place = p->place;

	if (!t && turn_make(m, p->response, &t, NULL))
		return (struct mt_str){ "", 0 };
	if (!t || (!p->turn && !message_turn_place(t, p->call, &place)))
		return (struct mt_str){ "", 0 };
	strbuf_addf(&text, "%s ", t->all[place].name);
	strbuf_addn(&text, t->all[place].args, t->all[place].args_len);
	own = text.error ? NULL : own_text(m, text.text, text.len);
	return own ? (struct mt_str){ own->text, own->len } : (struct mt_str){ "", 0 };
}

struct mt_str request_messages_text(struct request_messages *m, int64_t id)
{
	struct message_part *p = piece_of(m, id, NULL);

	if (p && p->kind == MESSAGE_PART_CALL && p->response)
		return call_text(m, p);
	return p ? (struct mt_str){ p->text, p->len } : (struct mt_str){ "", 0 };
}

/* An observation that a condenser masked gets its text for this view. */
static int show_item(struct request_messages *m, struct message_part *p,
		     const struct view_item *item)
{
	p->parts = p->own_parts;
	p->part_count = p->own_count;
	p->shown_stamp = p->stamp;
	if (!item->text)
		return MT_OK;
	p->parts = own_text(m, item->text, item->len);
	p->part_count = 1;
	p->shown_stamp = 0;
	return p->parts ? MT_OK : MT_ENOMEM;
}

/* A result without its call is not sent, even if its reply is in the log. An error about
 * a call that never became an action is sent. */
static bool is_turn_wanted(const struct request_messages *m, const struct message_turn *t,
			   const struct message_part *p)
{
	return p->failed || t->called == m->generation ||
	       t->called_stable == m->stable.number;
}

/* Prepare the parts of a view, and count the results of each reply in it: a turn is
 * sent when its last result is reached.
 * @return MT_EEXIST if a part belongs to a turn in the stable prefix. */
static int prepare_layout(struct request_messages *m, const struct view_item *items,
			  size_t count, size_t *ret_pieces, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct message_part *p;
		struct message_turn *t;
		int r;

		if (items[i].event < 0)
			continue;
		p = piece_of(m, items[i].event, err);
		if (!p)
			return err->code;
		*ret_pieces += p->generation != m->generation;
		p->generation = m->generation;
		if (show_item(m, p, &items[i]))
			return out_of_memory(err);
		if ((p->kind != MESSAGE_PART_RESULT && p->kind != MESSAGE_PART_CALL) ||
		    !p->response)
			continue;
		r = turn_of(m, p, &t, err);
		if (r)
			return r;
		if (p->kind == MESSAGE_PART_CALL) {
			if (t)
				t->called = m->generation;
			continue;
		}
		if (t && t->stable == m->stable.number)
			return MT_EEXIST;
		if (t && !t->results[p->place] && is_turn_wanted(m, t, p)) {
			t->results[p->place] = p;
			t->wanted++;
		}
	}
	return MT_OK;
}

static int lay_result(struct request_messages *m, const struct message_part *p,
		      struct llm_request *request)
{
	struct message_turn *t = p->turn;

	if (!t || t->results[p->place] != p)
		return MT_OK;
	if (t->seen == 0)
		m->open++;
	if (++t->seen < t->wanted || t->sent)
		return MT_OK;
	if (t->wanted == t->count)
		m->open--;
	return turn_budget_apply(t, &m->options) ? MT_ENOMEM
						 : message_turn_send(t, request);
}

/* True for a system text that another one has replaced. */
static bool is_replaced_system(const struct request_messages *m,
			       const struct view_item *item)
{
	const struct evlog_head *head = evlog_head(m->log, m->options.system);

	return item->event != m->options.system && head && !head->undone &&
	       head->type->id == ACTION_SYSTEM;
}

static int messages_lay_out(struct request_messages *m, const struct view_item *item,
			    struct llm_request *request)
{
	const struct message_part *p = item->event >= 0 ? m->pieces[item->event] : NULL;
	struct llm_message message = { .role = MT_ROLE_USER, .part_count = 1 };

	if (!p) {
		message.parts = own_text(m, item->text, item->len);
		return message.parts ? llm_request_add(request, &message) : MT_ENOMEM;
	}
	if (p->kind == MESSAGE_PART_NONE || p->kind == MESSAGE_PART_CALL)
		return MT_OK;
	if (p->kind == MESSAGE_PART_SYSTEM && is_replaced_system(m, item))
		return MT_OK;
	if (p->kind == MESSAGE_PART_RESULT && p->response)
		return lay_result(m, p, request);
	if (p->kind == MESSAGE_PART_ASSISTANT && message_is_blank(p->text, p->len))
		return MT_OK; /* some providers refuse an empty message */
	return plain(request, p);
}

/* Free the parts and replies that this view did not use. */
static void drop_unused(struct request_messages *m)
{
	size_t kept = 0;

	for (size_t id = 0; id < m->room; id++) {
		if (!m->pieces[id] || m->pieces[id]->generation == m->generation)
			continue;
		m->pieces[id] = message_part_free(m->pieces[id]);
		m->piece_count--;
	}
	for (size_t i = 0; i < m->turn_count; i++) {
		struct message_turn *t = m->turns[i];

		if (t->generation == m->generation) {
			m->turns[kept++] = t;
			continue;
		}
		tdelete(t, &m->turn_tree, message_turn_compare);
		free(t);
	}
	m->turn_count = kept;
}

/* ---- the stable prefix ------------------------------------------------- */

static void begin_view(struct request_messages *m)
{
	m->generation++;
	m->turns_used = 0;
}

static void unsettle(struct request_messages *m)
{
	m->stable.number++;
	m->stable.count = m->stable.message_count = 0;
	m->stable.is_new = true;
}

/* The number of items at the start of the view that are laid out already. */
static size_t settled_part(struct request_messages *m, const struct view_item *items,
			   size_t count)
{
	const struct stable_prefix *s = &m->stable;
	bool same = s->count <= count;

	for (size_t i = 0; same && i < s->count; i++)
		same = items[i].event == s->events[i] && !items[i].text;
	if (!same)
		unsettle(m);
	return s->count;
}

static bool reserve_prefix(struct stable_prefix *s, size_t items, size_t messages)
{
	return !ARRAY_GROW(s->events, &s->room, s->count + items, ARRAY_MAX) &&
	       !ARRAY_GROW(s->messages, &s->message_room, messages, ARRAY_MAX);
}

/* Make the first `n` items of the view and the whole request the stable prefix. */
static void extend_prefix(struct request_messages *m, const struct view_item *items,
			  size_t n, const struct llm_request *request)
{
	struct stable_prefix *s = &m->stable;

	if (!reserve_prefix(s, n - s->count, request->message_count))
		return;
	for (; s->count < n; s->count++) {
		const struct message_part *p = m->pieces[items[s->count].event];

		if (p->turn && p->kind == MESSAGE_PART_CALL)
			p->turn->called_stable = s->number;
		else if (p->turn)
			p->turn->stable = s->number;
		s->events[s->count] = items[s->count].event;
	}
	for (; s->message_count < request->message_count; s->message_count++)
		s->messages[s->message_count] = request->messages[s->message_count];
}

static int lay_out_all(struct request_messages *m, const struct view_item *items,
		       size_t count, struct llm_request *request)
{
	const struct stable_prefix *s = &m->stable;
	bool own = request->message_count == 0;
	int r = llm_request_reserve(request,
				    s->message_count + count - s->count + m->turn_count);

	m->open = 0;
	if (!r)
		r = llm_request_add_all(request, s->messages, s->message_count);
	for (size_t i = s->count; !r && i < count; i++) {
		r = messages_lay_out(m, &items[i], request);
		own = own && items[i].event >= 0 && !items[i].text;
		if (!r && own && m->open == 0)
			extend_prefix(m, items, i + 1, request);
	}
	return r;
}

/* Find the reply of an event; whether the event is sent is decided later. */
static int prepare_turn(struct request_messages *m, const struct message_part *p,
			struct error *err)
{
	struct message_turn *t;

	if ((p->kind != MESSAGE_PART_RESULT && p->kind != MESSAGE_PART_CALL) ||
	    !p->response || p->turn || turn_find(m, p->response))
		return MT_OK;
	return turn_make(m, p->response, &t, err);
}

int request_messages_prepare(struct request_messages *m, const struct view_item *items,
			     size_t count, uint64_t end, size_t *place, struct error *err)
{
	size_t read = 0;

	for (; *place < count; ++*place) {
		int64_t id = items[*place].event;
		bool is_new = id >= 0 && ((uint64_t)id >= m->room || !m->pieces[id]);
		const struct message_part *p;

		if (!is_new)
			continue;
		p = piece_of(m, id, err);
		if (!p || prepare_turn(m, p, err))
			return err->code;
		if (++read % SLICE_EVENTS == 0 && slice_is_over(end)) {
			++*place;
			break;
		}
	}
	return MT_OK;
}

/* ---- building ----------------------------------------------------------- */

/* Mark the stable prefix as used by the view that is built. */
static void use_settled(struct request_messages *m)
{
	for (size_t i = 0; i < m->stable.count; i++) {
		struct message_part *p = m->pieces[m->stable.events[i]];

		p->generation = m->generation;
		if (p->turn)
			p->turn->generation = m->generation;
	}
}

/* `whole`: parts that are not in this view are not expected in the next ones. */
static int build_messages(struct request_messages *m, const struct view_item *items,
			  size_t count, bool whole, struct llm_request *request,
			  struct error *err)
{
	size_t pieces = 0, start;
	int r;

	if (request->message_count > 0)
		unsettle(m);
	start = settled_part(m, items, count);
	drop_summaries(m);
	begin_view(m);
	r = prepare_layout(m, items + start, count - start, &pieces, err);
	if (r == MT_EEXIST) {
		unsettle(m);
		begin_view(m);
		start = pieces = 0;
		r = prepare_layout(m, items, count, &pieces, err);
	}
	if (r)
		return r;
	if (whole && start > 0 && m->stable.is_new)
		use_settled(m);
	if (whole && (start == 0 || m->stable.is_new) &&
	    (pieces < m->piece_count || m->turns_used < m->turn_count))
		drop_unused(m);
	if (whole)
		m->stable.is_new = false;
	r = lay_out_all(m, items, count, request);
	return r ? fail_code(err, r) : MT_OK;
}

int request_messages_build(struct request_messages *m, const struct view_item *items,
			   size_t count, struct llm_request *request, struct error *err)
{
	AUTO(free) struct view_item *own = NULL;

	items = view_with_beginning(m->log, m->options.system, &m->first_user, items,
				    &count, &own);
	return items ? build_messages(m, items, count, true, request, err)
		     : out_of_memory(err);
}

/* Lay out the next items of a view. @return false if request_messages_build must do the
 * rest. */
static bool lay_out_next(struct request_messages *m, const struct view_item *items,
			 size_t count, int *ret, struct error *err)
{
	AUTO(llm_request) struct llm_request *request = llm_request_new();
	size_t before = settled_part(m, items, count), n = m->options.items_at_once;

	*ret = MT_OK;
	if (count - before <= n)
		return false;
	*ret = request ? build_messages(m, items, before + n, false, request, err)
		       : out_of_memory(err);
	return *ret == MT_OK && m->stable.count > before;
}

int request_messages_lay_out(struct request_messages *m, const struct view_item *items,
			     size_t count, uint64_t end, bool *ret_more,
			     struct error *err)
{
	AUTO(free) struct view_item *own = NULL;
	bool laid = false, is_over = false;
	int r = MT_OK;

	items = view_with_beginning(m->log, m->options.system, &m->first_user, items,
				    &count, &own);
	if (!items)
		return out_of_memory(err);
	while (!is_over && lay_out_next(m, items, count, &r, err)) {
		laid = true;
		is_over = slice_is_over(end);
	}
	*ret_more = laid && is_over;
	return r;
}

int64_t request_messages_system(const struct request_messages *m)
{
	return m->options.system;
}

void request_messages_set_system(struct request_messages *m, int64_t id)
{
	if (m->options.system == id)
		return;
	m->options.system = id;
	message_tool_list_clear(&m->tools);
	m->tools_version++;
	unsettle(m);
}

void request_messages_offer(struct request_messages *m, json_object *tools)
{
	message_tool_list_clear(&m->tools);
	json_object_put(m->offered);
	m->offered = json_object_get(tools);
	m->tools_version++;
}

unsigned request_messages_tools_version(const struct request_messages *m)
{
	return m->tools_version;
}

void request_messages_set_recall(struct request_messages *m,
				 char *(*recall)(const struct event *e, void *arg),
				 void *arg)
{
	m->options.recall = recall;
	m->options.arg = arg;
}

int request_messages_add_tool(struct request_messages *m, const char *name,
			      struct llm_request *request, struct error *err)
{
	bool found = !name;
	int r = m->tools.read
			? MT_OK
			: message_tool_list_read(&m->tools, m->log, m->options.system,
						 m->offered, err);

	for (size_t i = 0; !r && i < m->tools.count; i++) {
		if (name && strcmp(name, m->tools.tools[i].name) != 0)
			continue;
		found = true;
		r = llm_request_tool(request, &m->tools.tools[i]);
	}
	if (!r && !found)
		return fail(err, MT_ENOTFOUND, "the conversation has no tool `%s`", name);
	return r ? fail_code(err, r) : MT_OK;
}
