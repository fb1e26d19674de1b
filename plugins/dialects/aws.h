/* SPDX-License-Identifier: MIT
 *
 * aws.h - credentials and region of an AWS account, and signed requests.
 *
 * Keys come from the profile that [llm] aws_profile names; otherwise from the
 * environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN);
 * otherwise from the profile $AWS_PROFILE or `default` of ~/.aws/credentials and
 * ~/.aws/config. They are read again for each attempt, since temporary keys
 * expire, and masked. */
#ifndef DIALECTS_AWS_H
#define DIALECTS_AWS_H

#include "error.h"
#define MORTISE_PROVISIONAL
#include <mortise/dialect.h>

enum { AWS_REGION_MAX = 64 };

/** @return MT_EINVAL without a (valid) region. */
int aws_region(const struct mt_dialect_host *host, struct mt_exchange *x,
	       char ret[AWS_REGION_MAX], struct error *err);
/** Can requests be signed? @return MT_EDENIED without keys, MT_EINVAL without a
 *  region. */
int aws_check(const struct mt_dialect_host *host, struct mt_exchange *x,
	      struct error *err);
/** Sign for this service of AWS: adds its headers to the attempt. */
int aws_sign(const struct mt_dialect_host *host, struct mt_exchange *x,
	     const char *service, const struct mt_http_post *post, struct error *err);

#endif
