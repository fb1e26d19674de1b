/* SPDX-License-Identifier: MIT
 *
 * judge.c - combines the results of rules and tables for the parts of an action. */
#include "judge.h"

#include "danger.h"
#include "harmless.h"
#include "match.h"

#include <ctype.h>
#include <string.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };
enum { STOP = 1 }; /* ends a walk */

struct judging {
	struct policy *policy;
	const struct action *action;
	struct place place;
	struct finding found;
	bool any;     /* a part was assessed */
	bool decided; /* a rule decided on the command that contains a wrapper */
	size_t cleanings; /* deletions of directories that are created again */
	bool covered; /* user rules decided on all parts */
};

/* A denial, HIGH, UNKNOWN, MEDIUM, LOW. */
static int weight(const struct finding *f)
{
	if (f->deny)
		return 4;
	return f->risk == HIGH ? 3 : f->risk == UNKNOWN ? 2 : f->risk;
}

static void judge_add(struct judging *j, const struct finding *f)
{
	if (!j->any || weight(f) > weight(&j->found))
		j->found = *f;
	j->any = true;
}

static struct caller caller_of(const struct action *action)
{
	return (struct caller){ action->tool, action->hints, action->ours };
}

static struct finding policy_judge_unknown(const char *reason)
{
	return (struct finding){ UNKNOWN, false, "", reason };
}

/* ---- a command ---------------------------------------------------------------- */

/* @return whether paths still lead to the same files. */
static bool known_risk(struct judging *j, const struct facts *f)
{
	int risk = harmless_command(&j->place, f);
	struct finding finding = { risk, false, "", "" };

	if (risk == UNKNOWN && f->undecided)
		finding.reason = "too large to analyze completely";
	else if (risk == UNKNOWN)
		finding.reason = "not known to be harmless";
	judge_add(j, &finding);
	return risk == LOW || (risk == MEDIUM && harmless_settles(f->unit));
}

static int command_facts(struct judging *j, const struct facts *f, bool *ret_settled)
{
	const struct caller caller = caller_of(j->action);
	struct finding own, danger = { LOW, false, "", "" };
	int r = rules_try(j->policy->rules, &j->place, &caller, f, &own);

	if (r)
		return r;
	if (!f->unit->inner)
		j->decided = *own.rule && own.risk != UNKNOWN;
	if (*own.rule && own.risk != UNKNOWN) {
		judge_add(j, &own);
		return MT_OK;
	}
	if (f->unit->inner && j->decided && !*own.rule)
		return MT_OK; /* the rule also covered the command that the wrapper runs */
	if (j->policy->signatures)
		danger_of_command(&j->place, f, &danger);
	j->cleanings += danger_is_cleaning(&j->place, f);
	j->covered = j->covered && f->unit->inner;
	if (danger.risk == HIGH)
		judge_add(j, &danger);
	else if (*own.rule)
		judge_add(j, &own);
	else if (!f->unit->inner)
		*ret_settled = known_risk(j, f);
	return MT_OK;
}

static int each_unit(void *arg, struct unit *u)
{
	struct judging *j = arg;
	struct facts f;
	int r;

	if (match_is_over())
		return STOP; /* reported by judge_action() */
	r = facts_of_unit(&j->place, u, &f);
	if (r)
		return r;
	r = command_facts(j, &f, &u->settled);
	facts_clear(&f);
	return r;
}

/* ---- an action without commands ----------------------------------------------- */

/* Does an argument of this name hold a path? "path", "file_path", "output-dir". */
static bool is_path(const char *name)
{
	static const char *const ends[] = { "path",      "paths",    "file",
					    "files",     "filename", "dir",
					    "directory", "folder",   "cwd" };
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strlen(ends[i]);

		if (len >= n && strcmp(name + len - n, ends[i]) == 0 &&
		    (len == n || !isalpha((unsigned char)name[len - n - 1])))
			return true;
	}
	return false;
}

static bool is_script(const char *name)
{
	return strcmp(name, "command") == 0 || strcmp(name, "cmd") == 0 ||
	       strcmp(name, "script") == 0;
}

/* Text that is run by something other than a shell. */
static bool is_code(const char *name)
{
	return strcmp(name, "code") == 0;
}

/* Add the files that a patch text (`*** Update File: PATH`) names. */
static int add_patched(struct judging *j, struct facts *f, const char *text)
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
			len = strcspn(line + n, "\r\n");
			path = strndup(line + n, len < PLACE_PATH_MAX ? len : 0);
			r = path ? facts_add_path(f, &j->place, path) : MT_ENOMEM;
		}
	}
	return r;
}

static int collect_files(struct judging *j, struct facts *f)
{
	int r = MT_OK;

	for (size_t i = 0; !r && i < j->action->count; i++) {
		const struct argument *a = &j->action->arguments[i];

		if (is_path(a->name) && a->len < PLACE_PATH_MAX && !strchr(a->text, '\n'))
			r = facts_add_path(f, &j->place, a->text);
		else if (is_script(a->name) && f->line_count < 2)
			r = facts_add_line(f, a->text);
		else if (strcmp(a->name, "patch") == 0)
			r = add_patched(j, f, a->text);
		if (!r)
			r = facts_add_hosts(f, a->text);
		f->undecided =
			f->undecided || (is_path(a->name) && a->len >= PLACE_PATH_MAX);
	}
	return r;
}

/* The `view` command of an editor that can also write. */
static bool only_views(const struct action *action)
{
	for (size_t i = 0; i < action->count; i++)
		if (is_script(action->arguments[i].name))
			return strcmp(action->arguments[i].text, "view") == 0;
	return false;
}

static void files_risk(struct judging *j, const struct facts *f)
{
	const struct action *action = j->action;
	bool writes = !action->reads_only && !(action->ours && only_views(action));
	struct finding finding = { LOW, false, "", "" };

	if (j->policy->signatures)
		danger_of_files(&j->place, f, writes, &finding);
	if (j->policy->signatures && !action->ours)
		danger_of_ignored(&j->place, f, &finding);
	if (finding.risk != HIGH) {
		finding = policy_judge_unknown("not known to be harmless");
		if (action->ours && !action->open_world && (!writes || f->path_count))
			finding.risk = harmless_files(&j->place, f, writes);
		if (finding.risk != UNKNOWN)
			finding.reason = "";
	}
	judge_add(j, &finding);
}

static int judge_whole(struct judging *j)
{
	const struct caller caller = caller_of(j->action);
	struct facts f = { 0 };
	struct finding own;
	int r = collect_files(j, &f);

	if (!r)
		r = rules_try(j->policy->rules, &j->place, &caller, &f, &own);
	if (!r && *own.rule && own.risk != UNKNOWN) {
		judge_add(j, &own);
	} else if (!r) {
		j->covered = false;
		if (*own.rule)
			judge_add(j, &own);
		else
			files_risk(j, &f);
	}
	facts_clear(&f);
	return r;
}

/* ---- the whole action --------------------------------------------------------- */

/* Writing a file does not execute its content. */
static bool is_content(const struct action *action, const struct argument *a)
{
	return action->ours && !is_script(a->name) && !is_code(a->name);
}

/* How often the text contains the word `rm`. */
static size_t count_rm(const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i + 1 < len; i++)
		count += strncasecmp(text + i, "rm", 2) == 0 &&
			 (i == 0 ||
			  !(isalnum((unsigned char)text[i - 1]) || text[i - 1] == '_')) &&
			 (i + 2 == len ||
			  !(isalnum((unsigned char)text[i + 2]) || text[i + 2] == '_'));
	return count;
}

/* `executed`: also in the executable part, which is not known to be harmless. */
static int look_for_patterns(struct judging *j, bool executed)
{
	const struct action *action = j->action;
	struct finding rail = { LOW, false, "", "" }, pattern = rail;
	struct error err = ERROR_NONE;
	struct action_text c;
	bool is_cleaning;
	int r = MT_OK;

	if (!j->policy->patterns)
		j->policy->patterns = patterns_new(&err);
	if (!j->policy->patterns)
		return err.code;
	action_text_init(&c);
	for (size_t i = 0; executed && !r && i < action->count; i++)
		if (!is_content(action, &action->arguments[i]))
			r = action_text_add(&c, true, action->arguments[i].text,
					    action->arguments[i].len);
	for (size_t i = 0; !r && i < 2 && action->said[i]; i++)
		r = action_text_add(&c, false, action->said[i], strlen(action->said[i]));
	is_cleaning = j->cleanings && j->cleanings == count_rm(c.exec.text, c.exec.len);
	if (!r && j->policy->rails)
		r = patterns_rails(j->policy->patterns, &c, &rail);
	if (!r && j->policy->signatures)
		r = patterns_find(j->policy->patterns, &c, true,
				  is_cleaning ? "exec.destruct.rm_rf" : NULL, &pattern);
	action_text_clear(&c);
	if (!r && rail.risk == HIGH)
		judge_add(j, &rail);
	else if (!r && pattern.risk != LOW)
		judge_add(j, &pattern);
	return r;
}

static int commands(struct judging *j, bool *ret_any)
{
	bool deep = false;
	int r = MT_OK;

	for (size_t i = 0; !r && i < j->action->count; i++) {
		const struct argument *a = &j->action->arguments[i];

		if (!is_script(a->name))
			continue;
		*ret_any = true;
		r = units_each(&j->place, a->text, a->len, each_unit, j, &deep);
		r = r == STOP ? MT_OK : r;
	}
	if (!r && deep) {
		struct finding f = policy_judge_unknown("nested too deeply to analyze");

		j->covered = false;
		judge_add(j, &f);
	}
	return r;
}

static bool names_path(const struct action *action)
{
	for (size_t i = 0; i < action->count; i++)
		if (strcmp(action->arguments[i].name, "path") == 0)
			return true;
	return false;
}

int judge_action(struct policy *p, const struct action *action, struct finding *ret)
{
	struct judging j = { .policy = p, .action = action, .covered = true };
	bool any = false, over;
	int r = place_init(&j.place, action->workspace, action->directory);

	if (r)
		return r;
	j.place.roots = action->roots;
	match_begin();
	if (!names_path(action))
		r = commands(&j, &any);
	if (!r && !any)
		r = judge_whole(&j);
	if (!r && action->is_input) {
		struct finding f = policy_judge_unknown(
			"input for a program that is already running");

		j.covered = false;
		judge_add(&j, &f);
	}
	over = match_is_over();
	match_begin(); /* the patterns have their own budget */
	if (!r && !(j.any && j.covered && !over))
		r = look_for_patterns(&j, !j.any || weight(&j.found) > 1);
	if (!r && (over || match_is_over()) && weight(&j.found) < 2) {
		j.any = true;
		j.found = policy_judge_unknown("too large to analyze completely");
	}
	*ret = j.any ? j.found : (struct finding){ LOW, false, "", "" };
	place_clear(&j.place);
	return r;
}
