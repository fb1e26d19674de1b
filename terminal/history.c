/* SPDX-License-Identifier: MIT
 *
 * history.c - the input history file. */
#include "history.h"

#include "auto.h"
#include "files.h"
#include "js.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static void drop_oldest(struct history *h)
{
	free(h->entries[0]);
	memmove(h->entries, h->entries + 1, --h->count * sizeof *h->entries);
}

static bool chat_history_remember(struct history *h, const char *text)
{
	char *copy;

	if (!*text || (h->count && strcmp(h->entries[h->count - 1], text) == 0))
		return false;
	copy = strdup(text);
	if (!copy)
		return false;
	if (h->count == HISTORY_MAX)
		drop_oldest(h);
	h->entries[h->count++] = copy;
	return true;
}

static void chat_history_read_lines(struct history *h, char *text)
{
	for (char *line = text, *end; *line; line = end + (*end != '\0')) {
		AUTO(json) json_object *o = NULL;

		end = line + strcspn(line, "\n");
		o = js_parse(line, (size_t)(end - line), NULL);
		if (json_object_is_type(o, json_type_string))
			chat_history_remember(h, json_object_get_string(o));
		if (!*end)
			break;
	}
}

static void chat_history_put_entry(struct strbuf *out, const char *text)
{
	js_put_str(out, text, strlen(text));
	strbuf_addc(out, '\n');
}

/* Rewrite a file that has more entries than are kept. */
static void chat_history_rewrite(struct history *h)
{
	AUTO(strbuf) struct strbuf all = STRBUF(HISTORY_FILE_MAX);

	for (size_t i = h->count > HISTORY_MAX / 2 ? h->count - HISTORY_MAX / 2 : 0;
	     i < h->count; i++)
		chat_history_put_entry(&all, h->entries[i]);
	if (!all.error)
		file_write(h->path, all.text, all.len, 0600, false, NULL);
}

void history_open(struct history *h, const char *path)
{
	AUTO(free) char *text = NULL;
	size_t len = 0;
	struct stat st;

	*h = (struct history){ .path = path ? strdup(path) : NULL };
	if (!h->path)
		return;
	if (stat(h->path, &st) == 0 && st.st_size >= HISTORY_FILE_MAX) {
		unlink(h->path);
	} else if (file_read(h->path, HISTORY_FILE_MAX, &text, &len, NULL) == MT_OK) {
		chat_history_read_lines(h, text);
		if (h->count == HISTORY_MAX || len > HISTORY_FILE_MAX / 2)
			chat_history_rewrite(h);
	}
	h->at = h->count;
}

void history_done(struct history *h)
{
	for (size_t i = 0; i < h->count; i++)
		free(h->entries[i]);
	free(h->path);
	free(h->draft);
	*h = (struct history){ 0 };
}

static void history_append(const struct history *h, const char *text)
{
	AUTO(strbuf) struct strbuf line = STRBUF(HISTORY_ENTRY_MAX * 6 + 8);
	AUTO(close) int fd = -1;

	chat_history_put_entry(&line, text);
	if (!h->path || line.error)
		return;
	fd = open(h->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && fchmod(fd, 0600) == 0)
		file_write_all(fd, line.text, line.len);
}

void history_add(struct history *h, const char *text)
{
	if (strlen(text) < HISTORY_ENTRY_MAX && chat_history_remember(h, text))
		history_append(h, text);
	h->at = h->count;
	free(h->draft);
	h->draft = NULL;
}

const char *history_back(struct history *h, const char *current)
{
	if (h->at == 0)
		return NULL;
	if (h->at == h->count) {
		free(h->draft);
		h->draft = strdup(current);
	}
	return h->entries[--h->at];
}

const char *history_forward(struct history *h)
{
	if (h->at == h->count)
		return NULL;
	if (++h->at == h->count)
		return h->draft ? h->draft : "";
	return h->entries[h->at];
}

long history_find(const struct history *h, const char *part, size_t before)
{
	for (size_t i = before < h->count ? before : h->count; i-- > 0;)
		if (strstr(h->entries[i], part))
			return (long)i;
	return -1;
}
