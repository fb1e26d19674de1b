/* SPDX-License-Identifier: MIT
 *
 * rules.c - reading the rules of a user, and trying them on an action. */
#include "rules.h"

#include "match.h"
#include "options.h"
#include "scan.h"

#include <ctype.h>
#include <string.h>

enum { RULES_MAX = 1000, LINE_MAX_BYTES = 64 << 10 };
enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };
enum { TOOL, COMMAND, PATH, HOST, CONDITIONS, REASON = CONDITIONS, FIELDS };

static const char *const fields[FIELDS] = { "tool", "command", "path", "host", "reason" };

struct rule {
	char *name, *text, *reason;
	int risk;
	bool deny, redirects; /* `command` speaks of > itself */
	struct match *conditions[CONDITIONS];
};

struct rules {
	struct rule *all;
	size_t count;
};

static void rule_clear(struct rule *rule)
{
	for (size_t i = 0; i < CONDITIONS; i++)
		match_free(rule->conditions[i]);
	free(rule->name);
	free(rule->text);
	free(rule->reason);
}

struct rules *rules_free(struct rules *r)
{
	for (size_t i = 0; r && i < r->count; i++)
		rule_clear(&r->all[i]);
	if (r)
		free(r->all);
	free(r);
	return NULL;
}

struct rules *rules_new(struct error *err)
{
	struct rules *r = calloc(1, sizeof *r);

	if (!r)
		fail(err, MT_ENOMEM, "out of memory");
	return r;
}

/* ---- reading -------------------------------------------------------------- */

static int read_verdict(struct rule *rule, const char *word, size_t len, struct error *err)
{
	static const char *const words[] = { "low", "medium", "high", "deny" };
	AUTO(free) char *copy = strndup(word, len);
	const char *near;

	for (int i = 0; i < 4; i++) {
		if (strlen(words[i]) != len || memcmp(words[i], word, len) != 0)
			continue;
		rule->risk = i < 3 ? i : HIGH;
		rule->deny = i == 3;
		return MT_OK;
	}
	near = copy ? suggest(copy, words, 4) : NULL;
	return fail(err, MT_EINVAL, "a rule begins with its verdict: low, medium, high or deny, "
		    "not `%.*s`%s%s%s", (int)(len > 40 ? 40 : len), word,
		    near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

/* The field that begins here ("tool="), or -1. */
static int field_at(const char *p, size_t *ret_len)
{
	for (int i = 0; i < FIELDS; i++) {
		size_t n = strlen(fields[i]);

		if (strncmp(p, fields[i], n) == 0 && p[n] == '=') {
			*ret_len = n + 1;
			return i;
		}
	}
	return -1;
}

/* A value ends where the next field begins, or at its closing quote. */
static char *read_value(const char **p, struct error *err)
{
	const char *from = *p, *to = from;
	size_t unused;
	char *value;

	if (*from == '"') {
		to = strchr(++from, '"');
		if (!to) {
			fail(err, MT_EINVAL, "a \" is not closed");
			return NULL;
		}
		*p = to + 1;
	} else {
		while (*to && !(*to == ' ' && field_at(to + strspn(to, " "), &unused) >= 0))
			to++;
		*p = to;
		while (to > from && to[-1] == ' ')
			to--;
	}
	value = strndup(from, (size_t)(to - from));
	if (!value)
		fail(err, MT_ENOMEM, "out of memory");
	return value;
}

static int read_field(struct rule *rule, const char **p, struct error *err)
{
	AUTO(free) char *value = NULL;
	size_t len;
	int field = field_at(*p, &len);

	if (field < 0)
		return fail(err, MT_EINVAL, "`%.*s` is no condition: write tool=, command=, "
			    "path=, host= or reason= and a text", (int)strcspn(*p, " ="), *p);
	*p += len;
	value = read_value(p, err);
	if (!value)
		return err->code;
	if (!*value)
		return fail(err, MT_EINVAL, "`%s=` has no text", fields[field]);
	if (field == REASON) {
		free(rule->reason);
		rule->reason = STEAL(value);
		return MT_OK;
	}
	if (rule->conditions[field])
		return fail(err, MT_EINVAL, "`%s=` is there twice", fields[field]);
	if (field == COMMAND)
		rule->redirects = strchr(value, '>') != NULL;
	rule->conditions[field] = match_glob(value, err);
	return rule->conditions[field] ? MT_OK : err->code;
}

static int read_rule(struct rule *rule, const char *text, struct error *err)
{
	const char *p = text + strspn(text, " ");
	size_t len = strcspn(p, " ");
	bool any = false;
	int r = read_verdict(rule, p, len, err);

	for (p += len; !r && *(p += strspn(p, " "));)
		r = read_field(rule, &p, err);
	for (size_t i = 0; i < CONDITIONS; i++)
		any = any || rule->conditions[i];
	if (!r && !any)
		return fail(err, MT_EINVAL, "a rule needs a condition: tool=, command=, path= or "
			    "host=");
	return r;
}

int rules_add(struct rules *r, const char *name, const char *text, struct error *err)
{
	struct error why = ERROR_NONE;
	struct rule rule = { .name = strdup(name), .text = strdup(text) };
	struct rule *all = realloc(r->all, (r->count + 1) * sizeof *all);
	int status = MT_OK;

	if (all)
		r->all = all;
	if (!all || !rule.name || !rule.text)
		status = fail(&why, MT_ENOMEM, "out of memory");
	else if (r->count == RULES_MAX)
		status = fail(&why, MT_ELIMIT, "there are more than %d rules", RULES_MAX);
	else
		status = read_rule(&rule, text, &why);
	if (status) {
		rule_clear(&rule);
		return fail(err, status, "%s: %s", name, why.text);
	}
	r->all[r->count++] = rule;
	return MT_OK;
}

static struct finding finding_of(const struct rule *rule)
{
	return (struct finding){ rule->risk, rule->deny, rule->name,
				 rule->reason ? rule->reason : "" };
}

bool rules_at(const struct rules *r, size_t n, struct finding *ret, const char **ret_text)
{
	if (n >= r->count)
		return false;
	*ret = finding_of(&r->all[n]);
	*ret_text = r->all[n].text;
	return true;
}

/* ---- what an action does ---------------------------------------------------- */

struct texts {
	char **all;
	size_t count;
};

/* One command of an action, or the action as a whole. */
struct unit {
	struct texts commands;  /* ways to write it; the first as it stands */
	struct texts paths, hosts;
	bool inner;             /* what a wrapper runs: raises, does not lower */
	bool loose;             /* writes, or is not to be told: not lowered lightly */
};

struct trial {
	const struct rules *rules;
	const struct deed *deed;
	struct finding *ret;
	bool covered, any;
};

static void texts_clear(struct texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->all[i]);
	free(t->all);
	*t = (struct texts){ 0 };
}

static void unit_clear(struct unit *u)
{
	texts_clear(&u->commands);
	texts_clear(&u->paths);
	texts_clear(&u->hosts);
}

static int texts_add(struct texts *t, const char *text, size_t len)
{
	char **all = realloc(t->all, (t->count + 1) * sizeof *all);

	if (!all)
		return MT_ENOMEM;
	t->all = all;
	all[t->count] = strndup(text, len);
	return all[t->count] ? (t->count++, MT_OK) : MT_ENOMEM;
}

/* Without "." and "..", from the workspace on if it is no absolute one. */
static int clean_path(const char *path, const char *workspace, struct strbuf *out)
{
	const char *parts[2] = { *path == '/' ? "" : workspace, path };

	for (size_t i = 0; i < 2; i++) {
		for (const char *p = parts[i]; *p;) {
			size_t n = strcspn(p, "/");

			if (n == 2 && p[0] == '.' && p[1] == '.') {
				char *slash = strrchr(out->text, '/');

				strbuf_cut(out, slash ? (size_t)(slash - out->text) : 0);
			} else if (n && !(n == 1 && *p == '.')) {
				strbuf_addc(out, '/');
				strbuf_addn(out, p, n);
			}
			p += n;
			p += strspn(p, "/");
		}
	}
	if (!out->len)
		strbuf_addc(out, '/');
	return out->error;
}

static int add_path(struct unit *u, const char *path, const char *workspace)
{
	AUTO(strbuf) struct strbuf clean = STRBUF(LINE_MAX_BYTES);
	size_t n = strlen(workspace);
	int r;

	if (clean_path(path, workspace, &clean))
		return clean.error == MT_ENOMEM ? MT_ENOMEM : MT_OK;
	r = texts_add(&u->paths, clean.text, clean.len);
	if (!r && n && strncmp(clean.text, workspace, n) == 0 && clean.text[n] == '/')
		r = texts_add(&u->paths, clean.text + n + 1, clean.len - n - 1);
	return r;
}

/* Hosts of the URLs in a text, and of user@host. */
static int add_hosts(struct unit *u, const char *text)
{
	int r = MT_OK;

	for (const char *p = text; !r && (p = strpbrk(p, ":@")); p++) {
		const char *host = *p == '@' ? p + 1 : NULL;
		size_t len;

		if (strncmp(p, "://", 3) == 0) {
			size_t to = strcspn(p + 3, "/?# \t\n'\"");
			const char *at = memrchr(p + 3, '@', to);

			host = at ? at + 1 : p + 3;
			p += 2;
		}
		len = host ? strcspn(host, "/:?# \t\n'\"()|;&<>") : 0;
		if (len && !(p > text && *p == '@' && isspace((unsigned char)p[-1])))
			r = texts_add(&u->hosts, host, len);
	}
	return r;
}

static int add_command(struct unit *u, const struct shell_command *c, size_t at)
{
	AUTO(strbuf) struct strbuf plain = STRBUF(LINE_MAX_BYTES);
	int r = at ? MT_OK : texts_add(&u->commands, c->raw, strlen(c->raw));

	for (size_t i = at; i < c->count; i++) {
		const char *w = c->words[i].text;
		const char *slash = w && i == at ? strrchr(w, '/') : NULL;

		strbuf_addf(&plain, "%s%s", i > at ? " " : "",
			    slash ? slash + 1 : w ? w : "$");
	}
	if (plain.error)
		u->loose = true;
	return r || plain.error ? r : texts_add(&u->commands, plain.text, plain.len);
}

static int add_paths_of(struct unit *u, const struct shell_command *c, size_t at,
			const char *workspace)
{
	int r = MT_OK;

	for (size_t i = at; !r && i < c->count; i++) {
		const char *w = c->words[i].text;

		if (!w)
			u->loose = true;
		else if (i > at && *w != '-')
			r = add_path(u, w, workspace);
		if (!r && w && i > at && strchr(w, '='))
			r = add_path(u, strchr(w, '=') + 1, workspace);
	}
	for (size_t i = 0; !r && i < c->redirect_count; i++)
		if (c->redirects[i].text)
			r = add_path(u, c->redirects[i].text, workspace);
	return r;
}

/* ---- trying ---------------------------------------------------------------- */

/* 1: fits; 0: does not; a rule that takes too long fits if it raises. */
static int one_fits(struct match *m, const char *text, bool raises)
{
	int r = match_in(m, text, strlen(text));

	return r == MT_ELIMIT ? raises : r;
}

/* What raises needs one that fits, what lowers needs all to fit. */
static int some_fit(struct match *m, const struct texts *t, bool raises)
{
	if (!t->count)
		return 0;
	for (size_t i = 0; i < t->count; i++) {
		int r = one_fits(m, t->all[i], raises);

		if (r < 0 || r == raises)
			return r;
	}
	return !raises;
}

/* A path may be written from the workspace on or as a whole: for lowering, one
 * of the two has to fit. They stand behind each other. */
static int paths_fit(struct match *m, const struct texts *t, bool raises)
{
	if (raises || !t->count)
		return some_fit(m, t, raises);
	for (size_t i = 0; i < t->count; i++) {
		int r = one_fits(m, t->all[i], false);

		if (r == 0 && i + 1 < t->count && t->all[i + 1][0] != '/')
			r = one_fits(m, t->all[++i], false);
		else if (i + 1 < t->count && t->all[i + 1][0] != '/')
			i++;
		if (r != 1)
			return r;
	}
	return 1;
}

static int command_fits(const struct rule *rule, const struct unit *u, bool raises)
{
	struct match *m = rule->conditions[COMMAND];
	const struct texts *t = &u->commands;

	if (raises)
		return some_fit(m, t, true);
	if (!t->count || (u->loose && !rule->redirects))
		return 0;
	return one_fits(m, rule->redirects ? t->all[0] : t->all[t->count - 1], false);
}

static int fits(const struct rule *rule, const struct deed *deed, const struct unit *u)
{
	bool raises = rule->deny || rule->risk == HIGH;
	int r = 1;

	if (u->inner && !raises)
		return 0;
	if (rule->conditions[TOOL])
		r = one_fits(rule->conditions[TOOL], deed->tool, raises);
	if (r == 1 && rule->conditions[COMMAND])
		r = command_fits(rule, u, raises);
	if (r == 1 && rule->conditions[PATH])
		r = paths_fit(rule->conditions[PATH], &u->paths, raises);
	if (r == 1 && rule->conditions[HOST])
		r = some_fit(rule->conditions[HOST], &u->hosts, raises);
	return r;
}

static int try_rules(struct trial *t, const struct unit *u)
{
	for (size_t i = 0; i < t->rules->count; i++) {
		struct finding f = finding_of(&t->rules->all[i]);
		int r = fits(&t->rules->all[i], t->deed, u);

		if (r < 0)
			return r;
		if (!r)
			continue;
		if (!t->any || f.risk > t->ret->risk || (f.deny && !t->ret->deny))
			*t->ret = f;
		t->any = true;
		return MT_OK;
	}
	t->covered = t->covered && u->inner;
	return MT_OK;
}

static int each(void *arg, const struct shell_command *c, size_t at)
{
	struct trial *t = arg;
	struct unit u = { .inner = at > 0, .loose = c->writes || c->broken };
	int r = add_command(&u, c, at);

	if (!r)
		r = add_paths_of(&u, c, at, t->deed->workspace);
	if (!r)
		r = add_hosts(&u, c->raw);
	if (!r)
		r = try_rules(t, &u);
	unit_clear(&u);
	return r;
}

/* Does an argument of this name hold a path? "path", "file_path", "output-dir". */
static bool is_path(const char *name)
{
	static const char *const ends[] = { "path", "paths", "file", "files", "filename",
					    "dir", "directory", "folder", "cwd" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len >= n && strcmp(name + len - n, ends[i]) == 0
		    && (len == n || !isalpha((unsigned char)name[len - n - 1])))
			return true;
	}
	return false;
}

static bool is_script(const char *name)
{
	return strcmp(name, "command") == 0 || strcmp(name, "cmd") == 0 ||
	       strcmp(name, "script") == 0;
}

/* The files that a text in the form of a patch (`*** Update File: PATH`) names. */
static int add_patched(struct unit *u, const char *text, const char *workspace)
{
	static const char *const marks[] = { "*** Update File: ", "*** Add File: ",
					     "*** Delete File: ", "*** Move to: " };
	int r = MT_OK;

	for (const char *line = text; !r && line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t i = 0; !r && i < ARRAY_LEN(marks); i++) {
			size_t n = strlen(marks[i]), len;
			AUTO(free) char *path = NULL;

			if (strncmp(line, marks[i], n) != 0)
				continue;
			len = strcspn(line + n, "\n");
			path = strndup(line + n, len < LINE_MAX_BYTES ? len : 0);
			r = path ? add_path(u, path, workspace) : MT_ENOMEM;
		}
	}
	return r;
}

/* The action as one thing: the paths and hosts of its arguments. */
static int try_whole(struct trial *t)
{
	struct unit u = { 0 };
	int r = MT_OK;

	for (size_t i = 0; !r && i < t->deed->count; i++) {
		const struct argument *a = &t->deed->arguments[i];

		if (is_path(a->name) && a->len < LINE_MAX_BYTES && !strchr(a->text, '\n'))
			r = add_path(&u, a->text, t->deed->workspace);
		else if (is_script(a->name))
			r = texts_add(&u.commands, a->text, a->len);
		else if (strcmp(a->name, "patch") == 0)
			r = add_patched(&u, a->text, t->deed->workspace);
		if (!r)
			r = add_hosts(&u, a->text);
	}
	if (!r)
		r = try_rules(t, &u);
	unit_clear(&u);
	return r;
}

int rules_judge(const struct rules *r, const struct deed *deed, struct finding *ret,
		bool *covered)
{
	struct trial t = { .rules = r, .deed = deed, .ret = ret, .covered = true };
	bool scripts = false, paths = false, deep = false;
	int status = MT_OK;

	*ret = (struct finding){ UNKNOWN, false, "", "" };
	*covered = false;
	if (!r->count)
		return MT_OK;
	for (size_t i = 0; i < deed->count; i++) {
		scripts = scripts || is_script(deed->arguments[i].name);
		paths = paths || strcmp(deed->arguments[i].name, "path") == 0;
	}
	if (!scripts || paths)
		status = try_whole(&t);
	for (size_t i = 0; !status && !paths && i < deed->count; i++)
		if (is_script(deed->arguments[i].name))
			status = scan_commands(deed->arguments[i].text,
					       deed->arguments[i].len, each, &t, &deep);
	*covered = t.any && t.covered && !deep;
	return status;
}
