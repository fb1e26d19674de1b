/* SPDX-License-Identifier: MIT
 *
 * js.c - accesses, changes, compares and writes json-c objects. */
#include "js.h"
#include "utf8.h"
#include <json-c/printbuf.h>
#include <math.h>
#include <string.h>

enum { TEXT_FLAGS = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE };

void js_wipe(json_object *value)
{
	if (json_object_is_type(value, json_type_string)) {
		explicit_bzero((char *)(uintptr_t)json_object_get_string(value),
			       (size_t)json_object_get_string_len(value));
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member) {
			(void)key;
			js_wipe(member);
		}
	} else {
		for (size_t i = 0; i < js_length(value); i++)
			js_wipe(json_object_array_get_idx(value, i));
	}
}

json_object *js_get(const json_object *o, const char *name)
{
	json_object *value = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, name, &value);
	return value;
}

json_object *js_path(const json_object *o, const char *path)
{
	json_object *at = NULL;

	for (;;) {
		const char *dot = strchrnul(path, '.');
		char name[256];

		if ((size_t)(dot - path) >= sizeof name)
			return NULL;
		memcpy(name, path, (size_t)(dot - path));
		name[dot - path] = '\0';
		at = js_get(o, name);
		if (!at || !*dot)
			return at;
		o = at;
		path = dot + 1;
	}
}

const char *js_str(const json_object *o, const char *name, const char *fallback)
{
	json_object *value = js_get(o, name);

	return json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : fallback;
}

/* The integer value of a JSON number. False if it is not an integer, or too large. */
static bool js_whole(json_object *value, int64_t *ret)
{
	if (json_object_is_type(value, json_type_int)) {
		*ret = json_object_get_int64(value);
		return *ret < INT64_MAX || json_object_get_uint64(value) == INT64_MAX;
	}
	if (json_object_is_type(value, json_type_double)) {
		double d = json_object_get_double(value);

		if (!(d >= -0x1p63 && d < 0x1p63) || d != floor(d))
			return false;
		*ret = (int64_t)d;
		return true;
	}
	return false;
}

int64_t js_int(const json_object *o, const char *name, int64_t fallback)
{
	int64_t n;

	return js_whole(js_get(o, name), &n) ? n : fallback;
}

static bool js_is_number(const json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static double as_double(const json_object *value)
{
	uint64_t large = json_object_is_type(value, json_type_int)
				 ? json_object_get_uint64(value)
				 : 0;

	return large > INT64_MAX ? (double)large : json_object_get_double(value);
}

double js_number(const json_object *o, const char *name, double fallback)
{
	json_object *value = js_get(o, name);

	return js_is_number(value) ? as_double(value) : fallback;
}

bool js_bool(const json_object *o, const char *name, bool fallback)
{
	json_object *value = js_get(o, name);

	return json_object_is_type(value, json_type_boolean)
		       ? json_object_get_boolean(value)
		       : fallback;
}

/* ---- objects that remember a failure ------------------------------------------ */

static char failed; /* its address marks a value that is incomplete */

/* returned if a new one cannot be allocated */
static json_object *failed_object, *failed_list;

/* json-c calls this to serialize a marked value. */
static int no_text(struct json_object *o, struct printbuf *buffer, int level, int flags)
{
	(void)o, (void)buffer, (void)level, (void)flags;
	return -1;
}

int js_fail(json_object *o)
{
	if (json_object_is_type(o, json_type_object) ||
	    json_object_is_type(o, json_type_array))
		json_object_set_serializer(o, no_text, &failed, NULL);
	return MT_ENOMEM;
}

__attribute__((constructor)) static void make_failed(void)
{
	failed_object = json_object_new_object();
	failed_list = json_object_new_array();
	js_fail(failed_object);
	js_fail(failed_list);
}

__attribute__((destructor)) static void free_failed(void)
{
	json_object_put(STEAL(failed_object));
	json_object_put(STEAL(failed_list));
}

json_object *js_new_object(void)
{
	json_object *o = json_object_new_object();

	return o ? o : json_object_get(failed_object);
}

json_object *js_new_list(void)
{
	json_object *list = json_object_new_array();

	return list ? list : json_object_get(failed_list);
}

bool js_failed(const json_object *value)
{
	return json_object_get_userdata((json_object *)value) == &failed;
}

bool js_incomplete(const json_object *value)
{
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member) {
			(void)name;
			if (js_incomplete(member))
				return true;
		}
	} else if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			if (js_incomplete(json_object_array_get_idx(value, i)))
				return true;
	}
	return js_failed(value);
}

int js_set(json_object *o, const char *name, json_object *value)
{
	int status = MT_ENOMEM;

	if (!json_object_is_type(o, json_type_object))
		status = MT_EINVAL;
	else if (js_failed(o) || js_failed(value) ||
		 json_object_object_add(o, name, value) != 0)
		status = js_fail(o);
	else
		return MT_OK;
	json_object_put(value);
	return status;
}

int js_set_new(json_object *o, const char *name, json_object *made)
{
	return made ? js_set(o, name, made) : js_fail(o);
}

int js_add(json_object *list, json_object *value)
{
	if (!list || js_failed(list))
		return MT_ENOMEM;
	if (js_failed(value) || json_object_array_add(list, value) != 0)
		return js_fail(list);
	return MT_OK;
}

int js_add_new(json_object *list, json_object *made)
{
	if (made && js_add(list, made) == 0)
		return MT_OK;
	json_object_put(made);
	return js_fail(list);
}

json_object *js_texts(const char *first, ...)
{
	AUTO(json) json_object *list = json_object_new_array();
	int status = list ? MT_OK : MT_ENOMEM;
	va_list ap;

	va_start(ap, first);
	for (const char *text = first; text && !status; text = va_arg(ap, const char *))
		status = js_add_new(list, json_object_new_string(text));
	va_end(ap);
	return status ? NULL : STEAL(list);
}

int js_set_bytes(json_object *o, const char *name, const char *bytes, size_t len)
{
	if (len > INT32_MAX)
		return js_fail(o);
	return js_set_new(o, name,
			  json_object_new_string_len(bytes ? bytes : "", (int)len));
}

int js_set_strn(json_object *o, const char *name, const char *text, size_t len)
{
	AUTO(strbuf) struct strbuf clean = STRBUF((size_t)INT32_MAX + 1);

	if (text && !utf8_valid(text, len)) {
		utf8_add_clean(&clean, text, len);
		text = clean.text;
		len = clean.len;
	}
	return clean.error ? js_fail(o) : js_set_bytes(o, name, text, len);
}

int js_set_str(json_object *o, const char *name, const char *text)
{
	return text ? js_set_strn(o, name, text, strlen(text)) : js_fail(o);
}

int js_set_int(json_object *o, const char *name, int64_t value)
{
	return js_set_new(o, name, json_object_new_int64(value));
}

int js_set_bool(json_object *o, const char *name, bool value)
{
	return js_set_new(o, name, json_object_new_boolean(value));
}

enum { NUMBER_TEXT_MAX = 40 };

/* Write the number with as few digits as possible, without loss. */
static void number_text(double value, char text[NUMBER_TEXT_MAX])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
}

json_object *js_new_number(double value)
{
	char text[NUMBER_TEXT_MAX];

	if (!isfinite(value))
		return NULL;
	number_text(value, text);
	if (!strpbrk(text, ".e"))
		snprintf(text + strlen(text), 3, ".0");
	return json_object_new_double_s(value, text);
}

int js_set_number(json_object *o, const char *name, double value)
{
	return isfinite(value) ? js_set_new(o, name, js_new_number(value))
			       : js_set(o, name, NULL);
}

/* Eight plain bytes: none is a control character, a quote, a backslash, or part of a
 * multibyte character. */
static bool plain_word(const char *text)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t w, quote, backslash;

	memcpy(&w, text, sizeof w);
	quote = w ^ (ones * '"');
	backslash = w ^ (ones * '\\');
	return !((w | (w - ones * ' ') | (quote - ones) | (backslash - ones)) & highs);
}

/* Length of the run at the start that is valid and needs no escape. */
static size_t plain_run(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		unsigned char c = (unsigned char)text[i];
		bool valid;
		size_t n;

		if (len - i >= 8 && plain_word(text + i)) {
			i += 8;
			continue;
		}
		if (c < ' ' || c == '"' || c == '\\')
			break;
		n = utf8_next(text + i, len - i, &valid);
		if (!valid)
			break;
		i += n;
	}
	return i;
}

/* Append one escape for the bytes at the start. @return their number. */
static size_t js_put_escape(struct strbuf *b, const char *text, size_t len)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	unsigned char c = (unsigned char)text[0];
	const char *at = c ? memchr(from, c, sizeof from - 1) : NULL;
	bool valid;

	if (at) {
		char pair[2] = { '\\', to[at - from] };

		strbuf_addn(b, pair, sizeof pair);
		return 1;
	}
	if (c < ' ') {
		strbuf_addf(b, "\\u%04x", c);
		return 1;
	}
	strbuf_add(b, UTF8_REPLACEMENT);
	return utf8_next(text, len, &valid);
}

int js_put_escaped(struct strbuf *b, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && !b->error) {
		size_t run = plain_run(text + i, len - i);

		strbuf_addn(b, text + i, run);
		i += run;
		if (i < len)
			i += js_put_escape(b, text + i, len - i);
	}
	return b->error;
}

int js_put_str(struct strbuf *b, const char *text, size_t len)
{
	strbuf_addc(b, '"');
	js_put_escaped(b, text, len);
	return strbuf_addc(b, '"');
}

/* ---- values, as text --------------------------------------------------------- */

/* A number or a boolean. json-c omits what its buffer cannot hold: only a long number
 * needs more than the initial size of every buffer, and if it cannot be extended, the
 * text is empty. */
static const char *scalar_text(json_object *o, size_t *ret_len)
{
	const char *text = json_object_to_json_string_length(o, TEXT_FLAGS, ret_len);

	return *ret_len ? text : NULL;
}

static void js_put_value(struct strbuf *b, json_object *o);

/* Fail for a marked value, which has no text. */
static void check_made(struct strbuf *b, const json_object *o)
{
	if (js_failed(o) && !b->error)
		b->error = MT_ENOMEM;
}

static void js_put_object(struct strbuf *b, json_object *o)
{
	bool first = true;

	check_made(b, o);
	strbuf_addc(b, '{');
	json_object_object_foreach(o, name, inner) {
		if (!first)
			strbuf_addc(b, ',');
		first = false;
		js_put_str(b, name, strlen(name));
		strbuf_addc(b, ':');
		js_put_value(b, inner);
	}
	strbuf_addc(b, '}');
}

static void put_array(struct strbuf *b, json_object *o)
{
	size_t n = json_object_array_length(o);

	check_made(b, o);
	strbuf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_addc(b, ',');
		js_put_value(b, json_object_array_get_idx(o, i));
	}
	strbuf_addc(b, ']');
}

static void js_put_value(struct strbuf *b, json_object *o)
{
	size_t len = 0;
	const char *text;

	if (json_object_is_type(o, json_type_object)) {
		js_put_object(b, o);
	} else if (json_object_is_type(o, json_type_array)) {
		put_array(b, o);
	} else if (json_object_is_type(o, json_type_string)) {
		js_put_str(b, json_object_get_string(o),
			   (size_t)json_object_get_string_len(o));
	} else {
		text = scalar_text(o, &len);
		if (text)
			strbuf_addn(b, text, len);
		else if (!b->error)
			b->error = MT_ENOMEM;
	}
}

int js_put(struct strbuf *b, json_object *value)
{
	size_t before = b->len;

	js_put_value(b, value);
	if (b->error && b->len > before)
		strbuf_cut(b, before);
	return b->error;
}

/* The whole text into the object's own buffer, at once. */
static int js_put_whole(struct json_object *o, struct printbuf *buffer, int level,
			int flags)
{
	const struct strbuf *whole = json_object_get_userdata(o);

	(void)level, (void)flags;
	return printbuf_memappend(buffer, whole->text, (int)whole->len) < 0 ? -1 : 0;
}

/* json-c's writer does not check whether its buffer was extended: it omits members. */
const char *js_text(json_object *o, size_t *ret_len)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(INT32_MAX);
	const char *text = NULL;
	size_t len = 0;

	if (!json_object_is_type(o, json_type_object) &&
	    !json_object_is_type(o, json_type_array) &&
	    !json_object_is_type(o, json_type_string)) {
		text = scalar_text(o, &len);
	} else if (!js_put(&whole, o)) {
		json_object_set_serializer(o, js_put_whole, &whole, NULL);
		text = json_object_to_json_string_length(o, TEXT_FLAGS, &len);
		json_object_set_serializer(o, NULL, NULL, NULL);
	}
	if (ret_len)
		*ret_len = text ? len : 0;
	return text;
}

int js_item(struct strbuf *b)
{
	char last = b->len > 0 ? b->text[b->len - 1] : '{';

	return last != '{' && last != '[' ? strbuf_addc(b, ',') : b->error;
}

int js_key(struct strbuf *b, const char *name)
{
	js_item(b);
	js_put_str(b, name, strlen(name));
	return strbuf_addc(b, ':');
}

int js_key_strn(struct strbuf *b, const char *name, const char *text, size_t len)
{
	js_key(b, name);
	return js_put_str(b, text, len);
}

int js_key_str(struct strbuf *b, const char *name, const char *text)
{
	return js_key_strn(b, name, text, strlen(text));
}

int js_key_int(struct strbuf *b, const char *name, int64_t value)
{
	js_key(b, name);
	return strbuf_addf(b, "%lld", (long long)value);
}

int js_key_number(struct strbuf *b, const char *name, double value)
{
	char text[NUMBER_TEXT_MAX];

	number_text(value, text);
	js_key(b, name);
	return strbuf_add(b, text);
}

int js_key_bool(struct strbuf *b, const char *name, bool value)
{
	js_key(b, name);
	return strbuf_add(b, value ? "true" : "false");
}

static bool same_number(json_object *a, json_object *b)
{
	bool ints = json_object_is_type(a, json_type_int) &&
		    json_object_is_type(b, json_type_int);
	int64_t na, nb;

	if (ints)
		return json_object_get_int64(a) == json_object_get_int64(b) &&
		       json_object_get_uint64(a) == json_object_get_uint64(b);
	if (js_whole(a, &na) && js_whole(b, &nb))
		return na == nb;
	return as_double(a) == as_double(b);
}

static bool same_object(json_object *a, json_object *b)
{
	if (json_object_object_length(a) != json_object_object_length(b))
		return false;
	json_object_object_foreach(a, name, value) {
		json_object *other;

		if (!json_object_object_get_ex(b, name, &other) ||
		    !js_equal(value, other))
			return false;
	}
	return true;
}

static bool same_array(json_object *a, json_object *b)
{
	size_t n = json_object_array_length(a);

	if (n != json_object_array_length(b))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!js_equal(json_object_array_get_idx(a, i),
			      json_object_array_get_idx(b, i)))
			return false;
	return true;
}

bool js_equal(json_object *a, json_object *b)
{
	if (a == b)
		return true;
	if (js_is_number(a) && js_is_number(b))
		return same_number(a, b);
	if (json_object_get_type(a) != json_object_get_type(b))
		return false;
	if (json_object_is_type(a, json_type_object))
		return same_object(a, b);
	if (json_object_is_type(a, json_type_array))
		return same_array(a, b);
	return json_object_equal(a, b);
}
