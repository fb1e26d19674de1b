/* SPDX-License-Identifier: MIT
 *
 * message-log.c - logs a user message, and names the conversation after the first one. */
#include "conversation/message-log.h"

#include "context/history.h"
#include "context/images.h"
#include "controller/core.h"
#include "controller/feature-api.h"
#include "controller/features.h"
#include "conversation/meta.h"
#include "log.h"
#include "utf8.h"

#include <string.h>

enum { TITLE_BYTES = 60, TITLE_OF_MAX = 4096 };

/* Report images and PDF files that are not sent to the model. */
static int add_images(struct conversation *c, json_object *args, json_object *images,
		      struct error *err)
{
	if (!images || json_object_array_length(images) == 0)
		return MT_OK;
	if (c->agent->llm && !llm_feature(c->agent->llm, "vision"))
		conversation_notice(
			c, MT_LOG_WARNING,
			"images are not sent to %s, only a note for each; to send "
			"them, set `vision = yes` in its section",
			llm_name(c->agent->llm));
	if (c->agent->llm && images_have_pdf(images) &&
	    !llm_feature(c->agent->llm, "pdf"))
		conversation_notice(
			c, MT_LOG_WARNING,
			"PDF files are not sent to %s, only a note for each: it "
			"does not support PDF input. Extract the text with "
			"pdftotext",
			llm_name(c->agent->llm));
	if (js_set(args, "image_urls", json_object_get(images)))
		return out_of_memory(err);
	return MT_OK;
}

/* The default title is the first line of the first message. */
static void name_it(struct conversation *c, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf line = STRBUF(TITLE_OF_MAX * 8);
	struct error err = ERROR_NONE;
	size_t from = 0, to;
	char *title;

	while (from < len && strchr(" \t\r\n", text[from]))
		from++;
	for (to = from;
	     to < len && to - from < TITLE_OF_MAX && !strchr("\r\n", text[to]);)
		to++;
	mask_put(c->mask, &line, text + from, to - from);
	strbuf_cut(&line, utf8_cut(line.text, line.len, TITLE_BYTES));
	if (line.error || !line.len || *c->title || !(title = strbuf_take(&line)))
		return;
	utf8_blank_controls(title, strlen(title));
	free(c->title);
	c->title = title;
	if (meta_change(c->log, c->title, NULL, c->mask, &err) && !evlog_is_lost(c->log))
		log_line(MT_LOG_WARNING, "conversation", "no title: %s", err.text);
}

/* Append the configured text to each user message. */
static struct event *add_suffix(const struct conversation *c, struct event *e)
{
	const char *suffix = config_get(c->config, c->agent->section, "message_suffix");
	json_object *list, *o;

	if (!e || !suffix || !*suffix)
		return e;
	list = js_new_list();
	o = js_new_object();
	js_set_str(o, "name", "message_suffix");
	js_set_str(o, "text", suffix);
	js_add_new(list, o);
	js_set(e->json, "extended_content", list);
	return e;
}

int conversation_log_message(struct conversation *c, const char *text, size_t len,
			     json_object *images, int64_t number, struct error *err)
{
	json_object *args = js_new_object();
	bool first = !history_user_since(c->log, c->agent->start);
	struct event *e;
	int64_t id;

	if (js_set_strn(args, "content", text, len) || add_images(c, args, images, err)) {
		json_object_put(args);
		return out_of_memory(err);
	}
	e = add_suffix(c, event_action("message", SOURCE_USER, args, err));
	if (e && number >= 0)
		js_set_int(e->json, "waited", number);
	id = conversation_log_event(c, e, err);
	if (id < 0)
		return (int)id;
	if (first)
		name_it(c, text, len);
	FEATURES_TELL(after_message, c, first);
	return MT_OK;
}
