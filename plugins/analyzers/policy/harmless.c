/* SPDX-License-Identifier: MIT
 *
 * harmless.c - a table of programs with the options that are known to be harmless, and
 * checks of what they touch. */
#include "harmless.h"

#include "sensitive.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };

enum kind {
	SAYS,    /* touches no files, whatever its words say */
	READS,   /* reads the files that its words name */
	PATTERN, /* the same, but the first word that is no option names no file */
	CHANGES, /* changes the files that its words name */
};

/* `options`: "*" any; else single letters, then long ones and those of find. */
struct program {
	const char *names;
	enum kind kind;
	const char *options;
	bool (*good)(const struct unit *u); /* a check of its own, or NULL */
};

/* ---- options ------------------------------------------------------------------------
 */

static bool in_list(const char *list, const char *word, size_t len)
{
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

/* "-la", "-n5", "--long=x", "-name". */
static bool option_is_good(const char *options, const char *word)
{
	size_t letters = strcspn(options, " ");

	if (*options == '*' || in_list(options + letters, word, strcspn(word, "=")))
		return true;
	if (word[1] == '-')
		return word[2] == '\0';
	for (const char *p = word + 1; *p; p++) {
		if (isdigit((unsigned char)*p) && p > word + 1)
			return p[strspn(p, "0123456789.")] ==
			       '\0'; /* of the option before */
		if (!memchr(options, *p, letters))
			return false;
	}
	return true;
}

static bool options_are_good(const struct unit *u, const char *options)
{
	for (size_t i = 1; i < u->count; i++) {
		const char *w = u->words[i].text;

		if (!w)
			return *options == '*';
		if (strcmp(w, "--") == 0)
			return true;
		if (w[0] == '-' && w[1] && !option_is_good(options, w))
			return false;
	}
	return true;
}

static const char *text_at(const struct unit *u, size_t n)
{
	return n < u->count && u->words[n].text ? u->words[n].text : "";
}

static size_t operands(const struct unit *u)
{
	size_t n = 0;

	while (unit_operand(u, 0, n))
		n++;
	return n;
}

static bool no_operands(const struct unit *u)
{
	return operands(u) == 0;
}

static bool one_operand(const struct unit *u)
{
	return operands(u) <= 1;
}

/* ---- programs with a language ---------------------------------------------------------
 */

/* A command of sed that prints or deletes, or replaces without running or writing. */
static bool sed_script(const char *s)
{
	while (*s) {
		s += strspn(s, "0123456789,$;!~+ \n");
		if (*s == '/') { /* an address */
			for (s++; *s && *s != '/'; s++)
				s += *s == '\\' && s[1];
			if (!*s)
				return false;
			s++;
			continue;
		}
		if (*s == 's' && strchr(s, '['))
			return false; /* what a mark in brackets means is not agreed upon
				       */
		if (*s == 's' && s[1] && !isalnum((unsigned char)s[1]) && s[1] != '\n') {
			char mark = s[1];
			int left = 2;

			for (s += 2; *s && left; s++) {
				left -= *s == mark;
				s += *s == '\\' && s[1];
			}
			if (left)
				return false;
			s += strspn(s, "gip0123456789I");
		} else if (*s && strchr("pdq=lnNhHgGxD{}", *s)) {
			s++;
		} else if (*s) {
			return false;
		}
		if (*s && !strchr(";}\n ", *s) && s[-1] != '{' && s[-1] != '}')
			return false;
	}
	return true;
}

static bool good_sed(const struct unit *u)
{
	bool script = false;

	for (size_t i = 1; i < u->count; i++) {
		if (strcmp(text_at(u, i), "-e") != 0)
			continue;
		script = true;
		if (!sed_script(text_at(u, i + 1)))
			return false;
	}
	if (!script && unit_operand(u, 0, 0) && unit_operand(u, 0, 0)->text)
		return sed_script(unit_operand(u, 0, 0)->text);
	return script;
}

/* Only -F and -v before a script that starts nothing and writes nothing. */
static bool good_awk(const struct unit *u)
{
	static const char *const bad[] = { "system",   "getline", "|",     ">",
					   "@",        "ENVIRON", "close", "fflush",
					   "PROCINFO", NULL };
	size_t i = 1;

	for (; i < u->count && *text_at(u, i) == '-'; i++) {
		if (strcmp(text_at(u, i), "-F") == 0 || strcmp(text_at(u, i), "-v") == 0)
			i++;
		else if (strncmp(text_at(u, i), "-F", 2) != 0)
			return false;
	}
	if (i >= u->count || !u->words[i].text || u->words[i].shape)
		return false;
	for (size_t k = 0; bad[k]; k++)
		if (strstr(u->words[i].text, bad[k]))
			return false;
	return true;
}

static bool good_date(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (*text_at(u, i) != '+' && *text_at(u, i) != '-')
			return strcmp(text_at(u, i - 1), "-d") == 0;
	return true;
}

static bool variable_is_good(const char *text);

/* `for NAME in ...` sets a variable. */
static bool good_for(const struct unit *u)
{
	return variable_is_good(text_at(u, 1));
}

/* `printf -v NAME` too. */
static bool good_printf(const struct unit *u)
{
	return strncmp(text_at(u, 1), "-v", 2) != 0;
}

/* Shell options that only make a script stricter or more talkative. */
static bool good_set(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (!in_list("-e -u -x -eu -ex -eux -euo -exo -euxo -o pipefail errexit "
			     "nounset xtrace "
			     "+e +x +u +ex",
			     text_at(u, i), strlen(text_at(u, i))))
			return false;
	return u->count > 1;
}

/* ---- git
 * -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int risk;
	const char *only; /* options one of which has to be there, or NULL */
} git_commands[] = {
	{ "status", LOW, NULL },
	{ "log", LOW, NULL },
	{ "diff", LOW, NULL },
	{ "show", LOW, NULL },
	{ "blame", LOW, NULL },
	{ "annotate", LOW, NULL },
	{ "shortlog", LOW, NULL },
	{ "describe", LOW, NULL },
	{ "rev-parse", LOW, NULL },
	{ "rev-list", LOW, NULL },
	{ "ls-files", LOW, NULL },
	{ "ls-tree", LOW, NULL },
	{ "cat-file", LOW, NULL },
	{ "merge-base", LOW, NULL },
	{ "name-rev", LOW, NULL },
	{ "count-objects", LOW, NULL },
	{ "for-each-ref", LOW, NULL },
	{ "show-ref", LOW, NULL },
	{ "show-branch", LOW, NULL },
	{ "check-ignore", LOW, NULL },
	{ "check-attr", LOW, NULL },
	{ "diff-tree", LOW, NULL },
	{ "diff-index", LOW, NULL },
	{ "diff-files", LOW, NULL },
	{ "whatchanged", LOW, NULL },
	{ "cherry", LOW, NULL },
	{ "version", LOW, NULL },
	{ "grep", LOW, NULL },
	{ "var", LOW, NULL },
	{ "config", LOW, "--get --get-all --list -l --get-regexp" },
	{ "add", MEDIUM, NULL },
};

/* Those that only list when they are given nothing else to do. */
static bool git_lists(const struct unit *u, const char *sub)
{
	const char *next = text_at(u, u->sub + 1);
	bool bare = u->sub + 1 >= u->count;

	if (strcmp(sub, "branch") == 0)
		return bare ||
		       (*next == '-' && in_list("-a -r -v -vv -av -avv --all --list -l "
						"--show-current --remotes --merged "
						"--no-merged --contains",
						next, strlen(next)));
	if (strcmp(sub, "tag") == 0)
		return bare || in_list("-l --list -n", next, strlen(next));
	if (strcmp(sub, "remote") == 0)
		return bare || in_list("-v get-url", next, strlen(next));
	if (strcmp(sub, "stash") == 0)
		return strcmp(next, "list") == 0 || strcmp(next, "show") == 0;
	if (strcmp(sub, "worktree") == 0)
		return strcmp(next, "list") == 0;
	if (strcmp(sub, "reflog") == 0)
		return bare || strcmp(next, "show") == 0;
	return strcmp(sub, "submodule") == 0 && strcmp(next, "status") == 0;
}

/* Options that write, or run a program, also when they are shortened. */
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

/* A directory that git would take for a repository without a .git of its own: files
 * under version control may look like one, and bring a configuration. */
static bool is_bare_repository(const char *dir)
{
	static const char *const parts[] = { "HEAD", "objects", "refs" };
	AUTO(strbuf) struct strbuf path = STRBUF(PLACE_PATH_MAX);
	struct stat st;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", dir, parts[i]);
		if (path.error || lstat(path.text, &st) != 0)
			return false;
	}
	return true;
}

static bool in_bare_repository(const struct place *place, const char *dir)
{
	AUTO(strbuf) struct strbuf at = STRBUF(PLACE_PATH_MAX);

	strbuf_add(&at, dir);
	while (!at.error && at.len > 1 && place_is_below(at.text, place->workspace)) {
		if (is_bare_repository(at.text))
			return true;
		strbuf_cut(&at, (size_t)(strrchr(at.text, '/') - at.text));
	}
	return false;
}

/* Words before the subcommand. */
static bool git_globals_are_good(const struct unit *u)
{
	for (size_t i = 1; i < u->sub; i++) {
		if (strcmp(text_at(u, i), "-C") == 0)
			i++;
		else if (!in_list("--no-pager -P --no-optional-locks", text_at(u, i),
				  strlen(text_at(u, i))))
			return false;
	}
	return true;
}

static int git_risk(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const char *sub = u->sub ? text_at(u, u->sub) : "";

	if (u->count == 2 && strcmp(text_at(u, 1), "--version") == 0)
		return LOW;
	if (!u->sub || !git_globals_are_good(u) || !u->dir_count)
		return UNKNOWN;
	for (size_t i = 0; i < u->dir_count; i++)
		if (in_bare_repository(place, u->dirs[i]))
			return UNKNOWN;
	for (size_t i = 1; i < u->sub; i++)
		if (strcmp(text_at(u, i), "-C") == 0)
			for (size_t k = 0; k < f->path_count; k++)
				if (f->paths[k].word == &u->words[i + 1] &&
				    in_bare_repository(place, f->paths[k].lexical))
					return UNKNOWN;
	for (size_t i = u->sub + 1; i < u->count; i++)
		if (git_option_is_bad(text_at(u, i)))
			return UNKNOWN;
	if (git_lists(u, sub))
		return LOW;
	for (size_t i = 0; i < ARRAY_LEN(git_commands); i++) {
		const char *only = git_commands[i].only;
		const char *next = text_at(u, u->sub + 1);

		if (strcmp(git_commands[i].name, sub) == 0)
			return !only || in_list(only, next, strlen(next))
				       ? git_commands[i].risk
				       : UNKNOWN;
	}
	return UNKNOWN;
}

/* ---- the table
 * ---------------------------------------------------------------------------- */

static const struct program programs[] = {
	{ "echo true false : pwd sleep wait exit return test [ [[ basename dirname seq "
	  "expr "
	  "which type whoami id uname arch nproc uptime free lscpu groups tty locale "
	  "getconf jobs "
	  "break continue case logname tput yes tr",
	  SAYS, "*", NULL },
	{ "for", SAYS, "*", good_for },
	{ "printf", SAYS, "*", good_printf },
	{ "hostname printenv env", SAYS, "fisAdI", no_operands },
	{ "date", SAYS, "uIR -d --iso-8601 --rfc-3339 --utc --rfc-email", good_date },
	{ "set", SAYS, "*", good_set },
	{ "cd pushd popd", READS, "LP", one_operand },
	{ "ls dir vdir cat head tail wc stat du df readlink realpath cmp comm diff "
	  "md5sum sha1sum "
	  "sha224sum sha256sum sha384sum sha512sum b2sum cksum sum cut nl tac rev fold "
	  "fmt expand "
	  "unexpand paste column od hexdump strings join jq ps nm size objdump readelf",
	  READS, "*", NULL },
	{ "file", READS, "bhiLkNnprsz0 --brief --mime --mime-type --mime-encoding",
	  NULL },
	{ "uniq", READS, "cdDfiswuz --count --repeated --unique --ignore-case",
	  one_operand },
	{ "sort", READS,
	  "bdfghiMnRrVcCkmstuz --key --reverse --unique --numeric-sort --version-sort "
	  "--field-separator --ignore-case --human-numeric-sort --stable --check",
	  NULL },
	{ "tree", READS,
	  "adfilsLPIpughDFCAtrvUnNqQ --dirsfirst --noreport --gitignore --prune "
	  "--filelimit --du",
	  NULL },
	{ "grep egrep fgrep", PATTERN, "*", NULL },
	{ "rg", PATTERN,
	  "aABCceEFgiIHhlLmMnNopPqrsStTuUvVwxj. --files --files-with-matches --hidden "
	  "--no-ignore --type --glob --iglob --ignore-case --smart-case --line-number "
	  "--no-heading --heading --color --count --max-count --context --after-context "
	  "--before-context --word-regexp --fixed-strings --json --sort --stats "
	  "--multiline --only-matching --max-depth --no-line-number --with-filename "
	  "--no-filename --trim --vimgrep --version --type-list",
	  NULL },
	{ "find", READS,
	  "LHP -name -iname -type -path -ipath -maxdepth -mindepth -not -o -a -and -or "
	  "-print -print0 -size -mtime -mmin -newer -empty -perm -user -group -prune "
	  "-regex -iregex -regextype -depth -links -follow -xdev -mount -readable "
	  "-writable -executable -ls -printf -true -false -quit -wholename "
	  "-iwholename -samefile -inum -daystart -atime -ctime -amin -cmin -noleaf",
	  NULL },
	{ "sed", PATTERN, "nEres -n -e -E -r --quiet --silent --regexp-extended",
	  good_sed },
	{ "awk gawk mawk nawk", PATTERN, "*", good_awk },
	{ "mkdir", CHANGES, "pmv --parents --verbose --mode", NULL },
	{ "touch", CHANGES, "acmdrt --date --reference --no-create", NULL },
	{ "cp", CHANGES,
	  "afinpruvTRdLHPl --archive --recursive --update --verbose --force "
	  "--no-clobber --preserve --parents --no-target-directory",
	  NULL },
	{ "mv", CHANGES, "finuvT --force --no-clobber --update --verbose", NULL },
	{ "tee", CHANGES, "ai --append", NULL },
};

static const struct program *find_program(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (in_list(programs[i].names, name, strlen(name)))
			return &programs[i];
	return NULL;
}

/* ---- what is touched
 * ------------------------------------------------------------------------ */

/* Files of the workspace that are likely to hold passwords. */
static bool looks_secret(const char *path)
{
	static const char *const ends[] = { "/.env",         ".pem",
					    ".key",          ".p12",
					    ".pfx",          ".kdbx",
					    ".jks",          "/id_rsa",
					    "/id_ed25519",   "/id_ecdsa",
					    "/.netrc",       "/.npmrc",
					    "/.pypirc",      "/credentials.json",
					    "/secrets.json", "/.htpasswd",
					    ".tfstate" };
	const char *env = strstr(path, "/.env.");
	size_t n = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (n >= strlen(ends[i]) &&
		    strcmp(path + n - strlen(ends[i]), ends[i]) == 0)
			return true;
	return env && !strchr(env + 1, '/') && !strstr(env, "example") &&
	       !strstr(env, "sample") && !strstr(env, "template");
}

static bool may_read(const struct place *place, const struct path *p)
{
	static const char *const open[] = { "/usr/include",        "/usr/share",
					    "/usr/local/include",  "/dev/null",
					    "/dev/zero",           "/etc/os-release",
					    "/etc/debian_version", "/proc/cpuinfo",
					    "/proc/meminfo",       NULL };

	if (!p->resolved || sensitive_is_secret(place, p->resolved) ||
	    looks_secret(p->resolved) || looks_secret(p->lexical))
		return false;
	for (size_t i = 0; open[i]; i++)
		if (place_is_below(p->resolved, open[i]))
			return true;
	if (strstr(p->resolved, "/mortise/conversations/") &&
	    strstr(p->resolved, "/spool/"))
		return true;
	return place_is_inside(place, p->resolved);
}

static bool may_write(const struct place *place, const struct path *p)
{
	if (p->resolved && strcmp(p->resolved, "/dev/null") == 0)
		return true;
	return p->resolved && place_is_inside(place, p->resolved) &&
	       !sensitive_is_protected(place, p->resolved) &&
	       !sensitive_is_protected(place, p->lexical) && !looks_secret(p->resolved);
}

static bool is_null(const struct path *p)
{
	static const char *const names[] = { "/dev/null", "/dev/stdout", "/dev/stderr" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(p->lexical, names[i]) == 0)
			return true;
	return false;
}

/* The mark of `cut -d/` is no path. */
static bool is_mark(const struct unit *u, const struct path *p)
{
	return p->word && p->word->text && p->word->text[0] == '-' && u->name &&
	       in_list("cut sort paste column nl awk", u->name, strlen(u->name));
}

/* Of redirections: what they add to the risk. */
static int redirect_risk(const struct place *place, const struct facts *f)
{
	int risk = LOW;

	for (size_t i = 0; i < f->unit->command->redirect_count; i++)
		if (!f->unit->command->redirects[i].text ||
		    f->unit->command->redirects[i].shape)
			return UNKNOWN;
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];

		if (!p->redirect || is_null(p))
			continue;
		if (f->unit->unsettled ||
		    !(p->redirect == '<' ? may_read(place, p) : may_write(place, p)))
			return UNKNOWN;
		if (p->redirect != '<')
			risk = MEDIUM;
	}
	return risk;
}

/* The word that is a pattern or a script, and no file. */
static const struct shell_word *pattern_word(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (strcmp(text_at(u, i), "-e") == 0)
			return &u->words[i + 1 < u->count ? i + 1 : i];
	return unit_operand(u, 0, 0);
}

static bool files_are_good(const struct place *place, const struct facts *f,
			   enum kind kind)
{
	const struct unit *u = f->unit;
	const struct shell_word *pattern = kind == PATTERN ? pattern_word(u) : NULL;

	if (kind == SAYS)
		return true;
	if (f->undecided || f->dynamic || u->unsettled ||
	    (!u->dir_count && f->path_count))
		return false;
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];
		bool pattern_of_files =
			p->word && p->word->shape && !p->found && !p->resolved;

		if (p->redirect || (pattern && p->word == pattern) || is_mark(u, p))
			continue;
		if (pattern_of_files && kind != CHANGES)
			continue; /* the files that it stands for are looked at */
		if (kind == CHANGES ? !may_write(place, p) : !may_read(place, p))
			return false;
	}
	return true;
}

/* A pattern may stand for more than was there when it was looked at. */
static bool patterns_stay_inside(const struct place *place, const struct facts *f)
{
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];
		size_t n = strcspn(p->lexical, "\001\002");

		if (!p->word || !p->word->shape || !p->lexical[n] || p->redirect)
			continue;
		while (n && p->lexical[n - 1] != '/')
			n--;
		if (n < strlen(place->workspace) ||
		    strncmp(p->lexical, place->workspace, strlen(place->workspace)) != 0)
			return false;
	}
	return true;
}

/* ---- variables
 * -------------------------------------------------------------------------------- */

/* Only names that nothing else looks at: in small letters, or known to be harmless. */
static bool variable_is_good(const char *text)
{
	size_t n = strcspn(text, "=+");

	if (in_list("LC_ALL LANG LC_CTYPE TZ NO_COLOR CI COLUMNS LINES FORCE_COLOR "
		    "CLICOLOR VERBOSE "
		    "DEBUG V",
		    text, n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!islower((unsigned char)text[i]) && text[i] != '_' &&
		    !isdigit((unsigned char)text[i]))
			return false;
	return n > 0 && !(n > 6 && strncmp(text + n - 6, "_proxy", 6) == 0);
}

static bool assignments_are_good(const struct shell_command *c)
{
	for (size_t i = 0; i < c->assignment_count; i++) {
		const struct shell_word *w = &c->assignments[i];

		if (!variable_is_good(w->text ? w->text : w->shape))
			return false;
	}
	return true;
}

/* ---- one command
 * -------------------------------------------------------------------------------- */

static bool asks_version(const struct unit *u)
{
	static const char programs_with[] =
		"gcc g++ cc clang make cmake ninja python python3 pip pip3 node npm git "
		"bash curl wget "
		"docker jq rg java javac perl ruby sqlite3 psql tmux bats gdb valgrind";

	return u->count == 2 && in_list(programs_with, u->name, strlen(u->name)) &&
	       in_list("--version -V", text_at(u, 1), strlen(text_at(u, 1)));
}

/* Found by its name, not a file of the project that is called the same. */
static bool is_installed(const struct unit *u)
{
	const char *text = u->words[0].text;

	return !strchr(text, '/') || strncmp(text, "/bin/", 5) == 0 ||
	       strncmp(text, "/usr/bin/", 9) == 0;
}

static int program_risk(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct program *p;

	if (!u->name || !is_installed(u))
		return UNKNOWN;
	if (asks_version(u))
		return LOW;
	if (strcmp(u->name, "git") == 0) {
		int risk = git_risk(place, f);

		return risk != UNKNOWN && files_are_good(place, f,
							 risk == MEDIUM ? CHANGES : READS)
			       ? risk
			       : UNKNOWN;
	}
	p = find_program(u->name);
	if (!p || !options_are_good(u, p->options) || (p->good && !p->good(u)) ||
	    !files_are_good(place, f, p->kind) ||
	    (p->kind != SAYS && !patterns_stay_inside(place, f)))
		return UNKNOWN;
	return p->kind == CHANGES ? MEDIUM : LOW;
}

int harmless_command(struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct shell_command *c = u->command;
	int risk = LOW, redirects;

	if (c->broken || c->defines || u->more || !assignments_are_good(c))
		return UNKNOWN;
	if (u->count)
		risk = program_risk(place, f);
	redirects = redirect_risk(place, f);
	if (risk == UNKNOWN || redirects == UNKNOWN)
		return UNKNOWN;
	return risk > redirects ? risk : redirects;
}

int harmless_files(const struct place *place, const struct facts *f, bool writes)
{
	if (f->undecided || !f->path_count)
		return f->path_count ? UNKNOWN : writes ? UNKNOWN : LOW;
	for (size_t i = 0; i < f->path_count; i++)
		if (writes ? !may_write(place, &f->paths[i])
			   : !may_read(place, &f->paths[i]))
			return UNKNOWN;
	return writes ? MEDIUM : LOW;
}
