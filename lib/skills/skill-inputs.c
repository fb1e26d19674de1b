/* SPDX-License-Identifier: MIT
 *
 * skill-inputs.c - the variables of a skill, and its text with their values filled in. */
#include "skills/skills.h"

#include <ctype.h>
#include <string.h>

json_object *skill_inputs(const struct skill *s)
{
	return js_get(s->more, "inputs");
}

json_object *skill_input(const struct skill *s, const char *name)
{
	json_object *inputs = skill_inputs(s);

	for (size_t i = 0; i < js_length(inputs); i++) {
		json_object *input = json_object_array_get_idx(inputs, i);

		if (strcmp(js_str(input, "name", ""), name) == 0)
			return input;
	}
	return NULL;
}

bool skill_input_required(json_object *input)
{
	return js_bool(input, "required", !js_get(input, "default"));
}

/* Length of the name in "${name}"; 0: the text does not start with a variable. */
static size_t variable_at(const char *text)
{
	size_t n = 0;

	if (text[0] != '$' || text[1] != '{')
		return 0;
	while (isalnum((unsigned char)text[2 + n]) || text[2 + n] == '_' ||
	       text[2 + n] == '-')
		n++;
	return text[2 + n] == '}' ? n : 0;
}

/* NULL: not an input, or without a value. */
static json_object *skill_inputs_value_of(const struct skill *s, json_object *values,
					  const char *name)
{
	json_object *input = skill_input(s, name), *given = js_get(values, name);

	return !input ? NULL : given ? given : js_get(input, "default");
}

size_t skill_text_len(const struct skill *s)
{
	size_t len = strlen(s->content), n = strlen(SKILL_ASKS);

	return len >= n && strcmp(s->content + len - n, SKILL_ASKS) == 0 ? len - n : len;
}

/* The length of the text, without the request for values if all were given. */
static size_t asked_len(const struct skill *s, json_object *values)
{
	json_object *inputs = skill_inputs(s);

	for (size_t i = 0; i < js_length(inputs); i++)
		if (!skill_inputs_value_of(s, values,
					   js_str(json_object_array_get_idx(inputs, i),
						  "name", "")))
			return strlen(s->content);
	return skill_text_len(s);
}

int skill_fill(const struct skill *s, json_object *values, struct strbuf *out)
{
	const char *at = s->content, *end = at + asked_len(s, values);

	while (at < end) {
		size_t n = variable_at(at);
		AUTO(free) char *name = n ? strndup(at + 2, n) : NULL;
		json_object *value = name ? skill_inputs_value_of(s, values, name) : NULL;

		if (n && !name)
			return MT_ENOMEM;
		if (value) {
			strbuf_add(out, json_object_get_string(value));
			at += n + 3;
		} else {
			strbuf_addc(out, *at++);
		}
	}
	return out->error;
}
