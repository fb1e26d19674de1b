/* SPDX-License-Identifier: MIT
 *
 * archive.c - a condenser that stores old events on a server before they leave the view.
 *
 * It posts the texts of the older half of the events to `url`. When the server answers 201,
 * the events are forgotten, and a summary names the place that the server gave them (the
 * header `location`). Otherwise the view stays as it is, and the reason is logged. A
 * resumed conversation does not post the same events twice: see host->http.
 *
 *   [condenser.archive]
 *   url = https://archive.example.org/events
 *   http_hosts = archive.example.org */
#define MORTISE_PROVISIONAL
#include <mortise/condenser.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The places that are archived: from `first` to before `end`. */
struct range {
	size_t first, end;
};

/* Half of the view, at places where it may be cut; empty if it has at most max_events. */
static struct range choose(const struct mt_host *host, const struct mt_condenser_out *out,
			   struct mt_ctx *ctx)
{
	size_t count = host->view_count(ctx);
	struct range r = { 1, count };

	if (!out->requested(ctx) && count <= (size_t)host->option_int(ctx, "max_events"))
		return (struct range){ 0, 0 };
	while (r.first < count &&
	       (out->pinned(ctx, r.first) || !out->may_cut(ctx, r.first)))
		r.first++;
	for (r.end = r.first + count / 2; r.end > r.first && !out->may_cut(ctx, r.end);)
		r.end--;
	return r;
}

/* The texts of the events, owned. */
static char *texts_of(const struct mt_host *host, const struct mt_condenser_out *out,
		      struct mt_ctx *ctx, struct range r, size_t *ret_len)
{
	size_t len = 0;
	FILE *f;
	char *bytes = NULL;

	f = open_memstream(&bytes, &len);
	for (size_t place = r.first; f && place < r.end; place++) {
		const struct mt_event *event = host->view_at(ctx, place);
		struct mt_str text =
			event ? host->event_text(ctx, event) : out->shown(ctx, place);

		fprintf(f, "%s %lld %s\n%.*s\n\n", event ? host->event_source(event) : "",
			(long long)host->event_id(event),
			event ? host->event_type(event) : "summary", (int)text.len,
			text.ptr ? text.ptr : "");
	}
	if (f && fclose(f) != 0) {
		free(bytes);
		bytes = NULL;
	}
	*ret_len = len;
	return f ? bytes : NULL;
}

static int store(const struct mt_host *host, const struct mt_condenser_out *out,
		 struct mt_ctx *ctx, struct range r)
{
	struct mt_http_request request = {
		.size = sizeof request, .url = host->option(ctx, "url"),
		.headers = MT_STR("Content-Type: text/plain; charset=utf-8"),
	};
	char *text = texts_of(host, out, ctx, r, &request.body.len);
	int status;

	request.body.ptr = text;
	status = text ? host->http(ctx, &request) : MT_ENOMEM;
	free(text);
	return status < 0 ? status : MT_OK;
}

/* The value of a header of the response; empty: there is none. */
static struct mt_str header(const struct mt_http_result *result, const char *name)
{
	const char *line = result->headers.ptr, *end = line + result->headers.len, *next;
	size_t len = strlen(name);

	for (; line < end; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		if ((size_t)(next - line) > len + 3 && strncmp(line, name, len) == 0 &&
		    line[len] == ':')
			return (struct mt_str){ line + len + 2,
						(size_t)(next - line) - len - 3 };
	}
	return (struct mt_str){ "", 0 };
}

static int forget(const struct mt_condenser_out *out, struct mt_ctx *ctx, struct range r,
		  struct mt_str location)
{
	size_t count = r.end - r.first, *places = calloc(count, sizeof *places);
	char summary[2048];
	int status, len;

	if (!places)
		return MT_ENOMEM;
	for (size_t i = 0; i < count; i++)
		places[i] = r.first + i;
	len = snprintf(summary, sizeof summary, "%zu events were archived at %.*s", count,
		       (int)(location.len < 1024 ? location.len : 1024), location.ptr);
	status = out->forget(ctx, places, count, (struct mt_str){ summary, (size_t)len },
			     r.first);
	free(places);
	return status;
}

static int advance(const struct mt_host *host, const struct mt_condenser_out *out,
		   struct mt_ctx *ctx, const struct mt_in *in)
{
	struct range r = choose(host, out, ctx);

	if (r.first >= r.end)
		return MT_OK;
	if (in->what == MT_START)
		return store(host, out, ctx, r);
	if (in->what == MT_HTTP_DONE && in->http->status == 201)
		return forget(out, ctx, r, header(in->http, "location"));
	if (in->what == MT_HTTP_DONE)
		host->log(ctx, MT_LOG_WARNING,
			  "no events were archived: HTTP status %u %.*s",
			  in->http->status, (int)in->http->reason.len,
			  in->http->reason.ptr);
	return MT_OK;
}

static const struct mt_option options[] = {
	{ .size = sizeof options[0], .type = MT_OPTION_TEXT, .name = "url",
	  .flags = MT_OPTION_REQUIRED, .help = "Where to post the events." },
	{ .size = sizeof options[0], .type = MT_OPTION_INT, .name = "max_events",
	  .fallback = "200", .min = 4, .max = 1000000,
	  .help = "Maximum number of events in the view." },
};

static const struct mt_condenser condenser = {
	.size = sizeof condenser,
	.advance = advance,
};

MT_CONDENSER(&condenser, "archive", .name = "archive",
	     .summary = "Stores old events on a server.", .options = options,
	     .option_count = sizeof options / sizeof options[0])
