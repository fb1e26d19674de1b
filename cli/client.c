/* SPDX-License-Identifier: MIT
 *
 * client.c - a client's connection to a conversation. */
#include "client.h"
#include "clock.h"

#include "conversation/conversation.h"
#include "frontends/socket-dir.h"
#include "files.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { LINE_BYTES_MAX = 320 << 20, OUT_MAX = 4 << 20, PIECE = 64 << 10 };

static int cli_client_take_hello(struct client *p, const char *line, size_t len)
{
	AUTO(json) json_object *o = js_parse_object(line, len, NULL);
	const char *type = js_str(o, "type", "");

	if (strcmp(type, "hello") == 0 && js_int(o, "protocol", 0) == 1) {
		p->hello = STEAL(o);
		return MT_OK;
	}
	if (strcmp(type, "hello") == 0)
		return fail(&p->refused, MT_EUNSUPPORTED,
			    "unsupported protocol version %lld (this mortise supports 1)",
			    (long long)js_int(o, "protocol", 0));
	return fail(&p->refused, MT_EDENIED, "%s",
		    js_str(o, "text",
			   "the process on this socket is not a mortise "
			   "conversation"));
}

static int client_on_line(char *line, size_t len, void *arg)
{
	struct client *p = arg;

	if (!p->hello)
		return cli_client_take_hello(p, line, len);
	if (p->on_line)
		p->on_line(line, len, p->arg);
	return MT_OK;
}

int client_open(struct client *p, const char *id, struct error *err)
{
	*p = (struct client){ .fd = -1, .out = STRBUF(OUT_MAX) };
	jsonl_init(&p->in, LINE_BYTES_MAX, client_on_line, p);
	return socket_dir_connect(id, &p->fd, &p->pid, err);
}

void client_close(struct client *p)
{
	auto_close(&p->fd);
	p->fd = -1;
	jsonl_done(&p->in);
	strbuf_clear(&p->out);
	json_object_put(p->hello);
	p->hello = NULL;
}

int client_bytes(struct client *p, const char *bytes, size_t len)
{
	return strbuf_addn(&p->out, bytes, len);
}

int client_line(struct client *p, const char *text, size_t len)
{
	strbuf_addn(&p->out, text, len);
	return strbuf_addc(&p->out, '\n');
}

/* ---- serving ----------------------------------------------------------- */

short client_wants(const struct client *p)
{
	return (short)(POLLIN | (p->out.len ? POLLOUT : 0));
}

static void cli_client_receive(struct client *p)
{
	static char piece[PIECE];
	ssize_t n = recv(p->fd, piece, sizeof piece, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || jsonl_feed(&p->in, piece, (size_t)n))
		p->over = true;
}

void client_serve(struct client *p, short events)
{
	ssize_t n;

	if (events & (POLLIN | POLLHUP | POLLERR))
		cli_client_receive(p);
	if (p->over || !p->out.len)
		return;
	n = send(p->fd, p->out.text, p->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n > 0)
		strbuf_consume(&p->out, (size_t)n);
	/* A broken pipe is also reported as the end of the input. */
}

int client_greet(struct client *p, struct error *err)
{
	int64_t end = clock_ms() + CLIENT_HELLO_MS, left;

	while (!p->hello && !p->over && (left = end - clock_ms()) > 0) {
		struct pollfd fd = { .fd = p->fd, .events = client_wants(p) };

		if (poll(&fd, 1, (int)left) > 0)
			client_serve(p, fd.revents);
	}
	if (p->hello)
		return MT_OK;
	if (p->refused.code)
		return fail(err, p->refused.code, "%s", p->refused.text);
	return p->over ? fail(err, MT_ENOTFOUND,
			      "the conversation process has just exited")
		       : fail(err, MT_ETIMEOUT, "process %ld does not respond",
			      (long)p->pid);
}

/* ---- finding ----------------------------------------------------------- */

static bool cli_client_is_open(const char *id)
{
	int fd;

	if (socket_dir_connect(id, &fd, NULL, NULL))
		return false;
	close(fd);
	return true;
}

/* Report why the named conversation cannot be reached. */
static void cli_client_not_running(const struct config *c, const char *prefix,
				   struct error *err)
{
	AUTO(free) char *id = conversation_find(c, prefix, err);

	if (id)
		fail(err, MT_EIO,
		     "conversation `%s` is not running; run `mortise resume %s` to "
		     "resume it",
		     id, id);
}

static char *cli_client_found(const struct config *c, const char *prefix, size_t matches,
			      const char *match, struct error *err)
{
	char *id = matches == 1 ? strdup(match) : NULL;

	if (id)
		return id;
	if (matches == 1)
		out_of_memory(err);
	else if (matches > 1 && prefix)
		fail(err, MT_EINVAL,
		     "%zu running conversations match `%.80s`; use more characters of "
		     "the id",
		     matches, prefix);
	else if (matches > 1)
		fail(err, MT_EINVAL,
		     "%zu conversations are running; specify an id (`mortise ps` lists "
		     "them)",
		     matches);
	else if (prefix)
		cli_client_not_running(c, prefix, err);
	else
		fail(err, MT_EIO, "no conversation is running");
	return NULL;
}

static bool cli_client_is_kept(const struct config *c, const char *id)
{
	AUTO(free) char *dir = conversation_dir(c, id, &(struct error){ 0 });
	AUTO(free) char *path = dir ? path_join(dir, "events.jsonl") : NULL;

	return path && access(path, F_OK) == 0;
}

int client_list(const struct config *c, char ***ret, size_t *ret_count, struct error *err)
{
	size_t count = 0, kept = 0;
	char **ids = NULL;
	int r = socket_dir_list(&ids, &count, err);

	for (size_t i = 0; !r && i < count; i++)
		if (cli_client_is_kept(c, ids[i]))
			ids[kept++] = ids[i];
		else
			free(ids[i]);
	*ret = ids;
	*ret_count = kept;
	return r;
}

char *client_find(const struct config *c, const char *prefix, struct error *err)
{
	char **ids = NULL, *id = NULL;
	const char *match = NULL;
	size_t count = 0, matches = 0, len = prefix ? strlen(prefix) : 0;

	if (prefix && !len) {
		fail(err, MT_EINVAL, "the conversation id is empty");
		return NULL;
	}
	if (client_list(c, &ids, &count, err))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		bool exact = prefix && strcmp(ids[i], prefix) == 0;

		if (strncmp(ids[i], prefix ? prefix : "", len) != 0 ||
		    !cli_client_is_open(ids[i]))
			continue;
		match = ids[i];
		matches = exact ? 1 : matches + 1;
		if (exact)
			break;
	}
	id = cli_client_found(c, prefix, matches, match, err);
	socket_dir_free_list(ids, count);
	return id;
}

/* ---- notifying a watcher ------------------------------------------------ */

static void tell_retry(json_object *line, const struct watcher *w, void *arg)
{
	struct llm_error why = { .attempts = (int)js_int(line, "attempts", 1) };

	snprintf(why.text, sizeof why.text, "%s", js_str(line, "error", ""));
	w->retry(arg, &why, js_int(line, "wait_ms", 0));
}

static int level_of(const char *name)
{
	return strcmp(name, "error") == 0     ? MT_LOG_ERROR
	       : strcmp(name, "warning") == 0 ? MT_LOG_WARNING
					      : MT_LOG_INFO;
}

static void tell_other(json_object *line, const char *type, const struct watcher *w,
		       void *arg)
{
	json_object *text = js_get(line, "text");
	const char *bytes = text ? json_object_get_string(text) : "";
	size_t len = text ? (size_t)json_object_get_string_len(text) : 0;

	if (strcmp(type, "delta") == 0 && w->delta)
		w->delta(arg, js_bool(line, "reasoning", false), bytes, len);
	else if (strcmp(type, "output") == 0 && w->output)
		w->output(arg, js_int(line, "action", -1), bytes, len);
	else if (strcmp(type, "progress") == 0 && w->progress)
		w->progress(arg, js_int(line, "action", -1), js_number(line, "done", 0),
			    js_number(line, "total", 0), js_str(line, "message", ""));
	else if (strcmp(type, "rewind") == 0 && w->rewound)
		w->rewound(arg, js_int(line, "to", -1));
	else if (strcmp(type, "retry") == 0 && w->retry)
		tell_retry(line, w, arg);
	else if (strcmp(type, "notice") == 0 && w->notice)
		w->notice(arg, level_of(js_str(line, "level", "")), bytes);
}

int client_notify(json_object *line, const struct watcher *w, void *arg,
		  struct error *err)
{
	const char *type = js_str(line, "type", NULL);
	AUTO(event) struct event *e = NULL;

	if (type) {
		tell_other(line, type, w, arg);
		return MT_OK;
	}
	e = event_adopt(json_object_get(line), err);
	if (!e)
		return err->code;
	if (w->event)
		w->event(arg, e);
	return MT_OK;
}
