/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-base.h - texts and lists of the harnesses for tests of plugins. Not part
 * of the ABI. C only. */
#ifndef MORTISE_HARNESS_BASE_H
#define MORTISE_HARNESS_BASE_H

#include <mortise/plugin.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/** A name with a text: an argument as JSON, an option, the reply to a request. */
struct mt_harness_pair {
	char *name, *text;
	size_t len; /* of `text` */
	int status; /* of a reply */
	struct mt_harness_pair *next;
};

static inline void mt_harness_fatal(const char *what, const char *name)
{
	fprintf(stderr, "harness: %s%s%s\n", what, name ? ": " : "", name ? name : "");
	abort();
}

static inline void *mt_harness_memory(void *p)
{
	if (!p)
		mt_harness_fatal("out of memory", NULL);
	return p;
}

static inline char *mt_harness_copy(const char *text, size_t len)
{
	char *copy = (char *)mt_harness_memory(malloc(len + 1));

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

static inline void mt_harness_append(char **text, size_t *len, const char *more, size_t n)
{
	char *joined = (char *)mt_harness_memory(realloc(*text, *len + n + 1));

	if (n)
		memcpy(joined + *len, more, n);
	joined[ *len += n] = '\0';
	*text = joined;
}

static inline char *mt_harness_format(const char *fmt, va_list ap)
{
	va_list again;
	int len;
	char *text;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		mt_harness_fatal("invalid format", fmt);
	text = (char *)mt_harness_memory(malloc((size_t)len + 1));
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	return text;
}

static inline struct mt_harness_pair *mt_harness_find(struct mt_harness_pair *list,
						      const char *name)
{
	while (list && strcmp(list->name, name) != 0)
		list = list->next;
	return list;
}

/* Append, so that the replies to a method are given in their order. */
static inline void mt_harness_add(struct mt_harness_pair **list, const char *name,
				  int status, const char *text, size_t len)
{
	struct mt_harness_pair *pair =
		(struct mt_harness_pair *)mt_harness_memory(calloc(1, sizeof *pair));

	pair->name = mt_harness_copy(name, strlen(name));
	pair->text = mt_harness_copy(text, len);
	pair->len = len;
	pair->status = status;
	while (*list)
		list = &(*list)->next;
	*list = pair;
}

static inline void mt_harness_remove(struct mt_harness_pair **list, const char *name)
{
	while (*list && name && strcmp((*list)->name, name) != 0)
		list = &(*list)->next;
	while (*list) {
		struct mt_harness_pair *pair = *list;

		*list = pair->next;
		free(pair->name);
		free(pair->text);
		free(pair);
		if (name)
			return;
	}
}

static inline void mt_harness_set(struct mt_harness_pair **list, const char *name,
				  const char *text, size_t len)
{
	mt_harness_remove(list, name);
	mt_harness_add(list, name, MT_OK, text, len);
}

/** Append a formatted text. */
MT_PRINTF(2, 3)
static inline void mt_harness_put(char **text, const char *fmt, ...)
{
	va_list ap;
	char *more;
	size_t len = *text ? strlen(*text) : 0;

	va_start(ap, fmt);
	more = mt_harness_format(fmt, ap);
	va_end(ap);
	mt_harness_append(text, &len, more, strlen(more));
	free(more);
}

/** The text; "" if there is none. */
static inline struct mt_str mt_harness_str(const char *text)
{
	struct mt_str s = { text ? text : "", text ? strlen(text) : 0 };

	return s;
}

/** The component of this kind and name of a plugin. `name`: NULL: the first one. */
static inline const struct mt_component *mt_harness_component(
	const struct mt_plugin *plugin, uint32_t kind, const char *name)
{
	for (uint32_t i = 0; i < plugin->component_count; i++) {
		const struct mt_component *c = &plugin->components[i];

		if (c->kind == kind && (!name || strcmp(c->name, name) == 0))
			return c;
	}
	mt_harness_fatal("the plugin has no such component", name);
	return NULL;
}

/** Value of an option: as set in `options`, else its default; NULL: unset. */
static inline const char *mt_harness_value(const struct mt_component *c,
					   struct mt_harness_pair *options,
					   const char *name)
{
	struct mt_harness_pair *pair = mt_harness_find(options, name);

	if (pair)
		return pair->text;
	for (uint32_t i = 0; i < c->option_count; i++)
		if (strcmp(c->options[i].name, name) == 0)
			return c->options[i].fallback;
	return NULL;
}

/** A boolean as 0 or 1, anything else without a unit: set it so in a test. */
static inline int64_t mt_harness_number(const char *value)
{
	if (value && (strcmp(value, "true") == 0 || strcmp(value, "yes") == 0))
		return 1;
	return value ? strtoll(value, NULL, 10) : 0;
}

#pragma GCC diagnostic pop

#endif
