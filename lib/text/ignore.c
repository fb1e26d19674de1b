/* SPDX-License-Identifier: MIT
 *
 * ignore.c - parses ignore files as git does. */
#include "ignore.h"

#include "array.h"
#include "glob.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { ABOVE_MAX = 64 }; /* maximum number of parent directories to read */

struct rule {
	const char *pattern;
	bool not;     /* a `!` rule: do not ignore it */
	bool dirs_only; /* matches only directories */
	bool by_path; /* it has a slash: matches the path, not the name */
};

struct rules {
	char *text; /* the patterns point into it */
	struct rule *all;
	size_t count, room;
};

static void ignore_rules_free(struct rules *r)
{
	if (!r)
		return;
	free(r->text);
	free(r->all);
	free(r);
}

/* Strip trailing spaces, except one that a backslash escapes. */
static char *trimmed_end(char *line, char *end)
{
	while (end > line && (end[-1] == ' ' || end[-1] == '\r') &&
	       !(end - line >= 2 && end[-1] == ' ' && end[-2] == '\\'))
		end--;
	return end;
}

static int add_rule(struct rules *r, char *line, char *end)
{
	struct rule rule = { 0 };

	end = trimmed_end(line, end);
	if (line == end || *line == '#')
		return MT_OK;
	rule.not = *line == '!';
	line += rule.not ;
	if (end > line && end[-1] == '/') {
		rule.dirs_only = true;
		end--;
	}
	if (line == end || end - line >= GLOB_MAX || r->count == IGNORE_RULES_MAX)
		return MT_OK;
	*end = '\0';
	rule.by_path = strchr(line, '/') != NULL;
	rule.pattern = line + (*line == '/');
	if (ARRAY_GROW(r->all, &r->room, r->count + 1, IGNORE_RULES_MAX))
		return MT_ENOMEM;
	r->all[r->count++] = rule;
	return MT_OK;
}

static int ignore_read_all(int fd, struct strbuf *text)
{
	char buffer[8192];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof buffer)) > 0)
		if (strbuf_addn(text, buffer, (size_t)n))
			return text->error;
	return MT_OK;
}

/* Append the rules of a file; a missing file has none. */
static int ignore_load(struct rules **rules, int dir_fd, const char *name)
{
	AUTO(strbuf) struct strbuf text = STRBUF(IGNORE_FILE_MAX);
	AUTO(close) int fd =
		openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct rules *r;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size == 0 ||
	    st.st_size >= IGNORE_FILE_MAX)
		return MT_OK;
	if (ignore_read_all(fd, &text) || text.len == 0)
		return text.error == MT_ENOMEM ? MT_ENOMEM : MT_OK;
	r = calloc(1, sizeof *r);
	if (!r)
		return MT_ENOMEM;
	*rules = r;
	r->text = strbuf_take(&text);
	for (char *line = r->text + (strncmp(r->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
	     *line;) {
		char *end = strchrnul(line, '\n'), *next = end + (*end != '\0');

		if (add_rule(r, line, end))
			return MT_ENOMEM;
		line = next;
	}
	return MT_OK;
}

int ignore_open(struct ignore *i, const struct ignore *above, int dir_fd, size_t depth)
{
	static const char *const files[] = { ".ignore", ".gitignore",
					     ".git/info/exclude" };

	_Static_assert(ARRAY_LEN(files) == ARRAY_LEN(i->own), "a place for each");
	*i = (struct ignore){ .above = above, .depth = depth };
	for (size_t k = 0; k < ARRAY_LEN(files); k++)
		if (ignore_load(&i->own[k], dir_fd, files[k])) {
			ignore_close(i);
			return MT_ENOMEM;
		}
	return MT_OK;
}

int ignore_open_tools(struct ignore *i, const struct ignore *above, int dir_fd,
		      size_t depth)
{
	int status;

	*i = (struct ignore){ .above = above, .depth = depth };
	status = ignore_load(&i->own[0], dir_fd, ".mortise/ignore");
	if (status)
		ignore_close(i);
	return status;
}

void ignore_close(struct ignore *i)
{
	for (size_t k = 0; k < ARRAY_LEN(i->own); k++)
		ignore_rules_free(i->own[k]);
	free(i->prefix);
	*i = (struct ignore){ 0 };
}

/* ---- parent directories ------------------------------------------------------ */

struct ignore *ignore_free_above(struct ignore *top)
{
	while (top) {
		struct ignore *next = (struct ignore *)top->above;

		ignore_close(top);
		free(top);
		top = next;
	}
	return NULL;
}

/* Add the next level: the chain runs upwards from the search. */
static int ignore_add_level(struct ignore ***tail, int dir_fd, const char *prefix)
{
	struct ignore *level = calloc(1, sizeof *level);

	if (!level || ignore_open(level, NULL, dir_fd, 0)) {
		free(level);
		return MT_ENOMEM;
	}
	**tail = level;
	*tail = (struct ignore **)&level->above;
	level->prefix = strdup(prefix);
	return level->prefix ? MT_OK : MT_ENOMEM;
}

int ignore_above(const char *path, struct ignore **ret_top)
{
	AUTO(free) char *way = strdup(path);
	struct ignore **tail = ret_top;
	int r = way ? MT_OK : MT_ENOMEM;

	*ret_top = NULL;
	if (strcmp(path, "/") == 0)
		return MT_OK;
	for (unsigned n = 0; !r && n < ABOVE_MAX; n++) {
		AUTO(close) int fd =
			open(*way ? way : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		char *slash = strrchr(way, '/');

		if (fd >= 0 && n > 0) { /* the directory itself is read by the walk */
			const char *prefix = path + strlen(way) + 1;
			AUTO(strbuf) struct strbuf text = STRBUF(65536);

			if (strbuf_addf(&text, "%s/", prefix))
				break;
			r = ignore_add_level(&tail, fd, text.text);
		}
		if (fd >= 0 && faccessat(fd, ".git", F_OK, 0) == 0)
			break;
		if (!slash || !*way)
			break;
		*slash = '\0';
	}
	if (r)
		*ret_top = ignore_free_above(*ret_top);
	return r;
}

/* ---- queries ----------------------------------------------------------- */

/* The last rule that matches decides. @return 1 ignored, 0 not ignored, -1 no match. */
static int ignore_ask(const struct rules *r, const char *path, const char *name,
		      bool is_dir)
{
	for (size_t i = r ? r->count : 0; i-- > 0;) {
		const struct rule *rule = &r->all[i];

		if ((is_dir || !rule->dirs_only) &&
		    glob_match(rule->pattern, rule->by_path ? path : name))
			return !rule->not ;
	}
	return -1;
}

bool ignore_has(const struct ignore *i, const char *path, bool is_dir)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t kind = 0; kind < ARRAY_LEN(i->own); kind++)
		for (const struct ignore *at = i; at; at = at->above) {
			AUTO(strbuf) struct strbuf whole = STRBUF(65536);
			const char *below = path + at->depth;
			int said;

			if (!at->own[kind])
				continue;
			if (at->prefix && strbuf_addf(&whole, "%s%s", at->prefix, path))
				continue;
			said = ignore_ask(at->own[kind], at->prefix ? whole.text : below,
					  name, is_dir);
			if (said >= 0)
				return said;
		}
	return false;
}
