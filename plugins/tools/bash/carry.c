/* SPDX-License-Identifier: MIT
 *
 * carry.c - implements carry.h. The file contains the directory, the environment and an
 * empty text, each followed by a zero byte, and then the state. */
#include "carry.h"
#include "auto.h"
#include "files.h"
#include "strbuf.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { CARRY_MAX = 16 << 20 };

static int add_state(struct strbuf *out, int state)
{
	char piece[8192];
	off_t at = 0;
	ssize_t n = 0;

	while (state >= 0 && (n = pread(state, piece, sizeof piece, at)) > 0) {
		strbuf_addn(out, piece, (size_t)n);
		at += n;
	}
	return n < 0 || out->error;
}

void carry_write(const char *path, const char *directory, int state)
{
	AUTO(close)
	int fd = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	AUTO(strbuf) struct strbuf out = STRBUF(CARRY_MAX);

	if (fd < 0)
		return;
	strbuf_addn(&out, directory, strlen(directory) + 1);
	for (char **e = environ; e && *e; e++)
		strbuf_addn(&out, *e, strlen(*e) + 1);
	strbuf_addc(&out, '\0');
	if (!add_state(&out, state))
		file_write_all(fd, out.text, out.len);
}

/* The variable in a list of "NAME=VALUE" that ends with an empty text. */
static const char *carry_find(const char *list, const char *name, size_t len)
{
	for (; *list; list += strlen(list) + 1)
		if (strncmp(list, name, len) == 0 && list[len] == '=')
			return list + len + 1;
	return NULL;
}

static void carry_quote(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '\'');
	for (; *text; text++)
		strbuf_add(out, *text == '\'' ? "'\\''" : (char[]){ *text, '\0' });
	strbuf_addc(out, '\'');
}

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!(text[i] == '_' || (text[i] >= 'A' && text[i] <= 'Z') ||
		      (text[i] >= 'a' && text[i] <= 'z') ||
		      (i && text[i] >= '0' && text[i] <= '9')))
			return false;
	return len > 0;
}

/* What the host changed in the environment replaces what the shell had: the address of a
 * proxy, for example. */
static void add_changes(struct strbuf *out, const char *before)
{
	for (char **e = environ; e && *e; e++) {
		size_t len = strcspn(*e, "=");
		const char *was = carry_find(before, *e, len);

		if (!is_name(*e, len) || !(*e)[len] ||
		    (was && strcmp(was, *e + len + 1) == 0))
			continue;
		strbuf_addf(out, "\nbuiltin export %.*s=", (int)len, *e);
		carry_quote(out, *e + len + 1);
	}
	for (const char *p = before; *p; p += strlen(p) + 1) {
		size_t len = strcspn(p, "=");
		AUTO(free) char *name = strndup(p, len);

		if (name && is_name(p, len) && !getenv(name))
			strbuf_addf(out, "\nbuiltin unset %s", name);
	}
	strbuf_addc(out, '\n');
}

char *carry_read(const char *path, int state)
{
	AUTO(free) char *text = NULL;
	AUTO(strbuf) struct strbuf changes = STRBUF(CARRY_MAX);
	const char *before, *rest, *end;
	size_t len = 0;
	struct stat st;
	int status = file_read(path, CARRY_MAX, &text, &len, NULL);

	unlink(path);
	end = text ? text + len : NULL;
	if (status || !len || strlen(text) + 2 > len || stat(text, &st) < 0 ||
	    !S_ISDIR(st.st_mode))
		return NULL;
	before = text + strlen(text) + 1;
	for (rest = before; rest < end && *rest; rest += strlen(rest) + 1)
		;
	if (++rest < end && state >= 0) {
		add_changes(&changes, before);
		if (file_write_all(state, rest, (size_t)(end - rest)) ||
		    file_write_all(state, changes.text, changes.len))
			ftruncate(state, 0);
	}
	return strdup(text);
}
