/* SPDX-License-Identifier: MIT
 *
 * fuzz-glob.c - patterns of paths: input is the pattern, a newline, the path. A path
 * without special characters matches itself, `**` matches everything. */
#include "text/glob.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(free) char *text = strndup((const char *)bytes, n);
	char *path = text ? strchr(text, '\n') : NULL;
	char *base = NULL, *rest = NULL;
	struct glob g;

	if (!path)
		return 0;
	*path++ = '\0';
	if (glob_open(&g, text, NULL) == MT_OK) {
		glob_has(&g, path);
		glob_close(&g);
	}
	if (glob_split(text, &base, &rest) || !*rest)
		abort();
	free(base);
	free(rest);
	if (*path && (!glob_match("**", path) ||
		      (!strpbrk(path, "*?[\\") && !glob_match(path, path))))
		abort();
	return 0;
}
