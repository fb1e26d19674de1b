/* SPDX-License-Identifier: MIT
 *
 * chrome.h - the browser process, with a private profile that is removed with it. */
#ifndef BROWSER_CHROME_H
#define BROWSER_CHROME_H

#include "error.h"
#include <stdbool.h>
#include <sys/types.h>

struct chrome_config {
	const char *program; /* a path, or a name in PATH; "" or NULL: looked for */
	const char *directory;  /* where the profile's directory is made */
	int width, height;   /* of the window */
	bool open;           /* without a sandbox of its own */
	const char *hosts;   /* that it may reach, a list; "" or NULL: all */
};

struct chrome {
	pid_t pid;
	int in, out;         /* our ends; -1 once the caller has taken them */
	char *profile;
};

/** Start it without waiting for a response. Its sandbox is not available to root. */
int chrome_start(const struct chrome_config *config, struct chrome *ret,
		 struct error *err);
/** Kill it with all its processes, and remove the profile. */
void chrome_end(struct chrome *c);
/** The last error of the browser: the last line, or a sentence for known errors; "" if none. */
void chrome_last_words(const struct chrome *c, char *ret, size_t size);

#endif
