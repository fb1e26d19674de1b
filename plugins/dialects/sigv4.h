/* SPDX-License-Identifier: MIT
 *
 * sigv4.h - AWS signature version 4 of an HTTP request.
 *
 * libcurl can sign too, but as of 7.88 it neither sorts nor encodes the query, and
 * signs the path as it is sent. Every service except S3 requires a second encoding, which
 * matters here: a model's id has a colon. */
#ifndef DIALECTS_SIGV4_H
#define DIALECTS_SIGV4_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>

enum { SIGV4_HEX = 65, SIGV4_TIME = 17, SIGV4_MAX_HEADERS = 64 };

struct sigv4_header {
	const char *name, *value;
};

struct sigv4_request {
	const char *method;
	const char *target;        /* path and query as sent */
	/** All headers to sign, including "x-amz-date" and "x-amz-security-token" unless
	 *  the signature is in the query. */
	const struct sigv4_header *headers;
	size_t header_count;
	const char *body;
	size_t body_len;
};

struct sigv4_scope {
	const char *key_id, *secret;
	const char *token;         /* of temporary keys; only the query form reads it */
	const char *region, *service;
	int64_t time;              /* seconds since 1970 */
	int64_t expires;           /* seconds; above 0: sign in the query */
	bool raw_path;             /* do not resolve "." and ".." in the path */
};

/** The intermediate texts and the signature. */
struct sigv4_result {
	struct strbuf canonical, to_sign;
	char signed_headers[1024]; /* "host;x-amz-date" */
	char signature[SIGV4_HEX];
};

int sigv4_sign(const struct sigv4_scope *s, const struct sigv4_request *r,
	       struct sigv4_result *ret, struct error *err);
void sigv4_clear(struct sigv4_result *r);
/** "20150830T123600Z" */
void sigv4_time(int64_t seconds, char ret[SIGV4_TIME]);
/** SHA-256 in hexadecimal. */
int sigv4_hash(const char *bytes, size_t len, char ret[SIGV4_HEX]);

#endif
