/* SPDX-License-Identifier: MIT
 *
 * completion.c - completes command names and paths. */
#include "chat.h"

#include "files.h"
#include "text.h"
#include "utf8.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMES_MAX = 4096, LISTED = 60 };

struct names {
	char *name[NAMES_MAX];
	size_t count;
};

static void completion_add_name(struct names *n, const char *name, const char *suffix)
{
	struct strbuf text = STRBUF(8192);

	strbuf_add(&text, name);
	strbuf_add(&text, suffix);
	if (n->count < NAMES_MAX && (n->name[n->count] = strbuf_take(&text)))
		n->count++;
}

static int completion_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_commands(struct names *n, const char *word, size_t len)
{
	const char *name;

	for (size_t i = 0; (name = slash_command_name(i)); i++)
		if (strncmp(name, word, len) == 0)
			completion_add_name(n, name, " ");
}

/* True for a name that can be typed. */
static bool is_typed(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (utf8_control(name + i, len - i))
			return false;
	return utf8_valid(name, len);
}

static void find_files(struct names *n, const char *base, const char *word, size_t len)
{
	AUTO(free) char *typed = strndup(word, len), *expanded = NULL, *path = NULL;
	char *slash = typed ? strrchr(typed, '/') : NULL;
	const char *stem = slash ? slash + 1 : typed;
	struct dirent *d;
	DIR *dir;

	if (!typed)
		return;
	if (slash) {
		AUTO(free) char *above = strndup(typed, (size_t)(slash + 1 - typed));

		expanded = above ? path_expand(above) : NULL;
		path = expanded ? path_join(base, expanded) : NULL;
	}
	dir = opendir(slash ? (path ? path : "") : base);
	while (dir && n->count < NAMES_MAX && (d = readdir(dir))) {
		struct stat st;

		if (strncmp(d->d_name, stem, strlen(stem)) != 0 || !is_typed(d->d_name) ||
		    (*d->d_name == '.' && *stem != '.') || strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0 ||
		    fstatat(dirfd(dir), d->d_name, &st, 0) < 0)
			continue;
		completion_add_name(n, d->d_name, S_ISDIR(st.st_mode) ? "/" : " ");
	}
	if (dir)
		closedir(dir);
}

/* Their common prefix after the first `typed` bytes. */
static char *shared(const struct names *n, size_t typed)
{
	size_t len = strlen(n->name[0]);

	for (size_t i = 1; i < n->count; i++) {
		size_t k = 0;

		while (k < len && n->name[0][k] == n->name[i][k])
			k++;
		len = k;
	}
	len = utf8_cut(n->name[0], strlen(n->name[0]), len);
	return strndup(n->name[0] + typed, len > typed ? len - typed : 0);
}

static void completion_list(const struct names *n, struct strbuf *out)
{
	for (size_t i = 0; i < n->count && i < LISTED; i++)
		strbuf_addf(out, "%s%s", i ? "  " : "", n->name[i]);
	if (n->count > LISTED)
		strbuf_addf(out, "  ... and %zu more", n->count - LISTED);
}

/* The completion, if any; takes the names. */
static char *completion_finish(struct names *n, size_t typed, struct strbuf *ret_list)
{
	char *rest = n->count ? shared(n, typed) : NULL;

	if (n->count > 1) {
		qsort(n->name, n->count, sizeof *n->name, completion_compare);
		completion_list(n, ret_list);
	}
	for (size_t i = 0; i < n->count; i++)
		free(n->name[i]);
	free(n);
	return rest;
}

static bool completion_has_name(const struct names *n, const char *name, size_t len)
{
	for (size_t i = 0; i < n->count; i++)
		if (strncmp(n->name[i], name, len) == 0)
			return true;
	return false;
}

char *completion_among(const char *names, const char *text, size_t at,
		       struct strbuf *ret_list)
{
	struct names *n = calloc(1, sizeof *n);
	size_t begin = at;
	bool slash;

	if (!n)
		return NULL;
	while (begin > 0 && text[begin - 1] != ' ')
		begin--;
	slash = memchr(text + begin, '/', at - begin);
	for (size_t len; *names; names += len + (names[len] == '\n')) {
		size_t part = slash ? SIZE_MAX : strcspn(names, "/\n") + 1;
		char name[512];

		len = strcspn(names, "\n");
		part = part < len ? part : len;
		if (strncmp(names, text + begin, at - begin) != 0 || part >= sizeof name)
			continue;
		snprintf(name, sizeof name, "%.*s%s", (int)part, names,
			 names[part - 1] == '/' ? "" : " ");
		if (is_typed(name) && !completion_has_name(n, name, strlen(name)))
			completion_add_name(n, name, "");
	}
	return completion_finish(n, at - begin, ret_list);
}

char *completion_offer(const char *dir, const char *text, size_t at,
		       struct strbuf *ret_list)
{
	struct names *n = calloc(1, sizeof *n);
	size_t begin = at, stem;

	if (!n)
		return NULL;
	while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '\n')
		begin--;
	stem = begin;
	if (begin == 0 && *text == '/') {
		find_commands(n, text, at);
	} else {
		begin += begin < at && text[begin] == '@';
		for (stem = at; stem > begin && text[stem - 1] != '/';)
			stem--;
		find_files(n, dir, text + begin, at - begin);
	}
	return completion_finish(n, at - stem, ret_list);
}
