/* SPDX-License-Identifier: MIT
 *
 * sandbox.c - `mortise sandbox`: shows, explains and tests the sandbox of tools, and runs
 * a program in it. */
#include "sandbox.h"
#include "commands.h"
#include "overlay-probe.h"

#include "config/environment.h"
#include "files.h"
#include "landlock.h"
#include "sandbox/profile.h"
#include "jsonl.h"
#include "sandbox/program.h"
#include "sandbox/proxy-process.h"
#include "sandbox/summary.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct arguments {
	struct common common;
	const char *profile;
	bool json;
};

static const struct flag flags[] = {
	FLAG('p', "profile", "NAME", "use this profile: workspace, read-only",
	     STORE(FLAG_TEXT, struct arguments, profile)),
	FLAG('j', "json", NULL, "print JSON", STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

/* ---- the sandbox ---------------------------------------------------------------- */

static int cli_sandbox_add_variable(void *arg, const char *name, const char *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1 << 17);

	/* The kernel would refuse a longer one. */
	if (strbuf_addf(&text, "%s=%s", name, value) == MT_ELIMIT)
		return MT_OK;
	return text.error ? text.error : sandbox_path_add(arg, text.text);
}

/* Create the sandbox that tools would get in the current directory. */
static int cli_sandbox_open(struct cli_sandbox *s, struct config *config,
			    struct error *err)
{
	int status;

	*s = (struct cli_sandbox){ .config = config, .sandbox = SANDBOX_NONE,
				   .reports = -1 };
	if (!getcwd(s->directory, sizeof s->directory))
		return fail(err, MT_EIO, "cannot find the current directory: %s",
			    strerror(errno));
	if (!sandbox_wanted(config))
		return fail(
			err, MT_EINVAL,
			"the sandbox is disabled: see `mode` and `profile` of [sandbox] "
			"(`mortise config explain sandbox.mode`)");
	if (environment_each(config, cli_sandbox_add_variable, &s->environment))
		return out_of_memory(err);
	status = dir_temporary("mortise-sandbox", s->temporary, sizeof s->temporary, err);
	if (!status)
		status = sandbox_profile_rules(config, s->directory, &s->rules, err);
	if (!status)
		status = sandbox_profile_covers(config, s->directory, &s->rules, err);
	if (status == MT_ELIMIT && s->rules.cover && !s->rules.required) {
		status = command_report(MT_OK, err);
		*err = (struct error)ERROR_NONE;
	}
	if (!status)
		status = sandbox_make(&s->rules, s->temporary, &s->sandbox, err);
	if (!status &&
	    file_guard_start(&s->guard, &s->rules, s->sandbox.state.namespaces))
		status = out_of_memory(err);
	return status ? status
		      : sandbox_proxy_start(&s->sandbox, &s->rules, &s->reports, err);
}

static void cli_sandbox_close(struct cli_sandbox *s)
{
	if (s->reports >= 0)
		close(s->reports);
	sandbox_clear(&s->sandbox);
	file_guard_clear(&s->guard);
	sandbox_rules_clear(&s->rules);
	for (size_t i = 0; s->environment && s->environment[i]; i++)
		free(s->environment[i]);
	free(s->environment);
	if (*s->temporary)
		dir_remove(s->temporary, NULL);
	config_free(s->config);
}

static void report_reverted(const char *text, void *arg)
{
	(void)arg;
	fputs("mortise: ", stderr);
	command_write(stderr, text, strlen(text));
	fputc('\n', stderr);
}

int cli_sandbox_fork(struct cli_sandbox *s, void (*inside)(void *arg), void *arg,
		     struct error *err)
{
	int status;
	pid_t pid;

	if (s->rules.required && !sandbox_holds(&s->sandbox.state))
		return fail(err, MT_EUNSUPPORTED,
			    "the sandbox is required, but not all of it is enforced: %s",
			    s->sandbox.state.reason);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (s->environment)
			environ = s->environment;
		if (sandbox_program_enter(&s->sandbox, &s->rules, s->temporary,
					  SANDBOX_TOOL, s->directory, err))
			_exit(command_report(EXIT_FAILED, err));
		inside(arg);
		_exit(EXIT_FAILED);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	file_guard_check(&s->guard, report_reverted, NULL);
	if (pid > 0)
		return status;
	fail(err, MT_EIO, "cannot start a process: %s", strerror(errno));
	return -1;
}

/* ---- run ------------------------------------------------------------------------ */

static void execute(void *arg)
{
	char **argv = arg;
	struct error err = ERROR_NONE;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	execvp(argv[0], argv);
	fail(&err, MT_ENOTFOUND, "cannot run %s: %s", argv[0], strerror(errno));
	_exit(command_report(errno == ENOENT ? 127 : 126, &err));
}

static int print_refusal(char *line, size_t len, void *arg)
{
	AUTO(json) json_object *o = js_parse_object(line, len, NULL);
	const char *reason = js_str(o, "reason", "");

	(void)arg;
	if (*reason) {
		fputs("mortise: ", stderr);
		command_write(stderr, reason, strlen(reason));
		fputc('\n', stderr);
	}
	return MT_OK;
}

/* What the proxy has refused; most programs show only that they cannot connect. */
static void print_refusals(int reports)
{
	struct jsonl lines;
	char buffer[4096];
	ssize_t n;

	jsonl_init(&lines, sizeof buffer, print_refusal, NULL);
	while (reports >= 0 && (n = read(reports, buffer, sizeof buffer)) > 0)
		if (jsonl_feed(&lines, buffer, (size_t)n))
			break;
	jsonl_done(&lines);
}

static int cli_sandbox_run(struct cli_sandbox *s, char **argv)
{
	struct error err = ERROR_NONE;
	int status;

	if (!sandbox_holds(&s->sandbox.state))
		fprintf(stderr,
			"mortise: warning: not all of the sandbox is enforced: %s\n",
			s->sandbox.state.reason);
	/* The terminal sends it to the program too, which decides. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	status = cli_sandbox_fork(s, execute, argv, &err);
	print_refusals(s->reports);
	if (err.code)
		return command_report(EXIT_FAILED, &err);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- show ----------------------------------------------------------------------- */

static void show_list(const char *name, char *const *list)
{
	for (size_t i = 0; list && list[i]; i++)
		printf("%-12s %s\n", i ? "" : name, list[i]);
}

static const char *network_held(const struct cli_sandbox *s)
{
	static const char *const texts[] = {
		[SANDBOX_NETWORK_ALLOW_LIST] = "a network namespace, and a proxy for the "
					       "listed hosts",
		[SANDBOX_NETWORK_FULL] = "not restricted",
		[SANDBOX_NETWORK_NONE] = "a network namespace with only a loopback "
					 "interface",
	};

	if (s->rules.network != SANDBOX_NETWORK_FULL && !s->sandbox.state.namespaces)
		return s->sandbox.state.filter
			       ? "system call filter: no Internet sockets, "
				 "not even to localhost"
			       : "NOT ENFORCED";
	return texts[s->rules.network];
}

static void cli_sandbox_show(const struct cli_sandbox *s, const char *summary, bool json)
{
	const struct sandbox_state *state = &s->sandbox.state;
	AUTO(json) json_object *o = sandbox_rules_json(&s->rules);
	struct error err = ERROR_NONE;
	const bool overlay = overlay_probe_here(s->config, &err) == MT_OK;

	if (json) {
		js_set_bool(o, "overlays", overlay);
		js_set_bool(o, "enforced", sandbox_holds(state));
		js_set_bool(o, "namespaces", state->namespaces);
		js_set_int(o, "landlock", state->landlock);
		js_set_bool(o, "filter", state->filter);
		js_set_bool(o, "handler", state->handler);
		js_set_str(o, "reason", state->reason);
		printf("%s\n", js_shown(o));
		return;
	}
	fputs(summary, stdout);
	printf("enforced     %s%s\n", sandbox_holds(state) ? "yes" : "not completely: ",
	       sandbox_holds(state) ? "" : state->reason);
	printf("namespaces   %s%s\n", state->namespaces ? "yes" : "no: ",
	       state->namespaces ? "" : state->reason);
	if (state->landlock)
		printf("files        Landlock (version %d)%s\n", state->landlock,
		       state->namespaces ? ", read-only mounts"
		       : state->handler  ? ", a handler of system calls"
					 : "");
	else
		printf("files        %s\n",
		       state->namespaces ? "read-only mounts" : "NOT ENFORCED");
	printf("connections  %s\n", network_held(s));
	printf("processes    %s\n",
	       state->filter ? "system call filter, no capabilities, no new privileges"
			     : "no capabilities, no new privileges");
	printf("overlay      %s%s\n",
	       overlay ? "supported (`workspace` in [workspace])" : "not supported: ",
	       err.text);
	show_list("hidden", s->rules.hide);
	show_list("read", s->rules.read);
}

/* ---- the command ---------------------------------------------------------------- */

enum sandbox_subcommand {
	SANDBOX_SHOW,
	SANDBOX_RUN,
	SANDBOX_EXPLAIN,
	SANDBOX_VERIFY,
	SANDBOX_GRANTS,
};

static const struct subcommand subcommands[] = {
	[SANDBOX_SHOW] = { "show", 0, 0, NULL },
	[SANDBOX_RUN] = { "run", 1, OPERANDS_MAX, NULL },
	[SANDBOX_EXPLAIN] = { "explain", 1, 1, NULL },
	[SANDBOX_VERIFY] = { "verify", 0, 0, NULL },
	[SANDBOX_GRANTS] = { "grants", 0, 0, NULL },
	{ 0 },
};

static int cli_sandbox_act(int what, struct cli_sandbox *s, bool json, char **argv)
{
	switch (what) {
	case SANDBOX_RUN:
		return cli_sandbox_run(s, argv);
	case SANDBOX_EXPLAIN:
		return sandbox_explain(s, argv[0]);
	case SANDBOX_VERIFY:
		return sandbox_verify(s, json);
	case SANDBOX_GRANTS:
		sandbox_grants(s->config, json);
		return EXIT_DONE;
	}
	AUTO(strbuf) struct strbuf summary = STRBUF(1 << 20);
	struct error err = ERROR_NONE;

	if (sandbox_summary(s->config, s->directory, &summary, &err))
		return command_report(EXIT_FAILED, &err);
	cli_sandbox_show(s, summary.text, json);
	return EXIT_DONE;
}

static int sandbox_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	AUTO(strbuf) struct strbuf profile = STRBUF(256);
	struct cli_sandbox s = { .sandbox = SANDBOX_NONE, .reports = -1 };
	struct error err = ERROR_NONE;
	int index, what, code;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a.common);

	if (f != FLAG_END)
		return flags_exit_code(f);
	what = command_choose(self, argc - index, argv + index);
	if (what < 0)
		return EXIT_USAGE;
	if (a.profile && a.common.override_count < ARRAY_LEN(a.common.overrides)) {
		strbuf_addf(&profile, "sandbox.profile=%s", a.profile);
		a.common.overrides[a.common.override_count++] = profile.text;
	}
	if (common_config(&a.common, &s.config, &err) ||
	    (what != SANDBOX_GRANTS && cli_sandbox_open(&s, s.config, &err)))
		code = command_report(EXIT_USAGE, &err);
	else
		code = cli_sandbox_act(what, &s, a.json, argv + index + 1);
	cli_sandbox_close(&s);
	return code;
}

const struct command command_sandbox = {
	.name = "sandbox",
	.args = "[show] | run -- PROGRAM [ARG]... | explain PATH|HOST | verify | grants",
	.summary = "Show and test the sandbox of tools; run a program in it",
	.details = "show     print what tools in this directory can reach, and what enforces it\n"
		   "run      run a program in the sandbox, and exit with its exit code\n"
		   "explain  print whether tools can reach a path or host, and how to allow it\n"
		   "verify   try to break out of the sandbox; exit with 1 if an attempt succeeds\n"
		   "grants   list the grants, what they open, and which are on",
	.flags = flags,
	.subcommands = subcommands,
	.run = sandbox_run,
};
