/* SPDX-License-Identifier: MIT
 *
 * request-log.c - [llm] log_requests: stores each request and its result as a file in the
 * directory of the conversation, without secrets. It has the names of all headers, but
 * only values that are known to be harmless: any other may be a key. */
#include "llm/llm-internal.h"
#include "files.h"
#include "log.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MAX_MODEL = 100 };

int llm_request_log_open(struct llm *l, const char *dir)
{
	if (!config_bool(l->config, l->section, "log_requests"))
		return MT_OK;
	free(l->request_log_dir);
	l->request_log_dir = path_join(dir, "llm");
	return l->request_log_dir ? MT_OK : MT_ENOMEM;
}

/* Mask each decoded string, to find secrets that the JSON text escapes. */
static int put_masked_json(const struct llm *l, struct strbuf *out, json_object *value)
{
	int status = l->mask ? mask_json(l->mask, value, NULL, NULL) : MT_OK;

	return status ? status : js_put(out, value);
}

static int put_masked(const struct llm *l, struct strbuf *out, const char *text,
		      size_t len)
{
	AUTO(strbuf) struct strbuf masked = STRBUF(LLM_MAX_BODY);

	if (l->mask && mask_put(l->mask, &masked, text, len))
		return MT_ENOMEM;
	return l->mask ? js_put_str(out, masked.text, masked.len)
		       : js_put_str(out, text, len);
}

/* Write a URL without user name, password and query. */
static int request_log_put_url(const struct llm *l, struct strbuf *out, const char *url)
{
	const char *host = strstr(url, "://");
	size_t len = strcspn(url, "?#"), at, end;

	host = host ? host + 3 : url;
	end = strcspn(host, "/?#");
	for (at = end; at > 0 && host[at - 1] != '@'; at--)
		;
	return put_masked(l, out, host + at,
			  len > (size_t)(host - url) + at
				  ? len - (size_t)(host - url) - at
				  : 0);
}

static bool is_loggable_header(const char *header)
{
	static const char *const names[] = { "content-type", "accept",
					     "anthropic-version", "anthropic-beta" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strncasecmp(header, names[i], strlen(names[i])) == 0 &&
		    header[strlen(names[i])] == ':')
			return true;
	return false;
}

static void put_header_lines(const struct llm_exchange *x, struct strbuf *out)
{
	js_key(out, "headers");
	strbuf_addc(out, '{');
	for (size_t i = 0; i < x->header_count; i++) {
		const char *line = x->headers[i];
		AUTO(free) char *name = strndup(line, strcspn(line, ":"));

		js_key_str(out, name ? name : "?",
			   is_loggable_header(line) ? strchr(line, ':') + 2 : MASK_TEXT);
	}
	strbuf_addc(out, '}');
}

static int request_log_put_request(const struct llm_exchange *x, struct strbuf *out)
{
	const struct strbuf *body = &x->body.bytes;
	AUTO(json) json_object *request = js_parse(body->text, body->len, NULL);

	js_key(out, "request");
	return request ? put_masked_json(x->llm, out, request)
		       : put_masked(x->llm, out, body->text, body->len);
}

static int request_log_put_whole(const struct llm_exchange *x,
				 const struct llm_reply *reply, const char *why,
				 struct strbuf *out)
{
	AUTO(json) json_object *record = reply ? llm_reply_json(reply) : NULL;
	int status = MT_OK;

	strbuf_addc(out, '{');
	js_key_str(out, "model", x->llm->name);
	js_key_int(out, "time", (int64_t)time(NULL));
	js_key_int(out, "attempt", x->attempt);
	js_key(out, "url");
	request_log_put_url(x->llm, out, x->url.text);
	put_header_lines(x, out);
	status = request_log_put_request(x, out);
	js_key_int(out, "status", x->status);
	if (record) {
		js_key(out, "reply");
		status = status ? status : put_masked_json(x->llm, out, record);
	} else {
		js_key(out, "error");
		put_masked(x->llm, out, why, strlen(why));
	}
	strbuf_add(out, "}\n");
	return status ? status : out->error;
}

static void make_file_name(const struct llm *l, char *name, size_t size)
{
	static unsigned number;
	struct timespec now;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	n = (size_t)snprintf(name, size, "%010" PRId64 ".%03d-%04u-%.*s.json",
			     (int64_t)now.tv_sec, (int)(now.tv_nsec / 1000000), ++number,
			     MAX_MODEL, l->name);
	for (size_t i = 0; i < n && i < size; i++)
		if (name[i] == '/' || name[i] == '\\' || (unsigned char)name[i] < ' ')
			name[i] = '_';
}

void llm_request_log_write(const struct llm_exchange *x, const struct llm_reply *reply,
			   const char *why)
{
	AUTO(strbuf) struct strbuf out = STRBUF((size_t)LLM_MAX_BODY * 2);
	struct error err = ERROR_NONE;
	AUTO(free) char *path = NULL;
	char name[MAX_MODEL + 64];

	if (!x->llm->request_log_dir)
		return;
	make_file_name(x->llm, name, sizeof name);
	path = path_join(x->llm->request_log_dir, name);
	if (!path || request_log_put_whole(x, reply, why, &out))
		log_line(MT_LOG_WARNING, "llm", "%s", status_name(MT_ENOMEM));
	else if (dir_make(x->llm->request_log_dir, &err) ||
		 file_write(path, out.text, out.len, 0600, false, &err))
		log_line(MT_LOG_WARNING, "llm", "cannot log a request: %s", err.text);
}
