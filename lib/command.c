/* SPDX-License-Identifier: MIT
 *
 * command.c - tables of programs that run other programs, and of programs with
 * subcommands. */
#include "command.h"

#include <string.h>

static bool command_one_of(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (**list == *word && strcmp(*list, word) == 0)
			return true;
	return false;
}

const char *command_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool command_is_shell(const char *name)
{
	static const char *const names[] = { "sh", "bash", "dash", "zsh", "ksh", "ash",
					     "rbash", "mksh", "fish", NULL };

	return command_one_of(names, name);
}

bool command_wraps(const char *name)
{
	static const char *const names[] = {
		"busybox", "builtin", "catchsegv", "chroot", "chrt", "command", "coproc",
		"doas", "dbus-run-session", "entr", "env", "eatmydata", "exec", "expect",
		"fakeroot", "find", "firejail", "flock", "gdb", "ionice", "ltrace", "nice",
		"nohup", "nsenter", "numactl", "parallel", "pkexec", "prlimit", "rlwrap",
		"runuser", "script", "setarch", "setpriv", "setsid", "socat", "ssh",
		"ssh-agent", "start-stop-daemon", "stdbuf", "strace", "su", "sudo",
		"systemd-run", "taskset", "time", "timeout", "toybox", "unbuffer", "unshare",
		"valgrind", "watch", "xargs", "xvfb-run", "bwrap", NULL,
	};

	return command_one_of(names, name);
}

/* "python3.11" is python. */
static bool is_versioned(const char *name, const char *program)
{
	size_t n = strlen(program);

	return strncmp(name, program, n) == 0 && name[n] &&
	       name[n + strspn(name + n, "0123456789.-")] == '\0';
}

bool command_interprets(const char *name)
{
	static const char *const names[] = {
		".", "awk", "bun", "bunx", "corepack", "deno", "dlx", "ed", "emacs", "erl",
		"eval", "ex", "gawk", "ghci", "groovy", "guile", "irb", "java", "julia",
		"jshell", "lua", "m4", "mawk", "nawk", "node", "nodejs", "npx", "ocaml",
		"osascript", "perl", "php", "pipx", "pnpx", "psql", "pwsh", "python", "R",
		"Rscript", "ruby", "sed", "source", "sqlite3", "swift", "tclsh", "trap",
		"tsx", "ts-node", "uvx", "vi", "view", "vim", "nvim", "wish", "yarn", NULL,
	};
	static const char *const versioned[] = { "python", "perl", "ruby", "lua", "php",
						 "node", "tclsh", "guile", NULL };

	if (command_is_shell(name) || command_one_of(names, name))
		return true;
	for (size_t i = 0; versioned[i]; i++)
		if (is_versioned(name, versioned[i]))
			return true;
	return false;
}

/* ---- subcommands ------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *valued; /* options before the subcommand that take a value,
			     * separated by spaces */
	const char *plain;  /* options that take none */
} programs[] = {
	{ "git", "-C -c --git-dir --work-tree --namespace --super-prefix --exec-path "
		 "--config-env --attr-source --list-cmds",
	  "-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs "
	  "--glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks "
	  "--no-lazy-fetch --no-advice" },
	{ "docker", "-H --host -c --context --config -l --log-level --tlscacert --tlscert "
		    "--tlskey", "-D --debug --tls --tlsverify" },
	{ "podman", "--connection -c --identity --log-level --root --runroot --url",
	  "-r --remote" },
	{ "kubectl", "-n --namespace --context --kubeconfig --cluster --user -s --server "
		     "--token --as --as-group --request-timeout -v --v", "" },
	{ "helm", "-n --namespace --kube-context --kubeconfig", "--debug" },
	{ "cargo", "--color --config -C -Z", "-v --verbose -q --quiet --locked --offline "
					     "--frozen" },
	{ "rustup", "", "-v --verbose -q --quiet" },
	{ "npm", "--prefix -C --workspace -w --loglevel --registry", "-s --silent -ws" },
	{ "pnpm", "-C --dir --filter -F", "-r --recursive -w --workspace-root" },
	{ "yarn", "--cwd", "-s --silent" },
	{ "go", "-C", "" },
	{ "pip", "", "-v -q --quiet --isolated" },
	{ "pip3", "", "-v -q --quiet --isolated" },
	{ "uv", "--project --directory", "-q --quiet -v --verbose" },
	{ "poetry", "-C --directory -P --project", "-q --quiet -v --no-interaction -n" },
	{ "apt", "-o -c -t", "-y -q -qq --yes" },
	{ "apt-get", "-o -c -t", "-y -q -qq --yes" },
	{ "systemctl", "-H --host -M --machine -t --type", "--user --system --no-pager -q "
							   "--quiet" },
	{ "gh", "-R --repo", "" },
	{ "terraform", "-chdir", "" },
	{ "aws", "--profile --region --output --endpoint-url", "--no-cli-pager" },
	{ "gcloud", "--project --account --configuration", "--quiet -q" },
	{ "az", "", "" },
	{ "brew", "", "" },
	{ "dotnet", "", "" },
	{ "bundle", "", "" },
	{ "composer", "", "" },
	{ "gem", "", "" },
	{ "conda", "", "" },
	{ "svn", "", "" },
	{ "hg", "-R --cwd --config", "-q -v" },
	{ "meson", "", "" },
	{ "snap", "", "" },
	{ "dnf", "", "-y -q" },
	{ "yum", "", "-y -q" },
	{ "ip", "", "-4 -6 -s -br -brief -j -c" },
	{ "gpg", "", "" },
};

/* True if the list has the option, alone or as NAME=VALUE (`*ret_joined`). */
static bool command_listed(const char *list, const char *option, bool *ret_joined)
{
	size_t len = strcspn(option, "=");

	*ret_joined = option[len] == '=';
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, option, n) == 0)
			return true;
		p += n;
	}
	return false;
}

size_t command_subcommand(const struct shell_word *words, size_t count)
{
	const char *name = count && words[0].text ? command_base(words[0].text) : "";
	bool joined;
	size_t p = 0;

	while (p < ARRAY_LEN(programs) &&
	       (*programs[p].name != *name || strcmp(programs[p].name, name) != 0))
		p++;
	if (p == ARRAY_LEN(programs))
		return 0;
	for (size_t i = 1; i < count; i++) {
		const char *w = words[i].text;

		if (!w)
			return 0;
		if (*w != '-' && *w != '+')
			return i;
		if (command_listed(programs[p].valued, w, &joined))
			i += !joined;
		else if (*w != '+' && !command_listed(programs[p].plain, w, &joined))
			return 0;
	}
	return 0;
}
