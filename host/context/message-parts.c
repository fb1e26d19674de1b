/* SPDX-License-Identifier: MIT
 *
 * message-parts.c - what the model reads of each type of event. */
#include "context/message-parts.h"

#include <string.h>

enum { TEXT_MAX = 64 << 20, EDIT_CONTEXT = 2 };

typedef int text_of(const struct event *e, struct strbuf *out);

static int text_content(const struct event *e, struct strbuf *out)
{
	size_t len;
	const char *content = event_content(e, &len);

	return strbuf_addn(out, content, len);
}

static int text_run(const struct event *e, struct strbuf *out)
{
	return event_command_text(e, out);
}

/* A picture inside the text would be megabytes of letters; it is shown beside. */
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

/* An editor that answers as one has said it all; of another the changes are shown. */
static int text_edit(const struct event *e, struct strbuf *out)
{
	json_object *args = event_args(e);

	if (strcmp(js_str(args, "impl_source", "llm_based_edit"), "oh_aci") == 0
	    || !js_get(args, "old_content") || !js_get(args, "new_content"))
		return text_content(e, out);
	event_edit_text(e, EDIT_CONTEXT, true, out);
	return strbuf_add(out, "\n");
}

static int text_delegate(const struct event *e, struct strbuf *out)
{
	const char *content = js_str(js_get(event_args(e), "outputs"), "content", NULL);

	return content ? strbuf_add(out, content) : text_content(e, out);
}

/* Observations that the model reads, whether long ones are cut, and the words around
 * what is cut. */
static const struct {
	const char *type;
	text_of *text;
	bool whole;
	const char *before, *after;
} observations[] = {
	{ "run", text_run, false, "", "" },
	{ "run_ipython", text_ipython, false, "", "" },
	{ "browse", text_content, false, "", "" },
	{ "read", text_content, true, "", "" },
	{ "write", text_content, false, "", "" },
	{ "edit", text_edit, false, "", "" },
	{ "delegate", text_delegate, false, "", "" },
	{ "error", text_content, false, "",
	  "\n[Error occurred in processing last action]" },
	{ "user_rejected", text_content, false, "OBSERVATION:\n",
	  "\n[Last action has been rejected by the user]" },
	{ "think", text_content, false, "", "" },
	{ "mcp", text_content, false, "", "" },
	{ "tool", text_content, false, "", "" },
	{ "download", text_content, false, "", "" },
	{ "task_tracking", text_content, false, "", "" },
	{ "condense", text_content, false, "", "" },
};

static int cut(struct strbuf *text, size_t max_chars)
{
	AUTO(strbuf) struct strbuf shorter = STRBUF(TEXT_MAX);
	struct strbuf swap;

	if (!max_chars || text->len <= max_chars)
		return text->error;
	truncate_content(text->text, text->len, max_chars, &shorter);
	swap = *text;
	*text = shorter;
	shorter = swap;
	return text->error;
}

/* Rules that came with it, what was added to a message. */
static void add_extended(const struct event *e, struct strbuf *out)
{
	json_object *list = js_get(e->json, "extended_content");

	for (size_t i = 0; json_object_is_type(list, json_type_array)
			   && i < json_object_array_length(list); i++)
		strbuf_addf(out, "\n\n%s", js_str(json_object_array_get_idx(list, i), "text",
						   ""));
}

static enum message_part_kind observation(const struct event *e,
					  const struct request_messages_options *o,
					  struct strbuf *out)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);

	if (strcmp(e->type->name, "recall") == 0) {
		AUTO(free) char *found = o->recall ? o->recall(e, o->arg) : NULL;

		if (!found || !*found)
			return MESSAGE_PART_NONE;
		strbuf_add(out, found);
		return MESSAGE_PART_USER;
	}
	for (size_t i = 0; i < ARRAY_LEN(observations); i++) {
		if (strcmp(observations[i].type, e->type->name) != 0)
			continue;
		if (!event_tool_meta(e) && strcmp(e->type->name, "run") == 0)
			strbuf_add(&text, "\nObserved result of command executed by user:\n");
		observations[i].text(e, &text);
		if (!observations[i].whole)
			cut(&text, o->max_message_chars);
		strbuf_add(out, observations[i].before);
		strbuf_addn(out, text.text, text.len);
		strbuf_add(out, observations[i].after);
		if (text.error)
			out->error = text.error;
		add_extended(e, out);
		return event_tool_meta(e) ? MESSAGE_PART_RESULT : MESSAGE_PART_USER;
	}
	return MESSAGE_PART_NONE;
}

/* `finish` of the model: what it said, the call itself is not sent. What it said to
 * the user stands for it if there is nothing else. */
static enum message_part_kind write_part_text(const struct event *e, struct evlog *log,
					      struct strbuf *out)
{
	const char *thought = event_arg(e, "thought"), *last = event_arg(e, "final_thought");
	const char *response = js_str(event_tool_meta(e), "llm_response_id", NULL);
	AUTO(json) json_object *reply = response ? evlog_reply(log, response, NULL) : NULL;
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
	const char *type = e->type->name;

	if (strcmp(type, "system") == 0) {
		strbuf_add(out, event_arg(e, "content"));
		return MESSAGE_PART_SYSTEM;
	}
	if (strcmp(type, "message") == 0) {
		strbuf_add(out, event_arg(e, "content"));
		add_extended(e, out);
		return e->source == SOURCE_USER || e->source == SOURCE_ENVIRONMENT
			       ? MESSAGE_PART_USER
			       : MESSAGE_PART_ASSISTANT;
	}
	if (strcmp(type, "finish") == 0)
		return write_part_text(e, log, out);
	if (event_tool_meta(e))
		return MESSAGE_PART_CALL;
	if (strcmp(type, "run") == 0 && e->source == SOURCE_USER) {
		strbuf_addf(out, "User executed the command:\n%s", event_arg(e, "command"));
		return MESSAGE_PART_USER;
	}
	if (strcmp(type, "read") == 0 && e->source == SOURCE_USER) {
		strbuf_addf(out, "User requested to read file: %s", event_arg(e, "path"));
		return MESSAGE_PART_USER;
	}
	return MESSAGE_PART_NONE;
}

static int copy_ids(struct message_part *p, const struct event *e)
{
	json_object *meta = event_tool_meta(e);
	const char *response = js_str(meta, "llm_response_id", NULL);
	const char *call = js_str(meta, "tool_call_id", NULL);

	if (!response || !call ||
	    (p->kind != MESSAGE_PART_CALL && p->kind != MESSAGE_PART_RESULT))
		return MT_OK;
	p->response = strdup(response);
	p->call = strdup(call);
	return p->response && p->call ? MT_OK : MT_ENOMEM;
}

/* The text, then what images the event has; a message that is images alone has
 * no text, which some providers refuse if it is empty. */
static int make_parts(struct message_part *p, const struct event *e, struct evlog *log)
{
	bool shows = p->kind == MESSAGE_PART_USER || p->kind == MESSAGE_PART_RESULT;
	size_t n = 0;

	if (shows && images_of(e, log, &p->images))
		return MT_ENOMEM;
	p->own_parts = calloc(p->images.count + 1, sizeof *p->own_parts);
	p->apart_parts = calloc(p->images.count + 1, sizeof *p->apart_parts);
	if (!p->own_parts || !p->apart_parts)
		return MT_ENOMEM;
	if (p->len || !p->images.count) {
		p->own_parts[n] = (struct llm_part){ .text = p->text, .len = p->len };
		p->apart_parts[n++] = (struct llm_part){ .text = p->memory,
							 .len = p->len + 2 };
	}
	for (size_t i = 0; i < p->images.count; i++, n++)
		p->own_parts[n] = p->apart_parts[n] = p->images.parts[i];
	p->own_count = p->part_count = n;
	return MT_OK;
}

struct message_part *message_part_make(const struct event *e,
				       const struct request_messages_options *o,
				       struct evlog *log)
{
	AUTO(strbuf) struct strbuf out = STRBUF(TEXT_MAX);
	struct message_part *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	strbuf_add(&out, "\n\n");
	if (e->is_action)
		p->kind = action(e, log, &out);
	else
		p->kind = observation(e, o, &out);
	p->failed = p->kind == MESSAGE_PART_RESULT && strcmp(e->type->name, "error") == 0;
	p->len = out.len - 2;
	p->memory = strbuf_take(&out);
	if (!p->memory || copy_ids(p, e))
		return message_part_free(p);
	p->text = p->memory + 2;
	if (make_parts(p, e, log))
		return message_part_free(p);
	p->stamp = p->shown_stamp = llm_message_stamp();
	p->apart_stamp = llm_message_stamp();
	p->parts = p->own_parts;
	p->apart = p->apart_parts;
	return p;
}

struct message_part *message_part_free(struct message_part *p)
{
	if (p) {
		free(p->own_parts);
		free(p->apart_parts);
		images_clear(&p->images);
		free(p->memory);
		free(p->response);
		free(p->call);
		free(p);
	}
	return NULL;
}

/* ---- tools ------------------------------------------------------------ */

void tool_list_clear(struct tool_list *list)
{
	free(list->tools);
	event_unref(list->system);
	*list = (struct tool_list){ 0 };
}

int tool_list_read(struct tool_list *list, struct evlog *log, int64_t id,
		   json_object *offered,
		   struct error *err)
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
	n = tools && json_object_is_type(tools, json_type_array)
		    ? json_object_array_length(tools) : 0;
	list->tools = calloc(n + 1, sizeof *list->tools);
	if (!list->tools)
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(tools, i);
		json_object *f = js_get(o, "function");
		struct llm_tool *t = &list->tools[list->count];

		t->name = js_str(f, "name", "");
		t->description = js_str(f, "description", "");
		t->brief = js_str(o, "brief", NULL);
		t->schema = js_text(js_get(f, "parameters"), NULL);
		if (!t->schema) {
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
