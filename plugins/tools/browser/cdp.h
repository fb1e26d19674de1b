/* SPDX-License-Identifier: MIT
 *
 * cdp.h - exchanges messages with a browser over two pipes: JSON texts, each terminated
 * by a NUL byte. */
#ifndef BROWSER_CDP_H
#define BROWSER_CDP_H

#include "error.h"
#include "js.h"

enum { CDP_MESSAGE_MAX = 256 << 20 };

/** Time limit and cancellation of a wait. */
struct cdp_wait {
	int64_t until;  /* deadline, clock_ms() */
	int cancel_fd;  /* readable: stop immediately; -1: none */
};

/** An event; `session` is "" for events of the browser. The function may use cdp_send,
 *  but not cdp_call. */
typedef void cdp_event_fn(void *arg, const char *session, const char *method,
			  json_object *params);

struct cdp;

/** Take both descriptors, also on failure. */
int cdp_new(int in, int out, cdp_event_fn *event, void *arg, struct cdp **ret,
	    struct error *err);
struct cdp *cdp_free(struct cdp *c);
/** Send without waiting for the response. `session` "": the browser. Takes `params`;
 *  NULL: out of memory. */
int cdp_send(struct cdp *c, const char *session, const char *method, json_object *params);
/** Send and wait for the response; events that arrive meanwhile are dispatched.
 *  @return MT_OK with `*ret` (owned; `ret` may be NULL); MT_EINVAL: the browser returned
 *  an error, whose message is in `err`; MT_ETIMEOUT, MT_ECANCELLED; MT_EIO: the browser
 *  exited. */
int cdp_call(struct cdp *c, const char *session, const char *method, json_object *params,
	     const struct cdp_wait *wait, json_object **ret, struct error *err);
/** Set the message for a status of cdp_poll. @return `status`. */
int cdp_gave_up(int status, struct error *err);
/** The session has ended: a pending call fails with the message `why`. For event
 *  functions. */
void cdp_session_gone(struct cdp *c, const char *session, const char *why);
/** Dispatch received messages; wait for the first if none has arrived. @return MT_OK,
 *  MT_ETIMEOUT (no message), MT_ECANCELLED, MT_EIO. */
int cdp_poll(struct cdp *c, const struct cdp_wait *wait);

#endif
