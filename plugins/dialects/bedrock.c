/* SPDX-License-Identifier: MIT
 *
 * bedrock.c - encodes requests of Amazon Bedrock's Converse API, signed for AWS or
 * sent with a Bedrock API key (AWS_BEARER_TOKEN_BEDROCK). */
#define MT_PLUGIN_VERSION "0.1"
#include "aws.h"
#include "bedrock.h"
#include "blocks.h"
#include "claude.h"
#include "space.h"
#include <string.h>

static const char region_mark[] = "{aws_region}";
static const char providers[] =
	"{\"bedrock\":{\"base_url\":\"https://bedrock-runtime.{aws_region}.amazonaws.com\","
	"\"key_env\":\"AWS_BEARER_TOKEN_BEDROCK\",\"auth\":\"sign\"}}";

#define MARK "{\"cachePoint\":{\"type\":\"default\"}}"
#define EMPTY "{\"text\":\"(empty)\"}"

enum { MAX_TOOLS = 256 };

/* ---- blocks ---------------------------------------------------------------- */

static void bedrock_put_text_block(struct writer *w, struct mt_str text)
{
	PUT(w, "{\"text\":");
	writer_put_text(w, text.ptr, text.len);
	PUT(w, "}");
}

static const char *format_of(const char *mime)
{
	static const struct {
		const char *mime, *format;
	} known[] = {
		{ "image/png", "png" },
		{ "image/jpeg", "jpeg" },
		{ "image/gif", "gif" },
		{ "image/webp", "webp" },
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(mime, known[i].mime) == 0)
			return known[i].format;
	return NULL;
}

/* A type that the provider rejects would make every later request fail. */
static void bedrock_put_media_block(struct writer *w, size_t m, size_t p,
				    const char *mime)
{
	const char *format = format_of(mime);

	if (format) {
		PUT(w, "{\"image\":{\"format\":");
		writer_put_cstr(w, format);
	} else if (strcmp(mime, "application/pdf") == 0) {
		PUT(w, "{\"document\":{\"name\":\"document\",\"format\":\"pdf\"");
	} else {
		PUT(w, "{\"text\":\"(left out: ");
		writer_put_mime(w, mime);
		PUT(w, ")\"}");
		return;
	}
	PUT(w, ",\"source\":{\"bytes\":\"");
	writer_put_media(w, m, p);
	PUT(w, "\"}}}");
}

static size_t bedrock_put_blocks(struct writer *w, size_t m)
{
	struct mt_str text = { "", 0 };
	size_t blocks = 0;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		const char *mime = writer_part(w, m, p, &text);

		if (!mime && space_is_blank(text))
			continue;
		if (blocks++)
			PUT(w, ",");
		if (mime)
			bedrock_put_media_block(w, m, p, mime);
		else
			bedrock_put_text_block(w, text);
	}
	return blocks;
}

static void bedrock_put_mark(struct writer *w, size_t m)
{
	if (w->host->feature(w->x, "cache") && w->host->message_cache(w->r, m))
		PUT(w, "," MARK);
}

static void bedrock_put_system(struct writer *w, size_t m)
{
	if (!bedrock_put_blocks(w, m))
		PUT(w, EMPTY);
	bedrock_put_mark(w, m);
}

static void bedrock_put_result(struct writer *w, size_t m)
{
	struct mt_str id = { "", 0 };

	w->host->call(w->r, m, 0, &id, NULL, NULL);
	PUT(w, "{\"toolResult\":{\"toolUseId\":");
	writer_put_name(w, id);
	PUT(w, ",\"content\":[");
	if (!bedrock_put_blocks(w, m))
		PUT(w, EMPTY);
	PUT(w, "]");
	if (w->host->message_failed(w->r, m))
		PUT(w, ",\"status\":\"error\"");
	PUT(w, "}}");
}

/* ---- replies ------------------------------------------------------------------ */

static void bedrock_put_said_texts(struct blocks *b, json_object *kept)
{
	(void)kept;
	blocks_text(b, bedrock_put_text_block);
}

static void bedrock_put_kept(struct blocks *b, json_object *block)
{
	const char *call = js_str(block, "toolUse", NULL);

	if (call) {
		blocks_call_of(b, call, block);
	} else if (js_get(block, "reasoningContent") ||
		   json_object_is_type(js_get(block, "text"), json_type_string)) {
		blocks_next(b);
		writer_put_json(b->w, block);
		b->open = js_get(block, "reasoningContent") != NULL;
	} else if (json_object_is_type(block, json_type_object)) {
		bedrock_put_said_texts(b, block);
	}
}

static const struct blocks_form bedrock_blocks = {
	.kept = BEDROCK_KEPT,
	.empty = EMPTY,
	.text = bedrock_put_said_texts,
	.words = { "{\"toolUse\":{\"toolUseId\":", ",\"name\":", ",\"input\":", "}}" },
	.item = bedrock_put_kept,
};

static void bedrock_put_message(struct writer *w, size_t m)
{
	int role = w->host->message_role(w->r, m);

	if (role == MT_ROLE_ASSISTANT) {
		blocks_put(w, m, &bedrock_blocks);
		return;
	}
	if (role == MT_ROLE_TOOL)
		bedrock_put_result(w, m);
	else if (!bedrock_put_blocks(w, m))
		PUT(w, EMPTY);
	bedrock_put_mark(w, m);
}

static const struct turns turns = {
	TURNS_OF_CONTENT,
	.user_turn = "{\"role\":\"user\",\"content\":[{\"text\":\"Go on.\"}]}",
	.system = bedrock_put_system,
	.message = bedrock_put_message,
};

/* ---- tools and parameters ------------------------------------------------------ */

/* Other models do not cache tools. */
static bool is_claude(struct writer *w)
{
	return strstr(w->host->option(w->x, "model"), "claude") != NULL;
}

static void bedrock_put_tool(struct writer *w, struct mt_str name,
			     struct mt_str description, struct mt_str schema)
{
	PUT(w, "{\"toolSpec\":{\"name\":");
	writer_put_name(w, name);
	if (!space_is_blank(description)) {
		PUT(w, ",\"description\":");
		writer_put_text(w, description.ptr, description.len);
	}
	PUT(w, ",\"inputSchema\":{\"json\":");
	writer_put_schema(w, schema);
	PUT(w, "}}}");
}

/* A request that contains calls must offer tools. */
static void bedrock_put_tools(struct writer *w)
{
	size_t count = writer_offered_tools(w);
	struct mt_str called[MAX_TOOLS], name, description = { "", 0 },
					       schema = { "", 0 };
	size_t called_count = count ? 0 : writer_called_tools(w, called, MAX_TOOLS);

	if (!count && !called_count)
		return;
	PUT(w, ",\"toolConfig\":{\"tools\":[");
	for (size_t t = 0; t < count; t++) {
		w->host->tool(w->r, t, &name, &description, &schema);
		if (t)
			PUT(w, ",");
		bedrock_put_tool(w, name, description, schema);
	}
	for (size_t t = 0; t < called_count; t++) {
		if (t)
			PUT(w, ",");
		bedrock_put_tool(w, called[t], description, schema);
	}
	if (count && w->host->feature(w->x, "cache") && is_claude(w))
		PUT(w, "," MARK);
	PUT(w, "]}");
}

/* Write a member of an object, after a comma unless it is the first. */
static void bedrock_put_member(struct writer *w, size_t *count, const char *name,
			       struct mt_str value)
{
	if (!value.len)
		return;
	if ((*count)++)
		PUT(w, ",");
	writer_put_cstr(w, name);
	PUT(w, ":");
	writer_put(w, value.ptr, value.len);
}

/* Input and output must fit into the context window. */
static int64_t bedrock_fitting(struct writer *w, int64_t limit)
{
	enum { SPARE = 256, LEAST = 1024 };
	int64_t window = writer_int(w, "context_window", "context_window");
	int64_t input = writer_int(w, "input_estimate", "input_estimate"), room;

	if (window <= 0 || input < 0)
		return limit;
	room = window - input - SPARE;
	if (room < LEAST)
		room = LEAST;
	return limit < room ? limit : room;
}

static void put_inference(struct writer *w, const struct claude_thinking *t)
{
	struct mt_str temperature = writer_number(w, "temperature", "temperature");
	struct mt_str top_p = writer_number(w, "top_p", "top_p");
	struct mt_str limit = writer_number(w, "max_tokens", "max_output_tokens");
	struct mt_str stop = w->host->param(w->r, "stop");
	bool thinks = t->mode == CLAUDE_BUDGET || t->mode == CLAUDE_ADAPTIVE;
	char room[24];
	size_t count = 0;

	int64_t most = limit.len      ? writer_int(w, "max_tokens", "max_output_tokens")
		       : is_claude(w) ? claude_limit(w)
				      : -1;

	if (most > 0) {
		snprintf(room, sizeof room, "%lld", (long long)bedrock_fitting(w, most));
		limit = (struct mt_str){ room, strlen(room) };
	}
	PUT(w, "\"inferenceConfig\":{");
	bedrock_put_member(w, &count, "maxTokens", limit);
	if (!thinks) {
		bedrock_put_member(w, &count, "temperature", temperature);
		if (!is_claude(w) || !temperature.len)
			bedrock_put_member(w, &count, "topP", top_p);
	}
	if (w->host->feature(w->x, "stop"))
		bedrock_put_member(w, &count, "stopSequences", stop);
	PUT(w, "}");
}

static void bedrock_put_params(struct writer *w)
{
	struct claude_thinking t = { .mode = CLAUDE_UNTOLD };
	struct mt_str schema = w->host->param(w->r, "response_schema");

	if (is_claude(w))
		t = claude_thinking(w, bedrock_fitting(w, claude_limit(w)));
	put_inference(w, &t);
	if (t.mode != CLAUDE_UNTOLD) {
		PUT(w, ",\"additionalModelRequestFields\":{");
		claude_put_thinking(w, &t);
		if (*t.effort) {
			PUT(w, ",\"output_config\":{\"effort\":");
			writer_put_cstr(w, t.effort);
			PUT(w, "}");
		}
		PUT(w, "}");
	}
	if (schema.len) {
		PUT(w, ",\"outputConfig\":{\"textFormat\":{\"type\":\"json_schema\","
		       "\"structure\":{\"jsonSchema\":{\"name\":\"answer\",\"schema\":");
		writer_put_text(w, schema.ptr, schema.len);
		PUT(w, "}}}}");
	}
}

/* ---- URL and headers ------------------------------------------------------------- */

static int bedrock_refuse(const struct mt_dialect_host *host, struct mt_exchange *x,
			  int kind, const struct error *err)
{
	host->error(x, kind, -1, "%s", err->text);
	return err->code;
}

/* The URL with its region; "" if the base URL has no slot for one. */
static int put_region(const struct mt_dialect_host *host, struct mt_exchange *x,
		      struct strbuf *url)
{
	const char *base = host->option(x, "base_url");
	const char *at = base ? strstr(base, region_mark) : NULL;
	const char *rest = at ? at + strlen(region_mark) : NULL;
	char region[AWS_REGION_MAX];
	struct error err = ERROR_NONE;
	size_t len = rest ? strlen(rest) : 0;

	if (!at)
		return MT_OK;
	if (aws_region(host, x, region, &err))
		return bedrock_refuse(host, x, MT_ERROR_BAD_REQUEST, &err);
	while (len && rest[len - 1] == '/')
		len--;
	return strbuf_addf(url, "%.*s%s%.*s", (int)(at - base), base, region, (int)len,
			   rest);
}

/* The id of a model may be an ARN: colons and slashes are encoded. */
static int bedrock_put_url(const struct mt_dialect_host *host, struct mt_exchange *x,
			   const char *verb)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";
	AUTO(strbuf) struct strbuf url = STRBUF(16384);
	int status = put_region(host, x, &url);

	if (status)
		return status;
	strbuf_add(&url, "/model/");
	for (const char *p = host->option(x, "model"); *p; p++) {
		if (strchr(plain, *p))
			strbuf_addc(&url, *p);
		else
			strbuf_addf(&url, "%%%02X", (unsigned char)*p);
	}
	strbuf_add(&url, verb);
	return url.error ? url.error : host->url(x, url.text);
}

static int bedrock_put_head(struct writer *w, const char *verb)
{
	return writer_put_headers(w, bedrock_put_url(w->host, w->x, verb),
				  "Authorization", "Bearer ");
}

static int bedrock_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			  const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = bedrock_put_head(&w, host->stream(request) ? "/converse-stream"
							      : "/converse");
	PUT(&w, "{");
	bedrock_put_params(&w);
	bedrock_put_tools(&w);
	writer_put_turns(&w, &turns);
	PUT(&w, "}");
	return w.status;
}

static int bedrock_count(const struct mt_dialect_host *host, struct mt_exchange *x,
			 const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = bedrock_put_head(&w, "/count-tokens");
	PUT(&w, "{\"input\":{\"converse\":{\"additionalModelRequestFields\":{}");
	bedrock_put_tools(&w);
	writer_put_turns(&w, &turns);
	PUT(&w, "}}}");
	return w.status;
}

static int64_t bedrock_counted(const struct mt_dialect_host *host, struct mt_exchange *x,
			       const char *bytes, size_t len)
{
	(void)host, (void)x;
	return writer_number_in(bytes, len, "inputTokens");
}

/* ---- credentials ------------------------------------------------------------- */

static int bedrock_check(const struct mt_dialect_host *host, struct mt_exchange *x,
			 int has_key)
{
	AUTO(strbuf) struct strbuf url = STRBUF(16384);
	struct error err = ERROR_NONE;

	if (!has_key && aws_check(host, x, &err))
		return bedrock_refuse(host, x, MT_ERROR_AUTHENTICATION, &err);
	return put_region(host, x, &url);
}

static int bedrock_sign(const struct mt_dialect_host *host, struct mt_exchange *x,
			const struct mt_http_post *post)
{
	struct error err = ERROR_NONE;

	return aws_sign(host, x, "bedrock", post, &err)
		       ? bedrock_refuse(host, x, MT_ERROR_AUTHENTICATION, &err)
		       : MT_OK;
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = providers,
	.encode = bedrock_encode,
	.feed = bedrock_feed,
	.end = bedrock_end,
	.count = bedrock_count,
	.counted = bedrock_counted,
	.check = bedrock_check,
	.sign = bedrock_sign,
};

MT_DIALECT(&dialect, "dialect-bedrock", .name = "bedrock",
	   .summary = "Implements Amazon Bedrock Converse, for all its models.")
