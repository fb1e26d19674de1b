/* SPDX-License-Identifier: MIT
 *
 * analyzer-subject.c - writes and reads an action that an analyzer assesses. */
#include "controller/plugins/analyzer-subject.h"

#include "events/event.h"

/* Members that are strings or NULL. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "tool", offsetof(struct subject, tool) },
	{ "thought", offsetof(struct subject, thought) },
	{ "reasoning", offsetof(struct subject, reasoning) },
	{ "workspace", offsetof(struct subject, workspace) },
	{ "directory", offsetof(struct subject, directory) },
};

static const char **analyzer_subject_text_of(struct subject *s, size_t n)
{
	return (const char **)((char *)s + texts[n].offset);
}

json_object *analyzer_subject_json(const struct subject *s)
{
	json_object *o = js_new_object();
	struct subject copy = *s;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (*analyzer_subject_text_of(&copy, i))
			js_set_str(o, texts[i].name, *analyzer_subject_text_of(&copy, i));
	js_set_int(o, "hints", s->hints);
	js_set_int(o, "said", s->said);
	js_set_bool(o, "trusted", s->trusted);
	if (s->event)
		js_set(o, "event", json_object_get(s->event->json));
	if (s->roots)
		js_set(o, "roots", json_object_get(s->roots));
	if (s->args)
		js_set(o, "arguments", json_object_get(s->args));
	return o;
}

int analyzer_subject_read(json_object *json, struct subject *ret,
			  struct event **ret_event, struct error *err)
{
	json_object *event = js_get(json, "event");

	*ret = (struct subject){
		.hints = (unsigned)js_int(json, "hints", 0),
		.said = (enum risk)js_int(json, "said", RISK_UNKNOWN),
		.trusted = js_bool(json, "trusted", false),
		.args = js_get(json, "arguments"),
		.roots = js_get(json, "roots"),
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*analyzer_subject_text_of(ret, i) = js_str(json, texts[i].name, NULL);
	if (!ret->tool)
		ret->tool = "";
	*ret_event = event ? event_adopt(json_object_get(event), err) : NULL;
	ret->event = *ret_event;
	return event && !*ret_event ? err->code : MT_OK;
}
