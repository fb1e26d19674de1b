/* SPDX-License-Identifier: MIT
 *
 * mortise/runtime.h - the runtime kind: how a runner is launched.
 * PROVISIONAL, see advance.h.
 *
 * A runtime translates "a runner with these mounts, limits, environment" into a program
 * with arguments; the host starts it and uses the runner protocol over its standard input
 * and output. It runs in the process of the host. Of struct mt_host it may call option,
 * option_int, option_at, log, refuse and their forms for a given text.
 *
 * What changed, newest first:
 *   0.6  host->log_text and refuse_text: see advance.h
 *   0.5  MT_RUNTIME_HOST_MOUNTS
 *   0.4  no effect but send: see advance.h
 *   0.3  cleanup is gone, which no host called
 *   0.2  no effects but send and http: see advance.h
 *   0.1  first version */
#ifndef MORTISE_RUNTIME_H
#define MORTISE_RUNTIME_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_RUNTIME_MAJOR 0u
#define MT_RUNTIME_MINOR 6u

/** What a runtime adds to the services of the host. */
struct mt_runtime_out {
	uint32_t size;
	uint32_t reserved;
	/** A requested property, as text: "runner" (path), "workspace" (path),
	 *  "conversation" (id). Borrowed until `launch` returns; NULL for another name.
	 *  */
	const char *(*wanted)(struct mt_ctx *ctx, const char *name);
	/** The program and its arguments, one call each, in order. Like the two below it
	 *  copies what it is given. @return MT_OK, MT_ENOMEM. */
	int (*arg)(struct mt_ctx *ctx, const char *text);
	/** A variable of its environment, in addition to the clean base that every
	 *  runner gets (PATH, HOME, USER, LANG, TERM, TMPDIR, TZ).
	 *  @return MT_OK, MT_EINVAL if the name has a `=`, MT_ENOMEM. */
	int (*env)(struct mt_ctx *ctx, const char *name, const char *value);
	/** Where the workspace is as the runner sees it; otherwise it is where the host sees
	 *  it. The last one counts. @return MT_OK, MT_ENOMEM. */
	int (*workspace)(struct mt_ctx *ctx, const char *path);
};

enum {
	/** The program runs on this host and sees its files as the host does, so the host can
	 *  have the runner show tools its own mounts: the overlay of a workspace. Without
	 *  it, the host also sends the runner the variables that the user passes to tools,
	 *  because the program may not pass its environment on. */
	MT_RUNTIME_HOST_MOUNTS = 1u << 0,
};

struct mt_runtime {
	uint32_t size;
	uint32_t flags; /* MT_RUNTIME_... */
	/** Name the program that is a runner. Called before each start, on the thread that
	 *  serves all clients: return soon. `in` is MT_START. The runner is the one to undo what
	 *  `launch` or the program made: its standard input ends when the host ends or is killed.
	 *  @return MT_OK, or a status after host->refuse. */
	int (*launch)(const struct mt_host *host, const struct mt_runtime_out *out,
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
