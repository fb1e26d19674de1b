/* SPDX-License-Identifier: MIT
 *
 * curl-api.c - loads libcurl. */
#include "llm/transport/curl-api.h"
#include "auto.h"
#include "library.h"
#include <stdbool.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct library_function functions[] = {
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

static int load_curl(struct curl_api *ret, struct error *err)
{
	static const struct library library = {
		"libcurl.so.4", "libcurl", "to send requests", functions, ARRAY_LEN(functions),
	};
	struct curl_api fresh;
	int r = library_load(&library, &fresh, sizeof fresh, err);

	if (r)
		return r;
	if (fresh.global_init(CURL_GLOBAL_ALL) != CURLE_OK)
		return fail(err, MT_EIO, "cannot initialize libcurl");
	*ret = fresh;
	return MT_OK;
}

/* ---- loading once, perhaps in a thread ---------------------------------- */

static struct {
	struct curl_api api;
	struct error error;
	pthread_t thread;
	bool begun, done; /* the thread was started, and joined */
} now;

static void *load_beside(void *arg)
{
	load_curl(&now.api, &now.error);
	return arg;
}

void curl_api_join(void)
{
	if (now.begun && !now.done)
		pthread_join(now.thread, NULL);
	now.done = now.begun;
}

void curl_api_preload(void)
{
	sigset_t all, old;

	if (now.begun)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	now.begun = atexit(curl_api_join) == 0 &&
		    pthread_create(&now.thread, NULL, load_beside, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

const struct curl_api *curl_api(struct error *err)
{
	curl_api_join();
	if (!now.api.global_init && load_curl(&now.api, &now.error)) {
		*err = now.error;
		return NULL;
	}
	return &now.api;
}
