/* SPDX-License-Identifier: MIT
 *
 * mask.c - replaces secret values in texts: the leftmost match, and of those the longest.
 *
 * One scan handles whole texts and pieces, so that both give the same result. A table of
 * byte pairs contains the positions at which a form can start, so that text without
 * secrets costs one lookup per byte. */
#include "mask.h"
#include "array.h"
#include "mask-forms.h"
#include <string.h>
#include <strings.h>

enum { PLACEHOLDER_MAX = 40 };

struct mask {
	struct form *starts[256]; /* forms, by their first byte */
	unsigned char pairs[65536 / 8];
	char **secrets;           /* values that are masked or refused; each is
				   * reported once */
	size_t count;
	bool hides;
};

struct mask *mask_new(void)
{
	return calloc(1, sizeof(struct mask));
}

static struct form **link_of(struct form *f, unsigned char first)
{
	return &f->next[f->firsts[0] == first ? 0 : 1];
}

/* A form is in one or two lists: it is freed with the first of them. */
static void free_forms(struct mask *m)
{
	for (size_t b = 0; b < 256; b++)
		while (m->starts[b]) {
			struct form *f = m->starts[b];

			m->starts[b] = *link_of(f, (unsigned char)b);
			for (struct form **at = &m->starts[f->firsts[1]]; *at;)
				if (*at == f)
					*at = *link_of(f, f->firsts[1]);
				else
					at = link_of(*at, f->firsts[1]);
			form_free(f);
		}
}

struct mask *mask_free(struct mask *m)
{
	if (!m)
		return NULL;
	free_forms(m);
	for (size_t i = 0; i < m->count; i++) {
		explicit_bzero(m->secrets[i], strlen(m->secrets[i]));
		free(m->secrets[i]);
	}
	free(m->secrets);
	free(m);
	return NULL;
}

/* ---- what is not hidden ------------------------------------------------------ */

/* The same character repeated, as in sk-xxxx-xxxx. */
static bool mask_is_repeated(const char *text, size_t len)
{
	size_t at = len > 3 && strncasecmp(text, "sk-", 3) == 0 ? 3 : 0;
	char first = text[at];

	while (at < len && (text[at] == first || text[at] == '-'))
		at++;
	return at == len;
}

bool mask_is_placeholder(const char *secret, size_t len)
{
	static const char *const known[] = {
		"123456", "1234567", "12345678", "123456789", "1234567890", "abc123",
		"anything", "api-key", "apikey", "changeme", "change-me", "dummy",
		"dummy-api-key", "dummy-key", "dummykey", "empty", "example", "fake",
		"fake-api-key", "fake-key", "fakekey", "foo", "foobar", "insert-your-api-key",
		"key", "lm-studio", "lmstudio", "no-api-key", "no-key", "no-key-needed",
		"no-key-required", "none", "not-needed", "not-required", "not-used",
		"notneeded", "null", "ollama", "openai-api-key", "placeholder", "replace-me",
		"secret", "test", "test-api-key", "test-key", "testing", "testkey", "todo",
		"undefined", "unused", "whatever", "your-api-key", "your-api-key-here",
		"your-key", "your-key-here", "your-openai-api-key", "your-secret", "your-token",
	};
	char text[PLACEHOLDER_MAX + 1];
	size_t n = 0;

	if (mask_is_repeated(secret, len) ||
	    memmem(MASK_TEXT, strlen(MASK_TEXT), secret, len))
		return true;
	for (size_t i = 0; i < len; i++)
		if (!strchr("<>[]{}$\"'", secret[i]) || !secret[i]) {
			if (n == PLACEHOLDER_MAX)
				return false;
			text[n++] =
				secret[i] == '_' || secret[i] == ' ' ? '-' : secret[i];
		}
	text[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcasecmp(text, known[i]) == 0 ||
		    (strncasecmp(text, "sk-", 3) == 0 &&
		     strcasecmp(text + 3, known[i]) == 0))
			return true;
	return false;
}

/* ---- adding ------------------------------------------------------------------ */

static void set_pairs(struct mask *m, const struct form *f)
{
	for (size_t i = 0; i < FORM_FIRSTS; i++)
		for (unsigned b = 0; b < 256; b++)
			if (form_is_second(f, (unsigned char)b)) {
				unsigned pair = (unsigned)f->firsts[i] << 8 | b;

				m->pairs[pair / 8] |= (unsigned char)(1u << pair % 8);
			}
}

static void add_form(struct mask *m, struct form *f)
{
	set_pairs(m, f);
	for (size_t i = 0; i < FORM_FIRSTS; i++) {
		if (i && f->firsts[i] == f->firsts[0])
			continue;
		f->next[i] = m->starts[f->firsts[i]];
		m->starts[f->firsts[i]] = f;
	}
	m->hides = true;
}

static bool mask_is_known(const struct mask *m, const char *secret, size_t len)
{
	for (size_t i = 0; i < m->count; i++)
		if (strlen(m->secrets[i]) == len &&
		    memcmp(m->secrets[i], secret, len) == 0)
			return true;
	return false;
}

static int mask_remember(struct mask *m, const char *secret, size_t len)
{
	int status = ARRAY_ADD(m->secrets, m->count, ARRAY_MAX);

	if (status)
		return status;
	m->secrets[m->count] = strndup(secret, len);
	return m->secrets[m->count] ? (m->count++, MT_OK) : MT_ENOMEM;
}

int mask_add(struct mask *m, const char *secret, size_t len)
{
	struct form *forms[FORMS_OF_SECRET];
	bool refused = len < MASK_MIN || mask_is_placeholder(secret, len);

	if (len == 0 || mask_is_known(m, secret, len))
		return MT_OK;
	if (refused)
		return mask_remember(m, secret, len) ? MT_ENOMEM : MT_EINVAL;
	if (forms_make(secret, len, forms))
		return MT_ENOMEM;
	if (mask_remember(m, secret, len)) {
		for (size_t i = 0; i < FORMS_OF_SECRET; i++)
			form_free(forms[i]);
		return MT_ENOMEM;
	}
	for (size_t i = 0; i < FORMS_OF_SECRET; i++)
		add_form(m, forms[i]);
	return MT_OK;
}

bool mask_is_empty(const struct mask *m)
{
	return !m || !m->hides;
}

/* ---- scanning ---------------------------------------------------------------- */

/* Length of the longest secret at the start of `text`, 0 for none. `*ret_open`: the
 * text ends before this is decided. */
static size_t mask_match(const struct mask *m, const char *text, size_t len, bool more,
			 bool *ret_open)
{
	unsigned char starts[FORM_STARTS];
	size_t count, best = 0;

	*ret_open = false;
	count = form_starts(text, len, more, starts, ret_open);
	for (size_t i = 0; i < count; i++)
		for (struct form *f = m->starts[starts[i]]; f;
		     f = *link_of(f, starts[i])) {
			size_t n = form_match(f, text, len, more, ret_open);

			if (n > best)
				best = n;
		}
	return best;
}

static bool may_begin(const struct mask *m, const char *text, size_t len)
{
	unsigned char first = (unsigned char)*text;
	unsigned pair;

	if (first == '%' || first == '+' || first == '\r')
		return true;
	if (len == 1)
		return m->starts[first];
	pair = (unsigned)first << 8 | (unsigned char)text[1];
	return m->pairs[pair / 8] >> pair % 8 & 1;
}

/* Append the masked text. With `more` to come, stop where a secret may have begun.
 * @return the number of bytes processed. */
static size_t scan(const struct mask *m, struct strbuf *out, const char *text, size_t len,
		   bool more)
{
	size_t start = 0, i = 0;

	while (i < len) {
		size_t run = 0, n;
		bool open;

		if (text[i] == '\\') {
			run = form_run(text + i, len - i);
			if (run > FORM_RUN_MAX) {
				i += run - FORM_RUN_MAX;
				run = FORM_RUN_MAX;
			}
		} else if (!may_begin(m, text + i, len - i)) {
			i++;
			continue;
		}
		n = mask_match(m, text + i, len - i, more, &open);
		if (open && more)
			break;
		if (n == 0) {
			i += run ? run : 1;
			continue;
		}
		strbuf_addn(out, text + start, i - start);
		strbuf_add(out, MASK_TEXT);
		i += n;
		start = i;
	}
	strbuf_addn(out, text + start, i - start);
	return i;
}

int mask_put(const struct mask *m, struct strbuf *out, const char *text, size_t len)
{
	if (mask_is_empty(m))
		return strbuf_addn(out, text, len);
	scan(m, out, text, len, false);
	return out->error;
}

/* Length of the end of a secret at the start of the text; 0: none. */
static size_t match_rest(const struct mask *m, const char *text, size_t len)
{
	size_t best = 0;

	for (size_t i = 0; i < m->count; i++) {
		const char *secret = m->secrets[i];
		size_t whole = strlen(secret);

		for (size_t n = whole; n-- > MASK_MIN && 4 * n >= whole && n > best;)
			if (n <= len && !mask_is_placeholder(secret, whole) &&
			    memcmp(secret + whole - n, text, n) == 0)
				best = n;
	}
	return best;
}

const char *mask_text(const struct mask *m, const char *text, struct strbuf *ret)
{
	return mask_put(m, ret, text, strlen(text)) ? "(out of memory)" : ret->text;
}

int mask_put_rest(const struct mask *m, struct strbuf *out, const char *text, size_t len)
{
	size_t n = mask_is_empty(m) ? 0 : match_rest(m, text, len);

	if (n)
		strbuf_add(out, MASK_TEXT);
	return mask_put(m, out, text + n, len - n);
}

/* The masked text, or NULL: it contains no secret. */
static int mask_bytes(const struct mask *m, const char *text, size_t len,
		      struct strbuf *out, bool *ret_changed)
{
	*ret_changed = false;
	if (len < MASK_MIN)
		return MT_OK;
	if (mask_put(m, out, text, len))
		return out->error;
	*ret_changed = out->len != len || memcmp(out->text, text, len) != 0;
	return out->len > INT32_MAX ? MT_ENOMEM : MT_OK;
}

static int mask_string(const struct mask *m, json_object *value, bool *changed)
{
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);
	bool found;
	int status = mask_bytes(m, json_object_get_string(value),
				(size_t)json_object_get_string_len(value), &out, &found);

	if (status || !found)
		return status;
	*changed = true;
	return json_object_set_string_len(value, out.text, (int)out.len) ? MT_OK
									 : MT_ENOMEM;
}

/* Rename a member whose name contains a secret. */
static int mask_name(const struct mask *m, json_object *object, bool *changed)
{
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);

	json_object_object_foreach(object, name, member) {
		bool found;
		int status = mask_bytes(m, name, strlen(name), &out, &found);
		json_object *kept;

		if (status)
			return status;
		if (!found) {
			strbuf_reset(&out);
			continue;
		}
		*changed = true;
		kept = json_object_get(member);
		json_object_object_del(object, name);
		return js_set(object, out.text, kept) ? MT_ENOMEM : 1;
	}
	return MT_OK;
}

static bool is_skipped(const char *name, const char *const *skip)
{
	for (; skip && *skip; skip++)
		if (strcmp(name, *skip) == 0)
			return true;
	return false;
}

static int mask_members(const struct mask *m, json_object *value, const char *const *skip,
			bool *changed)
{
	int left = json_object_object_length(value), status = MT_OK;

	while (left-- > 0 && (status = mask_name(m, value, changed)) == 1)
		status = MT_OK;
	json_object_object_foreach(value, name, member)
		if (!status && !is_skipped(name, skip))
			status = mask_json(m, member, NULL, changed);
	return status;
}

int mask_json(const struct mask *m, json_object *value, const char *const *skip,
	      bool *ret_changed)
{
	bool ignored, *changed = ret_changed ? ret_changed : &ignored;
	int status = MT_OK;

	if (mask_is_empty(m))
		return MT_OK;
	if (json_object_is_type(value, json_type_string))
		return mask_string(m, value, changed);
	if (json_object_is_type(value, json_type_object))
		return mask_members(m, value, skip, changed);
	if (json_object_is_type(value, json_type_array)) {
		size_t n = json_object_array_length(value);

		for (size_t i = 0; i < n && !status; i++)
			status = mask_json(m, json_object_array_get_idx(value, i), NULL,
					   changed);
	}
	return status;
}

void mask_stream_init(struct mask_stream *s, const struct mask *m)
{
	*s = (struct mask_stream){ .mask = m, .held = STRBUF(SIZE_MAX / 2) };
}

int mask_stream_feed(struct mask_stream *s, struct strbuf *out, const char *bytes,
		     size_t len)
{
	size_t used;

	if (mask_is_empty(s->mask))
		return strbuf_addn(out, bytes, len);
	if (s->held.error) /* a piece was lost: the next may continue it */
		return s->held.error;
	if (s->held.len > 0) {
		if (strbuf_addn(&s->held, bytes, len))
			return s->held.error;
		used = scan(s->mask, out, s->held.text, s->held.len, true);
		strbuf_consume(&s->held, used);
		return out->error;
	}
	used = scan(s->mask, out, bytes, len, true);
	if (strbuf_addn(&s->held, bytes + used, len - used))
		return s->held.error;
	return out->error;
}

int mask_stream_end(struct mask_stream *s, struct strbuf *out)
{
	int status = mask_put(s->mask, out, s->held.text, s->held.len);

	strbuf_reset(&s->held);
	return status;
}

int mask_stream_put(struct mask_stream *s, struct strbuf *out, const char *bytes,
		    size_t len, bool last)
{
	int status = mask_stream_feed(s, out, bytes, len);

	if (last)
		mask_stream_end(s, out);
	return status ? status : out->error;
}

void mask_stream_clear(struct mask_stream *s)
{
	strbuf_clear(&s->held);
}
