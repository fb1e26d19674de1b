/* SPDX-License-Identifier: MIT
 *
 * gemini.c - encodes requests of Google's generateContent. */
#define MT_PLUGIN_VERSION "0.1"
#include "gemini.h"
#include "blocks.h"
#include "space.h"
#include <string.h>

static const char providers[] =
	"{\"gemini\":{\"base_url\":\"https://generativelanguage.googleapis.com/v1beta\","
	"\"key_env\":\"GEMINI_API_KEY\"}}";

#define EMPTY "{\"text\":\"(empty)\"}"
/* The value that Google specifies for calls of another model. */
#define NO_SIGNATURE ",\"thoughtSignature\":\"skip_thought_signature_validator\""

/* ---- parts ------------------------------------------------------------------ */

static void gemini_put_text_part(struct writer *w, struct mt_str text)
{
	PUT(w, "{\"text\":");
	writer_put_text(w, text.ptr, text.len);
	PUT(w, "}");
}

static void put_media_part(struct writer *w, size_t m, size_t p, const char *mime)
{
	PUT(w, "{\"inlineData\":{\"mimeType\":\"");
	writer_put_mime(w, mime);
	PUT(w, "\",\"data\":\"");
	writer_put_media(w, m, p);
	PUT(w, "\"}}");
}

/* Parts of a message; `comma`: one stands before them. */
static size_t gemini_put_parts(struct writer *w, size_t m, bool text, bool comma)
{
	struct mt_str bytes = { "", 0 };
	size_t parts = 0;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		const char *mime = writer_part(w, m, p, &bytes);

		if (!mime && (!text || space_is_blank(bytes)))
			continue;
		if (parts++ || comma)
			PUT(w, ",");
		if (mime)
			put_media_part(w, m, p, mime);
		else
			gemini_put_text_part(w, bytes);
	}
	return parts;
}

static void gemini_put_system(struct writer *w, size_t m)
{
	if (!gemini_put_parts(w, m, true, false))
		PUT(w, EMPTY);
}

/* The place in an id of the host's own, call_N_PLACE; -1: it is not one. */
static long own_place(struct mt_str id)
{
	char text[64];
	int end = 0;
	long reply, place;

	if (id.len >= sizeof text)
		return -1;
	memcpy(text, id.ptr, id.len);
	text[id.len] = '\0';
	if (sscanf(text, "call_%ld_%ld%n", &reply, &place, &end) != 2 || text[end])
		return -1;
	return place;
}

/* An id goes back only if the provider gave it. */
static void gemini_put_id(struct writer *w, struct mt_str id)
{
	if (!id.len || own_place(id) >= 0)
		return;
	PUT(w, "\"id\":");
	writer_put_text(w, id.ptr, id.len);
	PUT(w, ",");
}

static void gemini_put_result(struct writer *w, size_t m)
{
	struct mt_str id, name;

	w->host->call(w->r, m, 0, &id, &name, NULL);
	PUT(w, "{\"functionResponse\":{");
	gemini_put_id(w, id);
	PUT(w, "\"name\":");
	writer_put_name(w, name);
	if (w->host->message_failed(w->r, m))
		PUT(w, ",\"response\":{\"error\":");
	else
		PUT(w, ",\"response\":{\"output\":");
	writer_put_joined(w, m);
	PUT(w, "}}}");
	gemini_put_parts(w, m, false, true);
}

/* ---- what the model said ------------------------------------------------------ */

static void gemini_put_signature(struct writer *w, json_object *kept)
{
	const char *signature = js_str(kept, "thoughtSignature", NULL);

	if (!signature)
		return;
	PUT(w, ",\"thoughtSignature\":");
	writer_put_cstr(w, signature);
}

static void gemini_put_said_text(struct blocks *b, json_object *kept)
{
	if (!writer_has_text(b->w, b->m))
		return;
	blocks_next(b);
	PUT(b->w, "{\"text\":");
	writer_put_joined(b->w, b->m);
	gemini_put_signature(b->w, kept);
	PUT(b->w, "}");
}

/* Without anything that was kept of it the call came from another model. */
static void gemini_put_call(struct blocks *b, size_t c, json_object *kept)
{
	struct writer *w = b->w;
	struct mt_str id, name, args;

	w->host->call(w->r, b->m, c, &id, &name, &args);
	PUT(w, "{\"functionCall\":{");
	gemini_put_id(w, id);
	PUT(w, "\"name\":");
	writer_put_name(w, name);
	PUT(w, ",\"args\":");
	writer_put_args(w, args);
	PUT(w, "}");
	if (kept)
		gemini_put_signature(w, kept);
	else if (c == 0 && strstr(w->host->option(w->x, "model"), "gemini-3"))
		PUT(w, NO_SIGNATURE);
	PUT(w, "}");
}

/* Calls without an id were kept by their place. */
static void put_call_at(struct blocks *b, int64_t place, json_object *kept)
{
	for (size_t c = 0; c < b->calls; c++) {
		struct mt_str own;

		b->w->host->call(b->w->r, b->m, c, &own, NULL, NULL);
		if (own_place(own) == place)
			blocks_call(b, c, kept);
	}
}

static void gemini_put_kept(struct blocks *b, json_object *kept)
{
	json_object *call = js_get(kept, "call"), *text = js_get(kept, "text");

	if (json_object_is_type(call, json_type_int)) {
		put_call_at(b, json_object_get_int64(call), kept);
	} else if (call) {
		blocks_call_of(b, json_object_get_string(call), kept);
	} else if (json_object_is_type(text, json_type_string)) {
		blocks_next(b);
		writer_put_json(b->w, kept);
	} else if (json_object_is_type(kept, json_type_object)) {
		gemini_put_said_text(b, kept);
	}
}

static const struct blocks_form gemini_blocks = {
	.kept = GEMINI_KEPT,
	.empty = EMPTY,
	.text = gemini_put_said_text,
	.call = gemini_put_call,
	.item = gemini_put_kept,
};

static void gemini_put_message(struct writer *w, size_t m)
{
	int role = w->host->message_role(w->r, m);

	if (role == MT_ROLE_ASSISTANT)
		blocks_put(w, m, &gemini_blocks);
	else if (role == MT_ROLE_TOOL)
		gemini_put_result(w, m);
	else if (!gemini_put_parts(w, m, true, false))
		PUT(w, EMPTY);
}

static const struct turns turns = {
	.before_system = ",\"systemInstruction\":{\"parts\":[",
	.after_system = "]}",
	.before_messages = ",\"contents\":[",
	.user = "{\"role\":\"user\",\"parts\":[",
	.assistant = "{\"role\":\"model\",\"parts\":[",
	.end = "]}",
	.user_turn = "{\"role\":\"user\",\"parts\":[{\"text\":\"Go on.\"}]}",
	.system = gemini_put_system,
	.message = gemini_put_message,
};

/* ---- tools and parameters ------------------------------------------------------ */

static const struct tool_form tool_form = {
	.before = ",\"tools\":[{\"functionDeclarations\":[",
	.name = "{\"name\":",
	.description = ",\"description\":",
	.schema = ",\"parametersJsonSchema\":",
	.after_tool = "}",
	.after = "]}]",
};

/* Tokens for a level of effort, of models that know tokens only. */
static int64_t gemini_budget_of(const char *effort)
{
	static const struct {
		const char *effort;
		int64_t budget;
	} levels[] = {
		{ "minimal", 512 }, { "low", 1024 },    { "medium", 8192 },
		{ "high", 24576 },  { "xhigh", 24576 }, { "max", 24576 },
	};

	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strcmp(effort, levels[i].effort) == 0)
			return levels[i].budget;
	return -1;
}

/* Gemini 3 has levels, those before it a budget. */
static void gemini_put_thinking(struct writer *w)
{
	char room[32];
	const char *effort =
		writer_word(w, "reasoning_effort", "reasoning_effort", room, sizeof room);
	int64_t budget = writer_int(w, "thinking_budget", "thinking_budget");
	bool levels = strstr(w->host->option(w->x, "model"), "gemini-3") != NULL;

	if (budget < 0 && !levels)
		budget = strcmp(effort, "none") == 0 ? 0 : gemini_budget_of(effort);
	if (budget < 0 && !*effort && !w->host->feature(w->x, "reasoning"))
		return;
	PUT(w, ",\"thinkingConfig\":{\"includeThoughts\":");
	if (budget == 0)
		PUT(w, "false");
	else
		PUT(w, "true");
	if (budget >= 0) {
		PUT(w, ",\"thinkingBudget\":");
		writer_put_integer(w, budget);
	} else if (*effort && levels) {
		PUT(w, ",\"thinkingLevel\":");
		writer_put_cstr(w, strcmp(effort, "none") == 0    ? "minimal"
				   : strcmp(effort, "xhigh") == 0 ? "high"
				   : strcmp(effort, "max") == 0   ? "high"
								  : effort);
	}
	PUT(w, "}");
}

static void gemini_put_params(struct writer *w)
{
	struct mt_str stop = w->host->param(w->r, "stop");
	struct mt_str schema = w->host->param(w->r, "response_schema");

	PUT(w, "\"generationConfig\":{\"candidateCount\":1");
	writer_put_number(w, "temperature", "temperature", "temperature");
	writer_put_number(w, "topP", "top_p", "top_p");
	writer_put_number(w, "maxOutputTokens", "max_tokens", "max_output_tokens");
	writer_put_number(w, "seed", "seed", "seed");
	if (stop.len && w->host->feature(w->x, "stop")) {
		PUT(w, ",\"stopSequences\":");
		writer_put(w, stop.ptr, stop.len);
	}
	if (schema.len) {
		PUT(w, ",\"responseMimeType\":\"application/json\","
		       "\"responseJsonSchema\":");
		writer_put(w, schema.ptr, schema.len);
	}
	gemini_put_thinking(w);
	PUT(w, "}");
}

/* ---- where to ------------------------------------------------------------------- */

static bool is_vertex(const char *base)
{
	return strstr(base, "aiplatform.googleapis.com") != NULL;
}

static int gemini_put_head(struct writer *w, const char *verb)
{
	const char *model = w->host->option(w->x, "model");
	const char *base = w->host->option(w->x, "base_url");
	AUTO(strbuf) struct strbuf url = STRBUF(4096);
	int status;

	if (strpbrk(model, " \t\r\n?#:"))
		return MT_EINVAL;
	if (!strstr(base, "/v1"))
		strbuf_add(&url, "/v1beta");
	if (strncmp(model, "models/", 7) != 0 && strncmp(model, "tunedModels/", 12) != 0)
		strbuf_add(&url, "/models");
	strbuf_addf(&url, "/%s:%s", model, verb);
	status = url.error ? url.error : w->host->url(w->x, url.text);
	return is_vertex(base) ? writer_put_headers(w, status, "Authorization", "Bearer ")
			       : writer_put_headers(w, status, "x-goog-api-key", "");
}

static int gemini_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			 const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = gemini_put_head(&w, host->stream(request)
					       ? "streamGenerateContent?alt=sse"
					       : "generateContent");
	PUT(&w, "{");
	gemini_put_params(&w);
	writer_put_tools(&w, &tool_form);
	writer_put_turns(&w, &turns);
	PUT(&w, "}");
	return w.status;
}

/* Vertex takes the request as it is, the other one inside of another object. */
static int gemini_count(const struct mt_dialect_host *host, struct mt_exchange *x,
			const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };
	const char *model = host->option(x, "model");
	bool wrapped = !is_vertex(host->option(x, "base_url"));
	AUTO(strbuf) struct strbuf name = STRBUF(1024);

	strbuf_addf(&name, "%s%s", strchr(model, '/') ? "" : "models/", model);
	w.status = name.error ? name.error : gemini_put_head(&w, "countTokens");
	if (wrapped) {
		PUT(&w, "{\"generateContentRequest\":{\"model\":");
		writer_put_cstr(&w, name.text);
		PUT(&w, ",");
	} else {
		PUT(&w, "{");
	}
	gemini_put_params(&w);
	writer_put_tools(&w, &tool_form);
	writer_put_turns(&w, &turns);
	if (wrapped)
		PUT(&w, "}");
	PUT(&w, "}");
	return w.status;
}

static int64_t gemini_counted(const struct mt_dialect_host *host, struct mt_exchange *x,
			      const char *bytes, size_t len)
{
	(void)host, (void)x;
	return writer_number_in(bytes, len, "totalTokens");
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = providers,
	.encode = gemini_encode,
	.feed = gemini_feed,
	.end = gemini_end,
	.count = gemini_count,
	.counted = gemini_counted,
};

MT_DIALECT(&dialect, "dialect-gemini", .name = "gemini",
	   .summary = "Implements Google Gemini, with thoughts and their signatures.")
