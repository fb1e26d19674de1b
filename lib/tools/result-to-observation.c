/* SPDX-License-Identifier: MIT
 *
 * result-to-observation.c - converts the result of a call to an observation for the
 * log. */
#include "events/evlog.h"
#include "log.h"
#include "runner-client/runner-connection.h"
#include "schema.h"
#include "tools/calls.h"
#include "tools/secret-requests.h"

/* Copy fields that the tool did not set from fields of the action with the same name:
 * command, path, name, arguments. */
static void inherit(json_object *extras, const struct event_type *type,
		    const struct event *action)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const char *name = type->fields[i].name;
		json_object *value = js_get(event_args(action), name);

		if (value && !js_get(extras, name))
			js_set(extras, name, json_object_get(value));
	}
}

/* Store the media of a result as blobs of the log. */
static int keep_media(struct evlog *log, json_object *extras,
		      const struct runner_result *result, struct error *err)
{
	json_object *list = result->media_count ? js_new_list() : NULL;

	for (size_t i = 0; i < result->media_count; i++) {
		json_object *o = js_new_object();
		char name[65];
		int r = evlog_blob(log, result->media[i].bytes, result->media[i].len,
				   name, err);

		if (r) {
			json_object_put(o);
			json_object_put(list);
			return r;
		}
		js_set_str(o, "mime", result->media[i].mime);
		js_set_str(o, "blob", name);
		js_add_new(list, o);
	}
	return list ? js_set(extras, "media", list) : MT_OK;
}

void result_check_structured(const struct tool *tool, json_object *fields)
{
	json_object *value = js_get(fields, "structured");
	struct error why = ERROR_NONE;

	if (!value || !tool->output_schema ||
	    schema_check(tool->output_schema, value, &why) == MT_OK)
		return;
	log_line(MT_LOG_WARNING, tool->name,
		 "the structured result does not match the output schema: %s", why.text);
	json_object_object_del(fields, "structured");
}

/* The text of a result, the reason if it failed, and the limit that it reached. Secrets are masked before the text
 * is truncated, because truncation could split a secret. */
static int result_text(const struct runner_result *result, const struct mask *mask,
		       struct strbuf *ret, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(64 << 20);

	strbuf_addn(&text, result->text, result->text_len);
	if (result->status && result->error)
		strbuf_addf(&text, "%s%s",
			    text.len && text.text[text.len - 1] != '\n' ? "\n" : "",
			    result->error);
	else if (result->limit_text)
		strbuf_addf(&text, "%s[%s]",
			    text.len && text.text[text.len - 1] != '\n' ? "\n" : "",
			    result->limit_text);
	if (text.error)
		return fail_code(err, text.error);
	if (!secret_mask_result(mask, text.text, text.len, ret))
		return MT_OK;
	return ret->error == MT_ENOMEM ? out_of_memory(err)
				       : fail(err, ret->error, "the result is too large");
}

static const struct event_type *result_type(const struct tool *tool,
					    const struct event *action,
					    const struct runner_result *result)
{
	const struct event_type *type =
		event_type_find(false, call_observation(tool, action));

	if (!type)
		return event_type_find(false, "tool");
	if (type->id == OBSERVATION_WRITE && result->status)
		return event_type_find(false, "error"); /* `write` implies success */
	return type;
}

/* `extras`: with the fields that the tool gave; consumed. */
static struct event *result_event(const struct tool *tool, const struct event *action,
				  const struct runner_result *result,
				  const struct strbuf *text, json_object *extras,
				  struct evlog *log, struct error *err)
{
	const struct event_type *type = result_type(tool, action, result);

	json_object_object_del(extras, "hidden"); /* each call has a result */
	json_object_object_del(extras, "media");  /* of reply_media alone */
	inherit(extras, type, action);
	if (action->type->id ==
	    ACTION_BROWSE) /* the tool knows only the converted call */
		js_set_str(extras, "trigger_by_action", action->type->name);
	if (keep_media(log, extras, result, err)) {
		json_object_put(extras);
		return NULL;
	}
	if (result->status && type->id != OBSERVATION_ERROR)
		js_set_bool(extras, "is_error", true);
	if (type->id == OBSERVATION_TOOL && !js_get(extras, "name"))
		js_set_str(extras, "name", tool->name);
	return event_observation(type->name, action->source, action->id, text->text,
				 text->len, extras, err);
}

struct event *result_to_observation(const struct tool *tool, const struct event *action,
				    const struct runner_result *result,
				    const struct mask *mask, struct evlog *log,
				    struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(128 << 20);
	struct error why = ERROR_NONE;
	struct event *e;

	if (result_text(result, mask, &text, err))
		return NULL;
	if (!result->fields)
		return result_event(tool, action, result, &text, js_new_object(), log,
				    err);
	result_check_structured(tool, result->fields);
	e = result_event(tool, action, result, &text, json_object_get(result->fields),
			 log, &why);
	if (e)
		return e;
	if (why.code != MT_EINVAL) {
		fail(err, why.code, "%s", why.text);
		return NULL;
	}
	log_line(MT_LOG_WARNING, tool->name, "the fields of its result are omitted: %s",
		 why.text);
	return result_event(tool, action, result, &text, js_new_object(), log, err);
}
