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
	const char *hosts;     /* list of those that may be asked; empty: all */
	const char *proxy;     /* NULL: none */
	const char *agent;     /* what the request calls itself; NULL: a default */
	bool private_too;      /* addresses that are not of the public internet */
	int64_t redirects;
	int64_t until_ms;      /* by CLOCK_MONOTONIC */
	int (*cancelled)(void *arg); /* may be NULL */
	void *arg;
	/* the result */
	struct strbuf body;    /* its ceiling is the limit */
	char *last;            /* the address that answered */
	char type[128];        /* "text/html", in lower case */
	char charset[64];      /* that the server named, or "" */
	long code;
	bool cut;              /* the body was longer */
	bool refused;          /* an address was */
	size_t most;           /* bytes of the body */
};

/** @return MT_OK (whatever the status code of the answer), MT_EINVAL: no address
 *  that is fetched; MT_EDENIED: it may not be; MT_ETIMEOUT, MT_ECANCELLED, MT_EIO.
 *  get_clear is due either way. */
int get_page(struct get *g, struct error *err);
void get_clear(struct get *g);
/** A link of a page as an absolute address; owned, NULL: it is none of the web. */
char *get_resolve(const char *page, const char *link);

#endif
