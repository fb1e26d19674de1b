/* SPDX-License-Identifier: MIT
 *
 * script-writer.c - writes replies as the file of a scripted model.
 *
 * Arguments are written as `key = value` lines if the reader restores exactly the same
 * bytes from them, otherwise verbatim, with @args. */
#include "request/script-writer.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { MAX_SCRIPT = 256 << 20 };

/* True if `key = value` keeps the bytes. */
static bool fits_line(const char *text, size_t len)
{
	if (len && (text[0] == ' ' || text[len - 1] == ' '))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	return true;
}

/* True if a line of the text is `word`, so that it would end the block. */
static bool script_writer_has_line(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text, *end = text + len; at <= end;) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		size_t line = (size_t)((nl ? nl : end) - at);

		if (line && at[line - 1] == '\r')
			line--;
		if (line == n && memcmp(at, word, n) == 0)
			return true;
		if (!nl)
			return false;
		at = nl + 1;
	}
	return false;
}

static int script_put_value(struct strbuf *out, const char *key, size_t key_len,
			    const char *text, size_t len)
{
	char word[32] = "END";

	strbuf_addn(out, key, key_len);
	if (fits_line(text, len)) {
		strbuf_add(out, len ? " = " : " =");
		strbuf_addn(out, text, len);
		return strbuf_addc(out, '\n');
	}
	for (unsigned n = 2; script_writer_has_line(text, len, word); n++)
		snprintf(word, sizeof word, "END%u", n);
	strbuf_addf(out, " <<%s\n", word);
	strbuf_addn(out, text, len);
	return strbuf_addf(out, "\n%s\n", word);
}

static int script_put_text(struct strbuf *out, const char *key, const char *text,
			   size_t len)
{
	return len ? script_put_value(out, key, strlen(key), text, len) : MT_OK;
}

static bool is_key(const char *text)
{
	if (!isalnum((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_-.", *text))
			return false;
	return true;
}

/* Write one argument as a line, and as JSON in the form that the reader produces. */
static bool script_put_argument(struct strbuf *lines, struct strbuf *json,
				const char *key, json_object *value)
{
	size_t len;
	const char *text;

	if (!is_key(key))
		return false;
	js_put_str(json, key, strlen(key));
	strbuf_addc(json, ':');
	if (json_object_is_type(value, json_type_string)) {
		text = json_object_get_string(value);
		len = (size_t)json_object_get_string_len(value);
		js_put_str(json, text, len);
		return script_put_value(lines, key, strlen(key), text, len) == MT_OK;
	}
	text = js_text(value, &len);
	if (!text)
		return false;
	strbuf_addn(json, text, len);
	strbuf_addf(lines, "%s := ", key);
	strbuf_addn(lines, text, len);
	return strbuf_addc(lines, '\n') == MT_OK;
}

/* Write the arguments as lines, if that is lossless. */
static bool script_put_lines(struct strbuf *out, const struct llm_call *c)
{
	AUTO(json) json_object *args = js_parse_object(c->args, c->args_len, NULL);
	AUTO(strbuf) struct strbuf lines = STRBUF(MAX_SCRIPT), json = STRBUF(MAX_SCRIPT);

	if (!args)
		return false;
	strbuf_addc(&json, '{');
	json_object_object_foreach(args, key, value) {
		if (json.len > 1)
			strbuf_addc(&json, ',');
		if (!script_put_argument(&lines, &json, key, value))
			return false;
	}
	if (strbuf_addc(&json, '}') || lines.error || json.len != c->args_len ||
	    memcmp(json.text, c->args, json.len) != 0)
		return false;
	return strbuf_addn(out, lines.text, lines.len) == MT_OK;
}

/* True if [call NAME] preserves the name. */
static bool is_script_name(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_-.:/", *text))
			return false;
	return true;
}

static int script_writer_put_call(struct strbuf *out, const struct llm_call *c)
{
	static const char name[] = "@name", args[] = "@args";

	if (is_script_name(c->name)) {
		strbuf_addf(out, "\n[call %s]\n", c->name);
	} else {
		strbuf_add(out, "\n[call]\n");
		script_put_value(out, name, sizeof name - 1, c->name, strlen(c->name));
	}
	if (!script_put_lines(out, c))
		script_put_value(out, args, sizeof args - 1, c->args, c->args_len);
	return out->error;
}

static void script_put_count(struct strbuf *items, const char *name, int64_t n)
{
	if (n >= 0)
		strbuf_addf(items, "%s%s %" PRId64, items->len ? ", " : "", name, n);
}

static int script_put_usage(struct strbuf *out, const struct llm_usage *u)
{
	AUTO(strbuf) struct strbuf items = STRBUF(1024);
	AUTO(json) json_object *cost = js_new_number(u->cost);

	script_put_count(&items, "input", u->input);
	script_put_count(&items, "output", u->output);
	script_put_count(&items, "cache_read", u->cache_read);
	script_put_count(&items, "cache_write", u->cache_write);
	script_put_count(&items, "reasoning", u->reasoning);
	if (u->cost >= 0 && cost) {
		strbuf_add(&items, items.len ? ", cost " : "cost ");
		js_put(&items, cost);
	}
	return items.len ? strbuf_addf(out, "usage = %s\n", items.text) : MT_OK;
}

int script_write_reply(struct strbuf *out, const struct llm_reply *r)
{
	const char *usual = r->call_count ? "tool_calls" : "stop";

	strbuf_add(out, out->len ? "\n[turn]\n" : "[turn]\n");
	script_put_text(out, "reasoning", r->reasoning, strlen(r->reasoning));
	script_put_text(out, "text", r->text, r->text_len);
	if (r->opaque)
		script_put_text(out, "opaque", r->opaque, strlen(r->opaque));
	if (strcmp(r->stop_reason, usual) != 0)
		script_put_text(out, "stop", r->stop_reason, strlen(r->stop_reason));
	script_put_usage(out, &r->usage);
	for (size_t i = 0; i < r->call_count; i++)
		if (script_writer_put_call(out, &r->calls[i]))
			return out->error;
	return out->error;
}
