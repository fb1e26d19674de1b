/* SPDX-License-Identifier: MIT
 *
 * llm-records.c - records in the log about replies and attempts. */
#include "llm/llm-records.h"

#include <stdlib.h>

int llm_reply_make_unique(struct llm_reply *reply, const struct evlog *log,
			  struct error *err)
{
	AUTO(strbuf) struct strbuf id = STRBUF(1 << 20);

	for (int64_t n = evlog_replies(log);
	     id.error == MT_OK &&
	     evlog_has_reply(log, id.len ? id.text : reply->response_id);
	     n++) {
		strbuf_reset(&id);
		strbuf_addf(&id, "%s#%lld", reply->response_id, (long long)n);
	}
	if (id.error)
		return fail(err, id.error, "cannot create the response id: %s",
			    status_name(id.error));
	if (id.len) {
		free(reply->response_id);
		reply->response_id = strbuf_take(&id);
	}
	return MT_OK;
}

int llm_attempt_log(struct evlog *log, const struct llm_error *why, int64_t wait_ms,
		    const char *next, struct error *err)
{
	AUTO(json) json_object *record = json_object_new_object();
	int r = record ? MT_OK : MT_ENOMEM;

	if (!r)
		r = js_set_str(record, "record", "retry");
	if (!r)
		r = js_set_str(record, "kind", llm_error_name(why->kind));
	if (!r)
		r = js_set_int(record, "attempts", why->attempts);
	if (!r && next)
		r = js_set_str(record, "model", next);
	else if (!r)
		r = js_set_int(record, "wait_ms", wait_ms);
	if (!r)
		r = js_set_str(record, "error", why->text);
	return r ? fail(err, r, "%s", status_name(r)) : evlog_record(log, record, err);
}
