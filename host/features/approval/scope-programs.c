/* SPDX-License-Identifier: MIT
 *
 * scope-programs.c - tables of programs, and of options that exclude a command from
 * every scope: they run other code, read a configuration or write a file that the
 * scope does not name. */
#include "features/approval/scope-programs.h"
#include "space.h"
#include <ctype.h>
#include <string.h>

/* Lists are words separated by spaces. */
struct program {
	const char *name;
	const char *subs;     /* subcommands that a scope can name; NULL: it has none */
	const char *leading;  /* harmless options before the subcommand */
	const char *options;  /* unsafe options with their dashes; abbreviations count too */
	const char *letters;  /* unsafe one-letter options, also in clusters */
	bool exact;           /* by default, only the exact command is offered */
	bool assigns;         /* an argument NAME=VALUE may replace a program */
	bool bare;            /* the first argument may be letters without a dash */
};

#define READS(name) { name, NULL, "", "", "", false, false, false }

static const struct program programs[] = {
	{ "git",
	  "add am apply archive blame branch bundle cat-file check-attr check-ignore "
	  "checkout cherry cherry-pick clean clone commit count-objects describe diff "
	  "diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep init "
	  "log ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull push "
	  "range-diff rebase reflog remote reset restore rev-list rev-parse revert rm "
	  "shortlog show show-ref sparse-checkout stash status switch symbolic-ref tag "
	  "update-index version whatchanged worktree",
	  "--no-pager -P --no-optional-locks --literal-pathspecs --no-advice",
	  "--output --output-directory --ext-diff --textconv --upload-pack --receive-pack "
	  "--exec --open-files-in-pager --config --template --separate-git-dir --git-dir "
	  "--work-tree --config-env --exec-path --paginate --extcmd --tool --run "
	  "--interactive --show-signature",
	  "", false, false, false },
	{ "cargo",
	  "add bench build check clean clippy doc fetch fmt metadata remove run search test "
	  "tree update version",
	  "-q --quiet -v --verbose --locked --offline --frozen",
	  "--config --manifest-path --target-dir --out-dir --artifact-dir --lockfile-path",
	  "ZC", false, false, false },
	{ "go", "build clean doc fmt get install list mod test version vet", "",
	  "-exec -toolexec -vettool -overlay -modfile -ldflags -gcflags -asmflags -gccgoflags "
	  "-compiler -o -C -pkgdir -coverprofile -cpuprofile -memprofile -mutexprofile "
	  "-blockprofile -trace -outputdir -fix --exec --toolexec --vettool --overlay "
	  "--modfile --ldflags --gcflags --asmflags --gccgoflags --compiler --pkgdir "
	  "--coverprofile --cpuprofile --memprofile --mutexprofile --blockprofile --trace "
	  "--outputdir",
	  "", false, false, false },
	{ "npm",
	  "audit ci i install list ls outdated run run-script start t test uninstall update "
	  "version view why",
	  "-s --silent",
	  "--script-shell --prefix --registry --userconfig --globalconfig --node-options "
	  "--global --location --call --cache --shell --editor --viewer --git --init-module "
	  "--python --workspace --proxy --https-proxy",
	  "gcCw", false, false, false },
	{ "pnpm",
	  "add audit i install list ls outdated remove run start t test update why", "",
	  "--script-shell --shell-mode --dir --registry --config --store-dir --global "
	  "--global-dir --node-options --workspace --filter --hook",
	  "gCFwc", false, false, false },
	{ "pip", "check freeze install list show uninstall", "-q --quiet -v",
	  "--index-url --extra-index-url --find-links --trusted-host --proxy --cert "
	  "--client-cert --target --prefix --root --user --config-settings --global-option "
	  "--install-option --build-option --python --log --cache-dir --src --editable "
	  "--pypi-url --report --keyring-provider",
	  "iftCe", false, false, false },
	{ "docker", "diff events history images info inspect logs port ps search stats top "
		    "version", "",
	  "--host --config --context --tlscacert --tlscert --tlskey", "H", false, false,
	  false },
	{ "podman", "diff events history images info inspect logs port ps search stats top "
		    "version", "",
	  "--connection --config --url --identity --root --runroot --hooks-dir --runtime "
	  "--conmon", "", false, false, false },
	{ "kubectl", "api-resources describe explain get logs top version", "",
	  "--kubeconfig --server --token --as --as-group --cluster --user --raw "
	  "--certificate-authority --client-certificate --client-key --cache-dir --filename "
	  "--kustomize", "sfk", false, false, false },
	{ "systemctl", "cat is-active is-enabled is-failed list-timers list-unit-files "
		       "list-units show status", "--no-pager --user --system",
	  "--host --machine --root --image", "HM", false, false, false },
	{ "make", NULL, "",
	  "--file --makefile --directory --include-dir --eval --environment-overrides "
	  "--assume-old --old-file", "fCIEo", false, true, false },
	{ "gmake", NULL, "",
	  "--file --makefile --directory --include-dir --eval --environment-overrides "
	  "--assume-old --old-file", "fCIEo", false, true, false },
	{ "ninja", NULL, "", "", "fCt", false, false, false },
	{ "cmake", NULL, "", "--toolchain --install-prefix --install --graphviz --trace-redirect "
			     "--debugger-pipe", "EPCDGTA", true, true, false },
	{ "ctest", NULL, "", "--script --build-and-test --dashboard --output-log "
			     "--output-junit --build-makeprogram --build-generator "
			     "--test-command --overwrite", "SDTMO", false, true, false },
	{ "pytest", NULL, "", "--rootdir --confcutdir --override-ini --basetemp --junitxml "
			      "--junit-xml --pdbcls --debug --log-file --config-file "
			      "--report-log --html --cov-config", "pcoW", false, false, false },
	{ "sort", NULL, "", "--output --compress-program --temporary-directory "
			    "--random-source --files0-from", "oT", false, false, false },
	{ "rg", NULL, "", "--pre --pre-glob --hostname-bin", "", false, false, false },
	{ "date", NULL, "", "--set", "s", false, false, false },
	{ "tree", NULL, "", "--fromfile --output", "oR", false, false, false },
	{ "diff", NULL, "", "--from-file --to-file", "", false, false, false },
	{ "tar", NULL, "",
	  "--to-command --use-compress-program --checkpoint-action --rsh-command "
	  "--rmt-command --info-script --new-volume-script --absolute-names --files-from "
	  "--index-file", "IFPT", true, false, true },
	{ "rsync", NULL, "",
	  "--rsh --rsync-path --remote-option --daemon --config --log-file --password-file "
	  "--early-input --files-from --write-batch --only-write-batch --read-batch",
	  "eM", true, false, false },
	{ "curl", NULL, "",
	  "--config --output --output-dir --remote-name --remote-name-all --dump-header "
	  "--cookie-jar --trace --trace-ascii --stderr --libcurl --upload-file --engine "
	  "--netrc-file --hsts --alt-svc --etag-save --write-out --proxy --preproxy "
	  "--unix-socket --resolve --connect-to --remote-header-name", "KoODcTwxJ", true, false,
	  false },
	{ "wget", NULL, "",
	  "--execute --config --output-document --output-file --append-output "
	  "--directory-prefix --use-askpass --post-file --body-file --input-file "
	  "--save-cookies --warc-file --rejected-log --ca-certificate", "eOoaPi", true, false,
	  false },
	READS("basename"), READS("cat"), READS("cmp"), READS("comm"), READS("cut"),
	READS("df"), READS("dirname"), READS("du"), READS("egrep"), READS("fgrep"),
	READS("file"), READS("free"), READS("grep"), READS("head"), READS("id"),
	READS("ls"), READS("md5sum"), READS("nl"), READS("nproc"), READS("od"), READS("ps"),
	READS("readlink"), READS("realpath"), READS("rev"), READS("seq"), READS("sha1sum"),
	READS("sha256sum"), READS("stat"), READS("strings"), READS("tac"), READS("tail"),
	READS("tr"), READS("uname"), READS("uptime"), READS("wc"), READS("whereis"),
	READS("which"), READS("whoami"),
};

/* Options that are unsafe for one subcommand only. */
static const struct {
	const char *name, *sub, *letters, *words;
} of_subs[] = {
	{ "git", "archive", "o", "" },  { "git", "clone", "cu", "" },
	{ "git", "format-patch", "o", "" }, { "git", "grep", "O", "" },
	{ "git", "rebase", "xi", "" },  { "git", "add", "ip", "" },
	{ "go", "mod", "", "vendor -o" },
	{ "pip", "install", "r", "--requirement" },
	{ "npm", "audit", "", "fix" },
};

/* Programs that run their arguments later or in another shell, or change the meaning
 * of later commands. */
static const char exact_only[] =
	"alias at batch bind bg builtin chsh complete crontab declare disown enable export fc "
	"fg hash history let local login logout mapfile mosh newgrp popd pushd read readarray "
	"readonly rlogin rsh scp screen select set sftp sg shopt suspend telnet tmux typeset "
	"test ulimit umask unalias unset printf for wait [ [[ ((";

static const struct program *scope_programs_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	return strcmp(name, "pip3") == 0 ? scope_programs_find("pip") : NULL;
}

/* ---- options
 * ------------------------------------------------------------------------ */

/* Is this an option of the list, or a possible abbreviation of one? */
static bool scope_programs_is_option(const char *list, const char *word)
{
	size_t len = strcspn(word, "=");

	if (len < 2 || word[0] != '-' || (word[1] == '-' && len < 3))
		return false;
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		bool can_be_short = p[1] == '-' && word[1] == '-';

		if (can_be_short ? len <= n && memcmp(p, word, len) == 0
				 : len == n && memcmp(p, word, n) == 0)
			return true;
		p += n;
	}
	return false;
}

static bool has_letter(const char *letters, const char *word, bool bare)
{
	if (*word == '-' && word[1] != '-')
		return strpbrk(word + 1, letters) != NULL;
	return bare && *word != '-' && strpbrk(word, letters) != NULL;
}

static bool scope_programs_is_assignment(const char *word)
{
	return *word != '-' && strchr(word, '=') != NULL;
}

/* Can this word expand to an option, or to several words, when the command runs? */
static bool may_be_option(const struct shell_word *w)
{
	if (!w->text)
		return true;
	if (!w->pattern && !w->shape)
		return false;
	return !w->shape || w->shape[0] == SHELL_ANY || w->shape[0] == SHELL_ONE ||
	       w->shape[0] == '-';
}

static bool has_options(const struct program *p)
{
	return p->subs || *p->options || *p->letters || p->assigns;
}

static bool is_unsafe_of_sub(const struct program *p, const char *sub, const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(of_subs); i++)
		if (strcmp(of_subs[i].name, p->name) == 0 &&
		    strcmp(of_subs[i].sub, sub) == 0 &&
		    (has_letter(of_subs[i].letters, word, false) ||
		     space_lists(of_subs[i].words, word, strcspn(word, "="))))
			return true;
	return false;
}

static bool is_unsafe(const struct program *p, const char *sub,
		      const struct shell_word *w, bool first)
{
	if (may_be_option(w))
		return has_options(p);
	return scope_programs_is_option(p->options, w->text) ||
	       has_letter(p->letters, w->text, p->bare && first) ||
	       is_unsafe_of_sub(p, sub, w->text) ||
	       (p->assigns && scope_programs_is_assignment(w->text));
}

/* ---- programs of the table
 * ---------------------------------------------------------- */

/* Index of the subcommand, after options without effect; 0: none. */
static size_t place_of_sub(const struct program *p, const struct shell_command *c)
{
	for (size_t i = 1; i < c->count; i++) {
		const char *w = c->words[i].text;

		if (!w || c->words[i].shape || c->words[i].pattern)
			return 0;
		if (*w != '-')
			return space_lists(p->subs, w, strlen(w)) ? i : 0;
		if (!space_lists(p->leading, w, strlen(w)))
			return 0;
	}
	return 0;
}

static enum program_scope of_table(const struct program *p, const struct shell_command *c,
				   const char **ret_sub)
{
	size_t from = p->subs ? place_of_sub(p, c) : 0;

	if (p->subs && !from)
		return PROGRAM_EXACT;
	*ret_sub = from ? c->words[from].text : "";
	for (size_t i = from + 1; i < c->count; i++)
		if (is_unsafe(p, *ret_sub, &c->words[i], i == 1))
			return PROGRAM_EXACT;
	return p->exact ? PROGRAM_UNKNOWN : PROGRAM_KNOWN;
}

/* ---- what needs no approval
 * ----------------------------------------------------------- */

/* A filter whose options only choose which part of its input it prints. */
static const struct {
	const char *name;
	size_t operands;
	const char *letters, *valued; /* one-letter options; those that take a value */
	const char *options;
} filters[] = {
	{ "head", 0, "ncqvz0123456789", "nc", "--lines --bytes --quiet" },
	{ "tail", 0, "ncqvz0123456789", "nc", "--lines --bytes --quiet" },
	{ "wc", 0, "lwcmL", "", "--lines --words --bytes --chars --max-line-length" },
	{ "sort", 0, "nrufbdgihkMRVst", "kt", "--numeric-sort --reverse --unique --key "
					      "--field-separator --stable --human-numeric-sort" },
	{ "uniq", 0, "cdufisw", "fsw", "--count --repeated --unique --ignore-case" },
	{ "grep", 1, "EFGPivwxcoqnsaAhBCm0123456789", "ABCm",
	  "--color --line-number --ignore-case --count --invert-match --only-matching "
	  "--extended-regexp --fixed-strings --quiet --word-regexp --max-count --context "
	  "--after-context --before-context" },
	{ "cut", 0, "dfcbsz", "dfcb", "--delimiter --fields --characters --bytes" },
	{ "tr", 2, "cCdst", "", "--delete --squeeze-repeats --complement" },
	{ "cat", 0, "nbsAETv", "", "--number" },
};

static bool scope_programs_is_static(const struct shell_word *w)
{
	return w->text && !w->shape && !w->pattern;
}

/* A cluster of allowed letters; *ret_value: the next word is its value. */
static bool filter_letters(size_t f, const char *word, bool *ret_value)
{
	const char *valued = filters[f].valued;

	for (const char *p = word + 1; *p; p++) {
		if (!strchr(filters[f].letters, *p))
			return false;
		if (strchr(valued, *p)) {
			*ret_value = !p[1];
			return true;
		}
	}
	return true;
}

static bool is_filter(const struct shell_command *c)
{
	size_t f = 0, operands = 0;
	bool value = false;

	while (f < ARRAY_LEN(filters) && strcmp(filters[f].name, c->words[0].text) != 0)
		f++;
	if (f == ARRAY_LEN(filters) || !c->piped)
		return false;
	for (size_t i = 1; i < c->count; i++) {
		const char *w = c->words[i].text;

		if (!scope_programs_is_static(&c->words[i]))
			return false;
		if (value)
			value = false;
		else if (strncmp(w, "--", 2) == 0 &&
			 !space_lists(filters[f].options, w, strcspn(w, "=")))
			return false;
		else if (*w == '-' && w[1] != '-' && !filter_letters(f, w, &value))
			return false;
		else if (*w != '-' && ++operands > filters[f].operands)
			return false;
	}
	return true;
}

/* `[ -v` evaluates the subscript of an array. */
static bool is_plain_test(const struct shell_command *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (!c->words[i].text || strpbrk(c->words[i].text, "$`") ||
		    space_lists("-v -R", c->words[i].text, strlen(c->words[i].text)))
			return false;
	return true;
}

/* `wait -p` sets a variable. */
static bool is_plain_wait(const struct shell_command *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (!scope_programs_is_static(&c->words[i]) ||
		    (c->words[i].text[0] == '-' && strcmp(c->words[i].text, "-n") != 0))
			return false;
	return true;
}

/* The variable of a loop: a lowercase name that no program interprets. */
static bool is_plain_for(const struct shell_command *c)
{
	const char *name = c->count > 1 && scope_programs_is_static(&c->words[1])
				   ? c->words[1].text
				   : "";
	size_t n = strlen(name);

	return n && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0' &&
	       !(n > 6 && strcmp(name + n - 6, "_proxy") == 0);
}

static bool is_printf(const struct shell_command *c)
{
	return c->count > 1 && scope_programs_is_static(&c->words[1]) &&
	       c->words[1].text[0] != '-';
}

/* `set -e` and similar options, which make a script stop at an error. */
static bool is_strict(const struct shell_command *c)
{
	for (size_t i = 1; i < c->count; i++) {
		const char *w = c->words[i].text;

		if (!scope_programs_is_static(&c->words[i]) ||
		    (strcmp(w, "pipefail") != 0 &&
		     (*w != '-' || w[1 + strspn(w + 1, "euxo")] || !w[1])))
			return false;
	}
	return c->count > 1;
}

static bool is_free(const struct shell_command *c)
{
	static const char plain[] =
		"echo true false : pwd sleep exit case break continue";
	const char *name = c->words[0].text;

	if (space_lists(plain, name, strlen(name)))
		return true;
	if (strcmp(name, "[") == 0 || strcmp(name, "test") == 0)
		return is_plain_test(c);
	if (strcmp(name, "wait") == 0)
		return is_plain_wait(c);
	if (strcmp(name, "for") == 0)
		return is_plain_for(c);
	if (strcmp(name, "set") == 0)
		return is_strict(c);
	return strcmp(name, "printf") == 0 ? is_printf(c) : is_filter(c);
}

/* ---- all
 * ---------------------------------------------------------------------------- */

/* Can this word be shown as the name of a program? */
static bool scope_programs_is_name(const char *name)
{
	static const char extra[] = "._+-/";

	if (!*name || *name == '-')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr(extra, *name))
			return false;
	return true;
}

/* The first argument of a program that is known to have subcommands. */
static const char *other_sub(const struct shell_command *c)
{
	size_t at = command_subcommand(c->words, c->count);

	return at == 1 && scope_programs_is_static(&c->words[1]) &&
			       scope_programs_is_name(c->words[1].text)
		       ? c->words[1].text
		       : "";
}

enum program_scope program_scope_of(const struct shell_command *c, const char **ret_sub)
{
	const char *name = c->words[0].text, *base = command_base(name);
	const struct program *p = scope_programs_find(name);

	*ret_sub = "";
	if (is_free(c))
		return PROGRAM_FREE;
	if (!scope_programs_is_name(name) || !*base || command_wraps(base) ||
	    command_interprets(base) || space_lists(exact_only, base, strlen(base)))
		return PROGRAM_EXACT;
	if (p)
		return of_table(p, c, ret_sub);
	if (scope_programs_find(base)) /* another file with that name */
		return PROGRAM_EXACT;
	*ret_sub = other_sub(c);
	return PROGRAM_UNKNOWN;
}
