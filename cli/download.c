/* SPDX-License-Identifier: MIT
 *
 * download.c - downloads one file over https. */
#include "download.h"

#include "files.h"
#include "llm/transport/curl-api.h"

#include <limits.h>
#include <string.h>

enum { DOWNLOAD_SECONDS = 120 };

static size_t on_bytes(char *bytes, size_t size, size_t n, void *arg)
{
	return strbuf_addn(arg, bytes, size * n) ? 0 : size * n;
}

static int fetch(const struct curl_api *api, CURL *curl, const struct config *c,
		 const char *url, struct strbuf *out, struct error *err)
{
	const char *ca = config_get(c, "llm", "ca_path"),
		   *proxy = config_get(c, "llm", "proxy");
	long status = 0;
	CURLcode r;

	api->easy_setopt(curl, CURLOPT_URL, url);
	api->easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https");
	api->easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "https");
	api->easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	api->easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
	api->easy_setopt(curl, CURLOPT_TIMEOUT, (long)DOWNLOAD_SECONDS);
	api->easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	api->easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
	api->easy_setopt(curl, CURLOPT_WRITEDATA, out);
	if (ca && *ca)
		api->easy_setopt(curl, CURLOPT_CAPATH, ca);
	if (proxy && *proxy)
		api->easy_setopt(curl, CURLOPT_PROXY, proxy);
	r = api->easy_perform(curl);
	api->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (out->error == MT_ELIMIT)
		return fail(err, MT_ELIMIT, "cannot download %s: larger than %zu bytes",
			    url, out->max - 1);
	if (r != CURLE_OK)
		return fail(err, MT_EIO, "cannot download %s: %s", url,
			    api->easy_strerror(r));
	return status == 200 ? MT_OK
			     : fail(err, MT_EIO, "cannot download %s: HTTP status %ld",
				    url, status);
}

int download_to(const struct config *c, const char *url, size_t max, const char *path,
		struct error *err)
{
	const struct curl_api *api = curl_api(err);
	AUTO(strbuf) struct strbuf out = STRBUF(max + 1);
	CURL *curl = api ? api->easy_init() : NULL;
	int r;

	if (!api)
		return err ? err->code : MT_ENOTFOUND;
	if (!curl)
		return out_of_memory(err);
	r = fetch(api, curl, c, url, &out, err);
	api->easy_cleanup(curl);
	return r ? r : file_write(path, out.text, out.len, 0600, false, err);
}

int download_file(const struct config *c, const char *url, size_t max, const char *dir,
		  char **ret_path, struct error *err)
{
	const char *file = strrchr(url, '/');
	AUTO(strbuf) struct strbuf name = STRBUF(2 * PATH_MAX);

	file = file ? file + 1 : "pack";
	strbuf_addf(&name, "%s/%.*s", dir, (int)strcspn(file, "?#"), file);
	*ret_path = strbuf_take(&name);
	return *ret_path ? download_to(c, url, max, *ret_path, err) : out_of_memory(err);
}
