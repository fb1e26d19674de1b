/* SPDX-License-Identifier: MIT
 *
 * cdp.c - exchanges messages with a browser. */
#include "cdp.h"
#include "clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>

struct cdp {
	int in, out;
	cdp_event_fn *event;
	void *arg;
	struct strbuf read, write;
	size_t scanned;       /* prefix of `read` without a NUL, bytes */
	int64_t last_id;
	int64_t awaited;      /* id of the pending call; 0: none */
	char session[80];     /* session of that call */
	json_object *answer;  /* its response */
	bool gone;
};

int cdp_new(int in, int out, cdp_event_fn *event, void *arg, struct cdp **ret,
	    struct error *err)
{
	struct cdp *c = calloc(1, sizeof *c);

	if (!c) {
		close(in);
		close(out);
		return out_of_memory(err);
	}
	*c = (struct cdp){ .in = in, .out = out, .event = event, .arg = arg,
			   .read = STRBUF(CDP_MESSAGE_MAX),
			   .write = STRBUF(CDP_MESSAGE_MAX) };
	fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
	*ret = c;
	return MT_OK;
}

struct cdp *cdp_free(struct cdp *c)
{
	if (!c)
		return NULL;
	close(c->in);
	close(c->out);
	strbuf_clear(&c->read);
	strbuf_clear(&c->write);
	json_object_put(c->answer);
	free(c);
	return NULL;
}

/* ---- one message ------------------------------------------------------------- */

static void cdp_take(struct cdp *c, const char *text, size_t len)
{
	AUTO(json) json_object *o = js_parse_object(text, len, NULL);
	int64_t id = js_int(o, "id", 0);
	const char *method = js_str(o, "method", NULL);

	if (id && id == c->awaited) {
		json_object_put(c->answer);
		c->answer = STEAL(o);
	} else if (method) {
		c->event(c->arg, js_str(o, "sessionId", ""), method, js_get(o, "params"));
	}
}

/* Dispatch the complete messages in the buffer. @return their number. */
static size_t cdp_take_all(struct cdp *c)
{
	size_t start = 0, count = 0;
	char *end;

	while ((end = memchr(c->read.text + c->scanned, '\0',
			     c->read.len - c->scanned))) {
		size_t at = (size_t)(end - c->read.text);

		cdp_take(c, c->read.text + start, at - start);
		start = c->scanned = at + 1;
		count++;
	}
	strbuf_consume(&c->read, start);
	c->scanned = c->read.len;
	return count;
}

static void cdp_fill(struct cdp *c)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(c->in, bytes, sizeof bytes)) > 0)
		strbuf_addn(&c->read, bytes, (size_t)n);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || c->read.error)
		c->gone = true;
}

static void cdp_flush(struct cdp *c)
{
	ssize_t n = 1;

	while (c->write.len && n > 0) {
		n = write(c->out, c->write.text, c->write.len);
		if (n > 0)
			strbuf_consume(&c->write, (size_t)n);
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		c->gone = true;
}

int cdp_poll(struct cdp *c, const struct cdp_wait *wait)
{
	for (;;) {
		struct pollfd fds[3] = {
			{ .fd = c->in, .events = POLLIN },
			{ .fd = wait->cancel_fd, .events = POLLIN },
			{ .fd = c->write.len ? c->out : -1, .events = POLLOUT },
		};
		int64_t left = wait->until - clock_ms();

		if (c->gone)
			return MT_EIO;
		if (left < 0)
			left = 0;
		if (poll(fds, 3, left > 60000 ? 60000 : (int)left) < 0 && errno != EINTR)
			return MT_EIO;
		if (fds[1].revents)
			return MT_ECANCELLED;
		if (fds[2].revents)
			cdp_flush(c);
		if (fds[0].revents)
			cdp_fill(c);
		if (cdp_take_all(c))
			return MT_OK;
		if (!left && !c->gone)
			return MT_ETIMEOUT;
	}
}

/* ---- calls -------------------------------------------------------------------- */

int cdp_send(struct cdp *c, const char *session, const char *method, json_object *params)
{
	struct strbuf *b = &c->write;

	strbuf_addc(b, '{');
	js_key_int(b, "id", ++c->last_id);
	js_key_str(b, "method", method);
	if (*session)
		js_key_str(b, "sessionId", session);
	js_key(b, "params");
	if (params)
		js_put(b, params);
	else
		b->error = MT_ENOMEM;
	strbuf_addn(b, "}", 2);
	json_object_put(params);
	if (b->error) {
		c->gone = true;
		return b->error;
	}
	cdp_flush(c);
	return c->gone ? MT_EIO : MT_OK;
}

void cdp_session_gone(struct cdp *c, const char *session, const char *why)
{
	json_object *error, *answer;

	if (!c->awaited || c->answer || strcmp(session, c->session) != 0)
		return;
	answer = json_object_new_object();
	error = json_object_new_object();
	js_set_str(error, "message", why);
	if (js_set_new(answer, "error", error)) {
		json_object_put(STEAL(answer));
		c->gone = true;
	}
	c->answer = answer;
}

int cdp_gave_up(int status, struct error *err)
{
	switch (status) {
	case MT_OK:
		return status;
	case MT_ETIMEOUT:
		return fail(err, status,
			    "TimeoutError: the browser did not respond in time");
	case MT_ECANCELLED:
		return fail(err, status, "the call was cancelled");
	case MT_ENOMEM:
		return out_of_memory(err);
	}
	return fail(err, MT_EIO, "the browser exited; the next call starts a new one");
}

int cdp_call(struct cdp *c, const char *session, const char *method, json_object *params,
	     const struct cdp_wait *wait, json_object **ret, struct error *err)
{
	AUTO(json) json_object *answer = NULL;
	json_object *error;
	int status = cdp_send(c, session, method, params);

	if (ret)
		*ret = NULL;
	c->awaited = c->last_id;
	snprintf(c->session, sizeof c->session, "%s", session);
	while (!status && !c->answer)
		status = cdp_poll(c, wait);
	answer = STEAL(c->answer);
	c->awaited = 0; /* ignore a later response */
	if (!answer)
		return cdp_gave_up(status, err);
	error = js_get(answer, "error");
	if (error)
		return fail(err, MT_EINVAL, "%s", js_str(error, "message", "refused"));
	if (ret)
		*ret = json_object_get(js_get(answer, "result"));
	return MT_OK;
}
