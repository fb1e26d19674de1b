/* SPDX-License-Identifier: MIT
 *
 * kernelspec.h - installed kernels: directories with a kernel.json in Jupyter's search
 * path. */
#ifndef IPYTHON_KERNELSPEC_H
#define IPYTHON_KERNELSPEC_H

#include "error.h"
#include "js.h"
#include <stdbool.h>

struct kernelspec {
	char *directory;      /* with its kernel.json and resources */
	json_object *json; /* all of kernel.json */
	char **argv;       /* with {connection_file}; ends in NULL */
	size_t argc;
	char *program;     /* argv[0] as a path */
	bool python;       /* its language is Python */
	bool by_message;   /* to be interrupted by a message */
};

/** Find a kernel: `name` as in `jupyter kernelspec list`, or a directory if it contains a
 *  slash. The error of MT_ENOTFOUND lists the installed kernels, and what to install. */
int kernelspec_find(const char *name, struct kernelspec *ret, struct error *err);
void kernelspec_clear(struct kernelspec *k);
/** Append "NAME=value" texts of the spec's environment, ${X} replaced, to a list that has
 *  room for `max`. @return their number; negative: out of memory. */
int kernelspec_env(const struct kernelspec *k, char **list, int max);

#endif
