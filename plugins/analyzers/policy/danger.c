/* SPDX-License-Identifier: MIT
 *
 * danger.c - rates commands and files: the table of dangerous commands, and the checks
 * that a table cannot express. */
#include "danger.h"

#include "command.h"
#include "danger-table.h"
#include "sensitive.h"
#include "targets.h"
#include "text/tool-ignore.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LOW, MEDIUM, HIGH };

struct check {
	const char *rule, *reason;
	bool (*is)(const struct place *place, const struct facts *f);
};

static bool is_one(const struct unit *u, const char *names)
{
	return u && u->name && unit_lists_word(names, u->name);
}

/* The path as resolved as possible. */
static const char *danger_meant(const struct path *p)
{
	return p->resolved ? p->resolved : p->lexical;
}

/* Does the command copy its first operands to the last, which it writes? */
static bool copies(const struct unit *u)
{
	return is_one(u, "cp install ln rsync scp mv") && !unit_has(u, "-t") &&
	       !unit_has(u, "--target-directory");
}

static bool is_written(const struct facts *f, const struct path *p)
{
	const struct unit *u = f->unit;

	if (p->redirect)
		return p->redirect != '<';
	if (copies(u) && !is_one(u, "mv")) {
		const struct shell_word *last = &u->words[u->count - 1];

		return p->word == last;
	}
	if (is_one(u, "sed perl ruby"))
		return unit_has(u, "-i") || unit_has(u, "--in-place");
	if (is_one(u, "curl"))
		return unit_has(u, "-o") || unit_has(u, "--output");
	return is_one(u, "tee dd truncate touch mv cp install ln rsync scp mkdir chmod "
			 "chown sponge ed ex "
			 "vi vim nvim nano emacs patch unzip tar wget ssh-keygen mkfifo "
			 "mknod chgrp");
}

static bool writes_protected(const struct place *place, const struct facts *f)
{
	for (size_t i = 0; i < f->path_count; i++)
		if (is_written(f, &f->paths[i]) &&
		    (sensitive_is_protected(place, danger_meant(&f->paths[i])) ||
		     sensitive_is_protected(place, f->paths[i].lexical)))
			return true;
	return false;
}

/* ssh -i KEY uses a key without disclosing it. */
static bool is_identity(const struct facts *f, const struct path *p)
{
	const struct unit *u = f->unit;
	size_t n = p->word && u && u->words ? (size_t)(p->word - u->words) : 0;

	return is_one(u, "ssh scp sftp ssh-add") && n > 0 && n < u->count &&
	       (is_one(u, "ssh-add") || strcmp(unit_text(u, n - 1), "-i") == 0);
}

static bool names_secret(const struct place *place, const struct facts *f)
{
	for (size_t i = 0; i < f->path_count; i++)
		if ((sensitive_is_secret(place, danger_meant(&f->paths[i])) ||
		     sensitive_is_secret(place, f->paths[i].lexical)) &&
		    !is_identity(f, &f->paths[i]))
			return true;
	return false;
}

/* Does the command pack, copy or send a directory that contains keys? */
static bool takes_home(const struct place *place, const struct facts *f)
{
	bool deep = is_one(f->unit, "tar zip 7z rsync") ||
		    (is_one(f->unit, "cp scp") &&
		     (unit_has(f->unit, "-r") || unit_has(f->unit, "-R") ||
		      unit_has(f->unit, "-a")));

	for (size_t i = 0; deep && i < f->path_count; i++) {
		const char *path = danger_meant(&f->paths[i]);

		if (place->home && f->paths[i].word &&
		    place_is_below(place->home, path) && !place_is_inside(place, path))
			return true;
	}
	return false;
}

static bool in_home(const struct place *place, const char *path)
{
	return (place->home && place_is_below(path, place->home)) ||
	       (place->real_home && place_is_below(path, place->real_home));
}

static bool is_temporary(const char *path)
{
	return place_is_below(path, "/tmp") || place_is_below(path, "/var/tmp");
}

/* Is the word the relative path of a directory that a build, a package manager or a test
 * run creates again? */
static bool names_generated(const char *word)
{
	static const char names[] =
		"build _build cmake-build-debug cmake-build-release dist target "
		"node_modules .next .nuxt .turbo .parcel-cache .gradle __pycache__ "
		".pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv .eggs .cache "
		"coverage htmlcov";
	AUTO(free) char *path = strdup(word);
	size_t len = path ? strlen(path) : 0;
	const char *last;

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (!len || *path == '/' || strpbrk(path, "*?[]{}$~`\\") || strstr(path, "..") ||
	    strstr(path, ".git"))
		return false;
	last = strrchr(path, '/');
	return unit_lists_word(names, last ? last + 1 : path);
}

bool danger_is_cleaning(const struct place *place, const struct facts *f)
{
	static const char options[] = "--recursive --force --verbose --";
	const struct unit *u = f->unit;
	size_t operands = 0;

	if (!is_one(u, "rm") || u->inner || u->more || f->dynamic || f->undecided)
		return false;
	for (size_t i = 1; i < u->count; i++) {
		const char *word = unit_text(u, i);

		if (*word != '-' && ++operands && !names_generated(word))
			return false;
		if (*word == '-' && !unit_lists_word(options, word) &&
		    word[1 + strspn(word + 1, "rRfv")])
			return false;
	}
	for (size_t i = 0; i < f->path_count; i++)
		if (!f->paths[i].redirect &&
		    (!f->paths[i].resolved ||
		     !place_is_inside(place, f->paths[i].resolved)))
			return false;
	return operands > 0;
}

static bool recursive_delete(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	bool deep = unit_has(u, "-r") || unit_has(u, "-R") || unit_has(u, "--recursive");

	if (!is_one(u, "rm rmdir unlink"))
		return false;
	if (deep && (unit_has(u, "-f") || unit_has(u, "--force")))
		return !danger_is_cleaning(place, f);
	for (size_t i = 0; i < f->path_count; i++) {
		const char *path = danger_meant(&f->paths[i]);

		if (f->paths[i].redirect)
			continue;
		if (sensitive_is_protected(place, path) ||
		    sensitive_is_critical(place, path))
			return true;
		if (f->paths[i].resolved && !place_is_inside(place, path) &&
		    (in_home(place, path) || !is_temporary(path)))
			return true;
		if (deep && strstr(path, "/.git"))
			return true;
	}
	return false;
}

/* Does mv move a critical or protected file, one of its first operands, away? */
static bool moves_away(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	if (!is_one(u, "mv rename"))
		return false;
	for (size_t i = 0; i < f->path_count; i++) {
		const struct path *p = &f->paths[i];
		bool last = p->word == &u->words[u->count - 1] && !unit_has(u, "-t");

		if (!p->redirect && !last &&
		    (sensitive_is_critical(place, danger_meant(p)) ||
		     sensitive_is_critical(place, p->lexical) ||
		     sensitive_is_protected(place, p->lexical)))
			return true;
	}
	return false;
}

static bool changes_rights(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct shell_word *mode = u ? unit_operand(u, 0, 0) : NULL;
	const char *text = mode && mode->text ? mode->text : "";
	size_t digits = strspn(text, "01234567");

	if (!is_one(u, "chmod chown chgrp"))
		return false;
	if (is_one(u, "chmod") && ((digits == 4 && text[0] != '0' && text[0] != '1') ||
				   strstr(text, "+s") || strstr(text, "=s")))
		return true;
	for (size_t i = 0; i < f->path_count; i++) {
		const char *path = danger_meant(&f->paths[i]);

		if (f->paths[i].word == mode || place_is_inside(place, path))
			continue;
		if (sensitive_is_protected(place, path) ||
		    sensitive_is_critical(place, path))
			return true;
	}
	return false;
}

static bool network_shell(const struct place *place, const struct facts *f)
{
	static const char *const devices[] = { "/dev/tcp/", "/dev/udp/" };

	(void)place;
	for (size_t i = 0; i < f->path_count; i++)
		for (size_t d = 0; d < 2; d++)
			if (strncmp(f->paths[i].lexical, devices[d], 9) == 0)
				return true;
	if (is_one(f->unit, "nc ncat netcat"))
		return unit_has(f->unit, "-e") || unit_has(f->unit, "-c") ||
		       unit_has(f->unit, "--exec") || unit_has(f->unit, "--sh-exec") ||
		       unit_has(f->unit, "-l") || unit_has(f->unit, "--listen");
	for (size_t i = 1; is_one(f->unit, "socat") && i < f->unit->count; i++)
		if (strcasestr(unit_text(f->unit, i), "exec:") ||
		    strcasestr(unit_text(f->unit, i), "system:"))
			return true;
	return false;
}

/* Does a shell or interpreter run its input, without a script? */
static bool reads_program(const struct unit *u)
{
	for (size_t i = 1; i < u->count; i++) {
		const char *w = unit_text(u, i);

		if (strcmp(w, "-") == 0 || strcmp(w, "-s") == 0 ||
		    strcmp(w, "/dev/stdin") == 0)
			return true;
		if (*w != '-' || strcmp(w, "-c") == 0 || strcmp(w, "-e") == 0 ||
		    strncmp(w, "-m", 2) == 0)
			return false;
		if (command_is_shell(u->name) && w[1] != '-' && strpbrk(w, "cs"))
			return strchr(w, 's') != NULL;
	}
	return true;
}

static bool runs_input(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct shell_word *script;

	(void)place;
	if (!u->name)
		return false;
	if (is_one(u, "eval source .") && u->command->substitutes)
		return true;
	if (is_one(u, "sed awk gawk mawk m4 psql sqlite3 trap yarn npx uvx") ||
	    !command_interprets(u->name))
		return false;
	if ((u->command->piped || u->more) && reads_program(u))
		return true;
	if (!command_is_shell(u->name) || !u->command->substitutes)
		return false;
	script = unit_script(u->words + 1, u->count - 1);
	if (!script)
		script = unit_operand(u, 0, 0);
	return !script || !script->text;
}

/* Does an SQL text, or the command of a database client, delete everything? */
static bool drops(const char *text)
{
	static const char *const phrases[][2] = {
		{ "drop", "database" }, { "drop", "table" },     { "drop", "schema" },
		{ "drop", "owned" },    { "truncate", "table" }, { "truncate", "" },
		{ "delete", "from" },
	};

	for (const char *p = text; *p; p++) {
		if (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
			size_t n = strlen(phrases[i][0]), k;

			if (strncasecmp(p, phrases[i][0], n) != 0)
				continue;
			k = n + strspn(p + n, " \t\r\n");
			if (k > n &&
			    strncasecmp(p + k, phrases[i][1], strlen(phrases[i][1])) == 0)
				return true;
		}
	}
	return strcasestr(text, "flushall") || strcasestr(text, "flushdb") ||
	       strcasestr(text, "dropDatabase");
}

static bool drops_database(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	(void)place;
	if (!is_one(u, "psql mysql mariadb sqlite3 sqlcmd mongo mongosh redis-cli cqlsh "
		       "clickhouse "
		       "clickhouse-client duckdb influx mysqladmin echo printf"))
		return false;
	for (size_t i = 1; i < u->count; i++)
		if (drops(unit_text(u, i)) ||
		    (is_one(u, "mysqladmin") && strcmp(unit_text(u, i), "drop") == 0))
			return true;
	return u->command->input && !is_one(u, "echo printf") && drops(u->command->input);
}

static bool mounts_system(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	if (!is_one(u, "docker podman nerdctl"))
		return false;
	for (size_t i = 1; i < u->count; i++) {
		const char *w = unit_text(u, i);
		bool option = strcmp(w, "-v") == 0 || strcmp(w, "--volume") == 0 ||
			      strcmp(w, "--mount") == 0;
		const char *value = option                     ? unit_text(u, i + 1)
				    : strncmp(w, "-v", 2) == 0 ? w + 2
				    : strncmp(w, "--volume=", 9) == 0 ? w + 9
				    : strncmp(w, "--mount=", 8) == 0  ? w + 8
								      : "";
		const char *source = strstr(value, "source=")
					     ? strstr(value, "source=") + 7
				     : strstr(value, "src=") ? strstr(value, "src=") + 4
							     : value;
		AUTO(strbuf)
		struct strbuf host = STRBUF(PLACE_PATH_MAX),
			      clean = STRBUF(PLACE_PATH_MAX);

		strbuf_addn(&host, source, strcspn(source, ":,"));
		if (*host.text == '/' && !place_clean(host.text, "/", &clean) &&
		    (sensitive_is_critical(place, clean.text) ||
		     sensitive_in_system(clean.text) ||
		     strstr(clean.text, "docker.sock") ||
		     sensitive_is_secret(place, clean.text)))
			return true;
		if (strcmp(w, "--network=host") == 0 || strcmp(w, "--net=host") == 0)
			return true;
	}
	return false;
}

static bool proxy_command(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	(void)place;
	if (!is_one(u, "ssh scp sftp rsync git"))
		return false;
	for (size_t i = 1; i < u->count; i++)
		if (strcasestr(unit_text(u, i), "ProxyCommand") ||
		    strcasestr(unit_text(u, i), "LocalCommand") ||
		    strcasestr(unit_text(u, i), "KnownHostsCommand") ||
		    (is_one(u, "git") &&
		     (strcasestr(unit_text(u, i), "core.sshCommand=") ||
		      strncmp(unit_text(u, i), "ext::", 5) == 0)))
			return true;
	return false;
}

static bool find_deletes(const struct place *place, const struct facts *f)
{
	bool tests = false, deletes = false;

	if (!is_one(f->unit, "find") || f->unit->inner)
		return false;
	for (size_t i = 1; i < f->unit->count; i++) {
		const char *w = unit_text(f->unit, i);

		deletes = deletes || strcmp(w, "-delete") == 0;
		tests = tests ||
			unit_lists_word("-name -iname -path -regex -newer -mtime -mmin "
					"-size -empty "
					"-ipath -wholename",
					w);
	}
	if (!deletes)
		return false;
	for (size_t i = 0; i < f->path_count; i++) {
		const char *path = danger_meant(&f->paths[i]);

		if (!f->paths[i].redirect && *unit_text(f->unit, 1) != '-' &&
		    f->paths[i].word == &f->unit->words[1] &&
		    (!f->paths[i].resolved || !place_is_inside(place, path)))
			return true;
	}
	return !tests;
}

static bool push_overwrites(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	(void)place;
	if (!is_one(u, "git") || !u->sub || strcmp(unit_text(u, u->sub), "push") != 0)
		return false;
	for (size_t i = u->sub + 1; i < u->count; i++)
		if (*unit_text(u, i) == '+' || *unit_text(u, i) == ':')
			return true;
	return false;
}

/* `git checkout -- x`, `git checkout .`, `git restore x`. */
static bool discards_changes(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const char *sub = u->sub ? unit_text(u, u->sub) : "";

	(void)place;
	if (!is_one(u, "git"))
		return false;
	if (strcmp(sub, "restore") == 0)
		return !unit_has(u, "--staged") || unit_has(u, "--worktree");
	if (strcmp(sub, "checkout") != 0)
		return false;
	for (size_t i = u->sub + 1; i < u->count; i++)
		if (strcmp(unit_text(u, i), "--") == 0 ||
		    strcmp(unit_text(u, i), ".") == 0)
			return true;
	return false;
}

static bool forks_without_end(const struct place *place, const struct facts *f)
{
	(void)place;
	return f->unit->runs_itself;
}

static bool ends_everything(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;
	const struct shell_word *last = u->count > 1 ? &u->words[u->count - 1] : NULL;

	(void)place;
	if (is_one(u, "killall5"))
		return true;
	return is_one(u, "kill") && last && last->text && u->count > 1 &&
	       (strcmp(last->text, "1") == 0 ||
		(strcmp(last->text, "-1") == 0 && u->count > 2));
}

static bool preloads(const struct place *place, const struct facts *f)
{
	static const char *const names[] = {
		"LD_PRELOAD=",      "LD_AUDIT=",          "BASH_ENV=", "PROMPT_COMMAND=",
		"GIT_SSH_COMMAND=", "GIT_EXTERNAL_DIFF=", NULL
	};
	const struct shell_command *c = f->unit->command;

	(void)place;
	for (size_t i = 0; i < c->assignment_count; i++) {
		const struct shell_word *w = &c->assignments[i];
		const char *text = w->text ? w->text : w->shape;

		for (const char *const *n = names; *n; n++)
			if (strncmp(text, *n, strlen(*n)) == 0)
				return true;
	}
	return false;
}

static bool sends_environment(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	(void)place;
	if (!is_one(u, "curl wget nc ncat netcat socat telnet"))
		return false;
	return u->command->piped ||
	       (u->command->substitutes &&
		(strstr(u->command->raw, "$(env") || strstr(u->command->raw, "`env") ||
		 strstr(u->command->raw, "printenv")));
}

static bool reads_crontab(const struct place *place, const struct facts *f)
{
	(void)place;
	return is_one(f->unit, "crontab") && !unit_has(f->unit, "-l");
}

static bool raw_device(const struct place *place, const struct facts *f)
{
	(void)place;
	for (size_t i = 0; is_one(f->unit, "dd tee cp cat") && i < f->path_count; i++)
		if (sensitive_is_device(f->paths[i].lexical) &&
		    (is_one(f->unit, "dd") || is_written(f, &f->paths[i])))
			return true;
	return false;
}

static bool cloud_deletes(const struct place *place, const struct facts *f)
{
	const struct unit *u = f->unit;

	(void)place;
	if (!is_one(u, "aws gcloud az doctl flyctl heroku s3cmd gsutil rclone mc"))
		return false;
	for (size_t i = 1; i < u->count; i++) {
		const char *w = unit_text(u, i);

		if (strncmp(w, "delete", 6) == 0 || strncmp(w, "terminate", 9) == 0 ||
		    strncmp(w, "remove", 6) == 0 || strncmp(w, "destroy", 7) == 0 ||
		    strcmp(w, "rm") == 0 || strcmp(w, "rb") == 0 ||
		    strcmp(w, "purge") == 0)
			return true;
	}
	return false;
}

/* Does it name a file that tools may not use? A pattern stands for the files that it
 * matches now. */
static bool names_ignored(const struct place *place, const struct facts *f)
{
	(void)place;
	for (size_t i = 0; i < f->path_count; i++)
		if (tool_ignore_has(danger_meant(&f->paths[i])) ||
		    (f->paths[i].resolved && tool_ignore_has(f->paths[i].lexical)))
			return true;
	return false;
}

static const struct check checks[] = {
	{ "danger.secrets", "reads or sends credentials", names_secret },
	{ "danger.files", "writes to a file that the system or other programs trust",
	  writes_protected },
	{ "danger.ignored", "names a file that `.mortise/ignore` keeps from tools",
	  names_ignored },
	{ "danger.home", "copies a directory that contains credentials", takes_home },
	{ "danger.delete", "deletes what cannot be restored", recursive_delete },
	{ "danger.move", "moves a system or home directory",
	  moves_away },
	{ "danger.rights",
	  "changes permissions outside the project, or sets setuid or setgid",
	  changes_rights },
	{ "danger.shell", "opens a shell to the network, or listens on it",
	  network_shell },
	{ "danger.input", "executes the output of another command", runs_input },
	{ "danger.database", "deletes data of a database", drops_database },
	{ "danger.containers", "gives a container access to the host", mounts_system },
	{ "danger.options", "runs a program for the connection", proxy_command },
	{ "danger.find", "deletes every file that is found", find_deletes },
	{ "danger.git.push", "overwrites or deletes work of others", push_overwrites },
	{ "danger.git.checkout", "discards uncommitted changes",
	  discards_changes },
	{ "danger.fork", "starts processes without limit (fork bomb)", forks_without_end },
	{ "danger.kill", "terminates all processes", ends_everything },
	{ "danger.preload", "injects code into the programs that follow", preloads },
	{ "danger.send", "sends the output of another command to another host",
	  sends_environment },
	{ "danger.cron", "schedules programs to run later", reads_crontab },
	{ "danger.disk", "writes to a device", raw_device },
	{ "danger.cloud", "deletes remote resources", cloud_deletes },
};

void danger_of_command(const struct place *place, const struct facts *f,
		       struct finding *ret)
{
	const struct danger *d = f->unit->name ? danger_table_find(f->unit) : NULL;

	*ret = (struct finding){ LOW, false, "", "" };
	if (d) {
		*ret = (struct finding){ HIGH, false, d->rule, d->reason };
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		if (!checks[i].is(place, f))
			continue;
		*ret = (struct finding){ HIGH, false, checks[i].rule, checks[i].reason };
		return;
	}
}

bool danger_of_ignored(const struct place *place, const struct facts *f,
		       struct finding *ret)
{
	if (!names_ignored(place, f))
		return false;
	*ret = (struct finding){ HIGH, false, checks[2].rule, checks[2].reason };
	return true;
}

void danger_of_files(const struct place *place, const struct facts *f, bool writes,
		     struct finding *ret)
{
	*ret = (struct finding){ LOW, false, "", "" };
	for (size_t i = 0; i < f->path_count; i++) {
		const char *path = danger_meant(&f->paths[i]),
			   *lexical = f->paths[i].lexical;

		if (sensitive_is_secret(place, path) ||
		    sensitive_is_secret(place, lexical))
			*ret = (struct finding){ HIGH, false, checks[0].rule,
						 checks[0].reason };
		else if (writes && (sensitive_is_protected(place, path) ||
				    sensitive_is_protected(place, lexical)))
			*ret = (struct finding){ HIGH, false, checks[1].rule,
						 checks[1].reason };
	}
}

bool danger_at(size_t n, struct finding *ret, const char **ret_what)
{
	const struct danger *row = danger_table_at(n);

	if (row) {
		*ret = (struct finding){ HIGH, false, row->rule, row->reason };
		*ret_what = row->programs;
		return true;
	}
	n -= danger_table_count();
	if (n >= ARRAY_LEN(checks))
		return false;
	*ret = (struct finding){ HIGH, false, checks[n].rule, checks[n].reason };
	*ret_what = "";
	return true;
}
