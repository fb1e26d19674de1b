/* SPDX-License-Identifier: MIT
 *
 * get.h - fetches one page over HTTP, within limits. */
#ifndef FETCH_GET_H
#define FETCH_GET_H

#include "error.h"
#include "strbuf.h"
#include <stdbool.h>
#include <stdint.h>

struct get {
	const char *url;
	const char *hosts;     /* list of permitted hosts; empty: all */
	const char *proxy;     /* NULL: none */
	const char *agent;     /* User-Agent; NULL: default */
	bool private_too;      /* allow private addresses, too */
	int64_t redirects;
	int64_t until_ms;      /* by CLOCK_MONOTONIC */
	int (*cancelled)(void *arg); /* may be NULL */
	void *arg;
	/* the result */
	struct strbuf body;    /* its maximum size is the limit */
	char *last;            /* URL that returned the response */
	char type[128];        /* "text/html", in lowercase */
	char charset[64];      /* declared by the server, or "" */
	long code;
	bool cut;              /* the body was truncated */
	bool refused;          /* an address was refused */
	size_t most;           /* maximum size of the body, bytes */
};

/** @return MT_OK (with any status code), MT_EINVAL: unsupported URL; MT_EDENIED: not
 *  permitted; MT_ETIMEOUT, MT_ECANCELLED, MT_EIO. Call get_clear in any case. */
int get_page(struct get *g, struct error *err);
void get_clear(struct get *g);
/** Resolve a link of a page to an absolute URL; owned, NULL: not a web URL. */
char *get_resolve(const char *page, const char *link);

#endif
