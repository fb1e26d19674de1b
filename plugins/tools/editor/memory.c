/* SPDX-License-Identifier: MIT
 *
 * memory.c - the last seen version of each file, and the undo history of edits.
 *
 * An edit is kept as the bytes that it replaced, not as a copy of the file. Files, edits
 * and bytes are limited; the least recently used are dropped first. */
#include "memory.h"
#include <string.h>

struct seen {
	char *path;
	uint64_t hash;
	struct charset charset;
	uint64_t used; /* order of last use */
	struct undo edits[EDITOR_HISTORY];
	size_t count;
};

struct memory {
	struct seen *files[EDITOR_PATHS_MAX];
	size_t count;
	size_t bytes; /* of all edits */
	uint64_t clock;
};

struct memory *memory_new(void)
{
	return calloc(1, sizeof(struct memory));
}

static void drop_edit(struct memory *m, struct seen *s, size_t i)
{
	m->bytes -= s->edits[i].bytes_len;
	free(s->edits[i].bytes);
	s->count--;
	memmove(&s->edits[i], &s->edits[i + 1], (s->count - i) * sizeof s->edits[0]);
}

static void drop_file(struct memory *m, size_t i)
{
	struct seen *s = m->files[i];

	while (s->count)
		drop_edit(m, s, s->count - 1);
	free(s->path);
	free(s);
	m->files[i] = m->files[--m->count];
}

struct memory *memory_free(struct memory *m)
{
	while (m && m->count)
		drop_file(m, m->count - 1);
	free(m);
	return NULL;
}

struct seen *memory_find(struct memory *m, const char *path)
{
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->files[i]->path, path) != 0)
			continue;
		m->files[i]->used = ++m->clock;
		return m->files[i];
	}
	return NULL;
}

static size_t editor_memory_oldest(const struct memory *m, bool with_edits)
{
	size_t best = m->count;

	for (size_t i = 0; i < m->count; i++)
		if ((!with_edits || m->files[i]->count) &&
		    (best == m->count || m->files[i]->used < m->files[best]->used))
			best = i;
	return best;
}

struct seen *memory_saw(struct memory *m, const char *path, const struct textfile *f)
{
	struct seen *s = memory_find(m, path);

	if (!s) {
		s = calloc(1, sizeof *s);
		if (s)
			s->path = strdup(path);
		if (!s || !s->path) {
			free(s);
			return NULL;
		}
		if (m->count == EDITOR_PATHS_MAX)
			drop_file(m, editor_memory_oldest(m, false));
		s->used = ++m->clock;
		s->charset = charset_utf8;
		m->files[m->count++] = s;
	}
	s->hash = f->hash;
	if (f->charset.name[0])
		s->charset = f->charset;
	return s;
}

bool memory_is_seen(const struct seen *s, uint64_t hash)
{
	return s->hash == hash;
}

const struct charset *memory_charset(const struct seen *s)
{
	return &s->charset;
}

void memory_add_edit(struct memory *m, struct seen *s, struct undo undo)
{
	if (s->count == EDITOR_HISTORY)
		drop_edit(m, s, 0);
	s->edits[s->count++] = undo;
	m->bytes += undo.bytes_len;
	while (m->bytes > EDITOR_UNDO_BYTES)
		drop_edit(m, m->files[editor_memory_oldest(m, true)], 0);
}

int memory_prepare_undo(const struct textfile *before, const struct textfile *after,
			struct undo *ret)
{
	const struct strbuf *a = &before->bytes, *b = &after->bytes;
	size_t max = a->len < b->len ? a->len : b->len, head = 0, tail = 0;

	while (head < max && a->text[head] == b->text[head])
		head++;
	while (tail < max - head &&
	       a->text[a->len - tail - 1] == b->text[b->len - tail - 1])
		tail++;
	*ret = (struct undo){
		.after = after->hash,
		.at = head,
		.len = b->len - head - tail,
		.bytes_len = a->len - head - tail,
	};
	ret->bytes = malloc(ret->bytes_len + 1);
	if (!ret->bytes)
		return MT_ENOMEM;
	memcpy(ret->bytes, a->text + head, ret->bytes_len);
	return MT_OK;
}

void memory_add_creation(struct memory *m, struct seen *s, const struct textfile *after,
			 unsigned parents)
{
	while (s->count)
		drop_edit(m, s, s->count - 1);
	memory_add_edit(m, s,
			(struct undo){ .after = after->hash,
				       .created = true,
				       .parents = parents });
}

const struct undo *memory_last_edit(const struct seen *s)
{
	return s->count ? &s->edits[s->count - 1] : NULL;
}

void memory_pop(struct memory *m, struct seen *s)
{
	if (s->count)
		drop_edit(m, s, s->count - 1);
}
