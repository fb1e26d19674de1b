/* SPDX-License-Identifier: MIT
 *
 * spec.c - parses the hello message. */
#include "spec.h"
#include "auto.h"
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
	int64_t fallback, min, max;
} limit_table[] = {
#define LIMIT(member, fallback, min, max) \
	{ #member, offsetof(struct limits, member), fallback, min, max }
	LIMIT(result_max, 1 << 20, 1024, 64 << 20),
	LIMIT(spool_max, 256 << 20, 0, INT64_C(1) << 40),
	LIMIT(timeout_ms, 600 * 1000, -1, INT64_C(1) << 40),
	LIMIT(grace_ms, 2000, 1, 600 * 1000),
	LIMIT(memory_max, 0, 0, INT64_MAX),
	LIMIT(files_max, 1024, 64, 1 << 20),
	LIMIT(memory, 0, -1, INT64_MAX),
	LIMIT(processes, 0, 0, INT32_MAX),
	LIMIT(open_files, 0, 0, INT32_MAX),
	LIMIT(cgroups, 1, 0, 1),
	LIMIT(cpu_ms, 0, 0, INT64_C(1) << 40),
	LIMIT(wall_ms, 0, 0, INT64_C(1) << 40),
	LIMIT(output_max, 0, 0, INT64_C(1) << 50),
	LIMIT(disk_written, 0, -1, INT64_MAX),
	LIMIT(overlay, 0, 0, INT64_MAX),
	LIMIT(window, 256 << 10, LIVE_PIECE * 2, 64 << 20),
};

static int read_limits(json_object *o, struct limits *ret, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(limit_table); i++) {
		int64_t *value = (int64_t *)(void *)((char *)ret + limit_table[i].offset);

		*value = js_int(o, limit_table[i].name, limit_table[i].fallback);
		if (*value < limit_table[i].min || *value > limit_table[i].max)
			return fail(err, MT_EINVAL,
				    "limit `%s`: %lld is not between %lld and %lld",
				    limit_table[i].name, (long long)*value,
				    (long long)limit_table[i].min,
				    (long long)limit_table[i].max);
	}
	return MT_OK;
}

static int spec_copy(json_object *o, const char *name, const char *fallback, char **ret,
		     struct error *err)
{
	const char *text = js_str(o, name, fallback);

	if (!text)
		return fail(err, MT_EINVAL, "hello has no `%s`", name);
	*ret = strdup(text);
	return *ret ? MT_OK : out_of_memory(err);
}

static int read_values(json_object *o, struct option_value **ret, size_t *ret_count,
		       struct error *err)
{
	if (!o || !json_object_is_type(o, json_type_object))
		return MT_OK;
	*ret = calloc((size_t)json_object_object_length(o) + 1, sizeof **ret);
	if (!*ret)
		return out_of_memory(err);

	json_object_object_foreach(o, key, value) {
		struct option_value *v = &(*ret)[(*ret_count)++];

		v->key = strdup(key);
		v->value = strdup(value ? json_object_get_string(value) : "");
		if (!v->key || !v->value)
			return out_of_memory(err);
	}
	/* They may contain tokens, which workers for other plugins must not inherit. */
	js_wipe(o);
	return MT_OK;
}

static int spec_read_environment(json_object *o, struct spec *ret, struct error *err)
{
	int status = read_values(o, &ret->environment, &ret->environment_count, err);

	for (size_t i = 0; !status && i < ret->environment_count; i++) {
		const char *name = ret->environment[i].key;

		if (!*name || strchr(name, '='))
			status = fail(err, MT_EINVAL,
				      "`%.100s` is not a valid name of an environment "
				      "variable",
				      name);
	}
	return status;
}

static int read_secrets(json_object *o, struct instance_spec *i, struct error *err)
{
	size_t count = js_length(o);

	i->secrets = calloc(count + 1, sizeof *i->secrets);
	if (!i->secrets)
		return out_of_memory(err);
	for (size_t n = 0; n < count; n++) {
		const char *name =
			json_object_get_string(json_object_array_get_idx(o, n));

		i->secrets[i->secret_count] = strdup(name ? name : "");
		if (!i->secrets[i->secret_count++])
			return out_of_memory(err);
	}
	return MT_OK;
}

static int read_instance(json_object *o, struct spec *s, struct error *err)
{
	struct instance_spec *i = &s->instances[s->instance_count++];
	int status = spec_copy(o, "name", NULL, &i->name, err);

	if (!status && spec_find(s, i->name) != (int)s->instance_count - 1)
		status = fail(err, MT_EINVAL, "duplicate instance name `%s`", i->name);
	if (!status)
		status = spec_copy(o, "component", i->name, &i->component, err);
	if (!status)
		status = spec_copy(o, "plugin", NULL, &i->plugin, err);
	i->dedicated_worker = js_bool(o, "alone", false);
	i->outside = js_bool(o, "outside", false);
	i->namespaces = js_bool(o, "namespaces", false);
	if (!status)
		status = read_values(js_get(o, "options"), &i->options, &i->option_count,
				     err);
	if (!status)
		status = read_secrets(js_get(o, "secrets"), i, err);
	return status;
}

static int read_instances(json_object *list, struct spec *s, struct error *err)
{
	size_t count = js_length(list);

	if (count > INSTANCES_MAX)
		return fail(err, MT_ELIMIT, "%zu instances, but at most %d are allowed",
			    count, INSTANCES_MAX);
	s->instances = calloc(count + 1, sizeof *s->instances);
	if (!s->instances)
		return out_of_memory(err);
	for (size_t n = 0; n < count; n++) {
		int status = read_instance(json_object_array_get_idx(list, n), s, err);

		if (status)
			return status;
	}
	return MT_OK;
}

int spec_read(json_object *params, struct spec *ret, struct error *err)
{
	int status;

	*ret = (struct spec){ 0 };
	status = read_limits(js_get(params, "limits"), &ret->limits, err);
	if (!status)
		status = spec_copy(params, "workspace", "/", &ret->workspace, err);
	if (!status)
		status = spec_copy(params, "spool_dir", "", &ret->spool_dir, err);
	if (!status)
		status = spec_copy(params, "state_dir", "", &ret->state_dir, err);
	if (!status)
		status = spec_copy(params, "user_dir", "", &ret->user_dir, err);
	if (!status)
		status = spec_copy(params, "conversation", "", &ret->conversation, err);
	if (!status)
		status = spec_copy(params, "group", ret->conversation, &ret->group, err);
	if (!status)
		status = spec_read_environment(js_get(params, "environment"), ret, err);
	if (!status)
		status = read_instances(js_get(params, "instances"), ret, err);
	ret->sandboxed = js_get(params, "sandbox") != NULL;
	if (!status && ret->sandboxed)
		status =
			sandbox_rules_read(js_get(params, "sandbox"), &ret->sandbox, err);
	ret->linger_ms = js_int(params, "linger_ms", 0);
	if (!status && ret->linger_ms > 0)
		status = spec_copy(params, "socket", NULL, &ret->socket, err);
	if (status)
		spec_clear(ret);
	return status;
}

static void spec_wipe(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void clear_values(struct option_value **list, size_t *count)
{
	for (size_t k = 0; k < *count; k++) {
		free((*list)[k].key);
		spec_wipe((*list)[k].value);
	}
	free(*list);
	*list = NULL;
	*count = 0;
}

static void clear_options(struct instance_spec *i)
{
	clear_values(&i->options, &i->option_count);
}

void spec_clear(struct spec *s)
{
	for (size_t n = 0; n < s->instance_count; n++) {
		struct instance_spec *i = &s->instances[n];

		free(i->name);
		free(i->component);
		free(i->plugin);
		clear_options(i);
		for (size_t k = 0; k < i->secret_count; k++)
			free(i->secrets[k]);
		free(i->secrets);
	}
	free(s->instances);
	clear_values(&s->environment, &s->environment_count);
	free(s->workspace);
	free(s->spool_dir);
	free(s->state_dir);
	free(s->user_dir);
	free(s->conversation);
	free(s->group);
	free(s->private_dir);
	free(s->socket);
	sandbox_rules_clear(&s->sandbox);
	*s = (struct spec){ 0 };
}

bool spec_together(const struct spec *s, int a, int b)
{
	const struct instance_spec *one = &s->instances[a], *other = &s->instances[b];

	return a == b || (!one->dedicated_worker && !other->dedicated_worker &&
			  one->outside == other->outside &&
			  strcmp(one->plugin, other->plugin) == 0);
}

void spec_keep_only(struct spec *s, int instance)
{
	for (size_t n = 0; n < s->instance_count; n++)
		if (!spec_together(s, instance, (int)n))
			clear_options(&s->instances[n]);
}

int spec_find(const struct spec *s, const char *name)
{
	for (size_t n = 0; n < s->instance_count; n++)
		if (s->instances[n].name && strcmp(s->instances[n].name, name) == 0)
			return (int)n;
	return -1;
}

bool spec_granted(const struct instance_spec *i, const char *secret)
{
	for (size_t k = 0; k < i->secret_count; k++)
		if (strcmp(i->secrets[k], secret) == 0)
			return true;
	return false;
}
