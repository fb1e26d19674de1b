/* SPDX-License-Identifier: MIT
 *
 * rules.c - parses the user rules and matches them against a command. */
#include "rules.h"

#include "array.h"
#include "match.h"
#include "options.h"

#include <ctype.h>
#include <mortise/tool.h>
#include <string.h>

enum { RULES_MAX = 1000, PATTERN_BYTES_MAX = 4096 };
enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };
enum { TOOL, HINT, COMMAND, PATH, HOST, CONDITIONS, REASON = CONDITIONS, FIELDS };

static const char *const fields[FIELDS] = { "tool", "hint", "command",
					    "path", "host", "reason" };

struct rule {
	char *name, *text, *reason;
	int risk;
	bool deny, redirects; /* `command` contains > itself */
	struct match *conditions[CONDITIONS];
	char *below;          /* directory whose content `path` matches, or NULL */
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
	free(rule->below);
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
		out_of_memory(err);
	return r;
}

/* ---- reading ------------------------------------------------------------------ */

static int read_verdict(struct rule *rule, const char *word, size_t len,
			struct error *err)
{
	static const struct {
		const char *word;
		int risk;
		bool deny;
	} verdicts[] = {
		{ "low", LOW, false }, { "medium", MEDIUM, false }, { "high", HIGH, false },
		{ "deny", HIGH, true }, { "allow", LOW, false }, { "ask", HIGH, false },
	};
	const char *words[ARRAY_LEN(verdicts)];
	AUTO(free) char *copy = strndup(word, len);
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
		words[i] = verdicts[i].word;
		if (!copy || strcmp(words[i], copy) != 0)
			continue;
		rule->risk = verdicts[i].risk;
		rule->deny = verdicts[i].deny;
		return MT_OK;
	}
	near = copy ? option_suggest(copy, words, ARRAY_LEN(words)) : NULL;
	return fail(err, MT_EINVAL,
		    "a rule must start with allow, ask, deny, low, medium or high, not "
		    "`%.*s`%s%s%s",
		    (int)(len > 40 ? 40 : len), word, near ? "; did you mean `" : "",
		    near ? near : "", near ? "`?" : "");
}

/* The field that starts here ("tool="), or -1. */
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

/* A value ends before the next field, or at its closing quote. */
static char *policy_rules_read_value(const char **p, struct error *err)
{
	const char *from = *p, *to = from;
	size_t unused;
	char *value;

	if (*from == '"') {
		to = strchr(++from, '"');
		if (!to) {
			fail(err, MT_EINVAL, "missing closing \"");
			return NULL;
		}
		*p = to + 1;
	} else {
		while (*to &&
		       !(*to == ' ' && field_at(to + strspn(to, " "), &unused) >= 0))
			to++;
		*p = to;
		while (to > from && to[-1] == ' ')
			to--;
	}
	value = strndup(from, (size_t)(to - from));
	if (!value)
		out_of_memory(err);
	return value;
}

/* Expand "~/x" and "$HOME/x"; convert hosts to lowercase. */
static char *policy_rules_meant(int field, const char *value)
{
	AUTO(strbuf) struct strbuf out = STRBUF(PATTERN_BYTES_MAX);
	const char *home = getenv("HOME");
	size_t skip = 0;

	if (field == PATH && strncmp(value, "$HOME", 5) == 0)
		skip = 5;
	else if (field == PATH && *value == '~')
		skip = 1;
	if (skip && home && (value[skip] == '/' || !value[skip]))
		strbuf_add(&out, home);
	else
		skip = 0;
	strbuf_add(&out, value + skip);
	for (char *p = out.text; field == HOST && *p && *value != '/'; p++)
		*p = (char)tolower((unsigned char)*p);
	return strbuf_take(&out);
}

/* For "/x/y/" followed by *, return the directory "/x/y". */
static char *content_of(const char *glob)
{
	size_t n = strcspn(glob, "*?");

	if (*glob != '/' || (n > 1 && glob[strlen(glob) - 1] == '/'))
		return NULL;
	while (n && glob[n - 1] != '/')
		n--;
	return n > 1 ? strndup(glob, n - 1) : NULL;
}

static int read_field(struct rule *rule, const char **p, struct error *err)
{
	AUTO(free) char *value = NULL;
	AUTO(free) char *text = NULL;
	size_t len;
	int field = field_at(*p, &len);

	if (field < 0)
		return fail(err, MT_EINVAL,
			    "unknown condition `%.*s`; use tool=, command=, path=, "
			    "host= or reason=",
			    (int)strcspn(*p, " ="), *p);
	*p += len;
	value = policy_rules_read_value(p, err);
	if (!value)
		return err->code;
	if (!*value)
		return fail(err, MT_EINVAL, "`%s=` has no value", fields[field]);
	if (field == REASON) {
		free(rule->reason);
		rule->reason = STEAL(value);
		return MT_OK;
	}
	if (rule->conditions[field])
		return fail(err, MT_EINVAL, "`%s=` appears twice", fields[field]);
	if (field == COMMAND)
		rule->redirects = strchr(value, '>') != NULL;
	text = policy_rules_meant(field, value);
	if (!text)
		return fail(err, MT_ELIMIT, "`%s=` is longer than %d bytes",
			    fields[field], PATTERN_BYTES_MAX);
	if (field == PATH)
		rule->below = content_of(text);
	rule->conditions[field] = match_glob(text, err);
	return rule->conditions[field] ? MT_OK : err->code;
}

static int policy_rules_read_rule(struct rule *rule, const char *text, struct error *err)
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
		return fail(
			err, MT_EINVAL,
			"a rule requires a condition: tool=, command=, path= or host=");
	return r;
}

int rules_add(struct rules *r, const char *name, const char *text, struct error *err)
{
	struct error why = ERROR_NONE;
	struct rule rule = { .name = strdup(name), .text = strdup(text) };
	int status = ARRAY_ADD(r->all, r->count, RULES_MAX);

	if (status == MT_ENOMEM || !rule.name || !rule.text)
		status = out_of_memory(&why);
	else if (status)
		status = fail(&why, MT_ELIMIT, "more than %d rules", RULES_MAX);
	else
		status = policy_rules_read_rule(&rule, text, &why);
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

/* ---- matching ----------------------------------------------------------------- */

/* Combine matches: a rule that raises the risk takes the most certain one, a rule that
 * lowers it the least certain one. */
static int rules_join(int a, int b, bool raises)
{
	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	return raises == (a > b) ? a : b;
}

static int fit(struct match *m, const char *text)
{
	return match_fits(m, text, strlen(text));
}

/* The plain words follow the command as written. */
static const char *plain_line(const struct facts *f)
{
	bool both = f->unit && !f->unit->inner && f->line_count > 1;

	return f->lines[both ? 1 : 0];
}

static int command_fits(const struct rule *rule, const struct facts *f, bool raises)
{
	struct match *m = rule->conditions[COMMAND];
	int r = FITS_NOT;

	if (!f->line_count)
		return FITS_NOT;
	for (size_t i = 0; raises && r != FITS && r >= 0 && i < f->line_count; i++)
		r = rules_join(r, fit(m, f->lines[i]), true);
	if (raises)
		return r == FITS_NOT && f->undecided && f->line_count < 2 ? FITS_MAYBE
									  : r;
	if (f->unit && !rule->redirects && f->unit->command->writes)
		return FITS_NOT;
	return fit(m, rule->redirects ? f->lines[0] : plain_line(f));
}

/* Match a path as a whole, and relative to the workspace. */
static int forms_fit(struct match *m, const struct place *place, const char *path)
{
	const char *relative = facts_relative(place, path);
	int r = fit(m, path);

	return relative && r != FITS ? rules_join(r, fit(m, relative), true) : r;
}

/* Does the command recurse into directories? */
static bool recurses(const struct unit *u)
{
	static const char *const always[] = { "tar", "rsync", "zip", "7z", "find", "rg", "mv",
					      "ag", "ack", "docker", "podman", NULL };
	static const char *const options[] = { "-r", "-R", "-a", "--recursive", "--archive",
					       NULL };

	if (!u || !u->name)
		return false;
	for (size_t i = 0; always[i]; i++)
		if (strcmp(always[i], u->name) == 0)
			return true;
	for (size_t i = 0; options[i]; i++)
		if (unit_has(u, options[i]))
			return strcmp(u->name, "ls") != 0;
	return false;
}

static bool reaches_below(const struct rule *rule, const struct facts *f,
			  const char *path)
{
	return rule->below && (strcmp(rule->below, path) == 0 ||
			       (place_is_below(rule->below, path) && recurses(f->unit)));
}

static int path_raises(const struct rule *rule, const struct place *place,
		       const struct facts *f, const struct path *p)
{
	struct match *m = rule->conditions[PATH];
	int r = forms_fit(m, place, p->lexical);

	if (r != FITS && r >= 0 && p->resolved)
		r = rules_join(r, forms_fit(m, place, p->resolved), true);
	if (r >= 0 && (reaches_below(rule, f, p->lexical) ||
		       (p->resolved && reaches_below(rule, f, p->resolved))))
		return FITS;
	return r;
}

static int paths_fit(const struct rule *rule, const struct place *place,
		     const struct facts *f, bool raises)
{
	int r = raises || !f->path_count ? FITS_NOT : FITS;

	for (size_t i = 0; r >= 0 && i < f->path_count; i++) {
		const struct path *p = &f->paths[i];

		if (raises && r == FITS)
			break;
		if (raises)
			r = rules_join(r, path_raises(rule, place, f, p), true);
		else
			r = p->resolved ? rules_join(r,
						     forms_fit(rule->conditions[PATH],
							       place, p->resolved),
						     false)
					: FITS_NOT;
	}
	return raises && r == FITS_NOT && f->undecided ? FITS_MAYBE : r;
}

static int hosts_fit(const struct rule *rule, const struct facts *f, bool raises)
{
	int r = raises || !f->host_count ? FITS_NOT : FITS;

	for (size_t i = 0; r >= 0 && i < f->host_count; i++)
		r = rules_join(r, fit(rule->conditions[HOST], f->hosts[i]), raises);
	return raises && r == FITS_NOT && f->undecided ? FITS_MAYBE : r;
}

/* A tool's declarations can always raise the risk, but lower it only if they are
 * trusted. */
static int hints_fit(const struct rule *rule, const struct caller *caller, bool raises)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} hints[] = {
		{ MT_TOOL_READ_ONLY, "read-only" },
		{ MT_TOOL_DESTRUCTIVE, "destructive" },
		{ MT_TOOL_IDEMPOTENT, "idempotent" },
		{ MT_TOOL_OPEN_WORLD, "open-world" },
	};
	int r = FITS_NOT;

	for (size_t i = 0; r >= 0 && i < ARRAY_LEN(hints); i++)
		if (caller->hints & hints[i].bit && (raises || caller->trusted))
			r = rules_join(r, fit(rule->conditions[HINT], hints[i].name),
				       true);
	return r;
}

static int all_fit(const struct rule *rule, const struct place *place,
		   const struct caller *caller, const struct facts *f, bool raises)
{
	int r = FITS;

	if (rule->conditions[TOOL])
		r = fit(rule->conditions[TOOL], caller->name);
	if (r > FITS_NOT && rule->conditions[HINT])
		r = rules_join(r, hints_fit(rule, caller, raises), false);
	if (r > FITS_NOT && rule->conditions[COMMAND])
		r = rules_join(r, command_fits(rule, f, raises), false);
	if (r > FITS_NOT && rule->conditions[PATH])
		r = rules_join(r, paths_fit(rule, place, f, raises), false);
	if (r > FITS_NOT && rule->conditions[HOST])
		r = rules_join(r, hosts_fit(rule, f, raises), false);
	return r;
}

/* The risk of nested or unknown commands is not lowered. */
static bool may_lower(const struct facts *f)
{
	if (f->undecided || f->dynamic)
		return false;
	return !f->unit ||
	       (!f->unit->inner && !f->unit->command->broken &&
		!f->unit->command->defines && !f->unit->command->assignment_count);
}

int rules_try(const struct rules *r, const struct place *place,
	      const struct caller *caller, const struct facts *f, struct finding *ret)
{
	bool lower = may_lower(f);

	*ret = (struct finding){ UNKNOWN, false, "", "" };
	for (size_t i = 0; i < r->count; i++) {
		const struct rule *rule = &r->all[i];
		bool raises = rule->deny || rule->risk == HIGH;
		int status = raises || lower ? all_fit(rule, place, caller, f, raises)
					     : FITS_NOT;

		if (status < 0)
			return status;
		if (status == FITS_NOT || (status == FITS_MAYBE && !raises))
			continue;
		*ret = finding_of(rule);
		if (status == FITS_MAYBE)
			*ret = (struct finding){ UNKNOWN, false, rule->name,
						 "may match this rule: part of it is "
						 "known only at run time" };
		return MT_OK;
	}
	return MT_OK;
}
