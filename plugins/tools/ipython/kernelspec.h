/* SPDX-License-Identifier: MIT
 *
 * kernelspec.h - installed kernels: directories with a kernel.json where Jupyter
 * searches for them. */
#ifndef IPYTHON_KERNELSPEC_H
#define IPYTHON_KERNELSPEC_H

#include "error.h"
#include "js.h"
#include <stdbool.h>

struct kernelspec {
	char *directory;      /* with its kernel.json and resources */
	json_object *json; /* the whole of it */
	char **argv;       /* {connection_file} in it still; ends in NULL */
	size_t argc;
	char *program;     /* argv[0] as a path */
	bool python;       /* what runs in it is Python */
	bool by_message;   /* it wants to be interrupted by a message */
};

/** Find a kernel: `name` as in `jupyter kernelspec list`, or a directory if it contains a
 *  slash. The error of MT_ENOTFOUND lists the installed kernels, and what to install. */
int kernelspec_find(const char *name, struct kernelspec *ret, struct error *err);
void kernelspec_clear(struct kernelspec *k);
/** Append "NAME=value" texts of the spec's environment, ${X} replaced, to a list
 *  that has room for `max`. @return how many; negative: out of memory. */
int kernelspec_env(const struct kernelspec *k, char **list, int max);

#endif
