/* SPDX-License-Identifier: MIT
 *
 * secrets.c - reads the configured secrets when they are needed and never stores them. No
 * other file reads secrets from the environment. */
#include "config/environment.h"
#include "config/key-command.h"
#include "config/layers.h"
#include "files.h"
#include "log.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { SECRET_MAX = 65536 };

/* The text of a file that contains a secret; `line`: only its first line. */
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
	return *ret ? MT_OK : out_of_memory(err);
}

const char *secret_env(const char *name)
{
	return getenv(name);
}

int secret_hide(struct mask *m, const char *name, const char *value, size_t len,
		struct error *err)
{
	switch (mask_add(m, value, len)) {
	case MT_OK:
		return MT_OK;
	case MT_EINVAL:
		log_line(MT_LOG_WARNING, "config",
			 "the value of %s is not masked because it %s", name,
			 len < MASK_MIN ? "has fewer than 8 bytes" : "is a placeholder");
		return MT_OK;
	default:
		return out_of_memory(err);
	}
}

char *config_api_key(const struct config *c, const char *section,
		     const char *fallback_env, struct error *err)
{
	const char *env = config_get(c, section, "api_key_env");
	const char *file = config_get(c, section, "api_key_file");
	const char *command = config_get(c, section, "api_key_command");
	const char *value = NULL;
	char *key = NULL;

	if (env)
		value = secret_env(env);
	if (!value && file) {
		if (read_secret(file, true, &key, err))
			return NULL;
		if (!*key) {
			free(key);
			fail(err, MT_EINVAL, "%s: contains no key", file);
			return NULL;
		}
		return key;
	}
	if (!value && command)
		return key_from_command(command, section, err);
	if (!value && !env && fallback_env)
		value = secret_env(fallback_env);
	if (!value || !*value)
		return NULL;
	key = strdup(value);
	if (!key)
		out_of_memory(err);
	return key;
}

/* The source of a secret, for a message. */
static const char *origin(const struct config *c, const char *section, const char *env,
			  const char *file)
{
	const char *name = config_get(c, section, env);

	if (!name || !*name || !secret_env(name))
		name = config_get(c, section, file);
	return name && *name ? name : section;
}

static int add_key(const struct config *c, const char *section, struct mask *m,
		   struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(free) char *key = config_api_key(c, section, NULL, &why);
	const char *name;
	char command[160];

	if (why.code == MT_ENOTFOUND)
		return MT_OK; /* reported when the model is used */
	if (why.code)
		return fail(err, why.code, "%s", why.text);
	if (!key)
		return MT_OK;
	name = origin(c, section, "api_key_env", "api_key_file");
	snprintf(command, sizeof command, "api_key_command of [%s]", section);
	return secret_hide(m, name == section ? command : name, key, strlen(key), err);
}

/* A name such as GIT_AUTHOR_NAME contains "auth", but does not name a credential. */
static bool is_author(const char *at, size_t len)
{
	static const char word[] = "author";
	const size_t n = sizeof word - 1;

	if (len < n || strncasecmp(at, word, n) != 0)
		return false;
	if (len > n && (at[n] == 's' || at[n] == 'S'))
		return len == n + 1 || !isalpha((unsigned char)at[n + 1]);
	return len == n || !isalpha((unsigned char)at[n]);
}

bool secret_named(const char *name, size_t len)
{
	static const char *const words[] = { "auth", "key", "token", "secret", "cookie",
					     "password" };

	for (size_t w = 0; w < ARRAY_LEN(words); w++)
		for (size_t i = 0; i + strlen(words[w]) <= len; i++)
			if (strncasecmp(name + i, words[w], strlen(words[w])) == 0 &&
			    !is_author(name + i, len - i))
				return true;
	return false;
}

/* Mask the x of "Authorization: Bearer x". */
static int add_headers(const char *section, const char *list, struct mask *m,
		       struct error *err)
{
	const char *item;
	size_t len;

	while (list && option_list_next(&list, &item, &len)) {
		const char *end = item + len, *value = memchr(item, ':', len);

		if (!value || !secret_named(item, (size_t)(value - item)))
			continue;
		for (value++; value < end && *value == ' '; value++)
			;
		for (const char *p = value; p < end; p++)
			if (*p == ' ')
				value = p + 1;
		if (secret_hide(m, section, value, (size_t)(end - value), err))
			return err->code;
	}
	return MT_OK;
}

/* The value of a section [grant.NAME]; NULL if there is none (err unchanged). */
static char *read_grant(const struct config *c, const char *section, struct error *err)
{
	const char *env = config_get(c, section, "env");
	const char *file = config_get(c, section, "file");
	const char *value = env ? secret_env(env) : NULL;
	char *text = NULL;

	if (!value && file)
		return read_secret(file, false, &text, err) ? NULL : text;
	if (!value)
		return NULL;
	text = strdup(value);
	if (!text)
		out_of_memory(err);
	return text;
}

static int add_grant(const struct config *c, const char *section, struct mask *m,
		     struct error *err)
{
	struct error why = ERROR_NONE;
	AUTO(free) char *value = read_grant(c, section, &why);

	if (why.code)
		return fail(err, why.code, "%s", why.text);
	return value ? secret_hide(m, origin(c, section, "env", "file"), value,
				   strlen(value), err)
		     : MT_OK;
}

char *config_grant(const struct config *c, const char *name, struct error *err)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256);
	struct error why = ERROR_NONE;
	char *value = NULL;

	if (!strbuf_addf(&section, "grant.%s", name) && config_has(c, section.text))
		value = read_grant(c, section.text, &why);
	if (!value && why.code)
		fail(err, why.code, "%s", why.text);
	else if (!value)
		fail(err, MT_ENOTFOUND,
		     "the secret `%.80s` is not set: [grant.%.80s] names neither a "
		     "variable that is set nor a file",
		     name, name);
	return value;
}

bool config_grants_permission(const struct config *c, const char *tool, const char *kind,
			      const char *what)
{
	AUTO(strbuf) struct strbuf section = STRBUF(256), wanted = STRBUF(8192);
	const char *list, *item;
	size_t len;

	if (strbuf_addf(&section, "tool.%s", tool) ||
	    strbuf_addf(&wanted, "%s %s", kind, what))
		return false;
	list = config_get(c, section.text, "permissions");
	while (list && option_list_next(&list, &item, &len))
		if (len == wanted.len && memcmp(item, wanted.text, len) == 0)
			return true;
	return false;
}

/* Mask the key of a model section, its headers, and the password of its proxy. */
static int add_model_section(const struct config *c, const char *section, struct mask *m,
			     struct error *err)
{
	const char *proxy = config_get(c, section, "proxy");
	int status = add_key(c, section, m, err);

	if (!status)
		status = add_headers(section, config_get(c, section, "extra_headers"), m,
				     err);
	if (!status && proxy)
		status = environment_hide_urls(m, section, proxy, err);
	return status;
}

int config_secrets(const struct config *c, struct mask *m, struct error *err)
{
	int status = add_model_section(c, "llm", m, err);

	for (size_t i = 0; i < c->section_count && !status; i++) {
		const char *section = c->sections[i];

		if (strncmp(section, "grant.", 6) == 0)
			status = add_grant(c, section, m, err);
		else if (strncmp(section, "llm.", 4) == 0)
			status = add_model_section(c, section, m, err);
	}
	return status ? status : environment_hide(c, m, err);
}
