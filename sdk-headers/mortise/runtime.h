/* SPDX-License-Identifier: MIT
 *
 * mortise/runtime.h - the runtime kind: how a runner is launched.
 * PROVISIONAL, see advance.h.
 *
 * A runtime turns "a runner with these mounts, limits, environment" into a
 * program with arguments; the host starts it and speaks the runner protocol
 * over its standard input and output.
 *
 * What changed, newest first:
 *   0.2  no effects but send and http: see advance.h
 *   0.1  first version */
#ifndef MORTISE_RUNTIME_H
#define MORTISE_RUNTIME_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_RUNTIME_MAJOR 0u
#define MT_RUNTIME_MINOR 2u

struct mt_runtime_out {
	uint32_t size;
	uint32_t reserved;
	/** What is wanted, as text: "runner" (path), "workspace", "conversation". */
	const char *(*wanted)(struct mt_ctx *ctx, const char *name);
	/** The program and its arguments, one call each, in order. */
	int (*arg)(struct mt_ctx *ctx, const char *text);
	/** A variable of its environment, in addition to the clean base that every
	 *  runner gets (PATH, HOME, USER, LANG, TERM, TMPDIR, TZ). */
	int (*env)(struct mt_ctx *ctx, const char *name, const char *value);
	/** Where the workspace is as the runner sees it. */
	int (*workspace)(struct mt_ctx *ctx, const char *path);
};

struct mt_runtime {
	uint32_t size;
	uint32_t flags; /* 0 */
	int (*launch)(const struct mt_host *host, const struct mt_runtime_out *out,
		      struct mt_ctx *ctx, const struct mt_in *in);
	/** After the runner has ended: take down what was made. May be NULL. */
	int (*cleanup)(const struct mt_host *host, const struct mt_runtime_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
};

/** A plugin of one runtime; see MT_ONE_COMPONENT. */
#define MT_RUNTIME(functions_, plugin_name_, ...)                              \
	MT_ONE_COMPONENT(MT_KIND_RUNTIME, MT_RUNTIME_MAJOR, MT_RUNTIME_MINOR,  \
			 1 ? (functions_) : (const struct mt_runtime *)0,      \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
