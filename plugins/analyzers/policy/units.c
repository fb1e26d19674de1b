/* SPDX-License-Identifier: MIT
 *
 * units.c - walks over the commands of a shell text, and follows `cd`. */
#include "units.h"

#include "command.h"
#include "space.h"

#include <string.h>

enum { SCRIPTS_DEEP = 8, SCRIPT_MAX = 4 << 20, FUNCTIONS_MAX = 16 };

struct walk {
	struct place *place;
	unit_each_fn *each;
	void *arg;
	bool *deep;
	unsigned depth; /* nesting of scripts */
	char *dirs[DIRS_MAX];
	size_t dir_count;
	bool lost; /* the directory of commands is unknown */
	bool unsettled;
	char *functions[FUNCTIONS_MAX]; /* defined by the text */
	size_t function_count;
	char *piped_from; /* program of the previous command in a pipeline */
};

static int script(struct walk *w, const char *text, size_t len);

/* ---- directories -------------------------------------------------------------- */

static int policy_units_add_dir(struct walk *w, const char *path, const char *base)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(PLACE_PATH_MAX);
	int r = place_clean(path, base, &clean);

	if (r)
		return r;
	for (size_t i = 0; i < w->dir_count; i++)
		if (strcmp(w->dirs[i], clean.text) == 0)
			return MT_OK;
	if (w->dir_count == DIRS_MAX) {
		w->lost = true;
		return MT_OK;
	}
	w->dirs[w->dir_count] = strbuf_take(&clean);
	return w->dirs[w->dir_count] ? (w->dir_count++, MT_OK) : MT_ENOMEM;
}

/* A `cd` may succeed, fail, or run in a subshell: consider both directories from now
 * on. */
static int change_dir(struct walk *w, const struct unit *u)
{
	const struct shell_word *to = unit_operand(u, 0, 0);
	size_t count = w->dir_count;
	const char *path = to ? to->text : w->place->home;
	int r = MT_OK;

	if (!path || (to && (to->shape || strcmp(path, "-") == 0)) || u->inner) {
		w->lost = true;
		return MT_OK;
	}
	for (size_t i = 0; !r && i < count; i++)
		r = policy_units_add_dir(w, path, w->dirs[i]);
	return r;
}

/* ---- scripts ------------------------------------------------------------------------
 */

const struct shell_word *unit_script(const struct shell_word *words, size_t count)
{
	bool is_script = false;

	for (size_t i = 0; i < count; i++) {
		const char *w = words[i].text;
		size_t len = w ? strlen(w) : 0;

		if (!w)
			return is_script ? &words[i] : NULL;
		if (strcmp(w, "--") == 0 || strcmp(w, "-") == 0)
			return is_script && i + 1 < count ? &words[i + 1] : NULL;
		if (len < 2 || (w[0] != '-' && w[0] != '+'))
			return is_script ? &words[i] : NULL;
		if (strcmp(w, "--rcfile") == 0 || strcmp(w, "--init-file") == 0)
			i++;
		if (w[0] == '-' && w[1] == '-')
			continue;
		is_script = is_script || (w[0] == '-' && strchr(w + 1, 'c'));
		if (w[len - 1] == 'o' || w[len - 1] == 'O')
			i++;
	}
	return NULL;
}

static int policy_units_deeper(struct walk *w, const char *text)
{
	int r;

	if (w->depth >= SCRIPTS_DEEP) {
		*w->deep = true;
		return MT_OK;
	}
	w->depth++;
	r = script(w, text, strlen(text));
	w->depth--;
	return r;
}

/* Words that are run as one text: by eval, or an alias. */
static int joined(struct walk *w, const struct shell_word *words, size_t count)
{
	AUTO(strbuf) struct strbuf text = STRBUF(SCRIPT_MAX);

	for (size_t i = 0; i < count; i++) {
		strbuf_add(&text, words[i].text ? words[i].text : "$x");
		strbuf_addc(&text, ' ');
	}
	return text.error ? text.error : policy_units_deeper(w, text.text);
}

static int aliases(struct walk *w, const struct unit *u)
{
	int r = MT_OK;

	for (size_t i = 1; !r && i < u->count && i < INNER_MAX; i++) {
		const char *value =
			u->words[i].text ? strchr(u->words[i].text, '=') : NULL;

		r = value ? policy_units_deeper(w, value + 1) : MT_OK;
	}
	return r;
}

static int scripts_of(struct walk *w, const struct unit *u)
{
	const struct shell_word *text;

	if (!u->name)
		return MT_OK;
	if (strcmp(u->name, "eval") == 0 || strcmp(u->name, "trap") == 0)
		return joined(w, u->words + 1, u->count - 1);
	if (strcmp(u->name, "alias") == 0)
		return aliases(w, u);
	if (!command_is_shell(u->name))
		return MT_OK;
	text = unit_script(u->words + 1, u->count - 1);
	if (text)
		return text->text ? policy_units_deeper(w, text->text) : MT_OK;
	return u->command->input ? policy_units_deeper(w, u->command->input) : MT_OK;
}

/* ---- one command --------------------------------------------------------------------
 */

static bool calls_itself(const struct walk *w, const struct unit *u)
{
	if (!u->name || !u->command->piped || !w->piped_from ||
	    strcmp(w->piped_from, u->name) != 0)
		return false;
	for (size_t i = 0; i < w->function_count; i++)
		if (strcmp(w->functions[i], u->name) == 0)
			return true;
	return false;
}

static int keep_name(struct walk *w, const struct unit *u)
{
	free(w->piped_from);
	w->piped_from = u->name ? strdup(u->name) : NULL;
	if (u->name && !w->piped_from)
		return MT_ENOMEM;
	if (!u->command->defines || !u->name || w->function_count == FUNCTIONS_MAX)
		return MT_OK;
	w->functions[w->function_count] = strdup(u->name);
	return w->functions[w->function_count] ? (w->function_count++, MT_OK) : MT_ENOMEM;
}

static int policy_units_one(struct walk *w, const struct shell_command *c, size_t at,
			    bool more)
{
	struct unit u = {
		.command = c,
		.words = c->count ? c->words + at : NULL,
		.count = c->count - at,
		.inner = at > 0,
		.more = more,
		.unsettled = w->unsettled,
		.dirs = (const char *const *)w->dirs,
		.dir_count = w->lost ? 0 : w->dir_count,
	};
	int r;

	if (u.count && u.words[0].text && !u.words[0].shape)
		u.name = command_base(u.words[0].text);
	u.sub = u.name ? command_subcommand(u.words, u.count) : 0;
	u.runs_itself = calls_itself(w, &u);
	r = w->each(w->arg, &u);
	if (!r && u.name && (strcmp(u.name, "cd") == 0 || strcmp(u.name, "pushd") == 0))
		r = change_dir(w, &u);
	if (!r && u.name && strcmp(u.name, "popd") == 0)
		w->lost = true;
	if (!r)
		r = scripts_of(w, &u);
	w->unsettled = w->unsettled || (u.count && !u.settled);
	return r || at ? r : keep_name(w, &u);
}

static bool adds_words(const char *name)
{
	return strcmp(name, "xargs") == 0 || strcmp(name, "parallel") == 0;
}

/* Number of operands before the command of a wrapper, without options. */
static size_t leading(const char *name)
{
	static const char *const one[] = { "chroot",  "chrt", "flock", "runuser",
					   "setarch", "ssh",  "su",    "taskset",
					   "timeout", NULL };

	for (size_t i = 0; one[i]; i++)
		if (strcmp(one[i], name) == 0)
			return 1;
	return 0;
}

static bool policy_units_is_assignment(const char *word)
{
	const char *equals = strchr(word, '=');

	return equals && equals > word && *word != '/' && *word != '.';
}

/* `find` runs the command after these options. */
static int inner_of_find(struct walk *w, const struct shell_command *c)
{
	static const char *const actions[] = { "-exec", "-execdir", "-ok", "-okdir" };
	int r = MT_OK;

	for (size_t i = 1; !r && i + 1 < c->count && i < INNER_MAX; i++)
		for (size_t k = 0; !r && k < ARRAY_LEN(actions); k++)
			if (c->words[i].text && strcmp(c->words[i].text, actions[k]) == 0)
				r = policy_units_one(w, c, i + 1, false);
	if (c->count > INNER_MAX)
		*w->deep = true;
	return r;
}

/* The command of a wrapper cannot be found without knowing the wrapper's options:
 * each option may take the next word as its value. */
static int inner_of(struct walk *w, const struct shell_command *c, const char *name)
{
	size_t left = leading(name) + 1;
	bool more = adds_words(name);
	int r = MT_OK;

	for (size_t i = 1; !r && left && i < c->count; i++) {
		const char *word = c->words[i].text;

		if (i > INNER_MAX) {
			*w->deep = true;
			break;
		}
		if (word && *word == '-') {
			left++;
			continue;
		}
		if (word && policy_units_is_assignment(word))
			continue;
		left--;
		r = policy_units_one(w, c, i, more);
		if (!r && word && strchr(word, ' ')) /* for ssh, watch, su -c: a script */
			r = policy_units_deeper(w, word);
		if (word && command_wraps(command_base(word))) {
			left += leading(command_base(word)) + 1;
			more = more || adds_words(command_base(word));
		}
	}
	return r;
}

static int policy_units_each_command(void *arg, const struct shell_command *c)
{
	struct walk *w = arg;
	int r = policy_units_one(w, c, 0, false);
	const char *name =
		c->count && c->words[0].text ? command_base(c->words[0].text) : "";

	if (r || !command_wraps(name))
		return r;
	return strcmp(name, "find") == 0 ? inner_of_find(w, c) : inner_of(w, c, name);
}

/* Only ~ and $HOME are known. */
static const char *variable(void *arg, const char *name)
{
	const struct walk *w = arg;

	return strcmp(name, "HOME") == 0 ? w->place->home : NULL;
}

static int script(struct walk *w, const char *text, size_t len)
{
	int r = shell_walk_with(text, len, policy_units_each_command, variable, w);

	if (r == MT_ELIMIT) {
		*w->deep = true;
		r = MT_OK;
	}
	return r;
}

int units_each(struct place *place, const char *text, size_t len, unit_each_fn *each,
	       void *arg, bool *ret_deep)
{
	struct walk w = { .place = place, .each = each, .arg = arg, .deep = ret_deep };
	int r = *place->workspace ? policy_units_add_dir(&w, place->workspace, "/")
				  : MT_OK;

	if (!r && *place->directory) /* a restarted shell is in the workspace */
		r = policy_units_add_dir(&w, place->directory, "/");
	if (!r)
		r = script(&w, text, len);
	for (size_t i = 0; i < w.dir_count; i++)
		free(w.dirs[i]);
	for (size_t i = 0; i < w.function_count; i++)
		free(w.functions[i]);
	free(w.piped_from);
	return r;
}

/* ---- words ------------------------------------------------------------------------- */

static int policy_units_add_word(const struct shell_word *word, bool program,
				 struct strbuf *out)
{
	const char *text = word->shape ? word->shape : word->text;

	if (out->len)
		strbuf_addc(out, ' ');
	return strbuf_add(out, program ? command_base(text) : text);
}

int unit_line(const struct unit *u, bool short_form, struct strbuf *out)
{
	for (size_t i = 0; i < u->count; i++)
		if (i == 0 || !short_form || i >= u->sub)
			policy_units_add_word(&u->words[i], i == 0, out);
	if (u->more)
		strbuf_addf(out, " %c", SHELL_ANY);
	return out->error;
}

static bool policy_units_is_option(const char *word, const char *option)
{
	size_t n = strlen(option);

	if (word[0] != '-' || !word[1])
		return false;
	if (option[1] == '-')
		return strncmp(word, option, n) == 0 &&
		       (word[n] == '\0' || word[n] == '=');
	if (n == 2 && word[1] != '-')
		return strchr(word + 1, option[1]) != NULL;
	return strcmp(word, option) == 0;
}

bool unit_has(const struct unit *u, const char *option)
{
	for (size_t i = 1; i < u->count; i++) {
		const char *w = u->words[i].text;

		if (w && strcmp(w, "--") == 0)
			return false;
		if (w && policy_units_is_option(w, option))
			return true;
	}
	return false;
}

const struct shell_word *unit_operand(const struct unit *u, size_t from, size_t n)
{
	bool options = true;

	for (size_t i = from + 1; i < u->count; i++) {
		const char *w = u->words[i].text;

		if (options && w && strcmp(w, "--") == 0) {
			options = false;
			continue;
		}
		if (options && w && w[0] == '-' && w[1])
			continue;
		if (n-- == 0)
			return &u->words[i];
	}
	return NULL;
}

const char *unit_text(const struct unit *u, size_t n)
{
	return n < u->count && u->words[n].text ? u->words[n].text : "";
}

bool unit_lists_word(const char *list, const char *word)
{
	return space_lists(list, word, strlen(word));
}
