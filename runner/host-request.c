/* SPDX-License-Identifier: MIT
 *
 * host-request.c - a tool asks the other side and waits for the answer. */
#include "tool-host.h"
#include <string.h>

/* Texts live until the call returns. */
static const char *keep(struct mt_call *c, const char *text, size_t len)
{
	struct kept *k = malloc(sizeof *k + len + 1);

	if (!k)
		return NULL;
	memcpy(k->text, text, len);
	k->text[len] = '\0';
	k->next = c->kept;
	c->kept = k;
	return k->text;
}

static int answer(struct mt_call *c, int status, const char *text, size_t len,
		  struct mt_str *ret)
{
	const char *kept = keep(c, text, len);

	*ret = (struct mt_str){ kept, kept ? len : 0 };
	return kept ? status : MT_ENOMEM;
}

static int say(struct mt_call *c, int status, const char *text, struct mt_str *ret)
{
	return answer(c, status, text, strlen(text), ret);
}

static int send_request(struct mt_call *c, const char *method, struct mt_str params,
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

/* Called with c->lock held. */
static int wait_answer(struct mt_call *c, struct mt_str *ret)
{
	int status;

	while (!c->answered && !atomic_load(&c->cancelled))
		pthread_cond_wait(&c->wake, &c->lock);
	c->request = 0;
	if (!c->answered)
		return say(c, MT_ECANCELLED, "the call was cancelled", ret);
	c->answered = false;
	status = answer(c, c->answer_status, c->answer ? c->answer : "", c->answer_len,
			ret);
	if (c->answer)
		explicit_bzero(c->answer, c->answer_len);
	free(c->answer);
	c->answer = NULL;
	return status;
}

int host_request(struct mt_call *c, const char *method, struct mt_str params,
		 struct mt_str *ret_result)
{
	static atomic_ullong numbers;
	AUTO(json) json_object *checked = NULL;
	struct mt_str ignored, *ret = ret_result ? ret_result : &ignored;
	struct error err = ERROR_NONE;
	int status;

	if (!method || !*method || strlen(method) > 127)
		return say(c, MT_EINVAL, "a request requires a method name", ret);
	if (params.len == 0)
		params = (struct mt_str)MT_STR("{}");
	checked = js_parse_object(params.ptr, params.len, &err);
	if (!checked)
		return say(c, MT_EINVAL, err.text, ret);
	pthread_mutex_lock(&c->lock);
	if (c->request) {
		pthread_mutex_unlock(&c->lock);
		return say(c, MT_EINVAL, "the call already has a pending request", ret);
	}
	c->answered = false;
	c->request = atomic_fetch_add(&numbers, 1) + 1;
	pthread_mutex_unlock(&c->lock);

	status = send_request(c, method, params, c->request);
	pthread_mutex_lock(&c->lock);
	if (status) {
		c->request = 0;
		status = say(c, status, "cannot send the request", ret);
	} else {
		status = wait_answer(c, ret);
	}
	pthread_mutex_unlock(&c->lock);
	return status;
}
