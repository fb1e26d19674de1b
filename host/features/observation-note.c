/* SPDX-License-Identifier: MIT
 *
 * observation-note.c - texts that features add to an observation, for the model. */
#include "features/observation-note.h"

#include "js.h"

void observation_note_add_item(struct event *e, json_object *note)
{
	json_object *list = js_get(e->json, "extended_content");

	if (!list) {
		js_set_new(e->json, "extended_content", json_object_new_array());
		list = js_get(e->json, "extended_content");
	}
	js_add_new(list, note);
}

void observation_note_add(struct event *e, const char *text)
{
	json_object *note = js_new_object();

	js_set_str(note, "text", text);
	observation_note_add_item(e, note);
}
