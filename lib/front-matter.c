/* SPDX-License-Identifier: MIT
 *
 * front-matter.c - reads front matter with libyaml. */
#include "front-matter.h"

#include "library.h"
#include "space.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

/* ---- libyaml ----------------------------------------------------------- */

struct yaml_api {
	__typeof__(yaml_parser_initialize) *parser_initialize;
	__typeof__(yaml_parser_delete) *parser_delete;
	__typeof__(yaml_parser_set_input_string) *parser_set_input_string;
	__typeof__(yaml_parser_load) *parser_load;
	__typeof__(yaml_document_delete) *document_delete;
	__typeof__(yaml_document_get_root_node) *document_get_root_node;
	__typeof__(yaml_document_get_node) *document_get_node;
};

static const struct library_function functions[] = {
	{ "yaml_parser_initialize", offsetof(struct yaml_api, parser_initialize) },
	{ "yaml_parser_delete", offsetof(struct yaml_api, parser_delete) },
	{ "yaml_parser_set_input_string",
	  offsetof(struct yaml_api, parser_set_input_string) },
	{ "yaml_parser_load", offsetof(struct yaml_api, parser_load) },
	{ "yaml_document_delete", offsetof(struct yaml_api, document_delete) },
	{ "yaml_document_get_root_node",
	  offsetof(struct yaml_api, document_get_root_node) },
	{ "yaml_document_get_node", offsetof(struct yaml_api, document_get_node) },
};

static const struct yaml_api *yaml_api(struct error *err)
{
	static const struct library library = {
		"libyaml-0.so.2", "libyaml", "to read front matter",
		functions, ARRAY_LEN(functions),
	};
	static struct yaml_api api;

	return api.parser_load || !library_load(&library, &api, sizeof api, err) ? &api
										 : NULL;
}

void front_matter_preload(void)
{
	yaml_api(NULL);
}

/* ---- from nodes to JSON ------------------------------------------------- */

struct reading {
	const struct yaml_api *api;
	yaml_document_t *document;
	unsigned char seen[YAML_VALUES + 1]; /* nodes seen; a repeated node is an alias */
	struct error *err;
};

static bool is_word_of(const char *text, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == len && strncasecmp(text, *words, len) == 0)
			return true;
	return false;
}

static bool is_yaml_number(const char *text, size_t len, bool *ret_whole)
{
	size_t i = len > 1 && (text[0] == '-' || text[0] == '+'), digits = 0, dots = 0;

	for (; i < len; i++)
		if (isdigit((unsigned char)text[i]))
			digits++;
		else if (text[i] != '.' || dots++)
			return false;
	*ret_whole = dots == 0;
	return digits > 0 && digits <= 15;
}

static bool front_matter_is_plain(const yaml_node_t *node)
{
	return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

static bool front_matter_is_null(const yaml_node_t *node)
{
	static const char *const nothing[] = { "null", "~", "", NULL };

	return front_matter_is_plain(node) &&
	       is_word_of((const char *)node->data.scalar.value, node->data.scalar.length,
			  nothing);
}

/* @return NULL: out of memory. */
static json_object *scalar(const yaml_node_t *node)
{
	static const char *const yes[] = { "true", "yes", "on", NULL };
	static const char *const no[] = { "false", "no", "off", NULL };
	const char *text = (const char *)node->data.scalar.value;
	size_t len = node->data.scalar.length;
	bool whole;

	if (front_matter_is_plain(node)) {
		if (is_word_of(text, len, yes) || is_word_of(text, len, no))
			return json_object_new_boolean(is_word_of(text, len, yes));
		if (is_yaml_number(text, len, &whole))
			return whole && *text != '0' && *text != '+'
				       ? json_object_new_int64(strtoll(text, NULL, 10))
				       : json_object_new_double_s(strtod(text, NULL),
								  text);
	}
	return json_object_new_string_len(text, (int)len);
}

static int front_matter_convert(struct reading *r, int node, unsigned depth,
				json_object **ret);

static int convert_list(struct reading *r, const yaml_node_t *node, unsigned depth,
			json_object **ret)
{
	const yaml_node_item_t *item = node->data.sequence.items.start;

	*ret = json_object_new_array();
	for (; *ret && item < node->data.sequence.items.top; item++) {
		json_object *value = NULL;
		int status = front_matter_convert(r, *item, depth, &value);

		if (status)
			return status;
		if (js_add(*ret, value)) {
			json_object_put(value);
			return out_of_memory(r->err);
		}
	}
	return *ret ? MT_OK : out_of_memory(r->err);
}

static int convert_mapping(struct reading *r, const yaml_node_t *node, unsigned depth,
			   json_object **ret)
{
	const yaml_node_pair_t *pair = node->data.mapping.pairs.start;

	*ret = json_object_new_object();
	for (; *ret && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key =
			r->api->document_get_node(r->document, pair->key);
		json_object *value = NULL;
		const char *name;
		int status;

		if (!key || pair->key > YAML_VALUES || key->type != YAML_SCALAR_NODE ||
		    r->seen[pair->key]++)
			return fail(r->err, MT_EINVAL,
				    "line %zu: a key must be plain text",
				    node->start_mark.line + 1);
		name = (const char *)key->data.scalar.value;
		status = front_matter_convert(r, pair->value, depth, &value);
		if (status)
			return status;
		if (js_set(*ret, name, value))
			return out_of_memory(r->err);
	}
	return *ret ? MT_OK : out_of_memory(r->err);
}

/* On failure *ret contains the part that was created. */
static int front_matter_convert(struct reading *r, int node, unsigned depth,
				json_object **ret)
{
	const yaml_node_t *n = r->api->document_get_node(r->document, node);

	if (!n || node > YAML_VALUES)
		return fail(r->err, MT_ELIMIT, "front matter has more than %d values",
			    YAML_VALUES);
	if (depth > YAML_DEPTH)
		return fail(r->err, MT_ELIMIT, "line %zu: nested deeper than %d",
			    n->start_mark.line + 1, YAML_DEPTH);
	if (r->seen[node]++)
		return fail(r->err, MT_EINVAL,
			    "line %zu: aliases (*name) are not supported",
			    n->start_mark.line + 1);
	if (n->type == YAML_SEQUENCE_NODE || n->type == YAML_MAPPING_NODE) {
		json_object *made = NULL;
		int status = n->type == YAML_SEQUENCE_NODE
				     ? convert_list(r, n, depth + 1, &made)
				     : convert_mapping(r, n, depth + 1, &made);

		if (status)
			json_object_put(made);
		else
			*ret = made;
		return status;
	}
	*ret = front_matter_is_null(n) ? NULL : scalar(n);
	return *ret || front_matter_is_null(n) ? MT_OK : out_of_memory(r->err);
}

static json_object *read_document(const struct yaml_api *api, yaml_document_t *document,
				  struct error *err)
{
	struct reading r = { .api = api, .document = document, .err = err };
	const yaml_node_t *root = api->document_get_root_node(document);
	json_object *ret = NULL;

	if (!root || (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0)) {
		ret = json_object_new_object();
		if (!ret)
			out_of_memory(err);
	} else if (root->type != YAML_MAPPING_NODE) {
		fail(err, MT_EINVAL, "front matter must be `key: value` lines");
	} else {
		front_matter_convert(&r, 1, 0, &ret);
	}
	return ret;
}

json_object *front_matter_read_yaml(const char *text, size_t len, struct error *err)
{
	const struct yaml_api *api = yaml_api(err);
	yaml_document_t document;
	yaml_parser_t parser;
	json_object *ret = NULL;

	if (!api)
		return NULL;
	if (len > FRONT_MATTER_MAX) {
		fail(err, MT_ELIMIT, "front matter is longer than %d KiB",
		     FRONT_MATTER_MAX >> 10);
		return NULL;
	}
	if (!api->parser_initialize(&parser)) {
		out_of_memory(err);
		return NULL;
	}
	api->parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (api->parser_load(&parser, &document)) {
		ret = read_document(api, &document, err);
		api->document_delete(&document);
	} else if (parser.error == YAML_MEMORY_ERROR) {
		out_of_memory(err);
	} else {
		fail(err, MT_EINVAL, "line %zu of the front matter: %s",
		     parser.problem_mark.line + 1,
		     parser.problem ? parser.problem : "not YAML");
	}
	api->parser_delete(&parser);
	return ret;
}

/* ---- the two parts of a file -------------------------------------------- */

/* The line at `text` consists of three or more dashes. @return its length, with its
 * end. */
static size_t dashes(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	size_t line = end ? (size_t)(end - text) + 1 : len, n = 0;

	while (n < line && text[n] == '-')
		n++;
	if (n < 3)
		return 0;
	while (n < line && space_is(text[n]))
		n++;
	return n == line ? line : 0;
}

void front_matter_split(const char *text, size_t len, struct front_matter *ret)
{
	size_t first, at;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3, len -= 3;
	space_trim(&text, &len);
	*ret = (struct front_matter){ .body = text, .body_len = len };
	first = dashes(text, len);
	for (at = first; first && at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line = dashes(text + at, len - at);

		if (line) {
			ret->yaml = text + first;
			ret->yaml_len = at - first;
			ret->body = text + at + line;
			ret->body_len = len - at - line;
			space_trim(&ret->body, &ret->body_len);
			return;
		}
		at = end ? (size_t)(end - text) + 1 : len;
	}
}
