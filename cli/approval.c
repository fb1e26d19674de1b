/* SPDX-License-Identifier: MIT
 *
 * approval.c - formats approval prompts and parses the answers. */
#include "approval.h"

#include "utf8.h"
#include "visible.h"

#include <string.h>

/* ---- the prompt -------------------------------------------------------------------- */

/* Append a text with `lead` before each line. */
static int cli_approval_put_lines(struct strbuf *out, const char *lead, const char *text,
				  size_t len)
{
	AUTO(strbuf) struct strbuf shown = STRBUF(out->max);

	if (visible_add(&shown, VISIBLE_LINES, text, len, NULL, NULL))
		return shown.error;
	for (const char *p = shown.text; p;) {
		size_t n = strcspn(p, "\n");

		strbuf_addf(out, "%s%.*s\n", p == shown.text ? lead : "    ", (int)n, p);
		p = p[n] ? p + n + 1 : NULL;
	}
	return out->error;
}

static bool is_said_of_it(const char *name)
{
	static const char *const names[] = { "thought", "security_risk", "confirmation_state",
					     "hidden", "is_static", "blocking" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool cli_approval_is_command(json_object *event)
{
	return strcmp(js_str(event, "action", ""), "run") == 0;
}

/* Type and arguments, one per line. */
static int put_arguments(struct strbuf *out, json_object *event)
{
	visible_add(out, VISIBLE_ONE_LINE, js_str(event, "action", ""),
		    strlen(js_str(event, "action", "")), NULL, NULL);
	strbuf_addc(out, '\n');
	json_object_object_foreach(js_get(event, "args"), name, value) {
		AUTO(strbuf) struct strbuf lead = STRBUF(4096);
		size_t len = 0;
		const char *text = json_object_is_type(value, json_type_string)
					   ? json_object_get_string(value)
					   : js_text(value, &len);

		if (!value || is_said_of_it(name))
			continue;
		if (!text)
			return out->error = MT_ENOMEM;
		if (json_object_is_type(value, json_type_string))
			len = (size_t)json_object_get_string_len(value);
		strbuf_add(&lead, "  ");
		visible_add(&lead, VISIBLE_ONE_LINE, name, strlen(name), NULL, NULL);
		strbuf_add(&lead, ": ");
		cli_approval_put_lines(out, lead.text, text, len);
	}
	return out->error;
}

static int put_action(struct strbuf *out, json_object *event)
{
	json_object *command = js_get(js_get(event, "args"), "command");
	bool input = js_bool(js_get(event, "args"), "is_input", false);

	if (!cli_approval_is_command(event) || !command)
		return put_arguments(out, event);
	return cli_approval_put_lines(out, input ? "input: " : "$ ",
				      json_object_get_string(command),
				      (size_t)json_object_get_string_len(command));
}

static void put_scopes(struct strbuf *out, json_object *waits)
{
	json_object *list = js_get(waits, "scopes");
	size_t count = js_length(list);

	for (size_t i = 0; i < count; i++) {
		const char *text = js_str(json_object_array_get_idx(list, i), "text", "");

		strbuf_addf(out, "%s %zu: ", i ? "      " : "always", i + 1);
		visible_add(out, VISIBLE_ONE_LINE, text, strlen(text), NULL, NULL);
		strbuf_add(out, (int64_t)i == js_int(waits, "scope", 0) ? " (default)\n"
									: "\n");
	}
}

/* The preview of the action from the tool. */
static void put_preview(struct strbuf *out, json_object *waits)
{
	json_object *preview = js_get(waits, "preview");

	if (json_object_is_type(preview, json_type_string))
		cli_approval_put_lines(out, "preview: ", json_object_get_string(preview),
				       (size_t)json_object_get_string_len(preview));
}

int approval_text(json_object *waits, json_object *event, struct strbuf *out)
{
	const char *child = js_str(waits, "conversation", ""),
		   *reason = js_str(waits, "reason", "");

	if (*child)
		strbuf_addf(out, "Request from subagent %s.\n", child);
	put_action(out, event);
	put_preview(out, waits);
	strbuf_addf(out, "risk %s%s", js_str(waits, "risk", ""), *reason ? ": " : "");
	visible_add(out, VISIBLE_ONE_LINE, reason, strlen(reason), NULL, NULL);
	strbuf_addc(out, '\n');
	put_scopes(out, waits);
	return out->error;
}

/* ---- answers ------------------------------------------------------------------------ */

/* [N] [project] */
static int read_always(const char *text, json_object *waits, struct approval *ret,
		       struct error *err)
{
	static const char project[] = "project";
	json_object *list = js_get(waits, "scopes");
	size_t count = list ? json_object_array_length(list) : 0;
	char *end = NULL;

	text += strspn(text, " ");
	if (*text >= '0' && *text <= '9') {
		ret->scope = strtol(text, &end, 10) - 1;
		text = end + strspn(end, " ");
	}
	ret->project = strncmp(text, project, sizeof project - 1) == 0;
	text += ret->project ? sizeof project - 1 : 0;
	if (text[strspn(text, " ")] || (end && ret->scope < 0))
		return fail(err, MT_EINVAL,
			    "invalid scope: use /always, /always N or "
			    "/always N project, with N from the list");
	if (end && (size_t)ret->scope >= count)
		return fail(err, MT_EINVAL, "no scope %lld in the list of %zu",
			    (long long)ret->scope + 1, count);
	return MT_OK;
}

static int read_edit(const char *text, json_object *event, json_object **ret,
		     struct error *err)
{
	AUTO(json) json_object *args = NULL;

	text += strspn(text, " ");
	if (!*text)
		return fail(
			err, MT_EINVAL,
			cli_approval_is_command(event)
				? "no command given: use /edit COMMAND"
				: "no arguments given: use /edit {\"NAME\": VALUE} with the "
				  "arguments to change");
	if (!cli_approval_is_command(event)) {
		args = js_parse_object(text, strlen(text), err);
	} else {
		args = json_object_new_object();
		if (js_set_str(args, "command", text))
			return out_of_memory(err);
	}
	*ret = STEAL(args);
	return *ret ? MT_OK : err->code;
}

/* The text after the word; NULL if the line starts with another word. */
static const char *cli_approval_after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0 || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + (line[len] == ' ');
}

int approval_read(const char *line, json_object *waits, json_object *event,
		  struct approval *ret, json_object **ret_arguments, struct error *err)
{
	const char *rest;

	*ret = (struct approval){ .answer = ANSWER_YES, .scope = -1,
				  .hash = js_str(waits, "hash", NULL) };
	*ret_arguments = NULL;
	if ((rest = cli_approval_after(line, "/confirm")) && !*rest)
		return MT_OK;
	if ((rest = cli_approval_after(line, "/always"))) {
		ret->answer = ANSWER_ALWAYS;
		return read_always(rest, waits, ret, err);
	}
	if ((rest = cli_approval_after(line, "/reject"))) {
		ret->answer = ANSWER_NO;
		ret->reason = rest;
		return MT_OK;
	}
	if (!(rest = cli_approval_after(line, "/edit")))
		return MT_ENOTFOUND;
	if (read_edit(rest, event, ret_arguments, err))
		return err->code;
	ret->arguments = *ret_arguments;
	return MT_OK;
}
