/* SPDX-License-Identifier: MIT
 *
 * scan.c - finds recursive forced deletion in the commands of a shell text, in scripts
 * passed to shells and after wrapper commands. */
#include "scan.h"

#include "command.h"

#include <string.h>

enum { SCRIPTS_DEEP = 8, INNER_MAX = 256 };

struct state {
	scan_each_fn *each;
	void *arg;
	bool *deep;
	unsigned depth;  /* nesting of scripts */
};

static int scan_script(struct state *s, const char *text, size_t len);

/* The value of a word, as far as V1's analyzer resolves it. */
static const char *policy_scan_value(const struct shell_word *word)
{
	return word->encoded ? NULL : word->text;
}

/* Do these words contain both flags, before any -- ? */
static bool forces(const struct shell_word *words, size_t count)
{
	bool recursive = false, force = false;

	for (size_t i = 0; i < count; i++) {
		const char *w = policy_scan_value(&words[i]);

		if (!w || w[0] != '-' || !w[1])
			continue;
		if (strcmp(w, "--") == 0)
			break;
		if (w[1] == '-') {
			recursive = recursive || strcmp(w, "--recursive") == 0;
			force = force || strcmp(w, "--force") == 0;
			continue;
		}
		recursive = recursive || strpbrk(w + 1, "rR");
		force = force || strchr(w + 1, 'f');
	}
	return recursive && force;
}

/* The script of a shell's -c, or NULL. Options end at --, at - and at the first other
 * word; -o and -O take a name. */
static const char *script_of(const struct shell_word *words, size_t count)
{
	bool script = false;

	for (size_t i = 0; i < count; i++) {
		const char *w = policy_scan_value(&words[i]);
		size_t len = w ? strlen(w) : 0;

		if (!w)
			return NULL;
		if (strcmp(w, "--") == 0 || strcmp(w, "-") == 0)
			return script && i + 1 < count ? policy_scan_value(&words[i + 1])
						       : NULL;
		if (len < 2 || (w[0] != '-' && w[0] != '+'))
			return script ? w : NULL;
		if (strcmp(w, "--rcfile") == 0 || strcmp(w, "--init-file") == 0)
			i++;
		if (w[0] == '-' && w[1] == '-')
			continue;
		script = script || (w[0] == '-' && strchr(w + 1, 'c'));
		if (w[len - 1] == 'o' || w[len - 1] == 'O')
			i++;
	}
	return NULL;
}

static int policy_scan_deeper(struct state *s, const char *text)
{
	struct state inner = *s;

	if (s->depth >= SCRIPTS_DEEP) {
		*s->deep = true;
		return MT_OK;
	}
	inner.depth++;
	return scan_script(&inner, text, strlen(text));
}

/* eval runs its joined words. */
static int scan_eval(struct state *s, const struct shell_word *words, size_t count)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 << 20);

	for (size_t i = 0; i < count; i++) {
		strbuf_add(&text, policy_scan_value(&words[i])
					  ? policy_scan_value(&words[i])
					  : "$x");
		strbuf_addc(&text, ' ');
	}
	return text.error ? text.error : policy_scan_deeper(s, text.text);
}

static int policy_scan_one_command(struct state *s, const struct shell_command *c,
				   size_t at)
{
	const struct shell_word *words = c->words + at + 1;
	size_t count = c->count - at - 1;
	const char *name = policy_scan_value(&c->words[at])
				   ? command_base(policy_scan_value(&c->words[at]))
				   : "";
	const char *script;
	int r = s->each(s->arg, c, at);

	if (!r && strcmp(name, "eval") == 0)
		return scan_eval(s, words, count);
	if (r || !command_is_shell(name))
		return r;
	script = script_of(words, count);
	if (!script)
		script = c->input;
	return script ? policy_scan_deeper(s, script) : MT_OK;
}

static int policy_scan_each_command(void *arg, const struct shell_command *c)
{
	struct state *s = arg;
	int r = c->count ? policy_scan_one_command(s, c, 0) : s->each(s->arg, c, 0);
	const char *name = c->count ? policy_scan_value(&c->words[0]) : NULL;

	if (r || !name || !command_wraps(command_base(name)))
		return r;
	for (size_t i = 1; !r && i < c->count; i++) {
		const char *w = policy_scan_value(&c->words[i]);

		if (i > INNER_MAX) {
			*s->deep = true;
			break;
		}
		if (w && *w != '-')
			r = policy_scan_one_command(s, c, i);
	}
	return r;
}

static int scan_script(struct state *s, const char *text, size_t len)
{
	int r = shell_walk(text, len, policy_scan_each_command, s);

	if (r == MT_ELIMIT) {
		*s->deep = true;
		r = MT_OK;
	}
	return r;
}

static int scan_commands(const char *text, size_t len, scan_each_fn *each, void *arg,
			 bool *deep)
{
	bool unused;
	struct state s = { .each = each, .arg = arg, .deep = deep ? deep : &unused };

	return scan_script(&s, text, len);
}

/* ---- deletion ----------------------------------------------------------------- */

static int policy_scan_judge(void *arg, const struct shell_command *c, size_t at)
{
	const char *word = at < c->count ? policy_scan_value(&c->words[at]) : NULL;
	const char *name = word ? command_base(word) : NULL;
	struct scan *scan = arg;

	if (at < c->count && forces(c->words + at + 1, c->count - at - 1)) {
		if (name && strcmp(name, "rm") == 0)
			scan->found = true;
		else if (at == 0 && (!name || c->broken || c->words[0].pattern))
			scan->uncertain = true;
	}
	if (name && command_is_shell(name) && c->broken)
		scan->uncertain = true;
	return MT_OK;
}

int scan_deletion(const char *text, size_t len, struct scan *ret)
{
	bool deep = false;
	int r;

	*ret = (struct scan){ 0 };
	r = scan_commands(text, len, policy_scan_judge, ret, &deep);
	ret->uncertain = ret->uncertain || deep;
	return r;
}
