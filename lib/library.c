/* SPDX-License-Identifier: MIT
 *
 * library.c - loads shared libraries that are not linked. */
#include "library.h"

#include "auto.h"

#include <dlfcn.h>
#include <string.h>

int library_load(const struct library *l, void *table, size_t size, struct error *err)
{
	void *lib = dlopen(l->file, RTLD_LAZY | RTLD_LOCAL);
	AUTO(free) char *filled = calloc(1, size);

	if (!lib)
		return fail(err, MT_ENOTFOUND, "cannot load %s, which is needed %s: %s",
			    l->name, l->need, dlerror());
	for (size_t i = 0; filled && i < l->count; i++) {
		void *f = dlsym(lib, l->functions[i].name);

		if (!f) {
			dlclose(lib);
			return fail(err, MT_EUNSUPPORTED,
				    "%s is too old: it does not provide %s", l->name,
				    l->functions[i].name);
		}
		memcpy(filled + l->functions[i].offset, &f, sizeof f);
	}
	if (!filled) {
		dlclose(lib);
		return out_of_memory(err);
	}
	memcpy(table, filled, size);
	return MT_OK;
}
