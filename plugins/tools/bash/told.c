/* SPDX-License-Identifier: MIT
 *
 * told.c - facts about the shell that results have stated, stored in a file. */
#include "told.h"
#include "auto.h"
#include "files.h"
#include "strbuf.h"
#include <stdlib.h>
#include <string.h>

enum { TOLD_MAX = 16 * 1024 };

void told_load(struct told *t, const char *path, const char *start)
{
	AUTO(free) char *text = NULL;
	char *line;

	if (t->loaded)
		return;
	t->loaded = true;
	if (path && *path && file_read(path, TOLD_MAX, &text, NULL, NULL) == MT_OK) {
		line = text + strcspn(text, "\n");
		if (*line) {
			*line++ = '\0';
			t->python = strndup(line, strcspn(line, "\n"));
		}
		t->directory = strdup(text);
	} else {
		t->directory = strdup(start);
	}
}

void told_save(const struct told *t, const char *path)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TOLD_MAX);

	strbuf_addf(&text, "%s\n%s\n", t->directory ? t->directory : "",
		    t->python ? t->python : "");
	if (path && *path && !text.error)
		file_write(path, text.text, text.len, 0600, false, NULL);
}

bool told_is_news(char **known, const char *now)
{
	bool changed = now && *now && *known && strcmp(*known, now) != 0;

	if (now && *now && (changed || !*known)) {
		free(*known);
		*known = strdup(now);
	}
	return changed;
}

void told_copy(struct told *to, const struct told *from)
{
	to->directory = from->directory ? strdup(from->directory) : NULL;
	to->python = from->python ? strdup(from->python) : NULL;
	to->loaded = from->loaded;
}

void told_clear(struct told *t)
{
	free(t->directory);
	free(t->python);
	*t = (struct told){ 0 };
}
