/* SPDX-License-Identifier: MIT
 *
 * skill-mcp.c - the MCP servers of a skill: `mcp_tools` of its front matter, or
 * the file .mcp.json next to its SKILL.md. */
#include "skills/packs.h"
#include "skills/skills.h"

#include "files.h"

#include <string.h>

enum { SERVERS_FILE_MAX = 64 << 10 };

static bool is_mcp_server(json_object *o)
{
	return js_str(o, "command", NULL) || js_str(o, "url", NULL);
}

/* {"mcpServers": {NAME: ...}}, or just {NAME: ...}. */
static json_object *from_map(json_object *o)
{
	json_object *map = js_get(o, "mcpServers");
	json_object *all;

	map = map ? map : o;
	all = json_object_is_type(map, json_type_object) ? json_object_new_object()
							 : NULL;
	if (all) {
		json_object_object_foreach(map, name, server)
			if (is_mcp_server(server))
				js_set(all, name, json_object_get(server));
	}
	return all;
}

/* The older form: {"stdio_servers": [{"name": ..., "command": ...}]}. */
static json_object *from_list(json_object *list)
{
	json_object *all = json_object_new_object();

	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		json_object *server = json_object_array_get_idx(list, i);
		const char *name = js_str(server, "name", NULL);

		if (name && is_mcp_server(server))
			js_set(all, name, json_object_get(server));
	}
	return all;
}

static char *read_sibling(const struct skill *s, size_t *ret_len)
{
	const struct pack *pack = s->pack;
	AUTO(free) char *dir = s->listed ? strdup(s->source) : NULL, *path = NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL, *text = NULL;

	if (!dir || (!slash && !pack))
		return NULL;
	if (slash)
		*slash = '\0';
	path = slash ? path_join(dir, ".mcp.json") : strdup(".mcp.json");
	if (!path || (pack ? pack_file(pack->path, path, &text, ret_len, NULL)
			   : file_read(path, SERVERS_FILE_MAX, &text, ret_len, NULL)))
		return NULL;
	return text;
}

json_object *skill_mcp_servers(const struct skill *s)
{
	json_object *front = js_get(s->more, "mcp_tools");
	json_object *list = js_get(front, "stdio_servers"), *all = NULL;

	if (front) {
		all = list ? from_list(list) : from_map(front);
	} else {
		size_t len = 0;
		AUTO(free) char *text = read_sibling(s, &len);
		AUTO(json) json_object *o =
			text ? js_parse_object(text, len, NULL) : NULL;

		all = o ? from_map(o) : NULL;
	}
	if (all && json_object_object_length(all) == 0) {
		json_object_put(all);
		all = NULL;
	}
	return all;
}
