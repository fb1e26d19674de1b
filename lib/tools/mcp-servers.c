/* SPDX-License-Identifier: MIT
 *
 * mcp-servers.c - the MCP servers of the configuration and of trusted skills. */
#include "tools/mcp-servers.h"

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SERVERS_MAX = 64, FILE_MAX = 1 << 20, NAME_MAX_LEN = 40, EXPAND_MAX = 64 << 10 };

void mcp_servers_clear(struct mcp_servers *s)
{
	for (size_t i = 0; i < s->count; i++) {
		free(s->names[i]);
		json_object_put(s->options[i]);
	}
	free(s->names);
	free(s->options);
	*s = (struct mcp_servers){ 0 };
}

static bool mcp_servers_has(const struct mcp_servers *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->names[i], name) == 0)
			return true;
	return false;
}

/* Take the options. */
static int mcp_servers_add(struct mcp_servers *s, const char *name, json_object *options,
			   struct error *err)
{
	char *copy = strdup(name);

	if (!copy || s->count == SERVERS_MAX) {
		json_object_put(options);
		free(copy);
		return copy ? fail(err, MT_ELIMIT, "more than %d MCP servers",
				   SERVERS_MAX)
			    : out_of_memory(err);
	}
	s->options[s->count] = options;
	s->names[s->count++] = copy;
	return MT_OK;
}

static int add_sections(const struct config *c, struct mcp_servers *s, struct error *err)
{
	const char *name;
	int status = MT_OK;

	for (size_t i = 0; !status && (name = config_named(c, "mcp", i)); i++) {
		AUTO(strbuf) struct strbuf section = STRBUF(256);

		if (strbuf_addf(&section, "mcp.%s", name))
			return out_of_memory(err);
		if (config_bool(c, section.text, "enabled"))
			status = mcp_servers_add(s, name, NULL, err);
	}
	return status;
}

/* ---- files of other programs ------------------------------------------------- */

static json_object *servers_of(json_object *file)
{
	static const char *const members[] = { "mcpServers", "servers",
					       "context_servers" };

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (json_object_is_type(js_get(file, members[i]), json_type_object))
			return js_get(file, members[i]);
	return NULL;
}

static int mcp_servers_read_json(const char *path, json_object **ret, struct error *err)
{
	AUTO(free) char *real = path_expand(path), *text = NULL;
	struct error why = ERROR_NONE;
	size_t len;
	int status;

	if (!real)
		return out_of_memory(err);
	status = file_read(real, FILE_MAX, &text, &len, err);
	if (status)
		return status;
	if (!path_is_safe(real, err))
		return MT_EDENIED;
	*ret = js_parse_object(text, len, &why);
	if (*ret && servers_of(*ret))
		return MT_OK;
	return fail(err, MT_EINVAL, "%s: %s", real,
		    *ret ? "missing member mcpServers" : why.text);
}

/* Convert a name to a valid section name. */
static void section_name(const char *name, char *ret)
{
	size_t n = 0;

	for (; *name && n < NAME_MAX_LEN; name++) {
		char ch = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
		bool letter = ch >= 'a' && ch <= 'z';

		if (!letter && n == 0)
			ret[n++] = 's';
		ret[n++] = letter || (ch >= '0' && ch <= '9') || ch == '-' ? ch : '_';
	}
	ret[n] = '\0';
}

static int mcp_servers_add_file(const char *path, struct mcp_servers *s,
				struct error *err)
{
	AUTO(json) json_object *file = NULL;
	int status = mcp_servers_read_json(path, &file, err);

	if (status)
		return status;
	json_object_object_foreach(servers_of(file), key, server) {
		char name[NAME_MAX_LEN + 2];
		json_object *options;

		section_name(key, name);
		if (status || !*name || mcp_servers_has(s, name) ||
		    js_bool(server, "disabled", false) ||
		    !js_bool(server, "enabled", true))
			continue;
		options = json_object_new_object();
		if (js_set_str(options, "mcp_json", path) ||
		    js_set_str(options, "server", key)) {
			json_object_put(options);
			return out_of_memory(err);
		}
		status = mcp_servers_add(s, name, options, err);
	}
	return status;
}

/* ---- servers of skills ----------------------------------------------------------- */

/* DATA/mcp.d/SKILL.json; characters that are invalid in a file name become %XX. */
static char *trusted_path(const char *skill, bool make, struct error *err)
{
	AUTO(free) char *data = NULL, *dir = NULL;
	AUTO(strbuf) struct strbuf name = STRBUF(1024);

	if (paths_xdg_dir("DATA", make, &data, err))
		return NULL;
	dir = path_join(data, "mcp.d");
	if (!dir || (make && dir_make_durable(dir, err)))
		return NULL;
	if (!skill)
		return STEAL(dir);
	for (; *skill; skill++)
		if (*skill == '/' || *skill == '%' || (*skill == '.' && name.len == 0))
			strbuf_addf(&name, "%%%02X", (unsigned char)*skill);
		else
			strbuf_addc(&name, *skill);
	strbuf_add(&name, ".json");
	return name.error ? NULL : path_join(dir, name.text);
}

int mcp_servers_trust(const char *skill, json_object *servers, struct error *err)
{
	AUTO(free) char *path = trusted_path(skill, servers != NULL, err);
	AUTO(json) json_object *file = json_object_new_object();
	const char *text;
	size_t len;

	if (!path)
		return err && err->code ? err->code : out_of_memory(err);
	if (!servers)
		return unlink(path) && errno != ENOENT
			       ? fail(err, MT_EIO, "%s: %s", path, strerror(errno))
			       : MT_OK;
	if (js_set(file, "mcpServers", json_object_get(servers)))
		return out_of_memory(err);
	text = js_text(file, &len);
	return text ? file_write(path, text, len, 0600, true, err) : out_of_memory(err);
}

bool mcp_servers_trusted(const char *skill, json_object *servers)
{
	AUTO(free) char *path = trusted_path(skill, false, NULL);
	AUTO(json) json_object *file = NULL;

	return path && !mcp_servers_read_json(path, &file, NULL) &&
	       json_object_equal(servers_of(file), servers);
}

static int is_json(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 &&
	       strcmp(d->d_name + len - 5, ".json") == 0;
}

static int add_trusted(struct mcp_servers *s, struct error *err)
{
	AUTO(free) char *dir = trusted_path(NULL, false, NULL);
	struct dirent **names = NULL;
	int n = dir ? scandir(dir, &names, is_json, alphasort) : 0, status = MT_OK;

	for (int i = 0; i < n; i++) {
		AUTO(free) char *path = path_join(dir, names[i]->d_name);

		if (!status)
			status = path ? mcp_servers_add_file(path, s, err)
				      : out_of_memory(err);
		free(names[i]);
	}
	free(names);
	return status;
}

/* ---- all ------------------------------------------------------------------------ */

static bool on_path(const char *program)
{
	AUTO(free) char *found = path_find_program(getenv("PATH"), program);

	return found;
}

static int add_tavily(const struct config *c, struct mcp_servers *s, struct error *err)
{
	const char *key = secret_env("TAVILY_API_KEY");
	json_object *options;

	if (!config_bool(c, "core", "tavily") || !key || strncmp(key, "tvly-", 5) != 0 ||
	    mcp_servers_has(s, "tavily") || !on_path("npx"))
		return MT_OK;
	options = json_object_new_object();
	if (js_set_str(options, "command", "npx") ||
	    js_set_str(options, "args", "-y, tavily-mcp") ||
	    js_set_str(options, "env", "TAVILY_API_KEY")) {
		json_object_put(options);
		return out_of_memory(err);
	}
	return mcp_servers_add(s, "tavily", options, err);
}

int mcp_servers_read(const struct config *c, struct mcp_servers *ret, struct error *err)
{
	const char *files = config_get(c, "core", "mcp_json"), *item;
	struct mcp_servers s = { .names = calloc(SERVERS_MAX, sizeof *s.names),
			     .options = calloc(SERVERS_MAX, sizeof *s.options) };
	size_t len;
	int status = s.names && s.options ? add_sections(c, &s, err) : out_of_memory(err);

	while (!status && files && option_list_next(&files, &item, &len)) {
		AUTO(free) char *path = strndup(item, len);

		status = path ? mcp_servers_add_file(path, &s, err) : out_of_memory(err);
	}
	if (!status)
		status = add_tavily(c, &s, err);
	if (!status)
		status = add_trusted(&s, err);
	if (status)
		mcp_servers_clear(&s);
	else
		*ret = s;
	return status;
}

/* ---- options for the runner -------------------------------------------------------- */

/* ${NAME}, ${NAME:-else}, ${env:NAME} in the files of other programs. */
static int put_expanded(struct strbuf *b, const char *text)
{
	const char *open, *close;

	while ((open = strstr(text, "${")) && (close = strchr(open, '}'))) {
		char name[128];
		const char *from =
			strncmp(open + 2, "env:", 4) == 0 ? open + 6 : open + 2;
		const char *dash = strstr(from, ":-"),
			   *end = dash && dash < close ? dash : close;
		const char *value;

		strbuf_addn(b, text, (size_t)(open - text));
		snprintf(name, sizeof name, "%.*s", (int)(end - from), from);
		value = secret_env(name);
		if (value)
			strbuf_add(b, value);
		else if (end == dash)
			strbuf_addn(b, dash + 2, (size_t)(close - dash - 2));
		text = close + 1;
	}
	return strbuf_add(b, text);
}

static int set_expanded(json_object *to, const char *key, json_object *value)
{
	AUTO(strbuf) struct strbuf text = STRBUF(EXPAND_MAX);

	if (!json_object_is_type(value, json_type_string) &&
	    !json_object_is_type(value, json_type_int) &&
	    !json_object_is_type(value, json_type_boolean))
		return MT_OK;
	if (put_expanded(&text, json_object_get_string(value)))
		return MT_ENOMEM;
	return js_set_strn(to, key, text.text, text.len);
}

static int set_members(json_object *to, const char *prefix, json_object *from)
{
	if (!json_object_is_type(from, json_type_object))
		return MT_OK;
	json_object_object_foreach(from, key, value) {
		AUTO(strbuf) struct strbuf name = STRBUF(512);

		if (strbuf_addf(&name, "%s%s", prefix, key) ||
		    set_expanded(to, name.text, value))
			return MT_ENOMEM;
	}
	return MT_OK;
}

static int set_arguments(json_object *to, json_object *list)
{
	size_t n = js_length(list);

	for (size_t i = 0; i < n; i++) {
		char key[32];

		snprintf(key, sizeof key, "arg.%zu", i + 1);
		if (set_expanded(to, key, json_object_array_get_idx(list, i)))
			return MT_ENOMEM;
	}
	return MT_OK;
}

static int from_file(json_object *to, const char *path, const char *name,
		     struct error *err)
{
	AUTO(json) json_object *file = NULL;
	int status = mcp_servers_read_json(path, &file, err);
	json_object *server = js_get(servers_of(file), name);
	const char *type = js_str(server, "type", js_str(server, "transport", ""));

	if (status)
		return status;
	if (!server)
		return fail(err, MT_ENOTFOUND, "%s: no server `%.80s`", path, name);
	if (set_expanded(to, "command", js_get(server, "command")) ||
	    set_arguments(to, js_get(server, "args")) ||
	    set_expanded(to, "url", js_get(server, "url")) ||
	    set_expanded(to, "directory", js_get(server, "cwd")) ||
	    set_members(to, "env.", js_get(server, "env")) ||
	    set_members(to, "header.", js_get(server, "headers")))
		return out_of_memory(err);
	if (strcmp(type, "sse") == 0 && js_set_str(to, "transport", "sse"))
		return out_of_memory(err);
	return MT_OK;
}

/* Replace names of variables by their values. */
static int from_env(json_object *to, const char *list, struct error *err)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		const char *equal = memchr(item, '=', len);
		size_t n = equal ? (size_t)(equal - item) : len;
		AUTO(free) char *name = strndup(item, n);
		AUTO(free) char *value = equal ? strndup(equal + 1, len - n - 1) : NULL;
		AUTO(strbuf) struct strbuf key = STRBUF(512);

		if (!name || (equal && !value) || strbuf_addf(&key, "env.%s", name))
			return out_of_memory(err);
		if (!equal && !secret_env(name))
			continue;
		if (js_set_str(to, key.text, value ? value : secret_env(name)))
			return out_of_memory(err);
	}
	return MT_OK;
}

static int mcp_servers_set_header(json_object *to, const char *name, const char *before,
				  const char *variable, struct error *err)
{
	AUTO(strbuf) struct strbuf key = STRBUF(512), value = STRBUF(EXPAND_MAX);
	const char *text = secret_env(variable);

	if (!text)
		return fail(err, MT_ENOTFOUND,
			    "environment variable %.80s, used by "
			    "header %.80s, is not set",
			    variable, name);
	if (strbuf_addf(&key, "header.%s", name) ||
	    strbuf_addf(&value, "%s%s", before, text) ||
	    js_set_str(to, key.text, value.text))
		return out_of_memory(err);
	return MT_OK;
}

static int from_headers(json_object *to, const char *list, struct error *err)
{
	const char *item;
	size_t len;
	int status = MT_OK;

	while (!status && list && option_list_next(&list, &item, &len)) {
		const char *colon = memchr(item, ':', len);
		AUTO(free) char *name = NULL, *variable = NULL;
		size_t skip;

		if (!colon)
			return fail(err, MT_EINVAL,
				    "invalid `headers`: use NAME: VARIABLE");
		name = strndup(item, (size_t)(colon - item));
		skip = (size_t)(colon - item) + 1;
		skip += strspn(item + skip, " ");
		variable = skip < len ? strndup(item + skip, len - skip) : strdup("");
		if (!name || !variable)
			return out_of_memory(err);
		status = mcp_servers_set_header(to, name, "", variable, err);
	}
	return status;
}

const char *mcp_server_target(json_object *options)
{
	const char *to = js_str(options, "url", js_str(options, "command", NULL));

	return to ? to : js_str(options, "mcp_json", "");
}

/* The file that stores a login at a server; owned. */
static char *login_file(const char *name, json_object *options, struct error *err)
{
	const char *given = js_str(options, "login_file", NULL);
	AUTO(free) char *state = NULL;
	AUTO(strbuf) struct strbuf path = STRBUF(4096);

	if (given)
		return path_expand(given);
	if (!paths_xdg_dir("STATE", false, &state, err))
		strbuf_addf(&path, "%s/mcp/%s.json", state, name);
	return path.len ? strbuf_take(&path) : NULL;
}

static int add_secret(json_object *to, const char *variable, struct error *err)
{
	const char *text = secret_env(variable);

	if (!text)
		return fail(err, MT_ENOTFOUND,
			    "environment variable %.80s, which "
			    "contains the client secret, is not set",
			    variable);
	return js_set_str(to, "client_secret", text) ? out_of_memory(err) : MT_OK;
}

/* Logins apply only to HTTP servers for which no token is configured. */
static int add_login(json_object *to, const char *name, struct error *err)
{
	AUTO(free) char *file = NULL;

	if (!js_str(to, "url", NULL) || js_get(to, "header.Authorization") ||
	    js_get(to, "header.authorization"))
		return MT_OK;
	file = login_file(name, to, err);
	return file && !js_set_str(to, "login_file", file) ? MT_OK : out_of_memory(err);
}

int mcp_server_options(const char *name, json_object *options, json_object **ret,
		       struct error *err)
{
	AUTO(json) json_object *to = json_object_new_object();
	const char *file = js_str(options, "mcp_json", NULL);
	const char *bearer = js_str(options, "bearer_env", NULL);
	int status = to ? MT_OK : out_of_memory(err);

	if (!status && file)
		status = from_file(to, file, js_str(options, "server", name), err);
	if (!status && options) {
		json_object_object_foreach(options, key, value)
			if (!status && js_set(to, key, json_object_get(value)))
				status = out_of_memory(err);
	}
	if (!status)
		status = from_env(to, js_str(options, "env", NULL), err);
	if (!status)
		status = from_headers(to, js_str(options, "headers", NULL), err);
	if (!status && bearer)
		status = mcp_servers_set_header(to, "Authorization", "Bearer ", bearer,
						err);
	if (!status && strcmp(js_str(to, "grant", ""), "client_credentials") == 0 &&
	    js_str(to, "client_secret_env", NULL))
		status = add_secret(to, js_str(to, "client_secret_env", ""), err);
	if (!status && js_set_str(to, "server", name))
		status = out_of_memory(err);
	if (!status)
		status = add_login(to, name, err);
	if (!status)
		*ret = STEAL(to);
	return status;
}

bool mcp_server_is_remote(const char *name, json_object *options)
{
	AUTO(json) json_object *to = json_object_new_object();
	const char *file = js_str(options, "mcp_json", NULL);

	if (js_get(options, "url") || !to)
		return true;
	return file && (from_file(to, file, js_str(options, "server", name), NULL) ||
			js_get(to, "url"));
}

int mcp_server_check(const char *name, json_object *options, struct error *err)
{
	AUTO(json) json_object *all = NULL;
	struct error why = ERROR_NONE;
	const char *command, *url;

	if (mcp_server_options(name, options, &all, &why))
		return fail(err, why.code, "[mcp.%s]: %s", name, why.text);
	command = js_str(all, "command", NULL);
	url = js_str(all, "url", NULL);
	if (!command == !url)
		return fail(err, MT_EINVAL, "[mcp.%s] requires either `command` or `url`",
			    name);
	if (url && strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return fail(err, MT_EINVAL,
			    "[mcp.%s] `url` must start with https:// or http://", name);
	return MT_OK;
}
