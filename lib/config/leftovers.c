/* SPDX-License-Identifier: MIT
 *
 * leftovers.c - ignores files of /etc/mortise/conf.d whose package was removed: a package
 * manager keeps such files when it removes the plugin. */
#include "config/layers.h"
#include "files.h"
#include "log.h"
#include <glob.h>
#include <string.h>

enum { CONFFILES_MAX = 1 << 20 };

static bool has_item(const char *list, const char *item)
{
	const char *each;
	size_t len;

	while (option_list_next(&list, &each, &len))
		if (strlen(item) == len && memcmp(each, item, len) == 0)
			return true;
	return false;
}

static bool is_of_package(const struct setting *s)
{
	return s->layer == LAYER_SYSTEM && strstr(s->origin, "/conf.d/");
}

/* The origin of the item if only files of packages contain it; otherwise NULL. */
static const char *package_origin(const struct config *c, const struct value *v,
				  const char *item)
{
	const char *origin = NULL;

	for (const char *section = v->section; section;
	     section = config_section_parent(c, section))
		for (size_t i = 0; i < c->setting_count; i++) {
			const struct setting *s = &c->settings[i];

			if (strcmp(s->section, section) != 0 ||
			    strcmp(s->key, v->key) != 0 || s->op == '-' ||
			    !has_item(s->value, item))
				continue;
			if (!is_of_package(s))
				return NULL;
			origin = s->origin;
		}
	return origin;
}

/* True if the file list of a package contains this file; it has one path per line. */
static bool leftovers_lists(const char *list, const char *path, size_t len)
{
	AUTO(free) char *text = NULL;
	size_t size;

	if (file_read(list, CONFFILES_MAX, &text, &size, NULL))
		return false;
	for (const char *at = text; (at = strstr(at, path)); at++)
		if ((at == text || at[-1] == '\n') && (!at[len] || at[len] == '\n'))
			return true;
	return false;
}

/* " (package NAME)" if dpkg knows the package that installed the file. */
static void add_package(struct strbuf *out, const char *path, size_t len)
{
	AUTO(free) char *file = strndup(path, len);
	glob_t found = { 0 };

	if (!file || glob("/var/lib/dpkg/info/*.conffiles", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;

		if (!leftovers_lists(found.gl_pathv[i], file, len))
			continue;
		strbuf_addf(out, " (package %.*s)", (int)strcspn(name, ".:"), name);
		break;
	}
	globfree(&found);
}

static void leftovers_warn(const struct value *v, const char *item, const char *origin)
{
	AUTO(strbuf) struct strbuf file = STRBUF(8192);
	const char *colon = strrchr(origin, ':');
	size_t len = colon ? (size_t)(colon - origin) : strlen(origin);

	strbuf_addn(&file, origin, len);
	add_package(&file, origin, len);
	log_line(
		MT_LOG_WARNING, "config",
		"`%s` of [%s] is ignored in `%s`: it is not installed; install it again, "
		"or remove %s",
		item, v->section, v->key, file.text);
}

static void leftovers_drop(const struct config *c, struct value *v,
			   config_known_fn *known, void *arg)
{
	AUTO(free) char *all = strdup(v->text);
	const char *rest = all, *each;
	size_t len;

	while (rest && option_list_next(&rest, &each, &len)) {
		AUTO(free) char *item = strndup(each, len);
		const char *origin;
		char *left;

		if (!item || known(v->key, item, arg))
			continue;
		origin = package_origin(c, v, item);
		left = origin ? config_list_change(v->text, '-', item) : NULL;
		if (!left)
			continue;
		free(v->text);
		v->text = left;
		leftovers_warn(v, item, origin);
	}
}

void config_drop_leftovers(struct config *c, config_known_fn *known, void *arg)
{
	static const char *const keys[] = { "tools", "condensers", "analyzers" };

	for (size_t i = 0; i < c->value_count; i++)
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			if (strcmp(c->values[i].key, keys[k]) == 0 &&
			    strncmp(c->values[i].section, "controller", 10) == 0)
				leftovers_drop(c, &c->values[i], known, arg);
}
