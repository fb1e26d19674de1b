/* SPDX-License-Identifier: MIT
 *
 * cdp.h - messages to and from a browser over two pipes: JSON texts, each ended by a
 * NUL byte. */
#ifndef BROWSER_CDP_H
#define BROWSER_CDP_H

#include "error.h"
#include "js.h"

enum { CDP_MESSAGE_MAX = 256 << 20 };

/** How long to wait. */
struct cdp_wait {
	int64_t until;  /* clock_ms() of its end */
	int cancel_fd;  /* readable: stop at once; -1: none */
};

/** An event; `session` is "" for those of the browser. May send, not call. */
typedef void cdp_event_fn(void *arg, const char *session, const char *method,
			  json_object *params);

struct cdp;

/** Take both descriptors, also on failure. */
int cdp_new(int in, int out, cdp_event_fn *event, void *arg, struct cdp **ret,
	    struct error *err);
struct cdp *cdp_free(struct cdp *c);
/** Send without waiting for the answer. `session` "" : the browser. `params` is taken;
 *  NULL: out of memory. */
int cdp_send(struct cdp *c, const char *session, const char *method, json_object *params);
/** Send and wait; events that come meanwhile are handed out.
 *  @return MT_OK with `*ret` (owned; `ret` may be NULL); MT_EINVAL: the browser
 *  refused, with its sentence; MT_ETIMEOUT, MT_ECANCELLED; MT_EIO: it is gone. */
int cdp_call(struct cdp *c, const char *session, const char *method, json_object *params,
	     const struct cdp_wait *wait, json_object **ret, struct error *err);
/** The sentence for what cdp_poll returned. @return `status`. */
int cdp_gave_up(int status, struct error *err);
/** The session has ended: a call that waits for its answer is refused, with `why`. For
 *  event functions. */
void cdp_session_gone(struct cdp *c, const char *session, const char *why);
/** Dispatch the messages received, waiting for at most one. @return MT_OK, MT_ETIMEOUT
 *  (no message), MT_ECANCELLED, MT_EIO. */
int cdp_poll(struct cdp *c, const struct cdp_wait *wait);

#endif
