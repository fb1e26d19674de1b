/* SPDX-License-Identifier: MIT
 *
 * openai.c - the dialect of chat completions, as OpenAI and most others speak
 * it: the request. The same request gives the same bytes each time. */
#include "openai.h"
#include "auto.h"
#include <stdbool.h>
#include <string.h>

/* "host": it answers on this machine. An empty base_url must be set. */
#define PROVIDER(name, url, env) \
	"\"" name "\":{\"base_url\":\"" url "\",\"key_env\":\"" env "\"}"
#define LOCAL(name, url) "\"" name "\":{\"base_url\":\"" url "\",\"local\":true}"

static const char providers[] =
	"{"
	PROVIDER("openai", "https://api.openai.com/v1", "OPENAI_API_KEY") ","
	PROVIDER("azure", "", "AZURE_API_KEY") ","
	PROVIDER("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY") ","
	PROVIDER("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY") ","
	PROVIDER("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY") ","
	PROVIDER("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY") ","
	PROVIDER("xai", "https://api.x.ai/v1", "XAI_API_KEY") ","
	PROVIDER("together_ai", "https://api.together.xyz/v1", "TOGETHERAI_API_KEY") ","
	PROVIDER("fireworks_ai", "https://api.fireworks.ai/inference/v1",
		 "FIREWORKS_API_KEY") ","
	PROVIDER("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY") ","
	PROVIDER("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY") ","
	PROVIDER("dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
		 "DASHSCOPE_API_KEY") ","
	PROVIDER("litellm_proxy", "", "LITELLM_PROXY_API_KEY") ","
	PROVIDER("mortise", "", "MORTISE_API_KEY") ","
	PROVIDER("openhands", "", "OPENHANDS_API_KEY") ","
	LOCAL("ollama", "http://127.0.0.1:11434/v1") ","
	LOCAL("llamacpp", "http://127.0.0.1:8080/v1") ","
	LOCAL("vllm", "http://127.0.0.1:8000/v1") ","
	LOCAL("lmstudio", "http://127.0.0.1:1234/v1")
	"}";

/* A writer whose first failure sticks, as in a strbuf. */
struct writer {
	const struct mt_dialect_host *host;
	struct mt_exchange *x;
	const struct mt_request *r;
	int status;
};

static void put(struct writer *w, const char *bytes, size_t len)
{
	if (!w->status)
		w->status = w->host->body(w->x, bytes, len);
}

#define PUT(w, literal) put((w), (literal), sizeof(literal) - 1)

static void put_text(struct writer *w, const char *text, size_t len)
{
	if (!w->status)
		w->status = w->host->body_str(w->x, text, len);
}

static void put_cstr(struct writer *w, const char *text)
{
	put_text(w, text, strlen(text));
}

/* ---- messages -------------------------------------------------------------- */

static const char *part_of(struct writer *w, size_t m, size_t p, struct mt_str *ret_text)
{
	return w->host->part(w->r, m, p, ret_text, NULL);
}

static bool has_media(struct writer *w, size_t m)
{
	struct mt_str text;

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++)
		if (part_of(w, m, p, &text))
			return true;
	return false;
}

/* The parts of a message that are text, as one string. */
static void put_joined(struct writer *w, size_t m)
{
	size_t parts = w->host->part_count(w->r, m), texts = 0, len = 0;
	AUTO(free) char *joined = NULL;
	struct mt_str text = { "", 0 }, only = { "", 0 };

	for (size_t p = 0; p < parts; p++) {
		if (part_of(w, m, p, &text))
			continue;
		only = text;
		texts++;
		len += text.len + 1;
	}
	if (texts <= 1) {
		put_text(w, only.ptr ? only.ptr : "", only.len);
		return;
	}
	joined = malloc(len);
	if (!joined) {
		w->status = MT_ENOMEM;
		return;
	}
	len = 0;
	for (size_t p = 0; p < parts; p++) {
		if (part_of(w, m, p, &text))
			continue;
		if (len)
			joined[len++] = '\n';
		if (text.len)
			memcpy(joined + len, text.ptr, text.len);
		len += text.len;
	}
	put_text(w, joined, len);
}

static void put_medium(struct writer *w, size_t m, size_t p, const char *mime)
{
	PUT(w, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:");
	for (; *mime; mime++)
		if (*mime > 0x20 && *mime < 0x7f && *mime != '"' && *mime != '\\')
			put(w, mime, 1);
	PUT(w, ";base64,");
	if (!w->status)
		w->status = w->host->body_media(w->x, w->r, m, p);
	PUT(w, "\"}}");
}

/* Parts as list items; with `text` also those that are text. */
static void put_parts(struct writer *w, size_t m, bool text, bool *first)
{
	for (size_t p = 0; p < w->host->part_count(w->r, m); p++) {
		struct mt_str bytes = { "", 0 };
		const char *mime = part_of(w, m, p, &bytes);

		if (!mime && (!text || !bytes.len))
			continue;
		if (!*first)
			PUT(w, ",");
		*first = false;
		if (mime) {
			put_medium(w, m, p, mime);
			continue;
		}
		PUT(w, "{\"type\":\"text\",\"text\":");
		put_text(w, bytes.ptr, bytes.len);
		PUT(w, "}");
	}
}

static void put_user(struct writer *w, size_t m, const char *role)
{
	bool first = true;

	PUT(w, "{\"role\":");
	put_cstr(w, role);
	PUT(w, ",\"content\":");
	if (has_media(w, m)) {
		PUT(w, "[");
		put_parts(w, m, true, &first);
		PUT(w, "]");
	} else {
		put_joined(w, m);
	}
	PUT(w, "}");
}

static void put_calls(struct writer *w, size_t m, size_t count)
{
	PUT(w, ",\"tool_calls\":[");
	for (size_t c = 0; c < count; c++) {
		struct mt_str id, name, args;

		w->host->call(w->r, m, c, &id, &name, &args);
		if (c)
			PUT(w, ",");
		PUT(w, "{\"id\":");
		put_text(w, id.ptr, id.len);
		PUT(w, ",\"type\":\"function\",\"function\":{\"name\":");
		put_text(w, name.ptr, name.len);
		PUT(w, ",\"arguments\":");
		put_text(w, args.len ? args.ptr : "{}", args.len ? args.len : 2);
		PUT(w, "}}");
	}
	PUT(w, "]");
}

static bool has_text(struct writer *w, size_t m)
{
	struct mt_str text = { "", 0 };

	for (size_t p = 0; p < w->host->part_count(w->r, m); p++)
		if (!part_of(w, m, p, &text) && text.len)
			return true;
	return false;
}

static void put_assistant(struct writer *w, size_t m)
{
	size_t calls = w->host->call_count(w->r, m);

	PUT(w, "{\"role\":\"assistant\",\"content\":");
	if (calls && !has_text(w, m))
		PUT(w, "null");
	else
		put_joined(w, m);
	if (calls)
		put_calls(w, m, calls);
	PUT(w, "}");
}

static void put_tool_result(struct writer *w, size_t m)
{
	struct mt_str id = { "", 0 };

	w->host->call(w->r, m, 0, &id, NULL, NULL);
	PUT(w, "{\"role\":\"tool\",\"tool_call_id\":");
	put_text(w, id.ptr, id.len);
	PUT(w, ",\"content\":");
	put_joined(w, m);
	PUT(w, "}");
}

/* Results may hold text alone: what images a run of them brought follows in a
 * message of the user. */
static void put_result_media(struct writer *w, size_t from, size_t to)
{
	bool first = true, any = false;

	for (size_t m = from; m < to && !any; m++)
		any = has_media(w, m);
	if (!any)
		return;
	PUT(w, ",{\"role\":\"user\",\"content\":[");
	for (size_t m = from; m < to; m++)
		put_parts(w, m, false, &first);
	PUT(w, "]}");
}

static void put_messages(struct writer *w)
{
	size_t count = w->host->message_count(w->r), results = 0, kept;

	PUT(w, ",\"messages\":[");
	kept = w->host->messages_kept(w->x, w->r);
	while (results < kept
	       && w->host->message_role(w->r, kept - 1 - results) == MT_ROLE_TOOL)
		results++;
	for (size_t m = kept; m < count && !w->status; m++) {
		int role = w->host->message_role(w->r, m);

		w->host->message_begins(w->x, w->r, m);
		if (m)
			PUT(w, ",");
		if (role == MT_ROLE_TOOL)
			put_tool_result(w, m);
		else if (role == MT_ROLE_ASSISTANT)
			put_assistant(w, m);
		else
			put_user(w, m, role == MT_ROLE_SYSTEM ? "system" : "user");
		results = role == MT_ROLE_TOOL ? results + 1 : 0;
		if (results && (m + 1 == count
				|| w->host->message_role(w->r, m + 1) != MT_ROLE_TOOL))
			put_result_media(w, m + 1 - results, m + 1);
	}
	PUT(w, "]");
}

/* ---- tools and parameters -------------------------------------------------- */

static void put_tools(struct writer *w)
{
	size_t count = w->host->tool_count(w->r);

	if (!count || !w->host->feature(w->x, "tools"))
		return;
	PUT(w, ",\"tools\":[");
	for (size_t t = 0; t < count; t++) {
		struct mt_str name, description, schema;

		w->host->tool(w->r, t, &name, &description, &schema);
		if (t)
			PUT(w, ",");
		PUT(w, "{\"type\":\"function\",\"function\":{\"name\":");
		put_text(w, name.ptr, name.len);
		PUT(w, ",\"description\":");
		put_text(w, description.ptr ? description.ptr : "", description.len);
		PUT(w, ",\"parameters\":");
		if (schema.len)
			put(w, schema.ptr, schema.len);
		else
			PUT(w, "{\"type\":\"object\",\"properties\":{}}");
		PUT(w, "}}");
	}
	PUT(w, "]");
}

/* True if the text is a JSON number, so that it can stand in the body. */
static bool is_number(const char *text, size_t len)
{
	bool digit = false;

	for (size_t i = 0; i < len; i++) {
		digit |= text[i] >= '0' && text[i] <= '9';
		if (!strchr("0123456789.eE+-", text[i]) || !text[i])
			return false;
	}
	return digit && text[0] != '.' && text[0] != '+' && text[len - 1] != '.';
}

/* A number: of the request, else of the configuration, else not sent. */
static void put_number(struct writer *w, const char *wire, const char *param,
		       const char *option)
{
	struct mt_str value = w->host->param(w->r, param);
	const char *set = w->host->option(w->x, option);

	if (!value.len && set)
		value = (struct mt_str){ set, strlen(set) };
	if (!value.len || !is_number(value.ptr, value.len))
		return;
	PUT(w, ",");
	put_cstr(w, wire);
	PUT(w, ":");
	put(w, value.ptr, value.len);
}

/* OpenAI itself has a newer name for the limit that its newer models insist
 * on; the others know the old one. */
static const char *limit_name(struct writer *w)
{
	const char *base = w->host->option(w->x, "base_url");

	return base && strstr(base, "//api.openai.com/") ? "max_completion_tokens"
							 : "max_tokens";
}

static void put_params(struct writer *w)
{
	struct mt_str schema = w->host->param(w->r, "response_schema");
	struct mt_str effort = w->host->param(w->r, "reasoning_effort");

	put_number(w, "temperature", "temperature", "temperature");
	put_number(w, "top_p", "top_p", "top_p");
	put_number(w, limit_name(w), "max_tokens", "max_output_tokens");
	if (effort.len) {
		PUT(w, ",\"reasoning_effort\":");
		put(w, effort.ptr, effort.len);
	}
	if (schema.len) {
		PUT(w, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":"
		       "{\"name\":\"answer\",\"schema\":");
		put(w, schema.ptr, schema.len);
		PUT(w, "}}");
	}
	if (w->host->stream(w->r))
		PUT(w, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
}

/* ---- where to -------------------------------------------------------------- */

static bool is_azure(const struct mt_dialect_host *host, struct mt_exchange *x)
{
	const char *provider = host->option(x, "provider");

	return provider && strcmp(provider, "azure") == 0;
}

/* Azure has a path for each deployment, unless base_url is its /openai/v1. */
static int put_azure_url(const struct mt_dialect_host *host, struct mt_exchange *x)
{
	const char *base = host->option(x, "base_url"), *model = host->option(x, "model");
	const char *version = host->option(x, "api_version");
	char url[512];
	int n;

	if (strstr(base, "/openai/v1") || strstr(base, "/deployments/"))
		return host->url(x, "/chat/completions");
	n = snprintf(url, sizeof url,
		     "/openai/deployments/%s/chat/completions?api-version=%s", model,
		     version && *version ? version : "2024-12-01-preview");
	if (n < 0 || (size_t)n >= sizeof url || strpbrk(url, " \t\r\n#"))
		return MT_EINVAL;
	return host->url(x, url);
}

static int put_head(const struct mt_dialect_host *host, struct mt_exchange *x)
{
	bool azure = is_azure(host, x);
	int status = azure ? put_azure_url(host, x) : host->url(x, "/chat/completions");

	if (!status)
		status = host->header(x, "Content-Type", "application/json");
	if (!status)
		status = azure ? host->key_header(x, "api-key", "")
			       : host->key_header(x, "Authorization", "Bearer ");
	return status;
}

static int encode(const struct mt_dialect_host *host, struct mt_exchange *x,
		  const struct mt_request *request)
{
	struct writer w = { .host = host, .x = x, .r = request };

	w.status = put_head(host, x);
	PUT(&w, "{\"model\":");
	put_cstr(&w, host->option(x, "model"));
	put_tools(&w);
	put_messages(&w);
	put_params(&w);
	PUT(&w, "}");
	return w.status;
}

static const struct mt_dialect dialect = {
	.size = sizeof dialect,
	.providers = providers,
	.encode = encode,
	.feed = openai_feed,
	.end = openai_end,
};

static const struct mt_component components[] = {
	{
		.size = sizeof(struct mt_component),
		.kind = MT_KIND_DIALECT,
		.version_major = MT_DIALECT_MAJOR,
		.version_minor = MT_DIALECT_MINOR,
		.name = "openai",
		.summary = "Chat completions, as OpenAI and many others speak it.",
		.functions = &dialect,
	},
};

MT_PLUGIN(.name = "dialect-openai", .version = "0.1", .license = "MIT",
	  .components = components, .component_count = 1)
