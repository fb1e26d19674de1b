/* SPDX-License-Identifier: MIT
 *
 * vec-sigv4.c - the AWS signing test suite: a directory of cases, each with a
 * request, its context, and the intermediate results of the signature, once in
 * the headers and once in the query. */
#include "sigv4.h"
#include "walk.h"
#include <time.h>

enum { MAX_FILE = 1 << 20 };

/* A request as it was recorded, taken apart in place. */
struct recorded {
	char *text, *method, *target, *body;
	struct sigv4_header headers[SIGV4_MAX_HEADERS];
	size_t count;
};

static char *read_beside(const char *context, const char *name)
{
	AUTO(free) char *dir = strndup(context, strlen(context) - strlen("context.json"));
	AUTO(free) char *path = path_join(dir, name);
	char *text = NULL;

	if (file_read(path, MAX_FILE, &text, NULL, NULL))
		return NULL;
	return text;
}

/* Lines that begin with a space continue the value before them. */
static void take_headers(struct recorded *r, char *at)
{
	while (*at && *at != '\n') {
		char *end = strchrnul(at, '\n'), *colon;

		while (*end && (end[1] == ' ' || end[1] == '\t'))
			end = strchrnul(end + 1, '\n');
		colon = memchr(at, ':', (size_t)(end - at));
		r->body = *end ? end + 1 : end;
		if (colon && r->count < SIGV4_MAX_HEADERS - 2) {
			*colon = '\0';
			r->headers[r->count++] = (struct sigv4_header){ at, colon + 1 };
		}
		if (*end)
			*end++ = '\0';
		at = end;
	}
	if (*at == '\n')
		r->body = at + 1;
}

/* The target may hold spaces: it ends before the last one. */
static bool take_apart(struct recorded *r)
{
	char *line = r->text, *end = line ? strchr(line, '\n') : NULL, *last;

	if (!end || !(r->target = strchr(line, ' ')))
		return false;
	*end = '\0';
	r->method = line;
	*r->target++ = '\0';
	last = strrchr(r->target, ' ');
	if (!last)
		return false;
	*last = '\0';
	r->body = end + 1;
	take_headers(r, end + 1);
	return true;
}

static int64_t time_of(const char *text)
{
	struct tm tm = { 0 };

	return strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm(&tm) : -1;
}

static void compare(struct vec *v, const char *context, const char *form,
		    const char *what, const char *got)
{
	char name[64];
	AUTO(free) char *wanted = NULL;

	snprintf(name, sizeof name, "%s-%s.txt", form, what);
	wanted = read_beside(context, name);
	if (!wanted || strcmp(wanted, got) != 0)
		vec_fault(v, name, wanted, got);
}

static void one_form(struct vec *v, const char *file, json_object *context, bool query)
{
	json_object *keys = js_get(context, "credentials");
	struct recorded r = { .text = read_beside(file, "request.txt") };
	struct sigv4_scope s = {
		.key_id = js_str(keys, "access_key_id", ""),
		.secret = js_str(keys, "secret_access_key", ""),
		.token = js_str(keys, "token", NULL),
		.region = js_str(context, "region", ""),
		.service = js_str(context, "service", ""),
		.time = time_of(js_str(context, "timestamp", "")),
		.expires = query ? js_int(context, "expiration_in_seconds", 0) : 0,
		.raw_path = !js_bool(context, "normalize", true),
	};
	struct sigv4_result got = { 0 };
	struct error err = ERROR_NONE;
	char time[SIGV4_TIME];

	v->number++;
	v->faults = 0;
	sigv4_time(s.time, time);
	if (!take_apart(&r)) {
		vec_fault(v, "request.txt", "a request", r.text);
	} else {
		if (!query)
			r.headers[r.count++] =
				(struct sigv4_header){ "X-Amz-Date", time };
		if (!query && s.token)
			r.headers[r.count++] =
				(struct sigv4_header){ "X-Amz-Security-Token", s.token };
		if (sigv4_sign(&s, &(struct sigv4_request){ r.method, r.target, r.headers,
							     r.count, r.body,
							     strlen(r.body) }, &got, &err))
			vec_fault(v, "an error", NULL, err.text);
		else {
			const char *form = query ? "query" : "header";

			compare(v, file, form, "canonical-request", got.canonical.text);
			compare(v, file, form, "string-to-sign", got.to_sign.text);
			compare(v, file, form, "signature", got.signature);
		}
		sigv4_clear(&got);
	}
	v->passed += v->faults == 0;
	v->failed += v->faults != 0;
	free(r.text);
}

static void one_file(struct vec *v, const char *file)
{
	size_t len = strlen(file), tail = strlen("/context.json");
	AUTO(json) json_object *context = NULL;
	AUTO(free) char *text = NULL;
	struct error err = ERROR_NONE;
	size_t size;

	if (len < tail || strcmp(file + len - tail, "/context.json") != 0)
		return;
	v->label = file;
	if (!file_read(file, MAX_FILE, &text, &size, &err))
		context = js_parse_object(text, size, &err);
	if (!context) {
		vec_fault(v, "context.json", "an object", err.text);
		v->failed++;
		return;
	}
	one_form(v, file, context, false);
	one_form(v, file, context, true);
}

int main(int argc, char **argv)
{
	struct vec v = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: %s DIR\n", argv[0]);
		return 2;
	}
	if (!vec_walk(&v, argv[1], one_file))
		return 2;
	return vec_done(&v);
}
