/* SPDX-License-Identifier: MIT
 *
 * auto.h - cleanup at the end of a scope, and small macros. */
#ifndef LIB_AUTO_H
#define LIB_AUTO_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AUTO(kind) __attribute__((cleanup(auto_##kind)))

#define AUTO_DEFINE(kind, type, release)                                       \
	static inline void auto_##kind(type *p)                                \
	{                                                                      \
		if (*p)                                                        \
			release(*p);                                           \
	}

AUTO_DEFINE(fclose, FILE *, fclose)

static inline void auto_free(void *p) /* any pointer type */
{
	free(*(void **)p);
}

static inline void auto_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/** Take the value out of a variable that would be released. */
#define STEAL(p) \
	__extension__({ __typeof__(p) stolen_ = (p); (p) = NULL; stolen_; })

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/** The first row of a table whose member `name` is the text; NULL: none. */
#define ROW_NAMED(table, text)                                            \
	__extension__({                                                   \
		const char *text_ = (text);                               \
		__typeof__(&(table)[0]) row_ = (table);                   \
		__typeof__(row_) end_ = row_ + ARRAY_LEN(table);          \
                                                                          \
		while (row_ < end_ && strcmp(row_->name, text_) != 0)     \
			row_++;                                           \
		row_ < end_ ? row_ : NULL;                                \
	})

#endif
