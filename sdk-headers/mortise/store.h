/* SPDX-License-Identifier: MIT
 *
 * mortise/store.h - the store kind: where closed conversations are stored in addition
 * to the local log. PROVISIONAL, see advance.h. */
#ifndef MORTISE_STORE_H
#define MORTISE_STORE_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_STORE_MAJOR 0u
#define MT_STORE_MINOR 1u

enum mt_store_op {
	MT_STORE_PUT = 1,
	MT_STORE_GET = 2,
	MT_STORE_LIST = 3,
	MT_STORE_DELETE = 4,
	MT_STORE_LEASE = 5, /* take or renew ownership of a name */
};

struct mt_store_out {
	uint32_t size;
	uint32_t reserved;
	int (*op)(struct mt_ctx *ctx);           /* enum mt_store_op */
	struct mt_str (*name)(struct mt_ctx *ctx);
	struct mt_str (*bytes)(struct mt_ctx *ctx); /* MT_STORE_PUT */
	int (*result)(struct mt_ctx *ctx, struct mt_str bytes);
	int (*listed)(struct mt_ctx *ctx, struct mt_str name, uint64_t bytes);
};

struct mt_store {
	uint32_t size;
	uint32_t flags; /* 0 */
	int (*advance)(const struct mt_host *host, const struct mt_store_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
};

/** A plugin of one store; see MT_ONE_COMPONENT. */
#define MT_STORE(functions_, plugin_name_, ...)                                \
	MT_ONE_COMPONENT(MT_KIND_STORE, MT_STORE_MAJOR, MT_STORE_MINOR,        \
			 1 ? (functions_) : (const struct mt_store *)0,        \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
