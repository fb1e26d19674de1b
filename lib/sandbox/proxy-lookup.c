/* SPDX-License-Identifier: MIT
 *
 * proxy-lookup.c - resolves host names in child processes, and refuses addresses. */
#include "sandbox/network-proxy-internal.h"

#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void lookup_names(const char *host, struct proxy_addresses *ret)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;

	ret->error = getaddrinfo(host, NULL, &hints, &list);
	for (struct addrinfo *i = list; i && ret->count < PROXY_ADDRESSES; i = i->ai_next)
		if (i->ai_addrlen <= sizeof *ret->list &&
		    (i->ai_family == AF_INET || i->ai_family == AF_INET6))
			memcpy(&ret->list[ret->count++], i->ai_addr, i->ai_addrlen);
	if (list)
		freeaddrinfo(list);
	if (!ret->error && !ret->count)
		ret->error = EAI_NONAME;
}

static _Noreturn void lookup_child(const struct host *host, int fd)
{
	struct proxy_addresses found = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A copy of a client's connection would keep it open. */
	if (dup2(fd, 3) < 0 || close_range(4, ~0u, 0))
		_exit(1);
	lookup_names(host->text, &found);
	_exit(write(3, &found, sizeof found) != sizeof found);
}

int proxy_lookup_start(const struct host *host, struct proxy_lookup *ret)
{
	int fd[2];

	/* The result is smaller than PIPE_BUF: it is written and read in one piece. */
	_Static_assert(sizeof(struct proxy_addresses) <= 4096, "PIPE_BUF");
	if (pipe2(fd, O_CLOEXEC) < 0)
		return MT_EIO;
	ret->pid = fork();
	if (ret->pid == 0)
		lookup_child(host, fd[1]);
	close(fd[1]);
	ret->fd = fd[0];
	if (ret->pid > 0)
		return MT_OK;
	ret->pid = 0;
	close(fd[0]);
	return MT_EIO;
}

void proxy_lookup_finish(struct proxy_lookup *l, struct proxy_addresses *ret)
{
	if (read(l->fd, ret, sizeof *ret) != sizeof *ret)
		*ret = (struct proxy_addresses){ .error = EAI_FAIL };
	proxy_lookup_end(l);
}

void proxy_lookup_end(struct proxy_lookup *l)
{
	if (!l->pid)
		return;
	kill(l->pid, SIGKILL);
	while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(l->fd);
	l->pid = 0;
}

void proxy_addresses_set(struct proxy_addresses *a, const struct host *host)
{
	struct sockaddr_in *in = (struct sockaddr_in *)a->list;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)a->list;

	*a = (struct proxy_addresses){ .count = 1 };
	if (inet_pton(AF_INET, host->text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		return;
	}
	in6->sin6_family = AF_INET6;
	inet_pton(AF_INET6, host->text, &in6->sin6_addr);
}

static bool address_is_allowed(const struct sockaddr *address, uint16_t port,
			       const struct network_proxy_rules *rules)
{
	enum address_class class = address_class_of(address);
	struct host host;

	if (class == ADDRESS_PUBLIC || (class == ADDRESS_PRIVATE && rules->allow_private))
		return true;
	host_of_address(address, &host);
	for (size_t i = 0; i < rules->count; i++)
		if (host_pattern_matches(&rules->hosts[i], &host, port))
			return true;
	return false;
}

void proxy_addresses_filter(struct proxy_addresses *a, uint16_t port,
			    const struct network_proxy_rules *rules,
			    struct host *ret_refused)
{
	unsigned kept = 0;

	ret_refused->text[0] = '\0';
	for (unsigned i = 0; i < a->count; i++) {
		const struct sockaddr *address = (struct sockaddr *)&a->list[i];

		if (address_is_allowed(address, port, rules))
			a->list[kept++] = a->list[i];
		else if (!*ret_refused->text)
			host_of_address(address, ret_refused);
	}
	a->count = kept;
}

void proxy_addresses_set_port(struct proxy_addresses *a, uint16_t port)
{
	for (unsigned i = 0; i < a->count; i++) {
		struct sockaddr_in *in = (struct sockaddr_in *)&a->list[i];
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&a->list[i];

		if (a->list[i].ss_family == AF_INET)
			in->sin_port = htons(port);
		else
			in6->sin6_port = htons(port);
	}
}
