/* SPDX-License-Identifier: MIT
 *
 * vec-llm-wire.c - recorded streams, answers and exchanges of model providers:
 * a directory, or a file.
 *
 *   X.chunks.txt   a stream, one event's JSON a line
 *   X.sse, X.txt   a stream as it came
 *   X.json         an answer; or an exchange {request, response}, a list of
 *                  them, or {interactions: [...]}
 *
 * Each is fed to its dialect whole, byte by byte and at random cuts, and has to
 * give the same each time; and no answer may be one that cannot be read, but for
 * streams with an event that is not JSON: these have to be refused. The result
 * is printed, one JSON object a line. Dialects are found by what the data looks
 * like. */
#include "base64.h"
#include "tests/llm/decode.h"
#include "tests/llm/frames.h"
#include "walk.h"
#include <dlfcn.h>
#include <libgen.h>
#include <strings.h>

enum { RANDOM_CUTS = 24, MAX_FILE = 64 << 20 };

static const char EVENTS[] = "text/event-stream", JSON[] = "application/json",
		  FRAMES[] = "application/vnd.amazon.eventstream";

/* An answer as a server would give it. */
struct given {
	const char *dialect;     /* NULL: none of ours */
	const char *why;         /* then: what it is */
	const char *type, *errortype;
	int status;
	bool damaged;            /* an event is not JSON: damaged in the recording */
	struct strbuf body;
};

/* ---- dialects ------------------------------------------------------------------ */

static const struct mt_dialect *dialect_of(const char *name)
{
	static struct {
		const char *name;
		const struct mt_dialect *dialect;
	} loaded[] = { { "openai", NULL }, { "anthropic", NULL }, { "gemini", NULL },
		       { "bedrock", NULL }, { "ollama", NULL } };
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	const struct mt_plugin *(*entry)(void);
	void *lib;

	if (len < 0)
		return NULL;
	self[len] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(loaded); i++) {
		if (strcmp(loaded[i].name, name) != 0)
			continue;
		if (loaded[i].dialect)
			return loaded[i].dialect;
		snprintf(path, sizeof path, "%s/../../plugins/dialects/%s.so",
			 dirname(self), name);
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!lib) {
			fprintf(stderr, "%s\n", dlerror());
			return NULL;
		}
		*(void **)&entry = dlsym(lib, MT_PLUGIN_SYMBOL);
		loaded[i].dialect = entry()->components[0].functions;
		return loaded[i].dialect;
	}
	return NULL;
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool has_any(json_object *o, const char *const *names)
{
	for (; *names; names++)
		if (js_get(o, *names))
			return true;
	return false;
}

static const char *const bedrock_events[] = {
	"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop",
	"messageStop", "metadata", NULL,
};

/* Whose data this is. NULL with `ret_why`: it is none that a dialect of ours
 * reads; both NULL: it does not tell. */
static const char *owner_of(json_object *o, const char **ret_why)
{
	static const char *const gemini[] = { "candidates", "usageMetadata",
					      "promptFeedback", NULL };
	static const char *const bedrock[] = { "messageStart", "contentBlockStart",
					       "contentBlockDelta", "contentBlockStop",
					       "messageStop", NULL };
	static const char *const ollama[] = { "done", "done_reason", NULL };
	const char *type = js_str(o, "type", ""), *object = js_str(o, "object", "");
	json_object *error = js_get(o, "error"), *message = js_get(o, "message");

	*ret_why = NULL;
	if (js_get(o, "event_type") || js_get(o, "steps") ||
	    strcmp(object, "interaction") == 0) {
		*ret_why = "Google's Interactions are not supported";
		return NULL;
	}
	if (begins(type, "content-") || begins(type, "message-") ||
	    begins(type, "tool-call-") || begins(type, "tool-plan") ||
	    (js_get(o, "finish_reason") && message)) {
		*ret_why = "Cohere's own API is not supported";
		return NULL;
	}
	if (has_any(o, bedrock) || js_path(o, "output.message") ||
	    js_path(o, "metadata.usage"))
		return "bedrock";
	if (has_any(o, gemini) || js_get(error, "status"))
		return "gemini";
	if (begins(type, "message") || begins(type, "content_block") ||
	    strcmp(type, "ping") == 0 ||
	    (strcmp(type, "error") == 0 && js_path(o, "error.type") &&
	     !js_get(o, "sequence_number")))
		return "anthropic";
	if (json_object_is_type(message, json_type_object) && has_any(o, ollama))
		return "ollama";
	if (begins(type, "response.") || js_get(o, "choices") || js_get(o, "output") ||
	    begins(object, "chat.completion") || error)
		return "openai";
	return NULL;
}

/* ---- a comparison ------------------------------------------------------------------ */

static void put_count(struct strbuf *out, const char *name, int64_t n)
{
	if (n >= 0)
		js_key_int(out, name, n);
}

static void put_decoded(struct strbuf *out, struct decode *d)
{
	js_key_strn(out, "text", d->text.text, d->text.len);
	if (d->reasoning.len)
		js_key_strn(out, "reasoning", d->reasoning.text, d->reasoning.len);
	js_key(out, "calls");
	strbuf_addc(out, '[');
	for (size_t i = 0; i < d->call_count; i++) {
		strbuf_add(out, i ? ",{" : "{");
		if (d->ids[i])
			js_key_str(out, "id", d->ids[i]);
		js_key_str(out, "name", d->names[i] ? d->names[i] : "");
		js_key_strn(out, "arguments", d->calls[i].len ? d->calls[i].text : "{}",
			    d->calls[i].len ? d->calls[i].len : 2);
		strbuf_addc(out, '}');
	}
	strbuf_add(out, "]");
	js_key(out, "usage");
	strbuf_addc(out, '{');
	put_count(out, "input", d->usage.input);
	put_count(out, "output", d->usage.output);
	put_count(out, "cache_read", d->usage.cache_read);
	put_count(out, "cache_write", d->usage.cache_write);
	put_count(out, "reasoning", d->usage.reasoning);
	if (d->usage.cost >= 0) {
		js_key(out, "cost");
		strbuf_addf(out, "%.12g", d->usage.cost);
	}
	strbuf_addc(out, '}');
	if (d->id[0])
		js_key_str(out, "response_id", d->id);
	if (d->stop[0])
		js_key_str(out, "stop_reason", d->stop);
	if (d->opaque.len) {
		js_key(out, "kept");
		strbuf_addn(out, d->opaque.text, d->opaque.len);
	}
	if (d->kind >= 0) {
		js_key(out, "error");
		strbuf_addc(out, '{');
		js_key_int(out, "kind", d->kind);
		js_key_str(out, "text", d->error.text);
		put_count(out, "retry_ms", d->retry_ms);
		strbuf_addc(out, '}');
	}
}

/* Feed it in pieces: all at once (0), byte by byte (1), or cut by chance (a seed).
 * The result is appended, then the order in which it came. */
static int feed(const struct given *g, const struct mt_dialect *dialect, unsigned seed,
		struct strbuf *out, struct strbuf *trace)
{
	struct decode d;
	int failed = 0, kind;

	decode_begin(&d);
	d.errortype = g->errortype;
	for (size_t at = 0, n; at < g->body.len && !failed; at += n) {
		n = seed == 0   ? g->body.len
		    : seed == 1 ? 1
				: (size_t)rand_r(&seed) % 200 + 1;
		if (n > g->body.len - at)
			n = g->body.len - at;
		failed = decode_feed(&d, dialect, g->status, g->type, g->body.text + at,
				     n);
	}
	if (failed && d.kind < 0) {
		d.kind = 0;
		strbuf_add(&d.error, "its dialect cannot read the answer");
	}
	decode_finish(&d, dialect, g->status);
	put_decoded(out, &d);
	strbuf_addn(trace, d.trace.text, d.trace.len);
	kind = d.kind;
	decode_clear(&d);
	return kind;
}

static void compare(struct vec *v, const struct given *g,
		    const struct mt_dialect *dialect, const struct strbuf *whole,
		    const struct strbuf *order)
{
	for (unsigned seed = 1; seed < 2 + RANDOM_CUTS && !v->faults; seed++) {
		AUTO(strbuf) struct strbuf got = STRBUF(MAX_FILE);
		AUTO(strbuf) struct strbuf trace = STRBUF(MAX_FILE);
		char what[64];

		strbuf_addc(&got, '{');
		feed(g, dialect, seed, &got, &trace);
		snprintf(what, sizeof what,
			 seed == 1 ? "byte by byte" : "cuts of seed %u", seed);
		if (strcmp(got.text, whole->text) != 0)
			vec_fault(v, what, whole->text, got.text);
		else if (strcmp(trace.text, order->text) != 0)
			vec_fault(v, what, order->text, trace.text);
	}
}

static void run(struct vec *v, const struct given *g)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(MAX_FILE), order = STRBUF(MAX_FILE);
	AUTO(strbuf) struct strbuf line = STRBUF(MAX_FILE);
	const struct mt_dialect *dialect;
	int kind;

	v->number++;
	v->faults = 0;
	if (!g->dialect) {
		if (strstr(v->label, "/sigv4/"))
			vec_skip(v, "a signature", "the component sigv4 runs it");
		else
			vec_skip(v, g->why ? "another API" : "a file",
				 g->why ? g->why : "it is not an answer of a model");
		return;
	}
	dialect = dialect_of(g->dialect);
	if (!dialect) {
		vec_fault(v, "the dialect", g->dialect, "it cannot be loaded");
		v->failed++;
		return;
	}
	strbuf_addc(&whole, '{');
	kind = feed(g, dialect, 0, &whole, &order);
	strbuf_addc(&line, '{');
	js_key_str(&line, "case", v->label);
	js_key_str(&line, "dialect", g->dialect);
	strbuf_addf(&line, ",%s}", whole.text + 1);
	puts(line.text);
	if (g->damaged && kind != MT_ERROR_MALFORMED)
		vec_fault(v, "the damaged stream", "told to be malformed", whole.text);
	if (!g->damaged && g->status < 300 && kind == MT_ERROR_MALFORMED)
		vec_fault(v, "the answer", "one that can be read", whole.text);
	compare(v, g, dialect, &whole, &order);
	v->passed += v->faults == 0;
	v->failed += v->faults != 0;
}

/* ---- streams ------------------------------------------------------------------------ */

/* An event of ConverseStream from {"messageStart": {...}}. */
static void put_frame(struct strbuf *b, json_object *event)
{
	for (const char *const *name = bedrock_events; *name; name++)
		if (js_get(event, *name))
			frames_event(b, *name, js_text(js_get(event, *name), NULL));
}

/* One event, in the form of the dialect; the first one tells which that is. */
static void put_event(struct given *g, const char *text, size_t len)
{
	AUTO(json) json_object *event = js_parse(text, len, NULL);
	const char *type = js_str(event, "type", NULL), *why = NULL;

	if (!event)
		g->damaged = true;
	if (!g->dialect && !g->why && event) {
		g->dialect = owner_of(event, &why);
		g->why = why;
	}
	if (g->dialect && strcmp(g->dialect, "bedrock") == 0) {
		g->type = FRAMES;
		if (event)
			put_frame(&g->body, event);
		return;
	}
	g->type = EVENTS;
	if (g->dialect && strcmp(g->dialect, "ollama") == 0) {
		g->type = "application/x-ndjson";
		strbuf_addf(&g->body, "%.*s\n", (int)len, text);
		return;
	}
	if (type && strcmp(g->dialect ? g->dialect : "", "anthropic") == 0)
		strbuf_addf(&g->body, "event: %s\n", type);
	strbuf_add(&g->body, "data: ");
	strbuf_addn(&g->body, text, len);
	strbuf_add(&g->body, "\n\n");
}

static void put_lines(struct given *g, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len)
			put_event(g, text, len);
		text += len + (text[len] == '\n');
	}
}

/* A stream as it came: its first data tells whose it is. */
static void put_raw(struct given *g, const char *text, size_t len)
{
	const char *data = text;

	g->type = EVENTS;
	strbuf_addn(&g->body, text, len);
	while (!g->dialect && !g->why && (data = strstr(data, "data:"))) {
		AUTO(json) json_object *event = NULL;
		size_t n;

		data += 5 + strspn(data + 5, " ");
		n = strcspn(data, "\r\n");
		event = js_parse(data, n, NULL);
		if (event)
			g->dialect = owner_of(event, &g->why);
	}
}

/* ---- exchanges ------------------------------------------------------------------------ */

/* By the address; NULL: it does not tell. */
static const char *owner_of_url(const char *url, const char **ret_why)
{
	static const struct {
		const char *part, *dialect;
	} places[] = {
		{ "/chat/completions", "openai" },
		{ "/responses", "openai" },
		{ "/v1/messages", "anthropic" },
		{ ":generateContent", "gemini" },
		{ ":streamGenerateContent", "gemini" },
		{ "/converse", "bedrock" },
		{ "/api/chat", "ollama" },
	};
	static const char *const others[] = {
		"count_tokens", "/messages/batches", ":countTokens", ":embed",
		"/embeddings", "/files", "/models", "/audio/", "/images/", "/moderations",
		"/responses/", "/v2/chat", "/interactions", "/invoke", "/token", "/oauth",
		"/upload", ":batch", "/cachedContents", "/count-tokens",
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const char *at = strstr(url, places[i].part);
		size_t len = strlen(places[i].part);

		if (at && (!at[len] || strchr("?-", at[len])))
			return places[i].dialect;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (strstr(url, others[i]))
			*ret_why = "not a request for a reply";
	return NULL;
}

/* A header whose value is a text or a list of texts. */
static const char *header(json_object *headers, const char *name)
{
	if (!json_object_is_type(headers, json_type_object))
		return NULL;
	json_object_object_foreach(headers, key, value) {
		if (strcasecmp(key, name) != 0)
			continue;
		if (json_object_is_type(value, json_type_array) &&
		    json_object_array_length(value))
			value = json_object_array_get_idx(value, 0);
		return json_object_is_type(value, json_type_string)
			       ? json_object_get_string(value)
			       : NULL;
	}
	return NULL;
}

static json_object *first_of(json_object *o, const char *const *names)
{
	for (; *names; names++)
		if (js_get(o, *names))
			return js_get(o, *names);
	return NULL;
}

static bool looks_like_stream(const char *text)
{
	text += strspn(text, " \t\r\n");
	return begins(text, "data:") || begins(text, "event:") || begins(text, ":") ||
	       begins(text, "id:");
}

static void take_text(struct given *g, json_object *text)
{
	const char *bytes = json_object_get_string(text);
	size_t len = (size_t)json_object_get_string_len(text);
	AUTO(json) json_object *o = NULL;

	if (looks_like_stream(bytes)) {
		put_raw(g, bytes, len);
		return;
	}
	o = js_parse(bytes, len, NULL);
	if (!o && g->type == FRAMES && !base64_read(&g->body, bytes, len))
		return;
	strbuf_reset(&g->body);
	strbuf_addn(&g->body, bytes, len);
	if (!g->dialect && !g->why && o)
		g->dialect = owner_of(o, &g->why);
	if (!o && strchr(bytes, '\n') && g->dialect && strcmp(g->dialect, "ollama") == 0)
		g->type = "application/x-ndjson";
}

static void take_events(struct given *g, json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object *event = json_object_array_get_idx(list, i);
		json_object *data = js_get(event, "data");
		size_t len;
		const char *text;

		if (json_object_is_type(event, json_type_string))
			data = event;
		if (json_object_is_type(data, json_type_string)) {
			put_event(g, json_object_get_string(data),
				  (size_t)json_object_get_string_len(data));
			continue;
		}
		text = js_text(data ? data : event, &len);
		put_event(g, text, len);
	}
}

static void take_body(struct given *g, json_object *body)
{
	static const char *const inner[] = { "string", "text", "base64", "content_b64",
					     NULL };
	json_object *text = json_object_is_type(body, json_type_object)
				    ? first_of(body, inner)
				    : NULL;
	size_t len;
	const char *bytes;

	if (json_object_is_type(text, json_type_string) && !js_get(body, "choices"))
		body = text;
	if (json_object_is_type(body, json_type_string)) {
		take_text(g, body);
	} else if (json_object_is_type(body, json_type_array) && g->status < 300 &&
		   strcmp(g->type, JSON) != 0) {
		take_events(g, body);
	} else if (body) {
		bytes = js_text(body, &len);
		g->type = JSON;
		strbuf_addn(&g->body, bytes, len);
		if (!g->dialect && !g->why)
			g->dialect = owner_of(body, &g->why);
	}
}

static int status_of(json_object *response)
{
	json_object *s = js_get(response, "status");
	int64_t status = js_int(response, "status_code", -1);

	if (status < 0 && json_object_is_type(s, json_type_object))
		status = js_int(s, "code", -1);
	if (status < 0 && json_object_is_type(s, json_type_int))
		status = json_object_get_int64(s);
	return status < 0 ? 200 : (int)status;
}

static void run_exchange(struct vec *v, json_object *exchange)
{
	static const char *const addresses[] = { "url", "uri", "path", NULL };
	static const char *const bodies[] = { "parsed_body", "body", "content", "events",
					      "chunks", "text", NULL };
	json_object *request = js_get(exchange, "request");
	json_object *response = js_get(exchange, "response"), *body;
	json_object *url = first_of(request, addresses);
	struct given g = { .body = STRBUF(MAX_FILE), .type = EVENTS,
			   .status = status_of(response) };
	const char *type = header(js_get(response, "headers"), "content-type");

	g.errortype = header(js_get(response, "headers"), "x-amzn-errortype");
	if (type)
		g.type = begins(type, FRAMES) ? FRAMES : begins(type, JSON) ? JSON : type;
	if (json_object_is_type(url, json_type_string))
		g.dialect = owner_of_url(json_object_get_string(url), &g.why);
	body = first_of(response, bodies);
	if (!js_get(response, "headers") && !js_get(response, "status_code") &&
	    !js_get(response, "status") && !js_get(response, "body"))
		body = response; /* the bare answer */
	if (json_object_is_type(js_get(response, "choices"), json_type_array) ||
	    js_get(response, "candidates") || js_get(response, "stop_reason") ||
	    js_get(response, "output"))
		body = response;
	take_body(&g, body);
	run(v, &g);
	strbuf_clear(&g.body);
}

static bool is_exchange(json_object *o)
{
	return js_get(o, "request") && js_get(o, "response");
}

/* ---- files ---------------------------------------------------------------------------- */

static void run_exchanges(struct vec *v, json_object *list, const char *file)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		AUTO(free) char *label = NULL;

		if (asprintf(&label, "%s#%zu", file, i + 1) < 0)
			return;
		v->label = label;
		run_exchange(v, json_object_array_get_idx(list, i));
		v->label = file;
	}
}

static void run_answer(struct vec *v, json_object *o, const char *text, size_t len)
{
	struct given g = { .body = STRBUF(MAX_FILE), .type = JSON, .status = 200 };

	g.dialect = owner_of(o, &g.why);
	if (js_get(o, "error") && !js_get(o, "choices") && !js_get(o, "output"))
		g.status = (int)js_int(js_get(o, "error"), "code", 400);
	if (g.status < 300 && js_get(o, "error") && !js_get(o, "output"))
		g.status = 400;
	strbuf_addn(&g.body, text, len);
	run(v, &g);
	strbuf_clear(&g.body);
}

static void one_json(struct vec *v, const char *file, const char *text, size_t len)
{
	struct error err = ERROR_NONE;
	AUTO(json) json_object *o = js_parse(text, len, &err);
	json_object *first =
		json_object_is_type(o, json_type_array) && json_object_array_length(o)
			? json_object_array_get_idx(o, 0)
			: NULL;

	if (!o) {
		v->number++;
		v->faults = 0;
		vec_fault(v, "the file", "JSON", err.text);
		v->failed++;
	} else if (is_exchange(first)) {
		run_exchanges(v, o, file);
	} else if (json_object_is_type(js_get(o, "interactions"), json_type_array)) {
		run_exchanges(v, js_get(o, "interactions"), file);
	} else if (is_exchange(o)) {
		run_exchange(v, o);
	} else {
		run_answer(v, o, text, len);
	}
}

static bool ends(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

static void one_file(struct vec *v, const char *file)
{
	struct given g = { .body = STRBUF(MAX_FILE), .status = 200 };
	struct error err = ERROR_NONE;
	AUTO(free) char *text = NULL;
	size_t len;

	v->label = file;
	if (file_read(file, MAX_FILE, &text, &len, &err)) {
		v->number++;
		vec_fault(v, "the file", "a text", err.text);
		v->failed++;
		return;
	}
	if (ends(file, ".json")) {
		one_json(v, file, text, len);
		return;
	}
	if (ends(file, ".chunks.txt") || ends(file, ".jsonl"))
		put_lines(&g, text);
	else if (looks_like_stream(text))
		put_raw(&g, text, len);
	if (!g.body.len)
		g.dialect = NULL;
	run(v, &g);
	strbuf_clear(&g.body);
}

int main(int argc, char **argv)
{
	struct vec v = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE-OR-DIR\n", argv[0]);
		return 2;
	}
	if (!vec_walk(&v, argv[1], one_file))
		return 2;
	return vec_done(&v);
}
