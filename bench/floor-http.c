/* SPDX-License-Identifier: MIT
 *
 * floor-http.c - measures the minimum cost of a start: one request through libcurl.
 *
 *   floor-http URL [CERTIFICATES_DIR] */
#include <curl/curl.h>
#include <stdio.h>

static size_t drop(char *bytes, size_t size, size_t count, void *arg)
{
	(void)bytes;
	(void)arg;
	return size * count;
}

int main(int argc, char **argv)
{
	static const char body[] = "{\"model\":\"mock\",\"messages\":[{\"role\":\"user\","
				   "\"content\":\"Hello\"}]}";
	struct curl_slist *headers;
	CURL *curl;
	CURLcode code;

	if (argc < 2 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return 2;
	curl = curl_easy_init();
	headers = curl_slist_append(NULL, "Content-Type: application/json");
	if (!curl || !headers)
		return 1;
	curl_easy_setopt(curl, CURLOPT_URL, argv[1]);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(curl, CURLOPT_CAINFO, NULL);
	curl_easy_setopt(curl, CURLOPT_CAPATH, argc > 2 ? argv[2] : "/etc/ssl/certs");
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		fprintf(stderr, "floor-http: %s\n", curl_easy_strerror(code));
	curl_easy_cleanup(curl);
	curl_slist_free_all(headers);
	return code != CURLE_OK;
}
