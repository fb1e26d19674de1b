/* SPDX-License-Identifier: MIT
 *
 * network-proxy.c - the rules of the network proxy, its loop, and its reports. */
#include "sandbox/network-proxy-internal.h"

#include "array.h"
#include "clock.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	HOSTS_MAX = 1024,
	HEAD_MS = 30000,
	CONNECT_MS = 10000,
	IDLE_MS = 600000,
	CROWDED_MS = 10000,
	ACCEPT_PAUSE_MS = 100, /* after accept has failed, for lack of descriptors */
	FIXED = 2,             /* descriptors: listen_fd and report_fd */
};

/* ---- rules --------------------------------------------------------------------- */

int network_proxy_rules_read(json_object *o, struct network_proxy_rules *ret,
			     struct error *err)
{
	json_object *hosts = js_get(o, "hosts");
	size_t count = js_length(hosts);

	*ret = (struct network_proxy_rules){ .head_ms = HEAD_MS, .connect_ms = CONNECT_MS,
					     .idle_ms = IDLE_MS,
					     .crowded_ms = CROWDED_MS };
	ret->allow_private = js_bool(o, "allow_private", false);
	if (hosts && !json_object_is_type(hosts, json_type_array))
		return fail(err, MT_EINVAL, "`hosts` is not a list");
	if (count > HOSTS_MAX)
		return fail(err, MT_ELIMIT, "`hosts` has more than %d patterns",
			    HOSTS_MAX);
	if (array_grow(&ret->hosts, NULL, count, sizeof *ret->hosts, HOSTS_MAX))
		return out_of_memory(err);
	for (size_t i = 0; i < count; i++) {
		json_object *text = json_object_array_get_idx(hosts, i);
		int status;

		if (!json_object_is_type(text, json_type_string))
			return fail(err, MT_EINVAL,
				    "a pattern of `hosts` is not a string");
		status = host_pattern_read(json_object_get_string(text), &ret->hosts[i],
					   err);
		if (status)
			return status;
		ret->count++;
	}
	return MT_OK;
}

void network_proxy_rules_clear(struct network_proxy_rules *rules)
{
	free(rules->hosts);
	*rules = (struct network_proxy_rules){ 0 };
}

/* ---- reports ------------------------------------------------------------------- */

void proxy_report(struct proxy *p, const struct host *host, uint16_t port,
		  const char *reason)
{
	AUTO(strbuf) struct strbuf line = STRBUF(PROXY_REPORT_MAX);
	int64_t now = clock_ms();
	size_t at = PROXY_REPORTS;

	strbuf_addc(&line, '{');
	js_key_str(&line, "host", host->text);
	js_key_int(&line, "port", port);
	js_key_str(&line, "reason", reason);
	strbuf_add(&line, "}\n");
	for (size_t i = 0; i < PROXY_REPORTS; i++) {
		bool old = now - p->reports[i].at >= PROXY_REPORT_MS;

		if (!old && strcmp(p->reports[i].line, line.text) == 0)
			return;
		if (old)
			at = i;
	}
	if (line.error || at == PROXY_REPORTS)
		return;
	/* At most PIPE_BUF bytes: they are written in one piece, or not at all. */
	if (write(p->report_fd, line.text, line.len) < 0)
		return;
	p->reports[at].at = now;
	memcpy(p->reports[at].line, line.text, line.len + 1);
}

/* ---- the loop ------------------------------------------------------------------ */

/* Make room for a client that waits: end the connection that has been idle longest.
 * @return false if none has been for long; then `accept_at` is set */
static bool network_proxy_make_room(struct proxy *p)
{
	int64_t now = clock_ms(), first = INT64_MAX;
	size_t at = 0;

	if (p->count < PROXY_CONNECTIONS)
		return true;
	for (size_t i = 0; i < p->count; i++) {
		int64_t since = proxy_connection_idle_since(p->connections[i]);

		if (since < first) {
			first = since;
			at = i;
		}
	}
	if (first == INT64_MAX || now - first < p->rules->crowded_ms) {
		p->accept_at = (first == INT64_MAX ? now : first) + p->rules->crowded_ms;
		return false;
	}
	proxy_connection_close(p->connections[at]);
	p->connections[at] = p->connections[--p->count];
	return true;
}

static void network_proxy_accept(struct proxy *p)
{
	int client = accept4(p->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct proxy_connection *c;

	if (client < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			p->accept_at = clock_ms() + ACCEPT_PAUSE_MS;
		return;
	}
	c = proxy_connection_open(p, client);
	if (c)
		p->connections[p->count++] = c;
}

/* Wait for events. @return false if nothing more is to be served */
static bool network_proxy_wait(struct proxy *p, struct pollfd *poll_list)
{
	int64_t now = clock_ms(), until = INT64_MAX;
	bool accepts = now >= p->accept_at;
	int n, left = -1;

	poll_list[0] = (struct pollfd){ .fd = accepts ? p->listen_fd : -1,
					.events = POLLIN };
	poll_list[1] = (struct pollfd){ .fd = p->report_fd };
	if (now < p->accept_at)
		until = p->accept_at;
	for (size_t i = 0; i < p->count; i++) {
		int64_t at = proxy_connection_watch(p->connections[i],
						    poll_list + FIXED + 2 * i);

		until = at < until ? at : until;
	}
	if (until < INT64_MAX)
		left = until <= now            ? 0
		       : until - now > INT_MAX ? INT_MAX
					       : (int)(until - now);
	n = poll(poll_list, (nfds_t)(FIXED + 2 * p->count), left);
	return (n >= 0 || errno == EINTR) &&
	       !(n > 0 && poll_list[1].revents & (POLLERR | POLLHUP | POLLNVAL));
}

static void network_proxy_serve(struct proxy *p)
{
	struct pollfd poll_list[FIXED + 2 * PROXY_CONNECTIONS] = { 0 };

	while (network_proxy_wait(p, poll_list)) {
		const bool crowded = p->count == PROXY_CONNECTIONS;
		size_t kept = 0;

		for (size_t i = 0; i < p->count; i++) {
			struct proxy_connection *c = p->connections[i];

			if (proxy_connection_step(c, poll_list + FIXED + 2 * i))
				p->connections[kept++] = c;
			else
				proxy_connection_close(c);
		}
		p->count = kept;
		if (crowded && kept < PROXY_CONNECTIONS)
			p->accept_at = 0;
		if (poll_list[0].revents && network_proxy_make_room(p))
			network_proxy_accept(p);
	}
}

/* Keep two descriptors and standard error. */
static bool network_proxy_set_descriptors(struct proxy *p)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int null_fd = fcntl(null, F_DUPFD_CLOEXEC, 16);
	int listen_fd = fcntl(p->listen_fd, F_DUPFD_CLOEXEC, 16);
	int report_fd = fcntl(p->report_fd, F_DUPFD_CLOEXEC, 16);

	if (null_fd < 0 || listen_fd < 0 || report_fd < 0 || dup2(null_fd, 0) < 0 ||
	    dup2(null_fd, 1) < 0 || dup3(listen_fd, 3, O_CLOEXEC) < 0 ||
	    dup3(report_fd, 4, O_CLOEXEC) < 0 || close_range(5, ~0u, 0))
		return false;
	p->listen_fd = 3;
	p->report_fd = 4;
	fcntl(3, F_SETFL, fcntl(3, F_GETFL) | O_NONBLOCK);
	fcntl(4, F_SETFL, fcntl(4, F_GETFL) | O_NONBLOCK);
	return true;
}

void network_proxy_run(int listen_fd, int report_fd,
		       const struct network_proxy_rules *rules)
{
	static const char *const plain[] = { "http_proxy", "all_proxy", "ALL_PROXY",
					     NULL };
	static const char *const tunnel[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
					      "ALL_PROXY", NULL };
	AUTO(free) struct proxy *p = calloc(1, sizeof *p);

	if (!p)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "mortise-proxy");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	signals_reset();
	signal(SIGPIPE, SIG_IGN);
	p->rules = rules;
	p->listen_fd = listen_fd;
	p->report_fd = report_fd;
	proxy_upstream_read(&p->plain, plain);
	proxy_upstream_read(&p->tunnel, tunnel);
	if (network_proxy_set_descriptors(p))
		network_proxy_serve(p);
	while (p->count)
		proxy_connection_close(p->connections[--p->count]);
	free(p->plain.header);
	free(p->tunnel.header);
}
