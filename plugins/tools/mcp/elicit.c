/* SPDX-License-Identifier: MIT
 *
 * elicit.c - fills in the form of a server: one question per field, or the whole form in
 * a client that called the tool over MCP. */
#include "elicit.h"
#include "rpc.h"
#include "options.h"
#include "strbuf.h"
#include <errno.h>
#include <string.h>
#include <strings.h>

enum { FIELDS_MAX = 32, TRIES_MAX = 3 };

/* @return MT_OK with the answer (borrowed), or why the user did not answer. */
static int elicit_ask(const struct mt_tool_host *host, struct mt_call *call,
		      const char *question, json_object *choices, json_object **ret_keep,
		      const char **ret)
{
	AUTO(json) json_object *params = json_object_new_object();
	struct mt_str result = { NULL, 0 };
	const char *text;
	size_t len;
	int status;

	if (js_set_str(params, "question", question) ||
	    (choices && js_set(params, "choices", json_object_get(choices))))
		return MT_ENOMEM;
	text = js_text(params, &len);
	if (!text)
		return MT_ENOMEM;
	status = host->request(call, "user/ask", (struct mt_str){ text, len }, &result);
	if (status)
		return status;
	*ret_keep = js_parse_object(result.ptr, result.len, NULL);
	*ret = js_str(*ret_keep, "answer", NULL);
	return *ret ? MT_OK : MT_EINVAL;
}

/* ---- values ----------------------------------------------------------------- */

static json_object *flag(const char *answer)
{
	bool yes = strcasecmp(answer, "yes") == 0 || strcasecmp(answer, "true") == 0;
	bool no = strcasecmp(answer, "no") == 0 || strcasecmp(answer, "false") == 0;

	return yes || no ? json_object_new_boolean(yes) : NULL;
}

static json_object *elicit_number(const char *answer, bool whole)
{
	long long n;
	double d;
	char *end;

	errno = 0;
	n = strtoll(answer, &end, 10);
	if (*answer && !*end && !errno)
		return json_object_new_int64(n);
	d = strtod(answer, &end);
	return *answer && !*end && !whole ? js_new_number(d) : NULL;
}

/* Parse several choices, separated by commas. */
static json_object *several(const char *answer, json_object *choices)
{
	json_object *list = json_object_new_array();
	const char *item;
	size_t len;

	while (option_list_next(&answer, &item, &len)) {
		AUTO(free) char *one = strndup(item, len);

		if (!one || !rpc_list_has(choices, one, true)) {
			json_object_put(list);
			return NULL;
		}
		if (js_add_new(list, json_object_new_string(one))) {
			json_object_put(list);
			return NULL;
		}
	}
	return list;
}

static bool is_email(const char *text)
{
	const char *at = strchr(text, '@'), *dot = at ? strrchr(at, '.') : NULL;

	return at && at != text && dot && dot != at + 1 && dot[1] &&
	       !strchr(at + 1, '@') && !text[strcspn(text, " \t\r\n<>,;")];
}

/* YYYY-MM-DD, a valid day. @return what follows it; NULL: none */
static const char *skip_date(const char *text)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int y, m, d, n = 0;

	if (strspn(text, "0123456789") != 4 ||
	    sscanf(text, "%4d-%2d-%2d%n", &y, &m, &d, &n) != 3 || n != 10 || m < 1 ||
	    m > 12 || d < 1)
		return NULL;
	return d <= days[m - 1] || (m == 2 && d == 29 && y % 4 == 0 &&
				    (y % 100 != 0 || y % 400 == 0))
		       ? text + n
		       : NULL;
}

static bool is_date(const char *text)
{
	const char *end = skip_date(text);

	return end && !*end;
}

/* RFC 3339: a date, T, a time, perhaps a fraction, Z or an offset. */
static bool is_date_time(const char *text)
{
	const char *end = skip_date(text);
	int h, m, s, n = 0;

	if (!end || !strchr("Tt ", *end) || !*end ||
	    sscanf(end + 1, "%2d:%2d:%2d%n", &h, &m, &s, &n) != 3 || n != 8 || h > 23 ||
	    h < 0 || m > 59 || m < 0 || s > 60 || s < 0)
		return false;
	end += 1 + n;
	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (strcmp(end, "Z") == 0 || strcmp(end, "z") == 0)
		return true;
	n = 0;
	return (*end == '+' || *end == '-') &&
	       sscanf(end + 1, "%2d:%2d%n", &h, &m, &n) == 2 && n == 5 && !end[6];
}

static bool is_uri(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789+-.");

	return n > 0 && text[n] == ':' && text[n + 1] && !text[strcspn(text, " \t\r\n")];
}

/* Check the formats of the protocol; accept other formats. */
static bool fits_format(json_object *field, const char *answer)
{
	static const struct {
		const char *name;
		bool (*fits)(const char *text);
	} formats[] = {
		{ "email", is_email },
		{ "date", is_date },
		{ "date-time", is_date_time },
		{ "uri", is_uri },
	};
	const char *format = js_str(field, "format", "");

	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (strcmp(formats[i].name, format) == 0)
			return formats[i].fits(answer);
	return true;
}

/* Convert an answer to the type of the field; NULL: not valid. */
static json_object *mcp_elicit_value_of(json_object *field, json_object *choices,
					const char *answer)
{
	const char *type = js_str(field, "type", "string");

	if (strcmp(type, "boolean") == 0)
		return flag(answer);
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return elicit_number(answer, *type == 'i');
	if (strcmp(type, "array") == 0)
		return several(answer, choices);
	return rpc_list_has(choices, answer, true) && fits_format(field, answer)
		       ? json_object_new_string(answer)
		       : NULL;
}

/* ---- choices ---------------------------------------------------------------- */

/* Collect the `const` of each choice; NULL: none. */
static int constants(json_object *list, json_object **ret)
{
	AUTO(json) json_object *texts = NULL;

	if (!json_object_is_type(list, json_type_array))
		return MT_OK;
	texts = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *text =
			js_str(json_object_array_get_idx(list, i), "const", NULL);

		if (text && js_add_new(texts, json_object_new_string(text)))
			return MT_ENOMEM;
	}
	*ret = STEAL(texts);
	return *ret ? MT_OK : MT_ENOMEM;
}

/* Get the valid choices; NULL in `ret`: any value. */
static int choices_of(json_object *field, json_object **ret)
{
	int status;

	bool many = strcmp(js_str(field, "type", ""), "array") == 0;
	json_object *of = many ? js_get(field, "items") : field;
	json_object *list = js_get(of, "enum");

	if (json_object_is_type(list, json_type_array)) {
		*ret = json_object_get(list);
		return MT_OK;
	}
	status = constants(js_get(of, many ? "anyOf" : "oneOf"), ret);
	if (status || *ret || strcmp(js_str(field, "type", ""), "boolean") != 0)
		return status;
	*ret = js_texts("yes", "no", NULL);
	return *ret ? MT_OK : MT_ENOMEM;
}

/* ---- a field ---------------------------------------------------------------- */

static void mcp_elicit_put_question(struct strbuf *b, const char *intro, const char *key,
				    json_object *field)
{
	strbuf_addf(b, "%.4000s\n%.500s", intro, js_str(field, "title", key));
	if (*js_str(field, "description", ""))
		strbuf_addf(b, ": %.2000s", js_str(field, "description", ""));
	if (strcmp(js_str(field, "type", ""), "array") == 0)
		strbuf_add(b, " (separate values with commas)");
	if (js_get(field, "default"))
		strbuf_addf(b, " [%.200s]", js_shown(js_get(field, "default")));
}

static int elicit_fill(const struct mt_tool_host *host, struct mt_call *call,
		       const char *intro, const char *key, json_object *field,
		       json_object *content)
{
	AUTO(strbuf) struct strbuf question = STRBUF(16 << 10);
	AUTO(json) json_object *choices = NULL;
	int made = choices_of(field, &choices);

	if (made)
		return made;
	mcp_elicit_put_question(&question, intro, key, field);
	for (int i = 0; i < TRIES_MAX; i++) {
		AUTO(json) json_object *keep = NULL;
		const char *answer = NULL;
		int status =
			elicit_ask(host, call, question.text, choices, &keep, &answer);
		json_object *value;

		if (status)
			return status;
		value = !*answer && js_get(field, "default")
				? json_object_get(js_get(field, "default"))
				: mcp_elicit_value_of(field, choices, answer);
		if (value)
			return js_set(content, key, value);
		if (i == 0)
			strbuf_addf(&question, "\n(Required type: %.40s%s%.40s%s)",
				    js_str(field, "type", "string"),
				    js_get(field, "format") ? ", format " : "",
				    js_str(field, "format", ""),
				    choices ? ", one of the choices" : "");
	}
	return MT_EINVAL;
}

static int confirm(const struct mt_tool_host *host, struct mt_call *call,
		   const char *intro)
{
	AUTO(json) json_object *choices = js_texts("yes", "no", NULL);
	AUTO(json) json_object *keep = NULL;
	const char *answer = NULL;
	int status;

	if (!choices)
		return MT_ENOMEM;
	status = elicit_ask(host, call, intro, choices, &keep, &answer);
	if (status)
		return status;
	return strcasecmp(answer, "yes") == 0 ? MT_OK : MT_EDENIED;
}

/* A client of `tools serve` may show the whole form. @return NULL: ask field by field. */
static json_object *show_form(const struct mt_tool_host *host, struct mt_call *call,
			      const char *message, json_object *schema)
{
	AUTO(strbuf) struct strbuf params = STRBUF(1 << 20);
	AUTO(json) json_object *answer = NULL;
	struct mt_str result = { NULL, 0 };

	strbuf_add(&params, "{\"requests\":{\"form\":{\"method\":\"elicitation/create\","
			    "\"params\":{");
	js_key_str(&params, "message", message);
	js_key(&params, "requestedSchema");
	if (schema)
		js_put(&params, schema);
	else
		strbuf_add(&params, "{\"type\":\"object\",\"properties\":{}}");
	strbuf_add(&params, "}}}}");
	if (params.error ||
	    host->request(call, "client/ask", (struct mt_str){ params.text, params.len },
			  &result))
		return NULL;
	answer = js_parse_object(result.ptr, result.len, NULL);
	return json_object_get(js_path(answer, "responses.form"));
}

json_object *elicit_user(const struct mt_tool_host *host, struct mt_call *call,
			 const char *server, json_object *params)
{
	json_object *fields = js_path(params, "requestedSchema.properties");
	json_object *result;
	AUTO(json) json_object *content = json_object_new_object();
	AUTO(strbuf) struct strbuf intro = STRBUF(16 << 10);
	int status = MT_OK, count = 0;

	strbuf_addf(&intro, "MCP server `%.60s` asks: %.4000s", server,
		    js_str(params, "message", ""));
	result = show_form(host, call, intro.text, js_get(params, "requestedSchema"));
	if (result)
		return result;
	result = json_object_new_object();
	if (!json_object_is_type(fields, json_type_object) ||
	    json_object_object_length(fields) == 0) {
		status = confirm(host, call, intro.text);
	} else {
		json_object_object_foreach(fields, key, field) {
			if (!status)
				status = ++count > FIELDS_MAX
						 ? MT_ELIMIT
						 : elicit_fill(host, call, intro.text,
							       key, field, content);
		}
	}
	js_set_str(result, "action",
		   !status                   ? "accept"
		   : status == MT_ECANCELLED ? "cancel"
					     : "decline");
	if (!status)
		js_set_new(result, "content", STEAL(content));
	else if (status == MT_EUNSUPPORTED)
		host->reply(call,
			    "[The server asked the user: %.500s. No user is available, "
			    "so the question was declined.]\n",
			    js_str(params, "message", ""));
	return result;
}
