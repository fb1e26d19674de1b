/* SPDX-License-Identifier: MIT
 *
 * mask.c - hiding secret values: leftmost first, the longest of those.
 *
 * One scan serves whole texts and pieces, so that both give the same result. */
#include "mask.h"
#include <string.h>

struct secret {
	char *text;
	size_t len;
};

struct mask {
	struct secret *secrets; /* longest first */
	size_t count;
	bool first[256];        /* a secret starts with this byte */
};

struct mask *mask_new(void)
{
	return calloc(1, sizeof(struct mask));
}

struct mask *mask_free(struct mask *m)
{
	if (!m)
		return NULL;
	for (size_t i = 0; i < m->count; i++) {
		explicit_bzero(m->secrets[i].text, m->secrets[i].len);
		free(m->secrets[i].text);
	}
	free(m->secrets);
	free(m);
	return NULL;
}

int mask_add(struct mask *m, const char *secret, size_t len)
{
	size_t at = 0;

	if (len < MASK_MIN)
		return MT_OK;
	for (; at < m->count && m->secrets[at].len >= len; at++)
		if (m->secrets[at].len == len &&
		    memcmp(m->secrets[at].text, secret, len) == 0)
			return MT_OK;

	struct secret *grown = realloc(m->secrets, (m->count + 1) * sizeof *grown);

	if (!grown)
		return MT_ENOMEM;
	m->secrets = grown;

	char *copy = malloc(len);

	if (!copy)
		return MT_ENOMEM;
	memcpy(copy, secret, len);
	memmove(grown + at + 1, grown + at, (m->count - at) * sizeof *grown);
	grown[at] = (struct secret){ copy, len };
	m->count++;
	m->first[(unsigned char)secret[0]] = true;
	return MT_OK;
}

bool mask_is_empty(const struct mask *m)
{
	return !m || m->count == 0;
}

/* Length of the secret that `text` starts with, 0 for none. `*ret_open`: the
 * text ends before that is decided. */
static size_t match(const struct mask *m, const char *text, size_t len, bool *ret_open)
{
	*ret_open = false;
	for (size_t i = 0; i < m->count; i++) {
		const struct secret *s = &m->secrets[i];
		size_t n = s->len < len ? s->len : len;

		if (memcmp(s->text, text, n) != 0)
			continue;
		if (n == s->len)
			return n;
		*ret_open = true;
	}
	return 0;
}

/* Put the masked text out. With `more` to come, stop where a secret may have
 * begun. @return how many bytes were dealt with. */
static size_t scan(const struct mask *m, struct strbuf *out, const char *text,
		   size_t len, bool more)
{
	size_t start = 0, i = 0;

	while (i < len) {
		size_t n;
		bool open;

		if (!m->first[(unsigned char)text[i]]) {
			i++;
			continue;
		}
		n = match(m, text + i, len - i, &open);
		if (open && more)
			break;
		if (n == 0) {
			i++;
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

static int mask_string(const struct mask *m, json_object *value)
{
	const char *text = json_object_get_string(value);
	size_t len = (size_t)json_object_get_string_len(value);
	AUTO(strbuf) struct strbuf out = STRBUF(SIZE_MAX / 2);

	if (mask_put(m, &out, text, len))
		return out.error;
	if (out.len == len && memcmp(out.text, text, len) == 0)
		return MT_OK;
	if (out.len > INT32_MAX ||
	    !json_object_set_string_len(value, out.text, (int)out.len))
		return MT_ENOMEM;
	return MT_OK;
}

static bool is_skipped(const char *name, const char *const *skip)
{
	for (; skip && *skip; skip++)
		if (strcmp(name, *skip) == 0)
			return true;
	return false;
}

int mask_json(const struct mask *m, json_object *value, const char *const *skip)
{
	int status = MT_OK;

	if (mask_is_empty(m))
		return MT_OK;
	if (json_object_is_type(value, json_type_string))
		return mask_string(m, value);
	if (json_object_is_type(value, json_type_array)) {
		size_t n = json_object_array_length(value);

		for (size_t i = 0; i < n && !status; i++)
			status = mask_json(m, json_object_array_get_idx(value, i), NULL);
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
		{
			if (!status && !is_skipped(name, skip))
				status = mask_json(m, member, NULL);
		}
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
	if (s->held.error) /* a piece was lost: what follows may be its rest */
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

void mask_stream_clear(struct mask_stream *s)
{
	strbuf_clear(&s->held);
}
