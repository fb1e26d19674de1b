/* SPDX-License-Identifier: MIT
 *
 * vec-events.c - recorded cases of events: forms, masking, texts made of them. */
#include "events/event.h"
#include "mask.h"
#include "vec.h"

static bool same(json_object *expected, json_object *got);

/* True if each member of one is in the other, where {{NAME}} in a text stands
 * for words of our own. */
static bool same_object(json_object *expected, json_object *got)
{
	if (json_object_object_length(expected) != json_object_object_length(got))
		return false;
	json_object_object_foreach(expected, name, value) {
		json_object *member = NULL;

		if (!json_object_object_get_ex(got, name, &member) ||
		    !same(value, member))
			return false;
	}
	return true;
}

static bool same(json_object *expected, json_object *got)
{
	json_type type = json_object_get_type(expected);

	if (type == json_type_string && json_object_is_type(got, type))
		return vec_match(json_object_get_string(expected),
				 json_object_get_string(got));
	if (type == json_type_object && json_object_is_type(got, type))
		return same_object(expected, got);
	return js_equal(expected, got);
}

static void compare(struct vec *v, const char *what, json_object *expected,
		    json_object *got)
{
	if (!same(expected, got))
		vec_fault(v, what, js_text(expected, NULL),
			  got ? js_text(got, NULL) : NULL);
}

static json_object *dict_of(const struct event *e)
{
	AUTO(strbuf) struct strbuf out = STRBUF(64 << 20);

	return event_write(e, &out) ? NULL : js_parse(out.text, out.len, NULL);
}

/* Which of the original's exceptions an error of ours stands for. */
static const char *error_class(const struct error *err)
{
	if (err->code == MT_ENOTFOUND)
		return "KeyError";
	if (strncmp(err->text, "malformed action", 16) == 0)
		return "LLMMalformedActionError";
	if (strncmp(err->text, "malformed observation", 21) == 0)
		return "TypeError";
	return "ValueError";
}

/* "MessageAction" for the action `message`, as the original names it. */
static const char *class_name(const struct event *e)
{
	static const struct {
		bool is_action;
		const char *name, *class;
	} names[] = {
		{ true, "null", "NullAction" },
		{ true, "run", "CmdRunAction" },
		{ true, "run_ipython", "IPythonRunCellAction" },
		{ true, "browse", "BrowseURLAction" },
		{ true, "browse_interactive", "BrowseInteractiveAction" },
		{ true, "read", "FileReadAction" },
		{ true, "write", "FileWriteAction" },
		{ true, "edit", "FileEditAction" },
		{ true, "think", "AgentThinkAction" },
		{ true, "finish", "AgentFinishAction" },
		{ true, "reject", "AgentRejectAction" },
		{ true, "delegate", "AgentDelegateAction" },
		{ true, "recall", "RecallAction" },
		{ true, "change_agent_state", "ChangeAgentStateAction" },
		{ true, "message", "MessageAction" },
		{ true, "system", "SystemMessageAction" },
		{ true, "condensation", "CondensationAction" },
		{ true, "condensation_request", "CondensationRequestAction" },
		{ true, "call_tool_mcp", "MCPAction" },
		{ true, "task_tracking", "TaskTrackingAction" },
		{ true, "loop_recovery", "LoopRecoveryAction" },
		{ false, "null", "NullObservation" },
		{ false, "run", "CmdOutputObservation" },
		{ false, "run_ipython", "IPythonRunCellObservation" },
		{ false, "browse", "BrowserOutputObservation" },
		{ false, "read", "FileReadObservation" },
		{ false, "write", "FileWriteObservation" },
		{ false, "edit", "FileEditObservation" },
		{ false, "delegate", "AgentDelegateObservation" },
		{ false, "success", "SuccessObservation" },
		{ false, "error", "ErrorObservation" },
		{ false, "agent_state_changed", "AgentStateChangedObservation" },
		{ false, "user_rejected", "UserRejectObservation" },
		{ false, "condense", "AgentCondensationObservation" },
		{ false, "think", "AgentThinkObservation" },
		{ false, "recall", "RecallObservation" },
		{ false, "mcp", "MCPObservation" },
		{ false, "download", "FileDownloadObservation" },
		{ false, "task_tracking", "TaskTrackingObservation" },
		{ false, "loop_detection", "LoopDetectionObservation" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].is_action == e->is_action &&
		    strcmp(names[i].name, e->type->name) == 0)
			return names[i].class;
	return "";
}

/* {"repeat": "x", "times": N} stands for a long text. */
static json_object *expanded(json_object *value)
{
	const char *piece = js_str(value, "repeat", NULL);
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);

	if (!piece)
		return NULL;
	for (int64_t i = js_int(value, "times", 0); i > 0; i--)
		strbuf_add(&text, piece);
	return json_object_new_string_len(text.text, (int)text.len);
}

/* A long text of ours in the form in which the expected one is given. */
static json_object *described(json_object *expected, const char *got)
{
	json_object *o = json_object_new_object();
	size_t len = strlen(got), head, tail;

	head = utf8_offset(got, len,
			   utf8_count(js_str(expected, "head", ""),
				      strlen(js_str(expected, "head", ""))));
	tail = strlen(js_str(expected, "tail", ""));
	js_set_int(o, "len", (int64_t)utf8_count(got, len));
	js_set_strn(o, "head", got, head);
	js_set_str(o, "tail", tail < len ? got + len - tail : got);
	if (json_object_object_get_ex(expected, "middle_marker", NULL))
		js_set_bool(o, "middle_marker",
			    strstr(got, "[... Observation truncated"));
	return o;
}

/* ---- the functions ------------------------------------------------------------- */

static bool skip_from_dict(struct vec *v, json_object *dict)
{
	const char *name = js_str(dict, "observation", NULL);
	const struct event_type *type = name ? event_type_find(false, name) : NULL;
	json_object *extras = js_get(dict, "extras");

	if (!type || !json_object_is_type(extras, json_type_object))
		return false;
	json_object_object_foreach(extras, field, value) {
		(void)value;
		if (event_field_find(type, field) || strcmp(field, "exit_code") == 0 ||
		    strcmp(field, "command_id") == 0 ||
		    strcmp(field, "formatted_output_and_error") == 0)
			continue;
		vec_skip(v, "event_from_dict v0",
			 "unknown fields of an observation are kept");
		return true;
	}
	return false;
}

static bool from_dict(struct vec *v, json_object *c)
{
	AUTO(json) json_object *dict = json_object_get(js_path(c, "in.dict"));
	json_object *content = expanded(js_get(dict, "content"));
	struct error err = ERROR_NONE;

	if (skip_from_dict(v, dict))
		return false;
	if (content)
		js_set(dict, "content", content);

	AUTO(event) struct event *e = event_from_json(dict, &err);
	const char *failure = js_str(js_get(c, "error"), "type", NULL);

	if (failure || !e) {
		const char *got = e ? "an event" : error_class(&err);

		if (!failure || strcmp(failure, got) != 0)
			vec_fault(v, "error", failure, e ? got : err.text);
		return true;
	}

	AUTO(json) json_object *got = dict_of(e);
	json_object *expected = js_path(c, "output.dict");
	json_object *text = js_get(expected, "content");

	if (json_object_is_type(text, json_type_object))
		js_set(got, "content", described(text, js_str(got, "content", "")));
	compare(v, "dict", expected, got);
	if (strcmp(js_path(c, "output.class") ? js_str(js_get(c, "output"), "class", "")
					      : "",
		   class_name(e)) != 0)
		vec_fault(v, "class", js_str(js_get(c, "output"), "class", ""),
			  class_name(e));
	return true;
}

/* The events are named, not given: what the original wrote is read, written
 * again and must be the same; so must the event built from the arguments that
 * differ from the defaults. */
static bool to_dict(struct vec *v, json_object *c)
{
	struct error err = ERROR_NONE;
	json_object *expected = js_path(c, "output.dict");
	bool is_action = js_get(expected, "action");
	const char *fields = is_action ? "args" : "extras";
	AUTO(event) struct event *read = event_from_json(expected, &err);

	if (!read) {
		vec_fault(v, "reading", "an event", err.text);
		return true;
	}

	AUTO(json) json_object *written = dict_of(read), *args = json_object_new_object();

	compare(v, "read and written", expected, written);
	json_object_object_foreach(js_get(expected, fields), name, value) {
		const struct event_field *field = event_field_find(read->type, name);
		AUTO(json)
		json_object *fallback = !field || !field->fallback
						? NULL
						: js_parse(field->fallback,
							   strlen(field->fallback), NULL);

		if (field && (field->required || !js_equal(value, fallback)))
			js_set(args, name, json_object_get(value));
	}

	const char *content = js_str(expected, "content", "");
	json_object *given = json_object_get(args);
	AUTO(event)
	struct event *made =
		is_action ? event_action(read->type->name, SOURCE_NONE, given, &err)
			  : event_observation(read->type->name, SOURCE_NONE, -1, content,
					      strlen(content), given, &err);
	AUTO(json) json_object *dict = made ? dict_of(made) : NULL;

	compare(v, "made", expected, dict);
	if (js_get(js_get(c, "output"), "as_text") &&
	    !vec_match(js_str(js_get(c, "output"), "as_text", ""),
		       js_str(dict, "message", "")))
		vec_fault(v, "as_text", js_str(js_get(c, "output"), "as_text", ""),
			  js_str(dict, "message", ""));
	return true;
}

/* Only what remains is recorded: the fields that are taken out get values. */
static bool to_trajectory(struct vec *v, json_object *c)
{
	static const char *const out[] = {
		"dom_object",
		"axtree_object",
		"extra_element_properties",
	};
	AUTO(json) json_object *in = NULL;
	json_object *expected = js_get(c, "output");

	if (json_object_deep_copy(expected, &in, NULL) != 0)
		return true;
	for (size_t i = 0; js_get(in, "extras") && i < ARRAY_LEN(out); i++)
		if (strcmp(js_str(in, "observation", ""), "browse") == 0)
			js_set(js_get(in, "extras"), out[i],
			       js_parse("{\"a\":1}", 7, NULL));

	AUTO(event) struct event *e = event_from_json(in, NULL);
	bool screenshots = js_get(js_get(expected, "extras"), "screenshot") ||
			   js_bool(js_get(c, "in"), "include_screenshots", false);
	AUTO(json) json_object *got = e ? event_trajectory(e, screenshots) : NULL;

	compare(v, "trajectory", expected, got);
	return true;
}

static bool holds(const char *text, json_object *secrets)
{
	json_object_object_foreach(secrets, name, secret) {
		(void)name;
		if (strstr(text, json_object_get_string(secret)))
			return true;
	}
	return false;
}

/* Does a list inside `value` hold a secret? */
static bool in_list(json_object *value, json_object *secrets)
{
	if (json_object_is_type(value, json_type_array))
		return holds(js_text(value, NULL), secrets);
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member) {
			(void)name;
			if (in_list(member, secrets))
				return true;
		}
	}
	return false;
}

static bool holds_name(json_object *value, const char *text)
{
	bool found = false;

	if (json_object_is_type(value, json_type_array))
		for (size_t i = 0; !found && i < json_object_array_length(value); i++)
			found = holds_name(json_object_array_get_idx(value, i), text);
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
			found = found || strstr(name, text) || holds_name(member, text);
	}
	return found;
}

/* `value` with `to` for `from` in all its strings; a new value. */
static json_object *with_text(json_object *value, const char *from, const char *to)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 20);
	const char *text = js_text(value, NULL), *at;

	for (; (at = strstr(text, from)); text = at + strlen(from)) {
		strbuf_addn(&out, text, (size_t)(at - text));
		strbuf_add(&out, to);
	}
	strbuf_add(&out, text);
	return js_parse(out.text, out.len, NULL);
}

/* Ours leaves secrets of less than eight bytes alone: a recorded one is repeated until
 * it is long enough, wherever it stands. @return false: that would change more. */
static bool lengthen(const char *secret, char *longer, size_t size, json_object **data,
		     json_object **expected)
{
	json_object *a, *b;
	size_t n = strlen(secret), len = 0;

	if (!n || strstr("<secret_hidden>", secret) || strpbrk(secret, "\"\\") ||
	    holds_name(*data, secret))
		return false;
	while (len < MASK_MIN && len + n < size)
		len += (size_t)snprintf(longer + len, size - len, "%s", secret);
	a = with_text(*data, secret, longer);
	b = with_text(*expected, secret, longer);
	json_object_put(*data);
	json_object_put(*expected);
	*data = a;
	*expected = b;
	return true;
}

static bool mask_secrets(struct vec *v, json_object *c)
{
	static const char *const open_members[] = {
		"id", "timestamp", "source", "cause", "action", "observation", NULL,
	};
	static const char what[] = "mask_secrets v0";
	json_object *secrets = js_path(c, "in.secrets");
	AUTO(json) json_object *data = NULL;
	AUTO(json) json_object *expected = json_object_get(js_get(c, "output"));
	AUTO(mask) struct mask *mask = mask_new();

	if (json_object_deep_copy(js_path(c, "in.data"), &data, NULL) != 0) {
		vec_fault(v, what, "memory", NULL);
		return true;
	}
	if (in_list(data, secrets)) {
		vec_skip(v, what, "masking goes into lists");
		return false;
	}
	if (holds(js_str(data, "message", ""), secrets)) {
		vec_skip(v, what, "`message` is masked like everything else");
		return false;
	}
	json_object_object_foreach(secrets, name, secret) {
		const char *text = json_object_get_string(secret);
		char longer[2 * MASK_MIN] = "";

		(void)name;
		if (!*text) {
			vec_skip(v, what, "an empty secret is ignored");
			return false;
		}
		if (strlen(text) < MASK_MIN &&
		    !lengthen(text, longer, sizeof longer, &data, &expected)) {
			vec_skip(v, what,
				 "a secret of less than eight bytes is not masked: it "
				 "would hit ordinary words");
			return false;
		}
		text = *longer ? longer : text;
		mask_add(mask, text, strlen(text));
	}
	mask_json(mask, data, open_members, NULL);
	compare(v, "masked", expected, data);
	return true;
}

static bool truncated(struct vec *v, json_object *c)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 24), out = STRBUF(1 << 24);
	int64_t len = js_int(js_get(c, "in"), "text_len", 0);
	json_object *max = js_path(c, "in.max_chars"), *expected = js_get(c, "output");

	for (int64_t i = 0; i < len; i++)
		strbuf_addc(&text, (char)('a' + i % 26));
	event_truncate_content(text.text, text.len,
			       max && json_object_get_int64(max) >= 0
				       ? (size_t)json_object_get_int64(max)
				       : SIZE_MAX,
			       &out);

	AUTO(json)
	json_object *got = json_object_is_type(expected, json_type_object)
				   ? described(expected, out.text)
				   : json_object_new_string(out.text);

	compare(v, "text", expected, got);
	return true;
}

static bool command_text(struct vec *v, json_object *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 24);
	json_object *extras = json_object_new_object();
	const char *content = js_str(js_get(c, "in"), "content", "");

	js_set_str(extras, "command", "");
	js_set(extras, "metadata", json_object_get(js_path(c, "in.metadata")));

	AUTO(event)
	struct event *e = event_observation("run", SOURCE_NONE, -1, content,
					    strlen(content), extras, NULL);

	if (!e || event_command_text(e, &out) ||
	    strcmp(out.text, json_object_get_string(js_get(c, "output"))) != 0)
		vec_fault(v, "text", json_object_get_string(js_get(c, "output")),
			  out.text);
	return true;
}

static bool edit_diff(struct vec *v, json_object *c)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 24);
	json_object *in = js_get(c, "in"), *extras = json_object_new_object();

	js_set_str(extras, "path", js_str(in, "path", "/a.txt"));
	js_set(extras, "prev_exist", json_object_get(js_get(in, "prev_exist")));
	js_set(extras, "old_content", json_object_get(js_get(in, "old")));
	js_set(extras, "new_content", json_object_get(js_get(in, "new")));

	AUTO(event)
	struct event *e = event_observation("edit", SOURCE_NONE, -1, "", 0, extras, NULL);

	if (!e ||
	    event_edit_text(e, (size_t)js_int(in, "context_lines", 2),
			    js_bool(in, "change_applied", true), &out) ||
	    strcmp(out.text, json_object_get_string(js_get(c, "output"))) != 0)
		vec_fault(v, "text", json_object_get_string(js_get(c, "output")),
			  out.text);
	return true;
}

static bool one_case(struct vec *v, json_object *c)
{
	static const struct {
		const char *name;
		bool (*run)(struct vec *v, json_object *c);
	} functions[] = {
		{ "event_to_dict", to_dict },
		{ "event_from_dict", from_dict },
		{ "event_to_trajectory", to_trajectory },
		{ "mask_secrets", mask_secrets },
		{ "truncate_content", truncated },
		{ "command_output_text", command_text },
		{ "edit_diff", edit_diff },
	};
	static const struct vec_decision decided[] = {
		{ "v1", "event_json", "V1's form of events comes with the server" },
		{ "v0", "storage_path", "the layout of the files is our own" },
	};
	const char *fn = js_str(c, "fn", "");

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (strcmp(js_str(c, "version", ""), "v0") == 0 &&
		    strcmp(functions[i].name, fn) == 0)
			return functions[i].run(v, c);
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
