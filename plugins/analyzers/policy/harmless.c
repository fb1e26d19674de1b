/* SPDX-License-Identifier: MIT
 *
 * harmless.c - a table of programs and their options that are known to be harmless,
 * and checks of the files that they access. */
#include "harmless.h"

#include "harmless-git.h"
#include "scripts.h"
#include "sensitive.h"
#include "space.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };

enum kind {
	SAYS,    /* does not access files, regardless of its words */
	READS,   /* reads the files that its words name */
	PATTERN, /* the same, but the first operand is not a file */
	CHANGES, /* changes the files that its words name */
};

/* `options`: "*": any; otherwise single letters, then long options and those of find. */
struct program {
	const char *names;
	enum kind kind;
	const char *options;
	bool (*good)(const struct unit *u); /* an additional check, or NULL */
};

/* ---- options ------------------------------------------------------------------------
 */

/* "-la", "-n5", "--long=x", "-name". */
static bool option_is_good(const char *options, const char *word)
{
	size_t letters = strcspn(options, " ");

	if (*options == '*' || space_lists(options + letters, word, strcspn(word, "=")))
		return true;
	if (word[1] == '-')
		return word[2] == '\0';
	for (const char *p = word + 1; *p; p++) {
		if (isdigit((unsigned char)*p) && p > word + 1)
			return p[strspn(p, "0123456789.")] ==
			       '\0'; /* value of the previous option */
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

static bool good_date(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (*unit_text(u, i) != '+' && *unit_text(u, i) != '-')
			return strcmp(unit_text(u, i - 1), "-d") == 0;
	return true;
}

static bool variable_is_good(const char *text);

/* `for NAME in ...` sets a variable. */
static bool good_for(const struct unit *u)
{
	return variable_is_good(unit_text(u, 1));
}

static bool all_known(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (!u->words[i].text || u->words[i].pattern)
			return false;
	return true;
}

/* `printf -v NAME` sets a variable, too. */
static bool good_printf(const struct unit *u)
{
	return u->count < 2 || (u->words[1].text && !u->words[1].pattern &&
				strncmp(unit_text(u, 1), "-v", 2) != 0);
}

/* `-v a[x]` evaluates the subscript. */
static bool good_test(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (unit_lists_word("-v -R", unit_text(u, i)))
			return false;
	return all_known(u);
}

/* Refuse files with options, and plugins, which these programs would load. */
static bool good_binutils(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (*unit_text(u, i) == '@' || strncmp(unit_text(u, i), "--pl", 4) == 0)
			return false;
	return true;
}

/* Links in a directory may point anywhere. */
static bool good_grep(const struct unit *u)
{
	return !unit_has(u, "-R") && !unit_has(u, "--dereference-recursive");
}

/* The text of the filter can name a module file. */
static bool good_jq(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (strstr(unit_text(u, i), "import") ||
		    strstr(unit_text(u, i), "include"))
			return false;
	return !unit_has(u, "-f") && !unit_has(u, "-L") && !unit_has(u, "--from-file");
}

/* `ps e` shows the environments of processes. */
static bool good_ps(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++) {
		const char *w = unit_text(u, i), *before = unit_text(u, i - 1);

		if (strstr(w, "environ"))
			return false;
		if (*w == '-' || !strchr(w, 'e'))
			continue;
		if (*before != '-' || !*before ||
		    !strchr("oOCpugGtU", before[strlen(before) - 1]))
			return false;
	}
	return all_known(u);
}

/* tar may only list an archive. */
static bool good_tar(const struct unit *u)
{
	const char *first = unit_text(u, 1);

	for (size_t i = 1; i < u->count; i++)
		if (strchr(unit_text(u, i), ':'))
			return false; /* an archive on another host */
	return (*first == '-' || strspn(first, "tzjJfv") == strlen(first)) &&
	       (strchr(first, 't') || unit_has(u, "--list"));
}

static bool good_docker(const struct unit *u)
{
	return u->sub == 1 && unit_lists_word("ps images version", unit_text(u, 1));
}

static bool good_pip(const struct unit *u)
{
	return u->sub == 1 && unit_lists_word("list show freeze check", unit_text(u, 1));
}

/* Only rwxX permissions: no setuid, setgid or sticky bit. */
static bool good_chmod(const struct unit *u)
{
	const struct shell_word *word = unit_operand(u, 0, 0);
	const char *mode = word && word->text ? word->text : "";
	size_t digits = strspn(mode, "01234567");

	if (mode[digits] == '\0')
		return digits == 3 || (digits == 4 && *mode == '0');
	mode += strspn(mode, "ugoa");
	return *mode && strchr("+-=", *mode) && mode[1] &&
	       mode[1 + strspn(mode + 1, "rwxX")] == '\0';
}

/* Shell options that only make a script stricter or more verbose. */
static bool good_set(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++)
		if (!unit_lists_word(
			    "-e -u -x -eu -ex -eux -euo -exo -euxo -o pipefail errexit "
			    "nounset xtrace "
			    "+e +x +u +ex",
			    unit_text(u, i)))
			return false;
	return u->count > 1;
}

/* ---- the table ---------------------------------------------------------------- */

static const struct program programs[] = {
	{ "echo true false : pwd sleep exit return basename dirname seq "
	  "expr "
	  "which type whoami id uname arch nproc uptime free lscpu groups tty locale "
	  "getconf "
	  "break continue case logname tput yes tr",
	  SAYS, "*", NULL },
	{ "for", SAYS, "*", good_for },
	{ "printf", SAYS, "*", good_printf },
	{ "test [ [[", SAYS, "*", good_test },
	{ "jobs", SAYS, "lnprs", NULL },
	{ "wait", SAYS, "n", all_known },
	{ "hostname printenv env", SAYS, "fisAdI", no_operands },
	{ "date", SAYS, "uIR -d --iso-8601 --rfc-3339 --utc --rfc-email", good_date },
	{ "set", SAYS, "*", good_set },
	{ "cd pushd popd", READS, "LP", one_operand },
	{ "ls dir vdir cat head tail wc stat du df readlink realpath cmp comm diff "
	  "md5sum sha1sum "
	  "sha224sum sha256sum sha384sum sha512sum b2sum cksum sum cut nl tac rev fold "
	  "fmt expand "
	  "unexpand paste column od hexdump join",
	  READS, "*", NULL },
	{ "jq", READS, "*", good_jq },
	{ "ps", READS, "*", good_ps },
	{ "nm size objdump readelf strings", READS, "*", good_binutils },
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
	{ "grep egrep fgrep", PATTERN, "*", good_grep },
	{ "rg", PATTERN,
	  "aABCceEFgiIHhlmMnNopPqrsStTuUvVwxj. --files --files-with-matches --hidden "
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
	  script_is_good_sed },
	{ "awk gawk mawk nawk", PATTERN, "*", script_is_good_awk },
	{ "tar", READS, "tzjJfv --list --file --gzip --verbose", good_tar },
	{ "ss netstat", READS, "tulnpaeoimsx46rW", no_operands },
	{ "docker podman", SAYS, "*", good_docker },
	{ "pip pip3", SAYS, "q --format --outdated", good_pip },
	{ "chmod", CHANGES, "Rvcf --recursive --verbose", good_chmod },
	{ "mkdir", CHANGES, "pmv --parents --verbose --mode", NULL },
	{ "touch", CHANGES, "acmdrt --date --reference --no-create", NULL },
	{ "cp", CHANGES,
	  "afinpruvTRdPl --archive --recursive --update --verbose --force "
	  "--no-clobber --preserve --parents --no-target-directory",
	  NULL },
	{ "mv", CHANGES, "finuvT --force --no-clobber --update --verbose", NULL },
	{ "tee", CHANGES, "ai --append", NULL },
};

/* `sed -i` changes its files. */
static const struct program sed_in_place = { "sed", CHANGES,
					     "nErsi -n -e -E -r -i --in-place",
					     script_is_good_sed };

static const struct program *harmless_find_program(const struct unit *u)
{
	const char *name = u->name;

	if (strcmp(name, "sed") == 0 && unit_has(u, "-i"))
		return &sed_in_place;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (unit_lists_word(programs[i].names, name))
			return &programs[i];
	return NULL;
}

/* ---- accessed files ----------------------------------------------------------- */

/* Files in the workspace that are likely to contain passwords. */
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
	return sensitive_is_output(p->resolved) || place_is_inside(place, p->resolved);
}

static bool may_write(const struct place *place, const struct path *p)
{
	/* Directories that are searched for programs, and files that other programs run;
	 * a shell pattern that matches "-x" becomes an option. */
	static const char *const not_ordinary[] = {
		"/bin/",     "/.venv/",   "/venv/",  "/node_modules/", "/.git/",
		"/.husky/",  "/.vscode/", "/.idea/", "/.claude/",      "/.cursor/",
		"/.openhands/", "/.devcontainer/", "/-",
	};
	AUTO(strbuf) struct strbuf whole = STRBUF(PLACE_PATH_MAX);

	if (p->resolved && strcmp(p->resolved, "/dev/null") == 0)
		return true;
	if (!p->resolved || strbuf_addf(&whole, "%s/", p->resolved))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(not_ordinary); i++)
		if (strstr(whole.text, not_ordinary[i]))
			return false;
	return place_is_inside(place, p->resolved) &&
	       !sensitive_is_protected(place, p->resolved) &&
	       !sensitive_is_protected(place, p->lexical) && !looks_secret(p->resolved);
}

static bool harmless_is_null(const struct path *p)
{
	static const char *const names[] = { "/dev/null", "/dev/stdout", "/dev/stderr" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(p->lexical, names[i]) == 0)
			return true;
	return false;
}

/* The delimiter of `cut -d/` is not a path. */
static bool is_mark(const struct unit *u, const struct path *p)
{
	return p->word && p->word->text && p->word->text[0] == '-' && u->name &&
	       unit_lists_word("cut sort paste column nl awk", u->name);
}

/* The risk of redirections. */
static int redirect_risk(const struct place *place, const struct facts *f)
{
	int risk = LOW;

	for (size_t i = 0; i < f->unit->command->redirect_count; i++)
		if (!f->unit->command->redirects[i].text ||
		    f->unit->command->redirects[i].shape)
			return UNKNOWN;
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];

		if (!p->redirect || harmless_is_null(p))
			continue;
		if (f->unit->unsettled ||
		    !(p->redirect == '<' ? may_read(place, p) : may_write(place, p)))
			return UNKNOWN;
		if (p->redirect != '<')
			risk = MEDIUM;
	}
	return risk;
}

/* Do options contain the pattern, so that each operand is a file: "-ex", "-f x",
 * "--files"? */
static bool options_hold_pattern(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++) {
		const char *w = unit_text(u, i);

		if (strcmp(w, "--") == 0)
			return false;
		if (strncmp(w, "--re", 4) == 0 || strncmp(w, "--f", 3) == 0 ||
		    strcmp(w, "--type-list") == 0)
			return true;
		if (w[0] == '-' && w[1] != '-' && strcmp(w, "-e") != 0 &&
		    strpbrk(w, "ef"))
			return true;
	}
	return false;
}

/* The word that is a pattern or a script, not a file. */
static const struct shell_word *harmless_pattern_word(const struct unit *u)
{
	if (u->name && unit_lists_word("grep egrep fgrep rg", u->name) &&
	    options_hold_pattern(u))
		return NULL;
	for (size_t i = 1; i < u->count; i++)
		if (strcmp(unit_text(u, i), "-e") == 0)
			return &u->words[i + 1 < u->count ? i + 1 : i];
	return unit_operand(u, 0, 0);
}

static bool files_are_good(const struct place *place, const struct facts *f,
			   enum kind kind)
{
	const struct unit *u = f->unit;
	bool has_pattern =
		kind == PATTERN || (u->name && unit_lists_word("sed chmod", u->name));
	const struct shell_word *pattern = has_pattern ? harmless_pattern_word(u) : NULL;

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
			continue; /* its matching files are checked */
		if (kind == CHANGES ? !may_write(place, p) : !may_read(place, p))
			return false;
	}
	return true;
}

/* The first bytes of the path are a directory of the conversation, or something in one. */
static bool starts_inside(const struct place *place, const char *path, size_t len)
{
	AUTO(free) char *start = strndup(path, len);

	return start && place_belongs(place, start);
}

/* A pattern may match more files later than when it was checked. */
static bool patterns_stay_inside(const struct place *place, const struct facts *f)
{
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];
		size_t n = strcspn(p->lexical, "\001\002");

		if (!p->word || !p->word->shape || !p->lexical[n] || p->redirect)
			continue;
		while (n && p->lexical[n - 1] != '/')
			n--;
		if (!starts_inside(place, p->lexical, n))
			return false;
	}
	return true;
}

/* `*` becomes an option if a file name looks like one. */
static bool patterns_are_files(const struct facts *f)
{
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];
		const struct shell_word *w = p->found ? p->word : NULL;

		if (w && w->shape && (*w->shape == SHELL_ANY || *w->shape == SHELL_ONE) &&
		    (strstr(p->lexical, "/-") || strstr(p->lexical, "/@")))
			return false;
	}
	return true;
}

/* ---- variables ---------------------------------------------------------------- */

/* Is the variable harmless: lowercase, so that no program reads it, or a known one? */
static bool variable_is_good(const char *text)
{
	size_t n = strcspn(text, "=+");

	if (space_lists("LC_ALL LANG LC_CTYPE TZ NO_COLOR CI COLUMNS LINES FORCE_COLOR "
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

/* ---- one command -------------------------------------------------------------- */

static bool asks_version(const struct unit *u)
{
	static const char programs_with[] =
		"gcc g++ cc clang make cmake ninja python python3 pip pip3 node npm git "
		"bash curl wget "
		"docker jq rg java javac perl ruby sqlite3 psql tmux bats gdb valgrind";

	return u->count == 2 && unit_lists_word(programs_with, u->name) &&
	       unit_lists_word("--version -V", unit_text(u, 1));
}

/* Is the program found by its name, not a file of the project with the same name? */
static bool harmless_is_installed(const struct unit *u)
{
	const char *text = u->words[0].text;

	return !strchr(text, '/') || strncmp(text, "/bin/", 5) == 0 ||
	       strncmp(text, "/usr/bin/", 9) == 0;
}

static int program_risk(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct program *p;

	if (!u->name || !harmless_is_installed(u))
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
	p = harmless_find_program(u);
	if (!p || !options_are_good(u, p->options) || (p->good && !p->good(u)) ||
	    !files_are_good(place, f, p->kind) ||
	    (p->kind != SAYS &&
	     (!patterns_stay_inside(place, f) || !patterns_are_files(f))))
		return UNKNOWN;
	return p->kind == CHANGES ? MEDIUM : LOW;
}

int harmless_command(struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct shell_command *c = u->command;
	int risk = LOW, redirects;

	if (c->broken || c->defines || c->evaluates || u->more ||
	    !assignments_are_good(c))
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

bool harmless_settles(const struct unit *u)
{
	if (u->name && strcmp(u->name, "git") == 0)
		return u->sub && unit_lists_word("add commit tag", unit_text(u, u->sub));
	return !u->name || !unit_lists_word("cp mv", u->name);
}
