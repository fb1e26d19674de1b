/* SPDX-License-Identifier: MIT
 *
 * anthropic.c - encodes requests of Anthropic's Messages API. */
#define MT_PLUGIN_VERSION "0.1"
#include "anthropic.h"
#include "blocks.h"
#include "claude.h"
#include "space.h"
#include <string.h>

static const char providers[] =
	"{\"anthropic\":{\"base_url\":\"https://api.anthropic.com\","
	"\"key_env\":\"ANTHROPIC_API_KEY\"}}";

#define EMPTY "{\"type\":\"text\",\"text\":\"(empty)\"}"

enum { MAX_TOOLS = 256 };

/* ---- blocks ---------------------------------------------------------------- */

static void anthropic_put_mark(struct writer *w, bool mark)
{
	if (mark)
		PUT(w, ",\"cache_control\":{\"type\":\"ephemeral\"}");
	PUT(w, "}");
}

static void anthropic_put_text_block(struct writer *w, struct mt_str text, bool mark)
{
	PUT(w, "{\"type\":\"text\",\"text\":");
	writer_put_text(w, text.ptr, text.len);
	anthropic_put_mark(w, mark);
}

static bool is_image(const char *mime)
{
	static const char *const known[] = { "image/png", "image/jpeg", "image/gif",
					     "image/webp" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(mime, known[i]) == 0)
			return true;
	return false;
}

/* A type that the provider rejects would make every later request fail. */
static void anthropic_put_media_block(struct writer *w, size_t m, size_t p,
				      const char *mime, bool mark)
{
	if (w->host->media_url(w->r, m, p).len) {
		PUT(w, "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":");
		writer_put_media_url(w, m, p, mime, false);
		PUT(w, "}");
		anthropic_put_mark(w, mark);
		return;
	}
	if (is_image(mime)) {
		PUT(w,
		    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"");
	} else if (strcmp(mime, "application/pdf") == 0) {
		PUT(w, "{\"type\":\"document\",\"source\":{\"type\":\"base64\","
		       "\"media_type\":\"");
	} else {
		PUT(w, "{\"type\":\"text\",\"text\":\"(left out: ");
		writer_put_mime(w, mime);
		PUT(w, ")\"");
		anthropic_put_mark(w, mark);
		return;
	}
	writer_put_mime(w, mime);
	PUT(w, "\",\"data\":\"");
	writer_put_media(w, m, p);
	PUT(w, "\"}");
	anthropic_put_mark(w, mark);
}

/* Write the parts of a message as blocks, with the cache breakpoint on the last one. */
static size_t anthropic_put_blocks(struct writer *w, size_t m, bool mark)
{
	size_t count = w->host->part_count(w->r, m), last = count, blocks = 0;
	struct mt_str text = { "", 0 };

	for (size_t p = 0; p < count; p++)
		if (writer_part(w, m, p, &text) || !space_is_blank(text))
			last = p;
	for (size_t p = 0; p < count; p++) {
		const char *mime = writer_part(w, m, p, &text);

		if (!mime && space_is_blank(text))
			continue;
		if (blocks++)
			PUT(w, ",");
		if (mime)
			anthropic_put_media_block(w, m, p, mime, mark && p == last);
		else
			anthropic_put_text_block(w, text, mark && p == last);
	}
	return blocks;
}

static void anthropic_put_system(struct writer *w, size_t m)
{
	bool mark = w->host->feature(w->x, "cache") && w->host->message_cache(w->r, m);

	if (!anthropic_put_blocks(w, m, mark))
		PUT(w, EMPTY);
}

static void anthropic_put_result(struct writer *w, size_t m, bool mark)
{
	struct mt_str id = { "", 0 };

	w->host->call(w->r, m, 0, &id, NULL, NULL);
	PUT(w, "{\"type\":\"tool_result\",\"tool_use_id\":");
	writer_put_name(w, id);
	if (writer_has_media(w, m)) {
		PUT(w, ",\"content\":[");
		anthropic_put_blocks(w, m, false);
		PUT(w, "]");
	} else if (writer_has_text(w, m)) {
		PUT(w, ",\"content\":");
		writer_put_joined(w, m);
	}
	if (w->host->message_failed(w->r, m))
		PUT(w, ",\"is_error\":true");
	anthropic_put_mark(w, mark);
}

/* ---- replies ------------------------------------------------------------------ */

static void anthropic_put_said_text(struct writer *w, struct mt_str text)
{
	anthropic_put_text_block(w, text, false);
}

static void anthropic_put_said_texts(struct blocks *b, json_object *kept)
{
	(void)kept;
	blocks_text(b, anthropic_put_said_text);
}

static void anthropic_put_kept(struct blocks *b, json_object *block)
{
	const char *type = js_str(block, "type", "");

	if (strcmp(type, "tool_use") == 0) {
		blocks_call_of(b, js_str(block, "id", ""), block);
	} else if (strcmp(type, "text") == 0 && !js_get(block, "text")) {
		anthropic_put_said_texts(b, block);
	} else if (*type) {
		blocks_next(b);
		writer_put_json(b->w, block);
		b->open = strcmp(type, "thinking") == 0 ||
			  strcmp(type, "redacted_thinking") == 0;
	}
}

static const struct blocks_form anthropic_blocks = {
	.kept = ANTHROPIC_KEPT,
	.empty = EMPTY,
	.text = anthropic_put_said_texts,
	.words = { "{\"type\":\"tool_use\",\"id\":", ",\"name\":", ",\"input\":", "}" },
	.item = anthropic_put_kept,
};

static void anthropic_put_message(struct writer *w, size_t m)
{
	int role = w->host->message_role(w->r, m);
	bool mark = w->host->feature(w->x, "cache") && w->host->message_cache(w->r, m);

	if (role == MT_ROLE_ASSISTANT)
		blocks_put(w, m, &anthropic_blocks);
	else if (role == MT_ROLE_TOOL)
		anthropic_put_result(w, m, mark);
	else if (!anthropic_put_blocks(w, m, mark))
		PUT(w, EMPTY);
}

static const struct turns turns = {
	TURNS_OF_CONTENT,
	.user_turn = "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Go on.\"}]}",
	.system = anthropic_put_system,
	.message = anthropic_put_message,
};

/* ---- tools ------------------------------------------------------------------- */

/* A request that contains calls must offer tools. */
static void put_called_tools(struct writer *w)
{
	struct mt_str names[MAX_TOOLS];
	size_t count = writer_called_tools(w, names, MAX_TOOLS);

	if (!count)
		return;
	PUT(w, ",\"tools\":[");
	for (size_t i = 0; i < count; i++) {
		if (i)
			PUT(w, ",");
		PUT(w, "{\"name\":");
		writer_put_name(w, names[i]);
		PUT(w, ",\"input_schema\":{\"type\":\"object\"}}");
	}
	PUT(w, "],\"tool_choice\":{\"type\":\"none\"}");
}

static void anthropic_put_tools(struct writer *w)
{
	size_t count = writer_offered_tools(w);
	bool cache = w->host->feature(w->x, "cache");

	if (!count) {
		put_called_tools(w);
		return;
	}
	PUT(w, ",\"tools\":[");
	for (size_t t = 0; t < count; t++) {
		struct mt_str name, description, schema;

		w->host->tool(w->r, t, &name, &description, &schema);
		if (t)
			PUT(w, ",");
		PUT(w, "{\"name\":");
		writer_put_name(w, name);
		if (!space_is_blank(description)) {
			PUT(w, ",\"description\":");
			writer_put_text(w, description.ptr, description.len);
		}
		PUT(w, ",\"input_schema\":");
		writer_put_schema(w, schema);
		anthropic_put_mark(w, cache && t + 1 == count);
	}
	PUT(w, "]");
}

/* ---- parameters ------------------------------------------------------------- */

static void anthropic_put_output(struct writer *w, const char *effort)
{
	struct mt_str schema = w->host->param(w->r, "response_schema");

	if (!schema.len && !*effort)
		return;
	PUT(w, ",\"output_config\":{");
	if (*effort) {
		PUT(w, "\"effort\":");
		writer_put_cstr(w, effort);
	}
	if (schema.len) {
		if (*effort)
			PUT(w, ",");
		PUT(w, "\"format\":{\"type\":\"json_schema\",\"schema\":");
		writer_put(w, schema.ptr, schema.len);
		PUT(w, "}");
	}
	PUT(w, "}");
}

/* Interleaved thinking must be enabled explicitly with a budget. */
static void anthropic_put_thinking(struct writer *w, const struct claude_thinking *t)
{
	if (t->mode == CLAUDE_UNTOLD)
		return;
	PUT(w, ",");
	claude_put_thinking(w, t);
	if (t->mode == CLAUDE_BUDGET && !w->status)
		w->status = w->host->header(w->x, "anthropic-beta",
					    "interleaved-thinking-2025-05-14");
}

static void anthropic_put_params(struct writer *w)
{
	struct mt_str stop = w->host->param(w->r, "stop");
	int64_t limit = claude_limit(w);
	struct claude_thinking thinking = claude_thinking(w, limit);

	PUT(w, ",\"max_tokens\":");
	writer_put_integer(w, limit);
	anthropic_put_thinking(w, &thinking);
	/* reasoning models support neither, newer models one of the two */
	if (thinking.mode == CLAUDE_UNTOLD || thinking.mode == CLAUDE_OFF) {
		if (writer_number(w, "temperature", "temperature").len)
			writer_put_number(w, "temperature", "temperature", "temperature");
		else
			writer_put_number(w, "top_p", "top_p", "top_p");
	}
	anthropic_put_output(w, thinking.effort);
	if (stop.len && w->host->feature(w->x, "stop")) {
		PUT(w, ",\"stop_sequences\":");
		writer_put(w, stop.ptr, stop.len);
	}
	if (w->host->stream(w->r))
		PUT(w, ",\"stream\":true");
}

/* ---- URL and headers ---------------------------------------------------------- */

static bool anthropic_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	while (len && text[len - 1] == '/')
		len--;
	return len >= n && memcmp(text + len - n, end, n) == 0;
}

static int anthropic_put_head(struct writer *w, bool count)
{
	const struct mt_dialect_host *host = w->host;
	const char *base = host->option(w->x, "base_url");
	bool v1 = anthropic_ends_with(base, "/v1");
	int status = host->url(w->x, count ? v1 ? "/messages/count_tokens"
						: "/v1/messages/count_tokens"
				     : v1  ? "/messages"
					   : "/v1/messages");

	if (!status)
		status = host->header(w->x, "Content-Type", "application/json");
	if (!status)
		status = host->header(w->x, "anthropic-version", "2023-06-01");
	return status ? status : host->key_header(w->x, "x-api-key", "");
}

static int anthropic_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			    const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = anthropic_put_head(&w, false);
	PUT(&w, "{\"model\":");
	writer_put_cstr(&w, host->option(x, "model"));
	anthropic_put_params(&w);
	anthropic_put_tools(&w);
	writer_put_turns(&w, &turns);
	PUT(&w, "}");
	return w.status;
}

/* If the model reasons, count the reasoning of earlier turns too. */
static int anthropic_count(const struct mt_dialect_host *host, struct mt_exchange *x,
			   const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };
	struct claude_thinking thinking = claude_thinking(&w, claude_limit(&w));

	w.status = anthropic_put_head(&w, true);
	PUT(&w, "{\"model\":");
	writer_put_cstr(&w, host->option(x, "model"));
	anthropic_put_thinking(&w, &thinking);
	anthropic_put_tools(&w);
	writer_put_turns(&w, &turns);
	PUT(&w, "}");
	return w.status;
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.flags = MT_DIALECT_LINKS,
	.providers = providers,
	.encode = anthropic_encode,
	.feed = anthropic_feed,
	.end = anthropic_end,
	.count = anthropic_count,
	.counted = writer_counted_input_tokens,
};

MT_DIALECT(&dialect, "dialect-anthropic", .name = "anthropic",
	   .summary = "Implements Anthropic Messages, with thinking and prompt caching.")
