/* SPDX-License-Identifier: MIT
 *
 * secrets.c - the secret values that the configuration names: read where they
 * are needed, never kept. */
#include "config/layers.h"
#include "files.h"
#include <string.h>
#include <strings.h>

enum { SECRET_MAX = 65536 };

/* The text of a file that holds a secret; `line`: its first line alone. */
static int read_secret(const char *path, bool line, char **ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	const char *start;
	size_t len;
	int status = file_read(path, SECRET_MAX, &text, &len, err);

	if (status)
		return status;
	if (!path_is_safe(path, err))
		return MT_EDENIED;
	start = text + strspn(text, " \t\r\n");
	len = line ? strcspn(start, "\r\n") : strlen(start);
	while (len > 0 && strchr(" \t\r\n", start[len - 1]))
		len--;
	*ret = strndup(start, len);
	return *ret ? MT_OK : fail(err, MT_ENOMEM, "out of memory");
}

char *config_api_key(const struct config *c, const char *section,
		     const char *fallback_env, struct error *err)
{
	const char *env = config_get(c, section, "api_key_env");
	const char *file = config_get(c, section, "api_key_file");
	const char *value = NULL;
	char *key = NULL;

	if (env)
		value = getenv(env);
	if (!value && file) {
		if (read_secret(file, true, &key, err))
			return NULL;
		if (!*key) {
			free(key);
			fail(err, MT_EINVAL, "%s: holds no key", file);
			return NULL;
		}
		return key;
	}
	if (!value && !env && fallback_env)
		value = getenv(fallback_env);
	if (!value || !*value)
		return NULL;
	key = strdup(value);
	if (!key)
		fail(err, MT_ENOMEM, "out of memory");
	return key;
}

static int add_key(const struct config *c, const char *section, struct mask *m,
		   struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(free) char *key = config_api_key(c, section, NULL, &why);

	if (why.code == MT_ENOTFOUND)
		return MT_OK; /* told when the model is asked for */
	if (why.code)
		return fail(err, why.code, "%s", why.text);
	if (key && mask_add(m, key, strlen(key)))
		return fail(err, MT_ENOMEM, "out of memory");
	return MT_OK;
}

static bool names_secret(const char *name, size_t len)
{
	static const char *const words[] = { "auth", "key", "token", "secret", "cookie" };

	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		for (size_t i = 0; i + strlen(words[w]) <= len; i++)
			if (strncasecmp(name + i, words[w], strlen(words[w])) == 0)
				return true;
	return false;
}

/* Of "Authorization: Bearer x" the x. */
static int add_headers(const char *list, struct mask *m, struct error *err)
{
	const char *item;
	size_t len;

	while (list && list_next(&list, &item, &len)) {
		const char *end = item + len, *value = memchr(item, ':', len);

		if (!value || !names_secret(item, (size_t)(value - item)))
			continue;
		for (value++; value < end && *value == ' '; value++)
			;
		for (const char *p = value; p < end; p++)
			if (*p == ' ')
				value = p + 1;
		if (mask_add(m, value, (size_t)(end - value)))
			return fail(err, MT_ENOMEM, "out of memory");
	}
	return MT_OK;
}

static int add_grant(const struct config *c, const char *section, struct mask *m,
		     struct error *err)
{
	const char *env = config_get(c, section, "env");
	const char *file = config_get(c, section, "file");
	const char *value = env ? getenv(env) : NULL;
	AUTO(free) char *text = NULL;
	int status = MT_OK;

	if (!value && file) {
		status = read_secret(file, false, &text, err);
		value = text;
	}
	if (!status && value && mask_add(m, value, strlen(value)))
		status = fail(err, MT_ENOMEM, "out of memory");
	return status;
}

int config_secrets(const struct config *c, struct mask *m, struct error *err)
{
	int status = add_key(c, "llm", m, err);

	if (!status)
		status = add_headers(config_get(c, "llm", "extra_headers"), m, err);
	for (size_t i = 0; i < c->section_count && !status; i++) {
		const char *section = c->sections[i];

		if (strncmp(section, "grant.", 6) == 0)
			status = add_grant(c, section, m, err);
		if (strncmp(section, "llm.", 4) != 0)
			continue;
		status = add_key(c, section, m, err);
		if (!status)
			status = add_headers(config_get(c, section, "extra_headers"), m,
					     err);
	}
	return status;
}
