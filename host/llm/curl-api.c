/* SPDX-License-Identifier: MIT
 *
 * curl-api.c - loading libcurl. */
#include "llm/curl-api.h"
#include "auto.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{ "curl_global_init", offsetof(struct curl_api, global_init) },
	{ "curl_easy_init", offsetof(struct curl_api, easy_init) },
	{ "curl_easy_perform", offsetof(struct curl_api, easy_perform) },
	{ "curl_easy_cleanup", offsetof(struct curl_api, easy_cleanup) },
	{ "curl_easy_setopt", offsetof(struct curl_api, easy_setopt) },
	{ "curl_easy_getinfo", offsetof(struct curl_api, easy_getinfo) },
	{ "curl_easy_strerror", offsetof(struct curl_api, easy_strerror) },
	{ "curl_slist_append", offsetof(struct curl_api, slist_append) },
	{ "curl_slist_free_all", offsetof(struct curl_api, slist_free_all) },
	{ "curl_multi_init", offsetof(struct curl_api, multi_init) },
	{ "curl_multi_cleanup", offsetof(struct curl_api, multi_cleanup) },
	{ "curl_multi_add_handle", offsetof(struct curl_api, multi_add_handle) },
	{ "curl_multi_remove_handle", offsetof(struct curl_api, multi_remove_handle) },
	{ "curl_multi_setopt", offsetof(struct curl_api, multi_setopt) },
	{ "curl_multi_assign", offsetof(struct curl_api, multi_assign) },
	{ "curl_multi_socket_action", offsetof(struct curl_api, multi_socket_action) },
	{ "curl_multi_info_read", offsetof(struct curl_api, multi_info_read) },
};

static int load(struct curl_api *api, struct error *err)
{
	void *lib = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);

	if (!lib)
		return fail(err, MT_ENOTFOUND,
			    "libcurl is needed to reach a model and cannot be loaded: %s",
			    dlerror());
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		void *f = dlsym(lib, functions[i].name);

		if (!f) {
			dlclose(lib);
			return fail(err, MT_EUNSUPPORTED,
				    "libcurl has no %s: it is too old",
				    functions[i].name);
		}
		memcpy((char *)api + functions[i].offset, &f, sizeof f);
	}
	if (api->global_init(CURL_GLOBAL_ALL) != CURLE_OK)
		return fail(err, MT_EIO, "libcurl cannot be initialised");
	return MT_OK;
}

const struct curl_api *curl_api(struct error *err)
{
	static struct curl_api api;
	static bool loaded;

	if (!loaded) {
		struct curl_api fresh = { 0 };

		if (load(&fresh, err))
			return NULL;
		api = fresh;
		loaded = true;
	}
	return &api;
}
