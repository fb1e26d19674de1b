/* SPDX-License-Identifier: MIT
 *
 * ffi-tools.c - lists the C functions that the configuration declares as tools. */
#include "tools/ffi-tools.h"

#include "function-ini.h"

enum { LIST_MAX = 16 << 20 };

struct judge {
	const struct config *config;
	const char *section;
	const struct function_line *lines;
	size_t count;
	struct error *err;
};

static void ffi_tools_on_fault(void *arg, size_t n, const char *sentence)
{
	const struct judge *j = arg;

	if (n < j->count)
		fail(j->err, MT_EINVAL, "%s: [%s] %s: %s",
		     config_origin(j->config, j->section, j->lines[n].key), j->section,
		     j->lines[n].key, sentence);
	else
		fail(j->err, MT_EINVAL, "[%s] %s", j->section, sentence);
}

int ffi_tools_read(const struct config *c, const char *section, json_object *options,
		   json_object **ret, struct error *err)
{
	size_t room = (size_t)json_object_object_length(options) + 1, count = 0;
	AUTO(free) struct function_line *lines = calloc(room, sizeof *lines);
	AUTO(strbuf) struct strbuf json = STRBUF(LIST_MAX);
	struct judge judge = { c, section, lines, 0, err };
	struct functions functions = { 0 };
	int status;

	if (!lines)
		return out_of_memory(err);
	json_object_object_foreach(options, key, value) {
		lines[count].key = key;
		lines[count++].value = json_object_get_string(value);
	}
	judge.count = count;
	status = functions_read(lines, count, &functions, ffi_tools_on_fault, &judge);
	if (!status)
		status = functions_json(&functions, &json);
	functions_clear(&functions);
	if (!status)
		*ret = js_parse(json.text, json.len, err);
	if (!status && !*ret)
		status = MT_ENOMEM;
	return status ? fail(err, status, "cannot list the functions of [%s]", section)
		      : MT_OK;
}
