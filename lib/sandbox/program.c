/* SPDX-License-Identifier: MIT
 *
 * program.c - enters a sandbox and sets the variables that programs in it need. */
#include "sandbox/program.h"

#include "auto.h"
#include "sandbox/caches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is on the loopback interface needs no proxy. */
static int set_proxy(int port)
{
	static const char *const variables[] = { "http_proxy", "https_proxy", "all_proxy",
						 "HTTP_PROXY", "HTTPS_PROXY",
						 "ALL_PROXY" };
	static const char *const direct[] = { "no_proxy", "NO_PROXY" };
	char url[64];

	snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (setenv(variables[i], url, 1))
			return MT_ENOMEM;
	for (size_t i = 0; i < ARRAY_LEN(direct); i++)
		if (setenv(direct[i], "localhost,127.0.0.1,::1", 1))
			return MT_ENOMEM;
	return MT_OK;
}

/* ssh does not read the variables of proxies. bash, which the tool for commands needs in
 * any case, opens the tunnel: bash -c "$MORTISE_CONNECT" - HOST PORT. */
static int set_ssh(int port)
{
	static const char command[] =
		"ssh -o 'ProxyCommand=bash -c \"$MORTISE_CONNECT\" - %h %p'";
	char script[512];

	snprintf(script, sizeof script,
		 "exec 3<>/dev/tcp/127.0.0.1/%d || exit\n"
		 "printf 'CONNECT %%s:%%s HTTP/1.1\\r\\nHost: %%s:%%s\\r\\n\\r\\n'"
		 " \"$1\" \"$2\" \"$1\" \"$2\" >&3\n"
		 "read -r -u 3 version code reason\n"
		 "while read -r -u 3 line && [ \"$line\" != $'\\r' ]; do :; done\n"
		 "[ \"$code\" = 200 ] || { cat <&3 >&2; exit 1; }\n"
		 "exec 4<&0; cat <&4 >&3 & cat <&3; kill $! 2>/dev/null; :",
		 port);
	return setenv("MORTISE_CONNECT", script, 1) ||
			       setenv("GIT_SSH_COMMAND", command, 0)
		       ? MT_ENOMEM
		       : MT_OK;
}

static int set_variables(const struct sandbox *s, const struct sandbox_rules *r,
			 const char *temporary)
{
	const char *directory = s->state.namespaces ? "/tmp" : temporary;

	if (setenv("TMPDIR", directory, 1))
		return MT_ENOMEM;
	/* Without the capability to change owners, root's tar would fail. */
	if (geteuid() == 0 && setenv("TAR_OPTIONS", "--no-same-owner", 1))
		return MT_ENOMEM;
	if (s->proxy_port && set_proxy(s->proxy_port))
		return MT_ENOMEM;
	if (s->proxy_port && getenv("SSH_AUTH_SOCK") && set_ssh(s->proxy_port))
		return MT_ENOMEM;
	return r->cache ? sandbox_caches_set(r->cache) : MT_OK;
}

int sandbox_program_enter(const struct sandbox *s, const struct sandbox_rules *r,
			  const char *temporary, enum sandbox_program program,
			  const char *directory, struct error *err)
{
	if (sandbox_enter(s, r, temporary, program, err))
		return err->code;
	if (chdir(directory) < 0)
		return fail(err, MT_EIO, "cannot enter %s in the sandbox: %s", directory,
			    strerror(errno));
	return set_variables(s, r, temporary) ? out_of_memory(err) : MT_OK;
}
