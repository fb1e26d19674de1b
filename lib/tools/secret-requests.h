/* SPDX-License-Identifier: MIT
 *
 * secret-requests.h - answers the request "secret/get" of a tool and masks secrets in
 * results. */
#ifndef LIB_TOOLS_SECRET_REQUESTS_H
#define LIB_TOOLS_SECRET_REQUESTS_H

#include "config/config.h"
#include "runner-client/runner-connection.h"

/** Answer the request if it is "secret/get". The connection has checked that the secret
 *  is granted to the instance. The value is added to `mask` (may be NULL) before it is
 *  sent. @return false: another request. */
bool secret_request_answer(struct runner *l, const struct config *c, struct mask *mask,
			   uint64_t request, const char *method, json_object *params);

/** Append the text of a result with its secrets masked. The runner may have removed the
 *  middle of the text and split a secret. @return the error of `ret`. */
int secret_mask_result(const struct mask *mask, const char *text, size_t len,
		       struct strbuf *ret);

#endif
