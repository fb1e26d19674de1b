/* SPDX-License-Identifier: MIT
 *
 * message-parts.c - formats each event type as text for the model. */
#include "context/message-parts.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20, EDIT_CONTEXT = 2 };

typedef int text_of(const struct event *e, struct strbuf *out);

static int message_parts_text_content(const struct event *e, struct strbuf *out)
{
	size_t len;
	const char *content = event_content(e, &len);

	return strbuf_addn(out, content, len);
}

static int message_parts_text_run(const struct event *e, struct strbuf *out)
{
	return event_command_text(e, out);
}

/* An image inside the text would be megabytes; it is sent as a separate part. */
static int text_ipython(const struct event *e, struct strbuf *out)
{
	static const char mark[] = "![image](data:image/png;base64,";
	size_t len, line;
	const char *at = event_content(e, &len);

	for (; len; at += line, len -= line) {
		const char *end = memchr(at, '\n', len);

		line = end ? (size_t)(end - at) + 1 : len;
		if (line < sizeof mark - 1 || memcmp(at, mark, sizeof mark - 1) != 0)
			strbuf_addn(out, at, line);
		else
			strbuf_addf(out, "%s ...) already displayed to user%s", mark,
				    end ? "\n" : "");
	}
	return out->error;
}

/* The content of an edit by `oh_aci` is its complete result; others show the changes. */
static int text_edit(const struct event *e, struct strbuf *out)
{
	json_object *args = event_args(e);

	if (strcmp(js_str(args, "impl_source", "llm_based_edit"), "oh_aci") == 0 ||
	    !js_get(args, "old_content") || !js_get(args, "new_content"))
		return message_parts_text_content(e, out);
	if (!js_bool(args, "prev_exist", false) && !*js_str(args, "old_content", ""))
		return strbuf_addf(
			out, /* verbatim from OpenHands */
			"[New file %s is created with the provided content.]\n",
			event_arg(e, "path"));
	event_edit_text(e, EDIT_CONTEXT, true, out);
	if (out->len && out->text[out->len - 1] == '\n') /* no change */
		return out->error;
	return strbuf_add(out, "\n");
}

static int text_delegate(const struct event *e, struct strbuf *out)
{
	const char *content = js_str(js_get(event_args(e), "outputs"), "content", NULL);
	const char *failure;

	if (content)
		return strbuf_add(out, content);
	if (!js_bool(event_args(e), "is_error", false))
		return message_parts_text_content(e, out);
	content = event_content(e, NULL); /* V0 begins it as if the agent had finished */
	failure = strstr(content, "\n\n");
	return strbuf_add(out, failure ? failure + 2 : content);
}

/* Observation types for the model, whether they are truncated, and the text around the
 * cut. */
static const struct observation_text {
	text_of *text;
	bool whole;
	const char *before, *after;
} observation_texts[EVENT_TYPE_COUNT] = {
	[OBSERVATION_RUN] = { message_parts_text_run, false, "", "" },
	[OBSERVATION_RUN_IPYTHON] = { text_ipython, false, "", "" },
	[OBSERVATION_BROWSE] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_READ] = { message_parts_text_content, true, "", "" },
	[OBSERVATION_WRITE] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_EDIT] = { text_edit, false, "", "" },
	[OBSERVATION_DELEGATE] = { text_delegate, false, "", "" },
	[OBSERVATION_ERROR] = { message_parts_text_content, false, "",
	  "\n[Error occurred in processing last action]" },
	[OBSERVATION_USER_REJECTED] = { message_parts_text_content, false, "OBSERVATION:\n",
	  "\n[Last action has been rejected by the user]" },
	[OBSERVATION_THINK] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_MCP] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_TOOL] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_DOWNLOAD] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_TASK_TRACKING] = { message_parts_text_content, false, "", "" },
	[OBSERVATION_CONDENSE] = { message_parts_text_content, false, "", "" },
};

static int cut(struct strbuf *text, size_t max_chars)
{
	AUTO(strbuf) struct strbuf shorter = STRBUF(TEXT_MAX);
	struct strbuf swap;

	if (!max_chars || text->len <= max_chars)
		return text->error;
	event_truncate_content(text->text, text->len, max_chars, &shorter);
	swap = *text;
	*text = shorter;
	shorter = swap;
	return text->error;
}

/* Add the rules and other text attached to a message. */
static void add_extended(const struct event *e, struct strbuf *out)
{
	json_object *list = js_get(e->json, "extended_content");

	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++)
		strbuf_addf(out, "\n\n%s",
			    js_str(json_object_array_get_idx(list, i), "text", ""));
}

static enum message_part_kind observation(const struct event *e,
					  const struct request_messages_options *o,
					  struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);
	const struct observation_text *how = &observation_texts[e->type->id];

	if (e->type->id == OBSERVATION_RECALL) {
		AUTO(free) char *found = o->recall ? o->recall(e, o->arg) : NULL;

		if (!found || !*found)
			return MESSAGE_PART_NONE;
		strbuf_add(out, found);
		return MESSAGE_PART_USER;
	}
	if (!how->text)
		return MESSAGE_PART_NONE;
	if (!event_tool_meta(e) && e->type->id == OBSERVATION_RUN)
		strbuf_add(&text, "\nObserved result of command executed by user:\n");
	how->text(e, &text);
	if (!how->whole)
		cut(&text, o->max_message_chars);
	strbuf_add(out, how->before);
	strbuf_addn(out, text.text, text.len);
	strbuf_add(out, how->after);
	if (text.error)
		out->error = text.error;
	add_extended(e, out);
	return event_tool_meta(e) ? MESSAGE_PART_RESULT : MESSAGE_PART_USER;
}

/* A `finish` of the model is sent as its text, without the call. If there is no text, the
 * final message to the user is sent. */
static enum message_part_kind write_part_text(const struct event *e, struct evlog *log,
					      struct strbuf *out)
{
	const char *thought = event_arg(e, "thought"),
		   *last = event_arg(e, "final_thought");
	const char *response = js_str(event_tool_meta(e), "llm_response_id", NULL);
	AUTO(json)
	json_object *reply = response ? evlog_reply(log, response, NULL) : NULL;
	const char *said = js_str(reply, "text", "");

	strbuf_add(out, thought);
	if (*said && strcmp(said, thought) != 0)
		strbuf_addf(out, "%s%s", *thought ? "\n" : "", said);
	if (!*thought && !*said)
		strbuf_add(out, *last ? last : "Done.");
	return e->source == SOURCE_USER ? MESSAGE_PART_USER : MESSAGE_PART_ASSISTANT;
}

static enum message_part_kind action(const struct event *e, struct evlog *log,
				     struct strbuf *out)
{
	const enum event_type_id type = e->type->id;

	if (type == ACTION_SYSTEM) {
		strbuf_add(out, event_arg(e, "content"));
		return MESSAGE_PART_SYSTEM;
	}
	if (type == ACTION_MESSAGE) {
		strbuf_add(out, event_arg(e, "content"));
		add_extended(e, out);
		return e->source == SOURCE_USER || e->source == SOURCE_ENVIRONMENT
			       ? MESSAGE_PART_USER
			       : MESSAGE_PART_ASSISTANT;
	}
	if (type == ACTION_FINISH)
		return write_part_text(e, log, out);
	if (event_tool_meta(e))
		return MESSAGE_PART_CALL;
	if (type == ACTION_RUN && e->source == SOURCE_USER) {
		strbuf_addf(out, "User executed the command:\n%s",
			    event_arg(e, "command"));
		return MESSAGE_PART_USER;
	}
	if (type == ACTION_READ && e->source == SOURCE_USER) {
		strbuf_addf(out, "User requested to read file: %s", event_arg(e, "path"));
		return MESSAGE_PART_USER;
	}
	return MESSAGE_PART_NONE;
}

/* The text, then the images. A message with images only has no text part, because some
 * providers reject an empty one. */
static void make_parts(struct message_part *p, struct llm_part *own,
		       struct llm_part *apart)
{
	size_t n = 0;

	p->parts = p->own_parts = own;
	p->apart = apart;
	if (p->len || !p->images.count) {
		own[n] = (struct llm_part){ .text = p->text, .len = p->len };
		apart[n++] = (struct llm_part){ .text = p->text - 2, .len = p->len + 2 };
	}
	for (size_t i = 0; i < p->images.count; i++, n++)
		own[n] = apart[n] = p->images.parts[i];
	p->own_count = p->part_count = n;
}

/* Copy the part of an event into one block of memory: there are very many parts, and
 * freeing them delays the exit of the process. `text` has two newlines before it. NULL:
 * out of memory. */
static struct message_part *make_block(const struct message_part *found,
				       const struct strbuf *text)
{
	size_t parts = found->images.count + 1;
	size_t response = found->response ? strlen(found->response) : 0;
	size_t call = found->call ? strlen(found->call) : 0;
	struct message_part *p = malloc(sizeof *p + 2 * parts * sizeof(struct llm_part) +
					text->len + response + call + 3);
	struct llm_part *own;
	char *at;

	if (!p)
		return NULL;
	*p = *found;
	own = (struct llm_part *)(p + 1);
	at = (char *)(own + 2 * parts);
	p->text = message_block_put(&at, text->text, text->len) + 2;
	p->len = text->len - 2;
	if (found->response) {
		p->response = message_block_put(&at, found->response, response);
		p->call = message_block_put(&at, found->call, call);
	}
	make_parts(p, own, own + parts);
	return p;
}

static void find_ids(struct message_part *p, const struct event *e)
{
	json_object *meta = event_tool_meta(e);
	const char *response = js_str(meta, "llm_response_id", NULL);
	const char *call = js_str(meta, "tool_call_id", NULL);

	if (!response || !call ||
	    (p->kind != MESSAGE_PART_CALL && p->kind != MESSAGE_PART_RESULT))
		return;
	p->response = response;
	p->call = call;
}

/* True if the call failed, as reported by the tool or by the exit code of a command. */
static bool is_failed_result(const struct event *e)
{
	json_object *args = event_args(e);

	if (e->is_action || !event_tool_meta(e))
		return false;
	return e->type->id == OBSERVATION_USER_REJECTED ||
	       js_bool(args, "is_error", false) ||
	       (e->type->id == OBSERVATION_BROWSE && js_bool(args, "error", false)) ||
	       js_int(js_get(args, "metadata"), "exit_code", 0) > 0;
}

struct message_part *message_part_make(const struct event *e,
				       const struct request_messages_options *o,
				       struct evlog *log)
{
	AUTO(strbuf) struct strbuf out = STRBUF(TEXT_MAX);
	struct message_part found = { .kind = MESSAGE_PART_NONE, .event = e->id };
	struct message_part *p = NULL;

	strbuf_add(&out, "\n\n");
	if (e->is_action)
		found.kind = action(e, log, &out);
	else
		found.kind = observation(e, o, &out);
	if (out.error)
		return NULL;
	found.failed =
		found.kind == MESSAGE_PART_RESULT && e->type->id == OBSERVATION_ERROR;
	found.is_error = found.failed || is_failed_result(e);
	found.stamp = found.shown_stamp = llm_message_stamp();
	found.apart_stamp = llm_message_stamp();
	find_ids(&found, e);
	found.images.notes = true;
	if ((found.kind != MESSAGE_PART_USER && found.kind != MESSAGE_PART_RESULT) ||
	    images_of(e, log, &found.images) == MT_OK)
		p = make_block(&found, &out);
	if (!p)
		images_clear(&found.images);
	return p;
}

struct message_part *message_part_free(struct message_part *p)
{
	if (p) {
		images_clear(&p->images);
		free(p->short_parts);
	}
	free(p);
	return NULL;
}

/* ---- tools ------------------------------------------------------------ */

void message_tool_list_clear(struct tool_list *list)
{
	free(list->tools);
	json_object_put(list->sent);
	event_unref(list->system);
	*list = (struct tool_list){ 0 };
}

/* Models do not need to know that other arguments are refused. */
static int shorten_schema(struct tool_list *list, json_object *schema, struct llm_tool *t)
{
	json_object *copy = NULL;

	if (js_bool(schema, "additionalProperties", true))
		return MT_OK;
	if (!list->sent)
		list->sent = js_new_list();
	if (json_object_deep_copy(schema, &copy, NULL))
		return MT_ENOMEM;
	json_object_object_del(copy, "additionalProperties");
	if (js_add_new(list->sent, copy))
		return MT_ENOMEM;
	t->sent = js_text(copy, NULL);
	return t->sent ? MT_OK : MT_ENOMEM;
}

int message_tool_list_read(struct tool_list *list, struct evlog *log, int64_t id,
			   json_object *offered, struct error *err)
{
	json_object *tools = offered;
	size_t n;

	if (evlog_count(log) <= id)
		return MT_OK;
	if (!offered) {
		list->system = evlog_event(log, id, err);
		if (!list->system)
			return err->code;
		tools = js_get(event_args(list->system), "tools");
	}
	n = js_length(tools);
	list->tools = calloc(n + 1, sizeof *list->tools);
	if (!list->tools || js_incomplete(tools))
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(tools, i);
		json_object *f = js_get(o, "function");
		struct llm_tool *t = &list->tools[list->count];

		t->name = js_str(f, "name", "");
		t->description = js_str(f, "description", "");
		t->brief = js_str(o, "brief", NULL);
		t->schema = js_text(js_get(f, "parameters"), NULL);
		if (!t->schema || shorten_schema(list, js_get(f, "parameters"), t)) {
			auto_free(&list->tools);
			list->tools = NULL;
			list->count = 0;
			return out_of_memory(err);
		}
		if (*t->name)
			list->count++;
	}
	list->read = true;
	return MT_OK;
}
