/* SPDX-License-Identifier: MIT
 *
 * message-turn.c - converts a reply in the log, with the results of its calls, into
 * messages. */
#include "context/message-turn.h"

#define MORTISE_PROVISIONAL
#include <mortise/advance.h>

#include <ctype.h>
#include <string.h>

enum { CALL_NAME_MAX = 64 };

int message_turn_compare(const void *a, const void *b)
{
	return strcmp(((const struct message_turn *)a)->response,
		      ((const struct message_turn *)b)->response);
}

bool message_is_blank(const char *text, size_t len)
{
	return strspn(text, " \t\r\n") >= len;
}

/* A name that providers reject would break every later request. */
static void mend_names(struct llm_reply *reply)
{
	for (size_t i = 0; i < reply->call_count; i++) {
		char *name = (char *)reply->calls[i].name;
		size_t len = strlen(name);

		for (size_t n = 0; n < len; n++)
			if (!isalnum((unsigned char)name[n]) && !strchr("_-.", name[n]))
				name[n] = '_';
		if (len > CALL_NAME_MAX)
			name[CALL_NAME_MAX] = '\0';
	}
}

static size_t texts_len(const struct llm_reply *reply)
{
	size_t len = strlen(reply->response_id) + reply->text_len + 2;

	if (reply->opaque)
		len += strlen(reply->opaque) + 1;
	for (size_t i = 0; i < reply->call_count; i++)
		len += strlen(reply->calls[i].id) + strlen(reply->calls[i].name) +
		       reply->calls[i].args_len + 3;
	return len;
}

static void message_turn_put_texts(struct message_turn *t, const struct llm_reply *reply,
				   char *at)
{
	t->response =
		message_block_put(&at, reply->response_id, strlen(reply->response_id));
	t->part = (struct llm_part){ .text = message_block_put(&at, reply->text, reply->text_len),
				     .len = reply->text_len };
	if (reply->opaque)
		t->opaque = message_block_put(&at, reply->opaque, strlen(reply->opaque));
	for (size_t i = 0; i < reply->call_count; i++) {
		const struct llm_call *c = &reply->calls[i];

		t->all[i] = (struct llm_call){
			.id = message_block_put(&at, c->id, strlen(c->id)),
			.name = message_block_put(&at, c->name, strlen(c->name)),
			.args = message_block_put(&at, c->args, c->args_len),
			.args_len = c->args_len,
		};
	}
}

/* Create a turn in one block of memory. NULL: out of memory. */
static struct message_turn *make_turn(const struct llm_reply *reply)
{
	size_t n = reply->call_count + 1;
	struct message_turn *t =
		calloc(1, sizeof *t + n * (2 * sizeof *t->calls + sizeof *t->results) +
				  texts_len(reply));

	if (!t)
		return NULL;
	t->count = reply->call_count;
	t->all = (struct llm_call *)(t + 1);
	t->calls = t->all + n;
	t->results = (struct message_part **)(t->calls + n);
	message_turn_put_texts(t, reply, (char *)(t->results + n));
	t->silent = message_is_blank(reply->text, reply->text_len);
	return t;
}

struct message_turn *message_turn_read(struct evlog *log, const char *response,
				       struct error *err)
{
	AUTO(json) json_object *record = evlog_reply(log, response, err);
	AUTO(llm_reply)
	struct llm_reply *reply = record ? llm_reply_from_json(record, err) : NULL;

	if (!reply)
		return NULL;
	mend_names(reply);
	return make_turn(reply);
}

bool message_turn_place(const struct message_turn *t, const char *id, size_t *ret_place)
{
	for (size_t i = 0; i < t->count; i++)
		if (strcmp(t->all[i].id, id) == 0) {
			*ret_place = i;
			return true;
		}
	return false;
}

/* Select the calls that have results. The list is the same as before unless the stamp is
 * new. */
static size_t pick_calls(struct message_turn *t)
{
	bool same = t->stamp != 0;
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!t->results[i])
			continue;
		same = same && t->calls[n].id == t->all[i].id;
		t->calls[n++] = t->all[i];
	}
	if (!same || t->calls[n].id)
		t->stamp = llm_message_stamp();
	t->calls[n] = (struct llm_call){ 0 };
	return n;
}

/* Add the assistant's message with the calls that have results, then the results in the
 * order of the calls. */
int message_turn_send(struct message_turn *t, struct llm_request *request)
{
	struct llm_message said = { .role = MT_ROLE_ASSISTANT,
				    .calls = t->calls,
				    .opaque = t->opaque };
	size_t n = pick_calls(t);

	t->sent = true;
	said.stamp = t->stamp;
	said.call_count = n;
	said.opaque_len = t->opaque ? strlen(t->opaque) : 0;
	said.parts = &t->part;
	said.part_count = t->silent ? 0 : 1;
	if (llm_request_add(request, &said))
		return MT_ENOMEM;
	n = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct llm_message result = { .role = MT_ROLE_TOOL, .call_count = 1 };

		if (!t->results[i])
			continue;
		result.stamp = t->results[i]->shown_stamp;
		result.calls = &t->calls[n++];
		result.failed = t->results[i]->is_error;
		result.parts = t->results[i]->parts;
		result.part_count = t->results[i]->part_count;
		if (llm_request_add(request, &result))
			return MT_ENOMEM;
	}
	return MT_OK;
}
