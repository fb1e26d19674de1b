/* SPDX-License-Identifier: MIT
 *
 * openai.c - encodes requests of chat completions, the API of OpenAI and most other
 * providers. */
#define MT_PLUGIN_VERSION "0.1"
#include "openai.h"
#include <string.h>

/* "host": runs on the local host. An empty base_url must be set. */
#define PROVIDER(name, url, env) \
	"\"" name "\":{\"base_url\":\"" url "\",\"key_env\":\"" env "\"}"
#define LOCAL(name, url) "\"" name "\":{\"base_url\":\"" url "\",\"local\":true}"

/* clang-format off */
static const char providers[] = "{"
	PROVIDER("openai", "https://api.openai.com/v1", "OPENAI_API_KEY") ","
	PROVIDER("azure", "", "AZURE_API_KEY") ","
	PROVIDER("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY") ","
	PROVIDER("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY") ","
	PROVIDER("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY") ","
	PROVIDER("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY") ","
	PROVIDER("xai", "https://api.x.ai/v1", "XAI_API_KEY") ","
	PROVIDER("together_ai", "https://api.together.xyz/v1", "TOGETHERAI_API_KEY") ","
	PROVIDER("fireworks_ai", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY") ","
	PROVIDER("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY") ","
	PROVIDER("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY") ","
	PROVIDER("dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY") ","
	PROVIDER("litellm_proxy", "", "LITELLM_PROXY_API_KEY") ","
	PROVIDER("mortise", "", "MORTISE_API_KEY") ","
	PROVIDER("openhands", "", "OPENHANDS_API_KEY") ","
	LOCAL("ollama", "http://127.0.0.1:11434/v1") ","
	LOCAL("llamacpp", "http://127.0.0.1:8080/v1") ","
	LOCAL("vllm", "http://127.0.0.1:8000/v1") ","
	LOCAL("lmstudio", "http://127.0.0.1:1234/v1") "}";
/* clang-format on */

/* ---- messages -------------------------------------------------------------- */

static void openai_put_medium(struct writer *w, size_t m, size_t p, const char *mime)
{
	if (strcmp(mime, "application/pdf") == 0)
		PUT(w, "{\"type\":\"file\",\"file\":{\"filename\":\"document.pdf\","
		       "\"file_data\":");
	else
		PUT(w, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
	writer_put_media_url(w, m, p, mime, true);
	PUT(w, "}}");
}

static bool is_provider(struct writer *w, const char *name)
{
	const char *provider = w->host->option(w->x, "provider");

	return provider && strcmp(provider, name) == 0;
}

/* Does the message end with a cache breakpoint? Gateways pass breakpoints to models that
 * support them; other providers do not need or reject them. */
static bool is_marked(struct writer *w, size_t m)
{
	return (is_provider(w, "openrouter") || is_provider(w, "litellm_proxy") ||
		is_provider(w, "openhands")) &&
	       w->host->feature(w->x, "cache") && w->host->message_cache(w->r, m) &&
	       writer_has_text(w, m);
}

static void end_text(struct writer *w, bool mark)
{
	if (mark)
		PUT(w, ",\"cache_control\":{\"type\":\"ephemeral\"}");
	PUT(w, "}");
}

/* The part with the breakpoint: only a text part can have it. */
static size_t last_text(struct writer *w, size_t m)
{
	size_t count = w->host->part_count(w->r, m), last = count;
	struct mt_str bytes = { "", 0 };

	for (size_t p = 0; p < count; p++)
		if (!writer_part(w, m, p, &bytes) && bytes.len)
			last = p;
	return last;
}

/* Write parts as list items; with `text`, also text parts. */
static void openai_put_parts(struct writer *w, size_t m, bool text, bool *first)
{
	size_t marked = text && is_marked(w, m) ? last_text(w, m) : SIZE_MAX;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		struct mt_str bytes = { "", 0 };
		const char *mime = writer_part(w, m, p, &bytes);

		if (!mime && (!text || !bytes.len))
			continue;
		if (!*first)
			PUT(w, ",");
		*first = false;
		if (mime) {
			openai_put_medium(w, m, p, mime);
			continue;
		}
		PUT(w, "{\"type\":\"text\",\"text\":");
		writer_put_text(w, bytes.ptr, bytes.len);
		end_text(w, p == marked);
	}
}

/* Write the text of a message: a string, or a list of one with a breakpoint. */
static void put_text_content(struct writer *w, size_t m)
{
	bool mark = is_marked(w, m);

	if (mark)
		PUT(w, "[{\"type\":\"text\",\"text\":");
	writer_put_joined(w, m);
	if (mark) {
		end_text(w, true);
		PUT(w, "]");
	}
}

static void put_user(struct writer *w, size_t m, const char *role)
{
	bool first = true;

	PUT(w, "{\"role\":");
	writer_put_cstr(w, role);
	PUT(w, ",\"content\":");
	if (writer_has_media(w, m)) {
		PUT(w, "[");
		openai_put_parts(w, m, true, &first);
		PUT(w, "]");
	} else {
		put_text_content(w, m);
	}
	PUT(w, "}");
}

static void openai_put_calls(struct writer *w, size_t m, size_t count, json_object *kept)
{
	PUT(w, ",\"tool_calls\":[");
	for (size_t c = 0; c < count; c++) {
		struct mt_str id, name, args;

		w->host->call(w->r, m, c, &id, &name, &args);
		if (c)
			PUT(w, ",");
		PUT(w, "{\"id\":");
		writer_put_text(w, id.ptr, id.len);
		PUT(w, ",\"type\":\"function\",\"function\":{\"name\":");
		writer_put_text(w, name.ptr, name.len);
		PUT(w, ",\"arguments\":");
		writer_put_text(w, args.len ? args.ptr : "{}", args.len ? args.len : 2);
		PUT(w, "}");
		openai_put_call_kept(w, kept, id);
		PUT(w, "}");
	}
	PUT(w, "]");
}

static void put_assistant(struct writer *w, size_t m)
{
	size_t calls = w->host->call_count(w->r, m);
	AUTO(json) json_object *kept = openai_kept_of(w, m);

	PUT(w, "{\"role\":\"assistant\",\"content\":");
	if (!openai_put_content(w, m, kept)) {
		if (calls && !writer_has_text(w, m))
			PUT(w, "null");
		else
			writer_put_joined(w, m);
	}
	openai_put_kept(w, kept);
	if (calls)
		openai_put_calls(w, m, calls, kept);
	PUT(w, "}");
}

static void put_tool_result(struct writer *w, size_t m)
{
	struct mt_str id = { "", 0 };

	w->host->call(w->r, m, 0, &id, NULL, NULL);
	PUT(w, "{\"role\":\"tool\",\"tool_call_id\":");
	writer_put_text(w, id.ptr, id.len);
	PUT(w, ",\"content\":");
	put_text_content(w, m);
	PUT(w, "}");
}

/* Results can contain only text: images of consecutive results follow in a user message.
 * */
static void put_result_media(struct writer *w, size_t from, size_t to)
{
	bool first = true, any = false;

	for (size_t m = from; m < to && !any; m++)
		any = writer_has_media(w, m);
	if (!any)
		return;
	PUT(w, ",{\"role\":\"user\",\"content\":[");
	for (size_t m = from; m < to; m++)
		openai_put_parts(w, m, false, &first);
	PUT(w, "]}");
}

static bool openai_is_result(struct writer *w, size_t m)
{
	return w->host->message_role(w->r, m) == MT_ROLE_TOOL;
}

/* Write the media of consecutive results after the last one. */
static void openai_put_result(struct writer *w, size_t m)
{
	size_t first = m;

	put_tool_result(w, m);
	if (m + 1 < w->host->message_count(w->r) && openai_is_result(w, m + 1))
		return;
	while (first && openai_is_result(w, first - 1))
		first--;
	put_result_media(w, first, m + 1);
}

static void openai_put_message(struct writer *w, size_t m)
{
	int role = w->host->message_role(w->r, m);

	if (role == MT_ROLE_TOOL)
		openai_put_result(w, m);
	else if (role == MT_ROLE_ASSISTANT)
		put_assistant(w, m);
	else
		put_user(w, m, role == MT_ROLE_SYSTEM ? "system" : "user");
}

static void openai_put_messages(struct writer *w)
{
	PUT(w, ",\"messages\":[");
	writer_put_messages(w, openai_put_message);
	PUT(w, "]");
}

/* ---- tools and parameters -------------------------------------------------- */

/* OpenAI itself has a newer name for the limit, which its newer models require; the
 * others use the old one. */
static const char *limit_name(struct writer *w)
{
	const char *base = w->host->option(w->x, "base_url");

	return w->host->feature(w->x, "max_completion_tokens") ||
			       (base && strstr(base, "//api.openai.com/"))
		       ? "max_completion_tokens"
		       : "max_tokens";
}

static void openai_put_params(struct writer *w)
{
	struct mt_str schema = w->host->param(w->r, "response_schema");
	struct mt_str effort = w->host->param(w->r, "reasoning_effort");
	struct mt_str stop = w->host->param(w->r, "stop");
	const char *set = w->host->option(w->x, "reasoning_effort");

	writer_put_number(w, "temperature", "temperature", "temperature");
	writer_put_number(w, "top_p", "top_p", "top_p");
	writer_put_number(w, limit_name(w), "max_tokens", "max_output_tokens");
	writer_put_number(w, is_provider(w, "mistral") ? "random_seed" : "seed", "seed",
			  "seed");
	if (effort.len) {
		PUT(w, ",\"reasoning_effort\":");
		writer_put(w, effort.ptr, effort.len);
	} else if (set && *set) {
		PUT(w, ",\"reasoning_effort\":");
		writer_put_cstr(w, set);
	}
	if (stop.len) {
		PUT(w, ",\"stop\":");
		writer_put(w, stop.ptr, stop.len);
	}
	if (schema.len) {
		PUT(w, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":"
		       "{\"name\":\"answer\",\"schema\":");
		writer_put(w, schema.ptr, schema.len);
		PUT(w, "}}");
	}
	if (w->host->stream(w->r))
		PUT(w, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
}

/* ---- URL and headers ------------------------------------------------------- */

/* Azure has a path for each deployment, unless base_url is its /openai/v1. */
static int put_azure_url(const struct mt_dialect_host *host, struct mt_exchange *x,
			 bool responses)
{
	const char *base = host->option(x, "base_url"), *model = host->option(x, "model");
	const char *version = host->option(x, "api_version");
	char url[512];
	int n;

	if (strstr(base, "/openai/v1") || strstr(base, "/deployments/"))
		return host->url(x, responses ? "/responses" : "/chat/completions");
	if (responses)
		n = snprintf(url, sizeof url, "/openai/responses?api-version=%s",
			     version && *version ? version : "2025-04-01-preview");
	else
		n = snprintf(url, sizeof url,
			     "/openai/deployments/%s/chat/completions?api-version=%s",
			     model, version && *version ? version : "2024-12-01-preview");
	if (n < 0 || (size_t)n >= sizeof url || strpbrk(url, " \t\r\n#"))
		return MT_EINVAL;
	return host->url(x, url);
}

/* `path` is that of OpenAI; Azure has a different one. */
static int openai_put_head(struct writer *w, const char *path, bool responses)
{
	const struct mt_dialect_host *host = w->host;
	struct mt_exchange *x = w->x;
	bool azure = is_provider(w, "azure");
	int status = azure ? put_azure_url(host, x, responses) : host->url(x, path);

	return azure ? writer_put_headers(w, status, "api-key", "")
		     : writer_put_headers(w, status, "Authorization", "Bearer ");
}

static int openai_encode(const struct mt_dialect_host *host, struct mt_exchange *x,
			 const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };
	bool responses = openai_uses_responses(host, x);

	w.status = openai_put_head(&w, responses ? "/responses" : "/chat/completions",
				   responses);
	PUT(&w, "{\"model\":");
	writer_put_cstr(&w, host->option(x, "model"));
	if (responses) {
		responses_put(&w);
	} else {
		writer_put_tools(&w, &chat_tool_form);
		openai_put_messages(&w);
		openai_put_params(&w);
	}
	PUT(&w, "}");
	return w.status;
}

/* Only OpenAI's own Responses API can count tokens. */
static int openai_count(const struct mt_dialect_host *host, struct mt_exchange *x,
			const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	if (!openai_uses_responses(host, x) || is_provider(&w, "azure"))
		return MT_EUNSUPPORTED;
	w.status = openai_put_head(&w, "/responses/input_tokens", true);
	PUT(&w, "{\"model\":");
	writer_put_cstr(&w, host->option(x, "model"));
	responses_put_input(&w);
	PUT(&w, "}");
	return w.status;
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.flags = MT_DIALECT_LINKS,
	.providers = providers,
	.encode = openai_encode,
	.feed = openai_feed,
	.end = openai_end,
	.count = openai_count,
	.counted = writer_counted_input_tokens,
};

MT_DIALECT(&dialect, "dialect-openai", .name = "openai",
	   .summary = "Implements OpenAI chat completions, also used by many other "
		      "providers, and OpenAI Responses.")
