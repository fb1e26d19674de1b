/* SPDX-License-Identifier: MIT
 *
 * grants.c - reads the sections [grant.NAME]. */
#include "sandbox/grants.h"

#include "files.h"
#include "sandbox/host-pattern.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLE_MAX = 128 };

bool grant_active(const struct config *c, size_t n, struct grant_section *ret)
{
	const char *list = config_get(c, "sandbox", "grants"), *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len))
		if (n-- == 0 && len < GRANT_NAME_MAX) {
			snprintf(ret->text, sizeof ret->text, "grant.%.*s", (int)len,
				 item);
			return true;
		}
	return false;
}

bool grant_is_on(const struct config *c, const char *name)
{
	struct grant_section s;

	for (size_t i = 0; grant_active(c, i, &s); i++)
		if (strcmp(strchr(s.text, '.') + 1, name) == 0)
			return true;
	return false;
}

static int unknown_grant(const struct config *c, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(4096);
	const char *one;

	for (size_t i = 0; (one = config_named(c, "grant", i)); i++)
		strbuf_addf(&all, "%s%s", i ? ", " : "", one);
	return fail(err, MT_EINVAL,
		    "unknown grant `%.80s` in `grants` of [sandbox]; there are: %s", name,
		    all.text);
}

static int check_ports(const struct config *c, const char *section, struct error *err)
{
	const char *list = config_get(c, section, "ports"), *item;
	unsigned long count = 0;
	uint16_t first, last;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		if (!grant_port_range(item, len, &first, &last))
			return fail(err, MT_EINVAL,
				    "[%s] `ports`: `%.*s` is neither a port nor a range "
				    "such as 8000-8100",
				    section, (int)len, item);
		count += (unsigned long)last - first + 1;
	}
	return count <= GRANT_PORTS_MAX
		       ? MT_OK
		       : fail(err, MT_ELIMIT, "[%s] `ports` lists %lu ports (maximum %d)",
			      section, count, GRANT_PORTS_MAX);
}

int grants_check(const struct config *c, struct error *err)
{
	const char *list = config_get(c, "sandbox", "grants"), *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);
		struct grant_section s;

		if (!name)
			return out_of_memory(err);
		snprintf(s.text, sizeof s.text, "grant.%.*s", GRANT_NAME_MAX, name);
		if (len >= GRANT_NAME_MAX || !config_has(c, s.text))
			return unknown_grant(c, name, err);
		if (check_ports(c, s.text, err))
			return err->code;
	}
	return MT_OK;
}

char *grant_path(const char *item, size_t len)
{
	static const char scheme[] = "unix://";
	AUTO(free) char *copy = strndup(item, len);
	size_t name = copy && *copy == '$' ? strcspn(copy + 1, "/") : 0;
	char variable[VARIABLE_MAX], *path = NULL;
	const char *value;

	if (!copy)
		return NULL;
	if (*copy != '$')
		return path_expand(copy);
	snprintf(variable, sizeof variable, "%.*s", (int)name, copy + 1);
	value = getenv(variable);
	if (!value || !*value)
		return strdup("");
	if (strncmp(value, scheme, sizeof scheme - 1) == 0)
		value += sizeof scheme - 1;
	return asprintf(&path, "%s%s", value, copy + 1 + name) < 0 ? NULL : path;
}

bool grant_port_range(const char *item, size_t len, uint16_t *ret_first,
		      uint16_t *ret_last)
{
	char text[32], *end;
	unsigned long first, last;

	if (!len || len >= sizeof text || *item < '0' || *item > '9')
		return false;
	snprintf(text, sizeof text, "%.*s", (int)len, item);
	first = last = strtoul(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoul(end + 1, &end, 10);
	if (*end || first > last || last > UINT16_MAX)
		return false;
	*ret_first = (uint16_t)first;
	*ret_last = (uint16_t)last;
	return true;
}

/* ---- which grant would help ---------------------------------------------------- */

static bool grants_list_holds(const char *list, const char *path)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *text = grant_path(item, len);
		char real[PATH_MAX];

		if (!text || *text != '/' || !realpath(text, real))
			continue;
		if (path_is_in(path, real))
			return true;
	}
	return false;
}

static bool grants_list_matches(const char *list, const char *text)
{
	const char *item;
	struct host host;
	uint16_t port;
	size_t len;

	if (host_parse(text, strlen(text), &host, &port))
		return false;
	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *copy = strndup(item, len);
		struct host_pattern pattern;

		if (copy && !host_pattern_read(copy, &pattern, NULL) &&
		    host_pattern_matches(&pattern, &host, port ? port : HTTPS_PORT))
			return true;
	}
	return false;
}

/* The n-th section; false past the last. */
static bool grant_section_at(const struct config *c, size_t n, const char **ret_name,
			     struct grant_section *ret)
{
	*ret_name = config_named(c, "grant", n);
	if (*ret_name)
		snprintf(ret->text, sizeof ret->text, "grant.%.63s", *ret_name);
	return *ret_name != NULL;
}

const char *grant_for_path(const struct config *c, const char *path,
			   enum sandbox_access access)
{
	struct grant_section s;
	const char *name;

	for (size_t i = 0; grant_section_at(c, i, &name, &s); i++)
		if (!grant_is_on(c, name) &&
		    (grants_list_holds(config_get(c, s.text, "write"), path) ||
		     (access == SANDBOX_ACCESS_READ &&
		      (grants_list_holds(config_get(c, s.text, "read"), path) ||
		       grants_list_holds(config_get(c, s.text, "sockets"), path)))))
			return name;
	return NULL;
}

bool grant_has_socket(const struct config *c, const char *name)
{
	char section[GRANT_NAME_MAX + 8];
	const char *list, *item;
	size_t len;

	snprintf(section, sizeof section, "grant.%.63s", name);
	list = config_get(c, section, "sockets");
	while (list && option_list_next(&list, &item, &len)) {
		AUTO(free) char *path = grant_path(item, len);

		if (path && *path == '/' && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

const char *grant_for_host(const struct config *c, const char *host)
{
	struct grant_section s;
	const char *name;

	for (size_t i = 0; grant_section_at(c, i, &name, &s); i++)
		if (!grant_is_on(c, name) &&
		    grants_list_matches(config_get(c, s.text, "hosts"), host))
			return name;
	return NULL;
}
