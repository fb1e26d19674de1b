/* SPDX-License-Identifier: MIT
 *
 * vec-bash_parsing.c - recorded cases of the small functions around a shell. */
#include "plugins/tools/bash/keys.h"
#include "output.h"
#include "plugins/tools/bash/prompt.h"
#include "vec.h"

static const char *str(json_object *in, const char *name, size_t *ret_len)
{
	const char *text = js_str(in, name, "");

	*ret_len = strlen(text);
	return text;
}

static void want_text(struct vec *v, json_object *want, const char *got)
{
	const char *text = want ? json_object_get_string(want) : NULL;

	if (!text != !got || (text && strcmp(text, got) != 0))
		vec_fault(v, "output", text, got);
}

static void is_special_key(struct vec *v, json_object *in, json_object *want)
{
	size_t len;
	const char *text = str(in, "command", &len);

	if (key_is_special(text, len) != json_object_get_boolean(want))
		vec_fault(v, text, json_object_get_string(want), "the other");
}

static void ctrl_key(struct vec *v, json_object *in, json_object *want)
{
	size_t len;
	const char *text = str(in, "text", &len);
	char got[] = "C-?";

	got[2] = key_ctrl(text, len);
	want_text(v, want, got[2] ? got : NULL);
}

static void remove_command_prefix(struct vec *v, json_object *in, json_object *want)
{
	size_t len, command_len;
	const char *output = str(in, "output", &len);
	const char *command = str(in, "command", &command_len);

	prompt_strip_echo(&output, &len, command, command_len);
	want_text(v, want, output);
}

static const struct {
	const char *version, *name;
	void (*run)(struct vec *v, json_object *in, json_object *want);
} ours[] = {
	{ "v0", "is_special_key", is_special_key },
	{ "v0", "remove_command_prefix", remove_command_prefix },
	{ "v1", "is_special_key", is_special_key },
	{ "v1", "ctrl_key", ctrl_key },
};

static bool one_case(struct vec *v, json_object *c)
{
	static const char no_prompts[] = "the shell needs no splitting, escaping or "
					 "prompts in its output";
	static const char one_shell[] = "there is one shell, not a pool of panes";
	static const struct vec_decision decided[] = {
		{ "v0", "combine_outputs", no_prompts }, { "v1", "combine_outputs", no_prompts },
		{ "v0", "escape_special", no_prompts },  { "v1", "escape_special", no_prompts },
		{ "v0", "ps1_parse", no_prompts },       { "v1", "ps1_parse", no_prompts },
		{ "v0", "split_commands", no_prompts },  { "v1", "split_commands", no_prompts },
		{ "v1", "literal_argument", one_shell }, { "v1", "query_filter", one_shell },
		{ "v1", "maybe_truncate", "long outputs are cut around a marker of ours" },
		{ "v1", "foreground_timeout_rejected", "no server ends an idle runtime" },
	};
	const char *version = js_str(c, "version", ""), *name = js_str(c, "fn", "");

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (strcmp(version, ours[i].version) == 0 &&
		    strcmp(name, ours[i].name) == 0) {
			ours[i].run(v, js_get(c, "in"), js_get(c, "output"));
			return true;
		}
	return vec_decide(v, c, decided, ARRAY_LEN(decided));
}

int main(int argc, char **argv)
{
	struct vec v;

	if (!vec_open(&v, argc, argv))
		return 2;
	vec_each(&v, one_case);
	return vec_done(&v);
}
