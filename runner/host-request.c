/* SPDX-License-Identifier: MIT
 *
 * host-request.c - sends a request of a tool to the host and waits for the answer. */
#include "tool-host.h"
#include "clock.h"
#include <mortise/extensions.h>
#include <string.h>
#include <time.h>

enum { METHOD_MAX = 127, PIECES_MAX = 4 << 20 };

/* Texts live until the call returns. */
static struct kept *kept_new(const char *text, size_t len)
{
	struct kept *k = malloc(sizeof *k + len + 1);

	if (!k)
		return NULL;
	k->next = NULL;
	k->len = len;
	if (len)
		memcpy(k->text, text, len);
	k->text[len] = '\0';
	return k;
}

static void kept_free(struct kept *k)
{
	while (k) {
		struct kept *next = k->next;

		explicit_bzero(k->text, k->len); /* it may be a secret */
		free(k);
		k = next;
	}
}

/* Called with c->lock held. */
static struct mt_str host_request_keep(struct mt_call *c, struct kept *k)
{
	if (!k)
		return (struct mt_str){ "", 0 };
	k->next = c->kept;
	c->kept = k;
	return (struct mt_str){ k->text, k->len };
}

static int host_request_say(struct mt_call *c, int status, const char *text,
			    struct mt_str *ret)
{
	struct kept *k = kept_new(text, strlen(text));

	pthread_mutex_lock(&c->lock);
	*ret = host_request_keep(c, k);
	pthread_mutex_unlock(&c->lock);
	return k ? status : MT_ENOMEM;
}

/* ---- the requests of a call; c->lock is held ------------------------------- */

static struct asked *host_request_find(struct mt_call *c, uint64_t number)
{
	struct asked *a = c->asked;

	while (a && a->number != number)
		a = a->next;
	return a;
}

static struct asked *find_waiting(struct mt_call *c)
{
	struct asked *a = c->asked;

	while (a && !a->waits)
		a = a->next;
	return a;
}

static void asked_free(struct asked *a)
{
	kept_free(a->pieces);
	kept_free(a->answer);
	free(a);
}

static void host_request_drop(struct mt_call *c, struct asked *a)
{
	struct asked **p = &c->asked;

	while (*p != a)
		p = &(*p)->next;
	*p = a->next;
	c->asked_count--;
	asked_free(a);
}

static int host_request_add(struct mt_call *c, bool waits, uint64_t *ret_number)
{
	static atomic_ullong numbers;
	struct asked **end = &c->asked, *a;

	if (c->asked_count >= MT_REQUESTS_MAX)
		return MT_ELIMIT;
	a = calloc(1, sizeof *a);
	if (!a)
		return MT_ENOMEM;
	a->number = *ret_number = atomic_fetch_add(&numbers, 1) + 1;
	a->waits = waits;
	a->pieces_end = &a->pieces;
	while (*end)
		end = &(*end)->next;
	*end = a;
	c->asked_count++;
	return MT_OK;
}

/* Pass the answer to the tool. */
static int host_request_take_answer(struct mt_call *c, struct asked *a,
				    struct mt_str *ret)
{
	int status = a->status;

	*ret = host_request_keep(c, STEAL(a->answer));
	host_request_drop(c, a);
	return status;
}

void host_requests_free(struct mt_call *c)
{
	while (c->asked) {
		struct asked *next = c->asked->next;

		asked_free(c->asked);
		c->asked = next;
	}
	kept_free(c->kept);
}

static void host_request_add_piece(struct mt_call *c, struct asked *a,
				   const struct frame *f)
{
	struct kept *k = NULL;

	/* A piece may be dropped: the final answer contains its text. */
	if (!a->waits && f->len <= PIECES_MAX - c->pieces_len)
		k = kept_new(f->data, f->len);
	if (!k)
		return;
	*a->pieces_end = k;
	a->pieces_end = &k->next;
	c->pieces_len += k->len;
}

void host_request_answer(struct mt_call *c, const struct frame *f)
{
	struct asked *a;

	pthread_mutex_lock(&c->lock);
	a = host_request_find(c, f->aux);
	if (a && !a->answered && f->flags & FRAME_UNFINISHED) {
		host_request_add_piece(c, a, f);
	} else if (a && !a->answered) {
		a->answer = kept_new(f->data, f->len);
		a->status = a->answer ? f->status : MT_ENOMEM;
		a->answered = true;
	}
	pthread_cond_broadcast(&c->wake);
	pthread_mutex_unlock(&c->lock);
}

/* ---- sending ---------------------------------------------------------------- */

static int host_request_check(const char *method, struct mt_str *params,
			      struct error *err)
{
	AUTO(json) json_object *checked = NULL;

	if (!method || !*method || strlen(method) > METHOD_MAX)
		return fail(err, MT_EINVAL, "a request requires a method name");
	if (params->len == 0)
		*params = (struct mt_str)MT_STR("{}");
	checked = js_parse_object(params->ptr, params->len, err);
	return checked ? MT_OK : err->code;
}

static int host_request_send(struct mt_call *c, const char *method, struct mt_str params,
			     uint64_t number)
{
	struct strbuf b AUTO(strbuf) = STRBUF(FRAME_WHOLE_MAX);
	struct frame f = { .type = FRAME_REQUEST, .id = c->id, .aux = number };

	strbuf_addn(&b, method, strlen(method) + 1);
	strbuf_addn(&b, params.ptr, params.len);
	if (b.error)
		return b.error;
	f.data = b.text;
	f.len = b.len;
	return worker_send(&f, 0);
}

/* @return MT_OK if the request was sent. */
static int host_request_start(struct mt_call *c, const char *method, struct mt_str params,
			      bool waits, uint64_t *ret_number, struct error *err)
{
	int status = host_request_check(method, &params, err);

	if (status)
		return status;
	pthread_mutex_lock(&c->lock);
	if (waits && find_waiting(c))
		status = fail(err, MT_EINVAL, "the call already has a pending request");
	else
		status = host_request_add(c, waits, ret_number);
	pthread_mutex_unlock(&c->lock);
	if (status == MT_ELIMIT)
		fail(err, status, "the call already has %d pending requests",
		     MT_REQUESTS_MAX);
	if (!status) {
		status = host_request_send(c, method, params, *ret_number);
		if (!status)
			return MT_OK;
		fail(err, status, "cannot send the request");
		pthread_mutex_lock(&c->lock);
		host_request_drop(c, host_request_find(c, *ret_number));
		pthread_mutex_unlock(&c->lock);
	}
	return err->code ? status : fail(err, status, "%s", status_name(status));
}

/* ---- a single request --------------------------------------------------------- */

int host_request(struct mt_call *c, const char *method, struct mt_str params,
		 struct mt_str *ret_result)
{
	struct mt_str ignored, *ret = ret_result ? ret_result : &ignored;
	struct error err = ERROR_NONE;
	uint64_t number;
	bool answered;
	struct asked *a;
	int status = host_request_start(c, method, params, true, &number, &err);

	if (status)
		return host_request_say(c, status, err.text, ret);
	pthread_mutex_lock(&c->lock);
	a = host_request_find(c, number);
	while (!a->answered && !atomic_load(&c->cancelled))
		pthread_cond_wait(&c->wake, &c->lock);
	answered = a->answered;
	if (answered)
		status = host_request_take_answer(c, a, ret);
	else
		host_request_drop(c, a);
	pthread_mutex_unlock(&c->lock);
	return answered ? status
			: host_request_say(c, MT_ECANCELLED, "the call was cancelled",
					   ret);
}

/* ---- concurrent requests: MT_REQUESTS_DRAFT_1 -------------------------------- */

static int host_request_submit(struct mt_call *c, const char *method,
			       struct mt_str params, uint64_t *ret_number)
{
	struct error err = ERROR_NONE;

	return host_request_start(c, method, params, false, ret_number, &err);
}

static struct kept *host_request_take_piece(struct mt_call *c, struct asked *a)
{
	struct kept *k = a->pieces;

	a->pieces = k->next;
	if (!a->pieces)
		a->pieces_end = &a->pieces;
	c->pieces_len -= k->len;
	return k;
}

/* Take the next piece or answer of the oldest request that has one. @return false if
 * none has; `*ret_open`: a request is still open. */
static bool take_any(struct mt_call *c, struct mt_answer_draft_1 *ret, bool *ret_open)
{
	struct asked *a = c->asked;

	*ret_open = false;
	for (; a; a = a->next) {
		if (a->waits)
			continue;
		*ret_open = true;
		if (a->pieces || a->answered)
			break;
	}
	if (!a)
		return false;
	*ret = (struct mt_answer_draft_1){ .number = a->number };
	if (a->pieces) {
		ret->flags = MT_ANSWER_PIECE;
		ret->text = host_request_keep(c, host_request_take_piece(c, a));
	} else {
		ret->status = host_request_take_answer(c, a, &ret->text);
	}
	return true;
}

/* @return false on timeout. */
static bool host_request_wait_until(struct mt_call *c, int64_t end)
{
	const struct timespec t = { end / 1000, end % 1000 * 1000000 };

	if (end < 0)
		return pthread_cond_wait(&c->wake, &c->lock) == 0;
	return pthread_cond_clockwait(&c->wake, &c->lock, CLOCK_MONOTONIC, &t) == 0;
}

static int wait_any(struct mt_call *c, int64_t timeout_ms, struct mt_answer_draft_1 *ret)
{
	int64_t end = timeout_ms < 0 ? -1 : clock_ms() + timeout_ms;
	bool in_time = true, open;
	int status = MT_OK;

	pthread_mutex_lock(&c->lock);
	while (!take_any(c, ret, &open) && !status) {
		if (!open)
			status = MT_ENOTFOUND;
		else if (atomic_load(&c->cancelled))
			status = MT_ECANCELLED;
		else if (!in_time)
			status = MT_ETIMEOUT;
		else
			in_time = host_request_wait_until(c, end);
	}
	pthread_mutex_unlock(&c->lock);
	return status;
}

const struct mt_requests_draft_1 host_requests_draft_1 = {
	.size = sizeof host_requests_draft_1, .submit = host_request_submit, .wait = wait_any };
