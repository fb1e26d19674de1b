/* SPDX-License-Identifier: MIT
 *
 * model-import.c - converts LiteLLM's price file
 * (model_prices_and_context_window.json) into a model table: limits, prices,
 * vision and temperature. Other features are not imported. */
#include "js.h"
#include "models/model-table.h"
#include <string.h>

/* True if a name is valid in a section header. */
static bool usable(const char *name)
{
	size_t len = strlen(name);

	for (const char *p = name; *p; p++)
		if ((unsigned char)*p <= ' ' || strchr("[],*?\x7f", *p))
			return false;
	return len > 0 && len < MODEL_NAME_MAX - 16;
}

static bool is_chat(json_object *entry)
{
	const char *mode = js_str(entry, "mode", "");

	return strcmp(mode, "chat") == 0 || strcmp(mode, "responses") == 0;
}

/* Bedrock's models do not have a provider in that file. */
static bool needs_prefix(const char *name, json_object *entry)
{
	return !strchr(name, '/') &&
	       strncmp(js_str(entry, "litellm_provider", ""), "bedrock", 7) == 0;
}

static void table_put_count(struct strbuf *out, json_object *entry, const char *from,
			    const char *key)
{
	double n = js_number(entry, from, -1);

	if (n > 0 && n < 1e12)
		strbuf_addf(out, "%s = %.0f\n", key, n);
}

static void put_price(struct strbuf *out, json_object *entry, const char *from,
		      const char *key)
{
	double n = js_number(entry, from, -1);

	if (n >= 0 && n < 1)
		strbuf_addf(out, "%s = %.10g\n", key, n * 1e6);
}

/* Put the prices of long requests: "..._above_200k_tokens", with the lowest threshold. */
static void put_long(struct strbuf *out, json_object *entry)
{
	static const char head[] = "input_cost_per_token_above_";
	static const struct {
		const char *from, *key;
	} prices[] = {
		{ "input_cost_per_token", "long_input_price" },
		{ "output_cost_per_token", "long_output_price" },
		{ "cache_read_input_token_cost", "long_cache_read_price" },
		{ "cache_creation_input_token_cost", "long_cache_write_price" },
	};
	long least = 0;

	json_object_object_foreach(entry, name, value) {
		char *end;
		long n;

		if (!value || strncmp(name, head, strlen(head)) != 0)
			continue;
		n = strtol(name + strlen(head), &end, 10);
		if (strcmp(end, "k_tokens") == 0 && n > 0 && n < 100000 &&
		    (!least || n < least))
			least = n;
	}
	if (!least)
		return;
	strbuf_addf(out, "long_from = %ld000\n", least);
	for (size_t i = 0; i < ARRAY_LEN(prices); i++) {
		char from[96];

		snprintf(from, sizeof from, "%s_above_%ldk_tokens", prices[i].from,
			 least);
		put_price(out, entry, from, prices[i].key);
	}
}

static void put_model(struct strbuf *out, const char *name, json_object *entry)
{
	strbuf_addf(out, "\n[%s%s]\n", needs_prefix(name, entry) ? "bedrock/" : "", name);
	table_put_count(out, entry,
			js_get(entry, "max_input_tokens") ? "max_input_tokens"
							  : "max_tokens",
			"window");
	table_put_count(out, entry,
			js_get(entry, "max_output_tokens") ? "max_output_tokens"
							   : "max_tokens",
			"output");
	put_price(out, entry, "input_cost_per_token", "input_price");
	put_price(out, entry, "output_cost_per_token", "output_price");
	put_price(out, entry, "cache_read_input_token_cost", "cache_read_price");
	put_price(out, entry, "cache_creation_input_token_cost", "cache_write_price");
	put_long(out, entry);
	if (js_bool(entry, "supports_vision", false))
		strbuf_add(out, "vision = yes\n");
	if (!js_bool(entry, "supports_sampling_params", true))
		strbuf_add(out, "sampling = no\n");
}

int model_import(const char *json, size_t len, struct strbuf *out, struct error *err)
{
	AUTO(json) json_object *all = js_parse_object(json, len, err);
	int count = 0;

	if (!all)
		return err && err->code ? err->code : MT_EINVAL;
	strbuf_add(out, "; Written by mortise models import.\n");
	/* a full name is more specific than the last part, so it is written later */
	for (int whole = 0; whole < 2; whole++) {
		json_object_object_foreach(all, name, entry) {
			bool slash = strchr(name, '/') || needs_prefix(name, entry);

			if (slash != whole || strcmp(name, "sample_spec") == 0 ||
			    !json_object_is_type(entry, json_type_object) ||
			    !is_chat(entry) || !usable(name))
				continue;
			put_model(out, name, entry);
			count++;
		}
	}
	if (out->error)
		return fail(err, out->error, "the model table would exceed %d MiB",
			    MODEL_TABLE_MAX >> 20);
	if (!count)
		return fail(err, MT_EINVAL,
			    "the file contains no models; the file of LiteLLM is named "
			    "model_prices_and_context_window.json");
	return count;
}
