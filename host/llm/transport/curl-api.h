/* SPDX-License-Identifier: MIT
 *
 * curl-api.h - the functions of libcurl that Mortise uses, loaded on the first
 * request.
 *
 * Loading libcurl also loads three dozen libraries and takes longer than the rest of the
 * startup. Commands and models that need no network do not load it. */
#ifndef HOST_LLM_TRANSPORT_CURL_API_H
#define HOST_LLM_TRANSPORT_CURL_API_H

#include "error.h"
#include <curl/curl.h>

struct curl_api {
	__typeof__(curl_global_init) *global_init;
	__typeof__(curl_easy_init) *easy_init;
	__typeof__(curl_easy_perform) *easy_perform;
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
	CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
	__typeof__(curl_multi_init) *multi_init;
	__typeof__(curl_multi_cleanup) *multi_cleanup;
	__typeof__(curl_multi_add_handle) *multi_add_handle;
	__typeof__(curl_multi_remove_handle) *multi_remove_handle;
	CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
	__typeof__(curl_multi_assign) *multi_assign;
	__typeof__(curl_multi_socket_action) *multi_socket_action;
	__typeof__(curl_multi_info_read) *multi_info_read;
};

/** Load libcurl in a thread, in advance of requests. Not thread-safe. */
void curl_api_preload(void);
/** Wait for the thread, if it runs. Call this before the process exits: libraries loaded
 *  with libcurl register exit handlers, which would run before the one that waits. */
void curl_api_join(void);
/** Return the initialized table; NULL with `err` filled if libcurl is not installed. */
const struct curl_api *curl_api(struct error *err);

#endif
