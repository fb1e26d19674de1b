/* SPDX-License-Identifier: MIT
 *
 * serve-network-proxy.c - the network proxy as a program: its argument are the rules, it
 * prints its port, and its reports to standard error. */
#include "sandbox/network-proxy.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	const char *text = argc == 2 ? argv[1] : "";
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof in;
	struct network_proxy_rules rules = { 0 };
	struct error err = ERROR_NONE;
	AUTO(json) json_object *o = js_parse_object(text, strlen(text), &err);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!o || network_proxy_rules_read(o, &rules, &err) ||
	    bind(fd, (struct sockaddr *)&in, len) || listen(fd, 64) ||
	    getsockname(fd, (struct sockaddr *)&in, &len)) {
		fprintf(stderr, "serve-network-proxy: %s\n", error_text(&err));
		return 1;
	}
	printf("%d\n", ntohs(in.sin_port));
	fflush(stdout);
	network_proxy_run(fd, STDERR_FILENO, &rules);
	network_proxy_rules_clear(&rules);
	return 0;
}
