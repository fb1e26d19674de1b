/* SPDX-License-Identifier: MIT
 *
 * rules.c - the rules of a sandbox and their JSON form. */
#include "sandbox/rules.h"

#include "array.h"
#include "auto.h"
#include "landlock.h"

#include <stddef.h>

static const char *const networks[] = { "allow-list", "full", "none" };

static const struct {
	const char *name;
	size_t offset;
} lists[] = {
	{ "write", offsetof(struct sandbox_rules, write) },
	{ "read", offsetof(struct sandbox_rules, read) },
	{ "sockets", offsetof(struct sandbox_rules, sockets) },
	{ "protect", offsetof(struct sandbox_rules, protect) },
	{ "hide", offsetof(struct sandbox_rules, hide) },
	{ "cover", offsetof(struct sandbox_rules, cover) },
};

static char ***rules_list(const struct sandbox_rules *r, size_t n)
{
	return (char ***)(uintptr_t)((const char *)r + lists[n].offset);
}

int sandbox_path_add(char ***list, const char *path)
{
	size_t count = 0;
	char *copy;

	while (*list && (*list)[count])
		count++;
	if (count >= SANDBOX_PATHS_MAX)
		return MT_ELIMIT;
	copy = strdup(path);
	if (!copy || ARRAY_GROW(*list, NULL, count + 2, ARRAY_MAX)) {
		free(copy);
		return MT_ENOMEM;
	}
	(*list)[count] = copy;
	(*list)[count + 1] = NULL;
	return MT_OK;
}

static int read_list(json_object *o, const char *name, char ***ret, struct error *err)
{
	json_object *list = js_get(o, name);

	for (size_t i = 0; i < js_length(list); i++) {
		const char *path =
			json_object_get_string(json_object_array_get_idx(list, i));
		int status;

		if (!path || *path != '/')
			return fail(err, MT_EINVAL,
				    "the sandbox's `%s` lists `%s`, which is not an "
				    "absolute path",
				    name, path ? path : "null");
		status = sandbox_path_add(ret, path);
		if (status == MT_ELIMIT)
			return fail(err, status, "the sandbox's `%s` has over %d paths",
				    name, SANDBOX_PATHS_MAX);
		if (status)
			return out_of_memory(err);
	}
	return MT_OK;
}

static int read_network(json_object *o, enum sandbox_network *ret, struct error *err)
{
	const char *name = js_str(o, "network", networks[SANDBOX_NETWORK_NONE]);

	for (size_t i = 0; i < ARRAY_LEN(networks); i++)
		if (strcmp(name, networks[i]) == 0) {
			*ret = (enum sandbox_network)i;
			return MT_OK;
		}
	return fail(err, MT_EINVAL, "unknown network `%s` of the sandbox", name);
}

int sandbox_rules_read(json_object *o, struct sandbox_rules *ret, struct error *err)
{
	int status;

	*ret = (struct sandbox_rules){
		.landlock = (int)js_int(o, "landlock", LANDLOCK_NEWEST),
		.namespaces = js_bool(o, "namespaces", true),
		.required = js_bool(o, "required", false),
		.proxy = json_object_get(js_get(o, "proxy")),
		.ports = json_object_get(js_get(o, "ports")),
	};
	status = read_network(o, &ret->network, err);
	if (!status && js_get(o, "cache")) {
		ret->cache = strdup(js_str(o, "cache", ""));
		status = ret->cache ? MT_OK : out_of_memory(err);
	}
	if (!status && js_get(o, "overlay")) {
		ret->overlay = strdup(js_str(o, "overlay", ""));
		status = ret->overlay ? MT_OK : out_of_memory(err);
	}
	for (size_t i = 0; !status && i < ARRAY_LEN(lists); i++)
		status = read_list(o, lists[i].name, rules_list(ret, i), err);
	if (status)
		sandbox_rules_clear(ret);
	return status;
}

json_object *sandbox_rules_json(const struct sandbox_rules *r)
{
	json_object *o = js_new_object();

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		char **list = *rules_list(r, i);
		json_object *paths = js_new_list();

		for (size_t n = 0; list && list[n]; n++)
			js_add_new(paths, json_object_new_string(list[n]));
		js_set(o, lists[i].name, paths);
	}
	js_set_str(o, "network", networks[r->network]);
	js_set_int(o, "landlock", r->landlock);
	js_set_bool(o, "namespaces", r->namespaces);
	js_set_bool(o, "required", r->required);
	if (r->cache)
		js_set_str(o, "cache", r->cache);
	if (r->overlay)
		js_set_str(o, "overlay", r->overlay);
	if (r->proxy)
		js_set(o, "proxy", json_object_get(r->proxy));
	if (r->ports)
		js_set(o, "ports", json_object_get(r->ports));
	return o;
}

void sandbox_rules_clear(struct sandbox_rules *r)
{
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		char **list = *rules_list(r, i);

		for (size_t n = 0; list && list[n]; n++)
			free(list[n]);
		free(list);
	}
	free(r->cache);
	free(r->overlay);
	json_object_put(r->proxy);
	json_object_put(r->ports);
	*r = (struct sandbox_rules){ 0 };
}
