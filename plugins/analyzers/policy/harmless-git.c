/* SPDX-License-Identifier: MIT
 *
 * harmless-git.c - subcommands of git that only read, and those that change the
 * repository in a way that git can undo. */
#include "harmless-git.h"

#include "space.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };
enum { GLOBALS_MAX = 32 };

/* Subcommands that only read, with any options except those of git_option_is_bad(). */
static const char readers[] =
	"status log diff show blame annotate shortlog describe rev-parse rev-list "
	"ls-files ls-tree "
	"cat-file merge-base name-rev count-objects for-each-ref show-ref show-branch "
	"check-ignore check-attr diff-tree diff-index diff-files whatchanged cherry "
	"version grep var";

/* Subcommands whose changes git can revert, with their permitted options. */
static const struct {
	const char *name, *options;
	const char *next; /* the next word must be one of these, or NULL */
	bool hooks;       /* it may run a hook */
} changers[] = {
	{ "add", "-A -u -v -n --all --update --verbose --intent-to-add -N --dry-run",
	  NULL, false },
	{ "commit",
	  "-m -a -am -q -v -s -n --message --all --quiet --amend --no-edit --signoff "
	  "--no-verify "
	  "--allow-empty",
	  NULL, true },
	{ "switch", "-c --create -q --quiet --detach -t --track", NULL, true },
	{ "checkout", "-b -q --quiet", "-b", true },
	{ "stash", "-u -k -m -q --include-untracked --keep-index --message",
	  "push pop apply save", true },
	{ "tag", "-a -m --annotate --message", NULL, false },
	{ "reset", "-q --quiet --soft --mixed", NULL, true },
	{ "mv", "-k -v", NULL, false },
	{ "rm", "--cached -r -q", "--cached", false },
	{ "cherry-pick", "-x -n --no-edit --no-commit --abort --continue --skip", NULL,
	  true },
	{ "revert", "-n --no-edit --no-commit --abort --continue --skip", NULL, true },
	{ "merge",
	  "-q --quiet --no-edit --no-ff --ff-only --abort --continue --squash -m", NULL,
	  true },
};

/* Does the subcommand only list, by its first operand? */
static bool git_lists(const struct unit *u, const char *sub)
{
	static const struct {
		const char *name;
		bool bare;         /* it lists without operands */
		const char *words; /* it lists if the next word is one of these */
	} subs[] = {
		{ "tag", true, "-l --list -n" },
		{ "remote", true, "get-url" },
		{ "stash", false, "list show" },
		{ "reflog", true, "show" },
		{ "config", false, "--get --get-all --list -l --get-regexp" },
		{ "submodule", false, "status" },
		{ "worktree", false, "list" },
	};
	const char *next = unit_text(u, u->sub + 1);
	bool bare = u->sub + 1 >= u->count;
	__auto_type row = ROW_NAMED(subs, sub);

	if (strcmp(sub, "branch") == 0) {
		if (unit_lists_word("--list -l --contains --merged --no-merged", next))
			return true;
		for (size_t i = u->sub + 1; i < u->count; i++)
			if (!unit_lists_word("-a -r -v -vv -av -avv --all --show-current "
					     "--remotes --no-color",
					     unit_text(u, i)))
				return false;
		return true;
	}
	if (strcmp(sub, "remote") == 0 && strcmp(next, "-v") == 0)
		return u->sub + 2 == u->count;
	return row && ((bare && row->bare) || unit_lists_word(row->words, next));
}

/* Options that write or run a program, also in shortened form. */
static bool git_option_is_bad(const char *word)
{
	static const char *const bad[] = { "--output",
					   "--ext-diff",
					   "--textconv",
					   "--open-files-in-pager",
					   "--exec",
					   "--no-index",
					   "--upload-pack",
					   "--edit",
					   "--filters",
					   "--batch-command",
					   "--recurse-submodules",
					   NULL };
	size_t n = strcspn(word, "=");

	if (word[0] == '-' && word[1] == 'O')
		return true;
	for (size_t i = 0; n > 3 && bad[i]; i++)
		if (strncmp(bad[i], word, n) == 0)
			return true;
	return false;
}

/* Could git take a directory for a repository without its own .git? Files under version
 * control may look like one, and contain a configuration. */
static bool is_bare_repository(const char *dir)
{
	static const char *const parts[] = { "HEAD", "commondir", "objects", "refs" };
	AUTO(strbuf) struct strbuf path = STRBUF(PLACE_PATH_MAX);
	bool has[ARRAY_LEN(parts)];
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", dir, parts[i]);
		has[i] = !path.error && lstat(path.text, &st) == 0;
	}
	/* `commondir` may name another directory for the others. */
	return has[0] && (has[1] || (has[2] && has[3]));
}

static bool in_bare_repository(const struct place *place, const char *dir)
{
	AUTO(strbuf) struct strbuf at = STRBUF(PLACE_PATH_MAX);

	strbuf_add(&at, dir);
	while (!at.error && at.len > 1 && place_belongs(place, at.text)) {
		if (is_bare_repository(at.text))
			return true;
		strbuf_cut(&at, (size_t)(strrchr(at.text, '/') - at.text));
	}
	return false;
}

/* ---- hooks -------------------------------------------------------------------- */

/* Does a configuration set a directory of hooks, or include another file that may? */
static bool names_hooks(const char *path)
{
	AUTO(fclose) FILE *f = fopen(path, "r");
	char line[1024];

	for (size_t n = 0; f && n < 10000 && fgets(line, sizeof line, f); n++)
		if (strcasestr(line, "hookspath") || strcasestr(line, "[include") ||
		    strcasestr(line, "gpgsign"))
			return true;
	return false;
}

static bool has_hooks(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool found = false;
	size_t n = 0;

	while (d && !found && (entry = readdir(d)) && n++ < 1000) {
		size_t len = strlen(entry->d_name);

		found = entry->d_name[0] != '.' &&
			(len < 7 || strcmp(entry->d_name + len - 7, ".sample") != 0);
	}
	if (d)
		closedir(d);
	return found || n > 1000;
}

/* May git run a hook in this repository: an existing one, or one of a directory set in
 * the user's configuration? `at` is a directory with a .git. */
static bool repository_has_hooks(const struct place *place, const char *at)
{
	static const char *const configs[] = { ".gitconfig", ".config/git/config" };
	AUTO(strbuf) struct strbuf path = STRBUF(PLACE_PATH_MAX);
	struct stat st;

	for (size_t i = 0; place->home && i < ARRAY_LEN(configs); i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", place->home, configs[i]);
		if (path.error || names_hooks(path.text))
			return true;
	}
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/.git", at);
	if (path.error || lstat(path.text, &st) != 0 || !S_ISDIR(st.st_mode))
		return true;
	strbuf_add(&path, "/config");
	if (path.error || names_hooks(path.text))
		return true;
	strbuf_cut(&path, path.len - strlen("config"));
	strbuf_add(&path, "hooks");
	return path.error || has_hooks(path.text);
}

/* May a hook run in the repository that contains a directory? Searches for it up to the
 * workspace, or the directory of the conversation that contains it. */
static bool hooks_may_run(const struct place *place, const char *dir)
{
	AUTO(strbuf) struct strbuf at = STRBUF(PLACE_PATH_MAX);
	AUTO(strbuf) struct strbuf git = STRBUF(PLACE_PATH_MAX);
	struct stat st;

	strbuf_add(&at, dir);
	while (!at.error && at.len > 1 && place_belongs(place, at.text)) {
		strbuf_reset(&git);
		strbuf_addf(&git, "%s/.git", at.text);
		if (git.error || lstat(git.text, &st) == 0)
			return repository_has_hooks(place, at.text);
		strbuf_cut(&at, (size_t)(strrchr(at.text, '/') - at.text));
	}
	return true;
}

/* ---- the risk ----------------------------------------------------------------- */

/* Check the words before the subcommand. */
static bool globals_are_good(const struct unit *u)
{
	for (size_t i = 1; i < u->sub; i++) {
		if (strcmp(unit_text(u, i), "-C") == 0)
			i++;
		else if (!unit_lists_word("--no-pager -P --no-optional-locks",
					  unit_text(u, i)))
			return false;
	}
	return true;
}

/* The n-th directory in which git looks for its repository; NULL past the last. */
static const char *directory(const struct facts *f, size_t n)
{
	const struct unit *u = f->unit;

	if (n < u->dir_count)
		return u->dirs[n];
	n -= u->dir_count;
	for (size_t i = 1; i + 1 < u->sub + 1 && i < u->sub; i++)
		for (size_t k = 0;
		     strcmp(unit_text(u, i), "-C") == 0 && k < f->path_count; k++)
			if (f->paths[k].word == &u->words[i + 1] && n-- == 0)
				return f->paths[k].lexical;
	return NULL;
}

static int change_risk(const struct place *place, const struct facts *f, const char *sub)
{
	const struct unit *u = f->unit;
	const char *dir;
	size_t i = 0;

	while (i < ARRAY_LEN(changers) && strcmp(changers[i].name, sub) != 0)
		i++;
	if (i == ARRAY_LEN(changers))
		return UNKNOWN;
	if (changers[i].next && u->sub + 1 < u->count &&
	    !unit_lists_word(changers[i].next, unit_text(u, u->sub + 1)))
		return UNKNOWN;
	for (size_t k = u->sub + 1; k < u->count; k++) {
		const char *w = unit_text(u, k);

		if (*w == '-' && strcmp(w, "--") == 0)
			break;
		if (*w == '-' && !space_lists(changers[i].options, w, strcspn(w, "=")))
			return UNKNOWN;
	}
	for (size_t n = 0; changers[i].hooks && (dir = directory(f, n)); n++)
		if (hooks_may_run(place, dir))
			return UNKNOWN;
	return MEDIUM;
}

int git_risk(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const char *sub = u->sub ? unit_text(u, u->sub) : "", *dir;

	if (u->count == 2 && strcmp(unit_text(u, 1), "--version") == 0)
		return LOW;
	if (!u->sub || u->sub > GLOBALS_MAX || !globals_are_good(u) || !u->dir_count)
		return UNKNOWN;
	for (size_t n = 0; (dir = directory(f, n)); n++)
		if (in_bare_repository(place, dir))
			return UNKNOWN;
	for (size_t i = u->sub + 1; i < u->count; i++)
		if (git_option_is_bad(unit_text(u, i)))
			return UNKNOWN;
	if (git_lists(u, sub) || unit_lists_word(readers, sub))
		return LOW;
	return change_risk(place, f, sub);
}
