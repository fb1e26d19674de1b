/* SPDX-License-Identifier: MIT
 *
 * proxy-process.c - starts the proxy of a sandbox. */
#include "sandbox/proxy-process.h"

#include "sandbox/network-proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int find_port(struct sandbox *s)
{
	struct sockaddr_in address;
	socklen_t len = sizeof address;

	if (getsockname(s->listener, (void *)&address, &len) < 0)
		return MT_EIO;
	s->proxy_port = ntohs(address.sin_port);
	return MT_OK;
}

int sandbox_proxy_start(struct sandbox *s, const struct sandbox_rules *r,
			int *ret_reports, struct error *err)
{
	struct network_proxy_rules rules = { 0 };
	int ends[2], status;
	pid_t pid;

	*ret_reports = -1;
	if (s->listener < 0)
		return MT_OK;
	status = network_proxy_rules_read(r->proxy, &rules, err);
	if (!status && (find_port(s) || pipe2(ends, O_CLOEXEC) < 0))
		status = fail(err, MT_EIO, "cannot start the proxy of the sandbox: %s",
			      strerror(errno));
	if (status) {
		network_proxy_rules_clear(&rules);
		return status;
	}
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, "mortise-proxy");
		close(ends[0]);
		network_proxy_run(s->listener, ends[1], &rules);
		_exit(0);
	}
	network_proxy_rules_clear(&rules);
	close(ends[1]);
	close(s->listener);
	s->listener = -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*ret_reports = ends[0];
	if (pid > 0)
		return MT_OK;
	close(ends[0]);
	*ret_reports = -1;
	return fail(err, MT_EIO, "cannot start the proxy of the sandbox: %s",
		    strerror(errno));
}
