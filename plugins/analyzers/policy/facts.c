/* SPDX-License-Identifier: MIT
 *
 * facts.c - collects the names in a command. */
#include "facts.h"

#include "array.h"
#include "targets.h"

#include <dirent.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_BYTES_MAX = 64 << 10, HOSTS_MAX = 1000, ENTRIES_MAX = 5000, FOUND_MAX = 256 };

struct collecting {
	struct facts *f;
	struct place *place;
	const struct unit *u;
	char redirect;
	bool is_redirect;
};

void facts_clear(struct facts *f)
{
	for (size_t i = 0; i < f->line_count; i++)
		free(f->lines[i]);
	for (size_t i = 0; i < f->path_count; i++) {
		free(f->paths[i].lexical);
		free(f->paths[i].resolved);
	}
	for (size_t i = 0; i < f->host_count; i++)
		free(f->hosts[i]);
	free(f->paths);
	free(f->hosts);
	*f = (struct facts){ 0 };
}

/* ---- paths --------------------------------------------------------------------------
 */

static bool policy_facts_is_shape(const char *text)
{
	return strchr(text, SHELL_ANY) || strchr(text, SHELL_ONE);
}

/* A slot for one more path; NULL and `undecided` if there are too many, or an error. */
static int path_slot(struct facts *f, struct path **ret)
{
	*ret = NULL;
	if (f->path_count == FACTS_PATHS_MAX) {
		f->undecided = true;
		return MT_OK;
	}
	if (ARRAY_ADD(f->paths, f->path_count, FACTS_PATHS_MAX))
		return MT_ENOMEM;
	*ret = &f->paths[f->path_count];
	**ret = (struct path){ 0 };
	return MT_OK;
}

static int policy_facts_add_path(struct facts *f, struct place *place, const char *path,
				 const char *base, const struct path *like)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(PLACE_PATH_MAX);
	AUTO(strbuf) struct strbuf real = STRBUF(PLACE_PATH_MAX);
	struct path *p;
	int r = path_slot(f, &p);

	if (r || !p)
		return r;
	if (place_clean(path, base, &clean) == MT_ELIMIT) {
		f->undecided = true;
		return MT_OK;
	}
	if (!policy_facts_is_shape(clean.text) && !policy_facts_is_shape(base))
		r = place_resolve(place, path, base, &real);
	if (r == MT_ELIMIT)
		f->undecided = true;
	else if (r)
		return r;
	*p = *like;
	p->resolved = r || !real.len ? NULL : strbuf_take(&real);
	p->lexical = strbuf_take(&clean);
	if (!p->lexical || (!r && real.error)) {
		free(p->lexical);
		free(p->resolved);
		return MT_ENOMEM;
	}
	f->path_count++;
	return MT_OK;
}

/* "~/x" inside a word that the shell does not expand; programs expand it themselves. */
static int from_home(const struct place *place, const char *path, struct strbuf *out)
{
	strbuf_add(out, place->home);
	return strbuf_add(out, path + 1);
}

static int from_dirs(struct collecting *c, const char *path, const struct path *like)
{
	AUTO(strbuf) struct strbuf home = STRBUF(PLACE_PATH_MAX);
	static const char anywhere[] = { '/', SHELL_ANY, '\0' };
	int r = MT_OK;

	if (path[0] == '~' && (!path[1] || path[1] == '/') && c->place->home) {
		if (from_home(c->place, path, &home))
			return home.error;
		path = home.text;
	}
	if (*path == '/')
		return policy_facts_add_path(c->f, c->place, path, "/", like);
	for (size_t i = 0; !r && i < c->u->dir_count; i++)
		r = policy_facts_add_path(c->f, c->place, path, c->u->dirs[i], like);
	if (!r && !c->u->dir_count)
		r = policy_facts_add_path(c->f, c->place, path, anywhere, like);
	return r;
}

/* ---- patterns -----------------------------------------------------------------------
 */

static size_t entries_left;

static struct dirent *limited_readdir(void *dir)
{
	return entries_left > 0 ? entries_left--, readdir(dir) : NULL;
}

static void *policy_facts_open_dir(const char *path)
{
	return opendir(path);
}

static void close_dir(void *dir)
{
	closedir(dir);
}

/* Add the files that a pattern currently matches. */
static int add_found(struct collecting *c, const char *pattern, const char *base,
		     const struct shell_word *word)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(PLACE_PATH_MAX);
	const struct path like = { .word = word, .redirect = c->redirect, .found = true };
	glob_t g = { .gl_opendir = policy_facts_open_dir,
		     .gl_readdir = limited_readdir,
		     .gl_closedir = close_dir,
		     .gl_stat = stat,
		     .gl_lstat = lstat };
	int r = MT_OK;

	if (*pattern != '/' && strpbrk(base, "*?[\\")) {
		c->f->undecided = true;
		return MT_OK;
	}
	if (place_clean(pattern, base, &whole))
		return whole.error == MT_ENOMEM ? MT_ENOMEM : MT_OK;
	entries_left = ENTRIES_MAX;
	if (glob(whole.text, GLOB_ALTDIRFUNC | GLOB_NOSORT, NULL, &g) == 0) {
		if (g.gl_pathc > FOUND_MAX || !entries_left)
			c->f->undecided = true;
		for (size_t i = 0; !r && i < g.gl_pathc && i < FOUND_MAX; i++)
			r = policy_facts_add_path(c->f, c->place, g.gl_pathv[i], "/",
						  &like);
		globfree(&g);
	} else if (!entries_left) {
		c->f->undecided = true;
	}
	return r;
}

static int policy_facts_each_part(void *arg, const char *part,
				  const struct shell_word *word)
{
	struct collecting *c = arg;
	const struct path like = { .word = c->is_redirect ? NULL : word,
				   .redirect = c->redirect };
	size_t len = strlen(part);
	int r;

	if (len >= PLACE_PATH_MAX || strchr(part, '\n')) {
		c->f->undecided = c->f->undecided || len < PLACE_PATH_MAX;
		return MT_OK;
	}
	r = from_dirs(c, part, &like);
	if (r || !word->pattern || !word->text || part != word->shape)
		return r;
	for (size_t i = 0; !r && i < c->u->dir_count; i++)
		r = add_found(c, word->text, c->u->dirs[i], like.word);
	return r;
}

/* Is the word longer than any path or host? It may still contain one. */
static bool policy_facts_is_long(struct facts *f, const struct shell_word *word)
{
	const char *text = word->shape ? word->shape : word->text;

	if (strnlen(text, PLACE_PATH_MAX) < PLACE_PATH_MAX)
		return false;
	f->undecided = true;
	return true;
}

/* A file may be called "-x" where options are not accepted. */
static int paths_of_word(struct collecting *c, const struct shell_word *word,
			 bool is_file)
{
	const char *text = word->shape ? word->shape : word->text;
	int r;

	if (policy_facts_is_long(c->f, word))
		return MT_OK;
	r = target_parts(word, policy_facts_each_part, c);
	return r || !is_file || *text != '-' ? r : policy_facts_each_part(c, text, word);
}

static int paths_of(struct collecting *c)
{
	const struct shell_command *command = c->u->command;
	bool options = true;
	int r = MT_OK;

	for (size_t i = 1; !r && i < c->u->count && i < FACTS_WORDS_MAX; i++) {
		r = paths_of_word(c, &c->u->words[i], !options);
		options = options && strcmp(unit_text(c->u, i), "--") != 0;
	}
	c->is_redirect = true;
	for (size_t i = 0; !r && i < command->redirect_count && i < FACTS_WORDS_MAX;
	     i++) {
		c->redirect = command->redirects[i].redirect;
		r = paths_of_word(c, &command->redirects[i], true);
	}
	return r;
}

int facts_add_path(struct facts *f, struct place *place, const char *path)
{
	const char *dirs[] = { place->workspace };
	const struct unit u = { .dirs = dirs, .dir_count = *place->workspace ? 1 : 0 };
	const struct path like = { 0 };
	struct collecting c = { .f = f, .place = place, .u = &u };

	return from_dirs(&c, path, &like);
}

const char *facts_relative(const struct place *place, const char *path)
{
	const char *dirs[] = { place->workspace, place->real_workspace };

	for (size_t i = 0; i < 2; i++)
		if (dirs[i][0] && dirs[i][1] && place_is_below(path, dirs[i]))
			return path[strlen(dirs[i])] ? path + strlen(dirs[i]) + 1 : ".";
	return NULL;
}

/* ---- hosts, lines ---------------------------------------------------------------------
 */

static int policy_facts_add_text(char ***list, size_t *count, const char *text)
{
	int status = ARRAY_ADD(*list, *count, ARRAY_MAX);

	if (status)
		return status;
	(*list)[*count] = strdup(text);
	return (*list)[*count] ? (++*count, MT_OK) : MT_ENOMEM;
}

static int add_host(void *arg, const char *host)
{
	struct facts *f = arg;

	if (f->host_count == HOSTS_MAX) {
		f->undecided = true;
		return MT_OK;
	}
	return policy_facts_add_text(&f->hosts, &f->host_count, host);
}

int facts_add_hosts(struct facts *f, const char *text)
{
	return target_hosts(text, false, add_host, f);
}

static int hosts_of(struct facts *f, const struct unit *u)
{
	bool connects = u->name && target_connects(u->name);
	int r = MT_OK;

	for (size_t i = 1; !r && i < u->count && i < FACTS_WORDS_MAX; i++) {
		const struct shell_word *w = &u->words[i];
		const char *text = w->shape ? w->shape : w->text;
		const char *value = text[0] == '-' ? strchr(text, '=') : NULL;

		if (policy_facts_is_long(f, w))
			continue;
		if (connects && value)
			r = target_hosts(value + 1, true, add_host, f);
		else
			r = target_hosts(text, connects && text[0] != '-', add_host, f);
	}
	return r;
}

int facts_add_line(struct facts *f, const char *text)
{
	f->lines[f->line_count] = strdup(text);
	return f->lines[f->line_count] ? (f->line_count++, MT_OK) : MT_ENOMEM;
}

static int policy_facts_lines_of(struct facts *f, const struct unit *u)
{
	int r = u->inner ? MT_OK : facts_add_line(f, u->command->raw);

	for (int i = 0; !r && i < (u->sub > 1 ? 2 : 1); i++) {
		AUTO(strbuf) struct strbuf line = STRBUF(LINE_BYTES_MAX);

		r = unit_line(u, i == 1, &line);
		if (r == MT_ELIMIT) {
			f->undecided = true;
			return MT_OK;
		}
		if (!r)
			r = facts_add_line(f, line.text);
	}
	return r;
}

int facts_of_unit(struct place *place, const struct unit *u, struct facts *ret)
{
	struct collecting c = { .f = ret, .place = place, .u = u };
	int r;

	*ret = (struct facts){ .unit = u, .undecided = u->count > FACTS_WORDS_MAX };
	for (size_t i = 0; i < u->count; i++)
		ret->dynamic = ret->dynamic || !u->words[i].text;
	r = policy_facts_lines_of(ret, u);
	if (!r)
		r = paths_of(&c);
	if (!r)
		r = hosts_of(ret, u);
	if (r)
		facts_clear(ret);
	return r;
}
