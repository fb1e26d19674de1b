/* SPDX-License-Identifier: MIT
 *
 * sandbox-explain.c - `mortise sandbox explain`: what tools can do with a path or a
 * host. */
#include "sandbox.h"
#include "commands.h"

#include "files.h"
#include "sandbox/grants.h"
#include "sandbox/network-proxy.h"
#include "text/tool-ignore.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The grant that would help, if there is one. */
static void explain_grant(const char *grant)
{
	if (grant)
		printf("The grant `%s` opens it: add it to `grants` in [sandbox].\n",
		       grant);
}

static void explain_ignored(const struct cli_sandbox *s, const char *path)
{
	printf("%s: tools can neither read nor change it, because it matches "
	       "`.mortise/ignore`; %s\n",
	       path,
	       !s->sandbox.state.namespaces
		       ? "commands can still use it, because mounts cannot cover it without "
			 "namespaces; commands that name it require approval"
	       : path_is_in_any(path, s->rules.cover)
		       ? "the kernel prevents commands from using it"
		       : "commands can still use it until the tools are restarted, because "
			 "it did not exist when they started, or exceeds the limits; "
			 "commands that name it require approval");
}

static void explain_path(const struct cli_sandbox *s, const char *path)
{
	const struct sandbox_rules *r = &s->rules;
	const char *rule;

	if (tool_ignore_has(path)) {
		explain_ignored(s, path);
		return;
	}
	switch (sandbox_access(r, path, &rule)) {
	case SANDBOX_ACCESS_WRITE:
		printf("%s: tools can change it (%s is writable)\n", path, rule);
		break;
	case SANDBOX_ACCESS_PROTECTED:
		printf("%s: tools can read it, but not change it, because it can make "
		       "programs of the user run code\n",
		       path);
		break;
	case SANDBOX_ACCESS_READ:
		printf("%s: tools can read it (%s is readable); to let them change it, add "
		       "it to `write` in [sandbox]\n",
		       path, rule);
		break;
	case SANDBOX_ACCESS_HIDDEN:
		printf("%s: tools cannot see it (%s is hidden); to allow it, add it to "
		       "`read` or `write` in [sandbox]\n",
		       path, rule);
		break;
	case SANDBOX_ACCESS_NONE:
		printf("%s: tools cannot read or change it; to allow it, add it to `read` "
		       "or `write` in [sandbox]\n",
		       path);
	}
	switch (sandbox_access(r, path, NULL)) {
	case SANDBOX_ACCESS_READ:
		explain_grant(grant_for_path(s->config, path, SANDBOX_ACCESS_WRITE));
		break;
	case SANDBOX_ACCESS_HIDDEN:
	case SANDBOX_ACCESS_NONE:
		explain_grant(grant_for_path(s->config, path, SANDBOX_ACCESS_READ));
		break;
	case SANDBOX_ACCESS_WRITE:
	case SANDBOX_ACCESS_PROTECTED:
		break;
	}
}

/* Without a port, that of HTTPS. */
static bool host_allowed(const struct sandbox_rules *r, const char *text)
{
	struct network_proxy_rules rules = { 0 };
	struct host host;
	uint16_t port;
	bool allowed = false;

	if (r->network == SANDBOX_NETWORK_ALLOW_LIST &&
	    !host_parse(text, strlen(text), &host, &port) &&
	    !network_proxy_rules_read(r->proxy, &rules, NULL))
		for (size_t i = 0; i < rules.count; i++)
			allowed |= host_pattern_matches(&rules.hosts[i], &host,
							port ? port : HTTPS_PORT);
	network_proxy_rules_clear(&rules);
	return allowed;
}

int sandbox_explain(struct cli_sandbox *s, const char *subject)
{
	char path[PATH_MAX];

	if (strchr(subject, '/') || *subject == '~' || *subject == '.') {
		struct error err = ERROR_NONE;

		if (sandbox_resolve(s->directory, subject, path)) {
			explain_path(s, path);
			return EXIT_DONE;
		}
		fail(&err, MT_ENOTFOUND, "cannot find the directory of %s", subject);
		return command_report(EXIT_FAILED, &err);
	}
	if (s->rules.network == SANDBOX_NETWORK_FULL)
		printf("%s: tools can reach every host (`network = full` in [sandbox])\n",
		       subject);
	else if (host_allowed(&s->rules, subject))
		printf("%s: tools can reach it, through the proxy of the sandbox\n",
		       subject);
	else {
		printf("%s: tools cannot reach it; to allow it, add it to `hosts` in "
		       "[sandbox]\n",
		       subject);
		explain_grant(grant_for_host(s->config, subject));
	}
	return EXIT_DONE;
}
