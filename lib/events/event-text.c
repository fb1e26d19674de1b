/* SPDX-License-Identifier: MIT
 *
 * event-text.c - derives texts from events: the message, the text of a command output for
 * the model, truncated contents. */
#include "events/event-internal.h"
#include "literal.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

enum { MESSAGE_IDS = 1000 }; /* maximum number of IDs in a message */

int event_truncate_content(const char *text, size_t len, size_t max_chars, struct strbuf *out)
{
	size_t count, half;

	if (len <= max_chars) /* the text has at most `len` characters */
		return strbuf_addn(out, text, len);
	count = utf8_count(text, len);
	if (count <= max_chars)
		return strbuf_addn(out, text, len);
	half = max_chars / 2;
	strbuf_addn(out, text, utf8_offset(text, len, half));
	/* verbatim from OpenHands */
	strbuf_add(out, "\n[... Observation truncated due to length ...]\n");
	/* V0 uses content[-half:], which is the whole content if half = 0. */
	size_t tail = half ? utf8_offset(text, len, count - half) : 0;

	return strbuf_addn(out, text + tail, len - tail);
}

/* ---- the templates of the table ---------------------------------------- */

static int event_text_add_value(struct strbuf *out, json_object *value, size_t max_chars)
{
	if (json_object_is_type(value, json_type_string)) {
		const char *text = json_object_get_string(value);
		size_t len = (size_t)json_object_get_string_len(value);

		return strbuf_addn(out, text, utf8_offset(text, len, max_chars));
	}
	if (!value)
		return strbuf_add(out, "None");
	return json_write(out, value, NULL);
}

static json_object *field_value(const struct event *e, const char *path)
{
	if (strcmp(path, "content") == 0 && !e->is_action)
		return js_get(e->json, "content");
	return js_path(event_args(e), path);
}

/* {field}, {field:50}, {field!r}; `spec` is the text between the braces. */
static int event_text_expand(const struct event *e, const char *spec, size_t len,
			     struct strbuf *out)
{
	char path[64];
	size_t name = strcspn(spec, ":!}");

	if (name >= sizeof path || name > len)
		return MT_OK;
	memcpy(path, spec, name);
	path[name] = '\0';

	json_object *value = field_value(e, path);

	if (spec[name] == '!')
		return literal_put(out, value);
	return event_text_add_value(out, value,
				    spec[name] == ':' ? strtoul(spec + name + 1, NULL, 10)
						      : SIZE_MAX);
}

static int fill_template(const struct event *e, const char *form, struct strbuf *out)
{
	while (*form) {
		size_t plain = strcspn(form, "{");
		const char *close;

		strbuf_addn(out, form, plain);
		form += plain;
		if (!*form)
			break;
		close = strchr(form, '}');
		if (!close)
			break;
		event_text_expand(e, form + 1, (size_t)(close - form - 1), out);
		form = close + 1;
	}
	return out->error;
}

/* ---- messages that depend on fields -------------------------------------- */

static int message_finish(const struct event *e, struct strbuf *out)
{
	const char *thought = event_arg(e, "thought");

	return strbuf_add(out,
			  *thought ? thought : "All done! What's next on the agenda?");
}

static int message_reject(const struct event *e, struct strbuf *out)
{
	json_object *outputs = js_get(event_args(e), "outputs");

	strbuf_add(out, "Task is rejected by the agent.");
	if (json_object_is_type(outputs, json_type_object) &&
	    json_object_object_get_ex(outputs, "reason", NULL)) {
		strbuf_add(out, " Reason: ");
		event_text_add_value(out, js_get(outputs, "reason"), SIZE_MAX);
	}
	return out->error;
}

static int message_condensation(const struct event *e, struct strbuf *out)
{
	json_object *args = event_args(e), *ids = js_get(args, "forgotten_event_ids");
	const char *summary = event_arg(e, "summary");
	int64_t first, last;

	if (*summary)
		return strbuf_addf(out, "Summary: %s", summary);
	strbuf_add(out, "Condenser is dropping the events: ");
	if (ids) {
		literal_put(out, ids);
		return strbuf_addc(out, '.');
	}
	first = js_int(args, "forgotten_events_start_id", 0);
	last = js_int(args, "forgotten_events_end_id", -1);
	strbuf_addc(out, '[');
	for (int64_t id = first, n = 0; id <= last; id++, n++) {
		if (n == MESSAGE_IDS) {
			strbuf_addf(out, ", ... %" PRId64, last);
			break;
		}
		strbuf_addf(out, "%s%" PRId64, n ? ", " : "", id);
	}
	return strbuf_add(out, "].");
}

static int message_tasks(const struct event *e, struct strbuf *out)
{
	json_object *list = js_get(event_args(e), "task_list");
	size_t count = js_length(list);

	if (count == 0)
		return strbuf_add(out, "Clearing the task list.");
	return strbuf_addf(out, "Managing %zu task item%s.", count,
			   count == 1 ? "" : "s");
}

static int message_recall(const struct event *e, struct strbuf *out)
{
	bool workspace = strcmp(event_arg(e, "recall_type"), "workspace_context") == 0;

	return strbuf_add(out, workspace ? "Added workspace context"
					 : "Added microagent knowledge");
}

int event_message(const struct event *e, struct strbuf *out)
{
	static int (*const special[EVENT_TYPE_COUNT])(const struct event *,
						      struct strbuf *) = {
		[ACTION_FINISH] = message_finish,
		[ACTION_REJECT] = message_reject,
		[ACTION_CONDENSATION] = message_condensation,
		[ACTION_TASK_TRACKING] = message_tasks,
		[OBSERVATION_RECALL] = message_recall,
	};

	if (strcmp(e->type->message, "!") != 0)
		return fill_template(e, e->type->message, out);
	return special[e->type->id] ? special[e->type->id](e, out) : out->error;
}

int event_command_text(const struct event *e, struct strbuf *out)
{
	json_object *metadata = js_get(event_args(e), "metadata");
	const char *dir = js_str(metadata, "working_dir", "");
	const char *python = js_str(metadata, "py_interpreter_path", "");
	int64_t code = js_int(metadata, "exit_code", -1);
	const char *content;
	size_t len;

	content = event_content(e, &len);
	strbuf_add(out, js_str(metadata, "prefix", ""));
	strbuf_addn(out, content, len);
	strbuf_add(out, js_str(metadata, "suffix", ""));
	if (strcmp(js_str(metadata, "result_style", ""), "brief") == 0)
		return out->error; /* the tool has written all of it */
	if (*dir)
		strbuf_addf(out, "\n[Current working directory: %s]", dir);
	if (*python)
		strbuf_addf(out, "\n[Python interpreter: %s]", python);
	if (code != -1)
		strbuf_addf(out, "\n[Command finished with exit code %" PRId64 "]", code);
	return out->error;
}
