/* SPDX-License-Identifier: MIT
 *
 * chrome.h - the browser process, with a private profile that is removed with it. */
#ifndef BROWSER_CHROME_H
#define BROWSER_CHROME_H

#include "error.h"
#include <stdbool.h>
#include <sys/types.h>

struct chrome_config {
	const char *program; /* a path, or a name in PATH; "" or NULL: default names */
	const char *directory;  /* parent directory of the profile */
	int width, height;   /* of the window */
	bool open;           /* disable its sandbox */
	const char *hosts;   /* list of hosts to allow; "" or NULL: all */
};

struct chrome {
	pid_t pid;
	int in, out;         /* our ends; -1 once the caller has taken them */
	char *profile;
};

/** Start it without waiting for a response. The browser's sandbox does not work as
 *  root. */
int chrome_start(const struct chrome_config *config, struct chrome *ret,
		 struct error *err);
/** Kill the browser and its child processes, and remove the profile. */
void chrome_end(struct chrome *c);
/** The last error of the browser: the last line, or a sentence for known errors; "" if
 *  none. */
void chrome_last_words(const struct chrome *c, char *ret, size_t size);

#endif
