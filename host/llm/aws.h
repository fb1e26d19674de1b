/* SPDX-License-Identifier: MIT
 *
 * aws.h - the keys of an AWS account, and requests signed with them.
 *
 * Keys come from the profile that [llm] aws_profile names; else from the
 * environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN);
 * else from the profile $AWS_PROFILE or `default` of ~/.aws/credentials and
 * ~/.aws/config. They are read anew for each attempt, since temporary ones end,
 * and hidden by the mask. */
#ifndef HOST_LLM_AWS_H
#define HOST_LLM_AWS_H

#include "config/config.h"
#include "mask.h"

enum { AWS_HEADERS = 4 };

struct aws;

/** @return MT_EDENIED without keys, MT_EINVAL without a region. `c`, `section`
 *  and `mask` must outlive it. */
int aws_open(const struct config *c, const char *section, struct mask *mask,
	     struct aws **ret, struct error *err);
struct aws *aws_free(struct aws *a);
const char *aws_region(const struct aws *a);

struct aws_request {
	const char *method, *url, *service;
	const char *const *headers; /* "Name: value"; Content-Type is signed */
	size_t header_count;
	const char *body;
	size_t body_len;
};

/** The headers to add, "Name: value"; owned by the caller, unused ones NULL. */
int aws_sign(struct aws *a, const struct aws_request *r, int64_t now,
	     char *ret_headers[AWS_HEADERS], struct error *err);

#endif
