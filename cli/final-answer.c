/* SPDX-License-Identifier: MIT
 *
 * final-answer.c - stores the final message, validates it against a schema and writes
 * it. */
#include "final-answer.h"

#include "files.h"
#include "schema.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { ANSWER_BYTES_MAX = 64 << 20, SCHEMA_BYTES_MAX = 1 << 20 };

void final_answer_init(struct final_answer *a)
{
	*a = (struct final_answer){ .text = STRBUF(ANSWER_BYTES_MAX), .fd = -1 };
}

void final_answer_clear(struct final_answer *a)
{
	strbuf_clear(&a->text);
	json_object_put(a->schema);
	auto_close(&a->fd);
	a->schema = NULL;
	a->fd = -1;
}

int final_answer_open(struct final_answer *a, const char *path, struct error *err)
{
	if (!*path)
		return fail(err, MT_EINVAL, "--output: the file name is empty");
	a->path = path;
	a->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	return a->fd >= 0 ? MT_OK
			  : fail(err, MT_EIO, "--output: cannot write %s: %s", path,
				 strerror(errno));
}

int final_answer_schema(struct final_answer *a, const char *path, struct error *err)
{
	AUTO(free) char *text = NULL;
	struct error why = ERROR_NONE;
	size_t len = 0;
	int r = file_read(path, SCHEMA_BYTES_MAX, &text, &len, &why);

	if (r)
		return fail(err, r, "--json-schema: %s", why.text);
	a->schema = js_parse(text, len, &why);
	if (!a->schema)
		return fail(err, MT_EINVAL, "--json-schema %s: %s", path, why.text);
	r = schema_valid_value(a->schema, &why);
	return r ? fail(err, r, "--json-schema %s: %s", path, why.text) : MT_OK;
}

char *final_answer_rule(const struct final_answer *a)
{
	AUTO(strbuf) struct strbuf out = STRBUF(SCHEMA_BYTES_MAX * 2);

	if (!a->schema)
		return NULL;
	strbuf_add(&out, "\n\nYour final answer must be a single JSON value that matches "
			 "this JSON Schema, with no text before or after it:\n");
	js_put(&out, a->schema);
	return out.error ? NULL : strbuf_take(&out);
}

void final_answer_event(struct final_answer *a, const struct event *e)
{
	const char *text = "";

	if (!e->is_action || e->source != SOURCE_AGENT)
		return;
	if (e->type->id == ACTION_MESSAGE)
		text = event_arg(e, "content");
	else if (e->type->id == ACTION_FINISH)
		text = event_arg(e, "final_thought");
	if (!*text && e->type->id == ACTION_FINISH)
		text = event_arg(e, "thought");
	if (!*text)
		return;
	strbuf_reset(&a->text);
	strbuf_add(&a->text, text);
}

/* Models often enclose JSON in ```json and ```. */
static void remove_fence(struct strbuf *text)
{
	static const char white[] = " \t\r\n";
	size_t skip = strspn(text->text, white);
	const char *end;

	if (strncmp(text->text + skip, "```", 3) == 0 &&
	    (end = strchr(text->text + skip, '\n')))
		skip = (size_t)(end + 1 - text->text);
	strbuf_consume(text, skip);
	while (text->len && strchr(white, text->text[text->len - 1]))
		strbuf_cut(text, text->len - 1);
	if (skip && text->len >= 3 && strcmp(text->text + text->len - 3, "```") == 0)
		strbuf_cut(text, text->len - 3);
	while (text->len && strchr(white, text->text[text->len - 1]))
		strbuf_cut(text, text->len - 1);
}

int final_answer_check(struct final_answer *a, struct error *err)
{
	AUTO(json) json_object *value = NULL;
	struct error why = ERROR_NONE;

	if (!a->schema)
		return MT_OK;
	if (a->text.len)
		remove_fence(&a->text);
	if (!a->text.len)
		return fail(err, MT_EINVAL, "no answer was given");
	value = js_parse(a->text.text, a->text.len, &why);
	if (!value && why.code)
		return fail(err, MT_EINVAL, "%s", why.text);
	if (schema_check(a->schema, value, &why))
		return fail(err, MT_EINVAL, "does not match the schema: %s", why.text);
	return MT_OK;
}

int final_answer_write(struct final_answer *a, struct error *err)
{
	struct stat st;

	if (a->fd < 0)
		return MT_OK;
	if (fstat(a->fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(a->fd, 0) < 0)
		return fail(err, MT_EIO, "--output %s: %s", a->path, strerror(errno));
	if (a->text.len && a->text.text[a->text.len - 1] != '\n')
		strbuf_addc(&a->text, '\n');
	if (a->text.len && file_write_all(a->fd, a->text.text, a->text.len))
		return fail(err, MT_EIO, "--output: cannot write %s: %s", a->path,
			    strerror(errno));
	return MT_OK;
}
