/* SPDX-License-Identifier: MIT
 *
 * mortise/analyzer.h - the analyzer kind: assesses the risk of an action. PROVISIONAL,
 * see advance.h.
 *
 * An analyzer is called before each action that a runner would execute. Several may be
 * enabled: the highest risk is used, and a denial by any of them is final. It reads the
 * action through the accessors of mt_analyzer_out, calls `verdict` once and returns. If
 * it does not call `verdict`, the risk is UNKNOWN. If it fails, the option analyzer_failure
 * decides: UNKNOWN or HIGH.
 *
 * Of struct mt_host an analyzer may call option, option_int, option_at, log, refuse, their
 * forms for a given text and the event_ functions, in all of its functions: it has no view
 * and no effects.
 *
 * What changed, newest first:
 *   0.7  mt_analyzer_out.refuse_text; host->log_text and refuse_text: see advance.h
 *   0.6  mt_analyzer_out.root
 *   0.5  no effect but send: see advance.h
 *   0.4  no effects but send and http: see advance.h
 *   0.3  MT_ANALYZER_CLASSIFIES; mt_analyzer_out.trusted and directory
 *   0.2  the action is seen as a call (tool, arguments, thought, hints); a
 *        verdict names its rule; open, close and rules
 *   0.1  first version */
#ifndef MORTISE_ANALYZER_H
#define MORTISE_ANALYZER_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_ANALYZER_MAJOR 0u
#define MT_ANALYZER_MINOR 7u

/** Numbers as in the event log. */
enum mt_risk {
	MT_RISK_UNKNOWN = -1,
	MT_RISK_LOW = 0,
	MT_RISK_MEDIUM = 1,
	MT_RISK_HIGH = 2,
};

/** A string among the arguments of a call, at any depth. */
struct mt_argument {
	uint32_t size;
	uint32_t reserved;
	struct mt_str name; /* of the argument that it belongs to: "command" */
	struct mt_str text; /* NUL-terminated */
};

struct mt_analyzer_out {
	uint32_t size;
	uint32_t reserved;

	/* -- the action: in `advance`; texts are never NULL and borrowed until it returns -- */
	/** As an event of the conversation; NULL if there is none (in a test). */
	const struct mt_event *(*action)(struct mt_ctx *ctx);
	/** Name of the tool; "" for an action that is not a tool call. */
	const char *(*tool)(struct mt_ctx *ctx);
	/** Declared effects of the tool: MT_TOOL_READ_ONLY ... of tool.h. */
	uint32_t (*hints)(struct mt_ctx *ctx);
	/** All arguments, as JSON text. */
	struct mt_str (*arguments)(struct mt_ctx *ctx);
	/** The n-th string among them. `ret->size` is that of the struct, as the caller knows
	 *  it. @return MT_OK, MT_ENOTFOUND past the last. */
	int (*argument)(struct mt_ctx *ctx, size_t n, struct mt_argument *ret);
	struct mt_str (*thought)(struct mt_ctx *ctx);
	struct mt_str (*reasoning)(struct mt_ctx *ctx);
	/** The risk that the model reported. */
	int (*said)(struct mt_ctx *ctx);
	const char *(*workspace)(struct mt_ctx *ctx);

	/* -- the answer -- */
	/** `rule` names what decided (cut after 120 bytes), `reason` is a sentence for the
	 *  user (250 bytes), and for the model if `deny` refuses the action outright. The last
	 *  verdict counts. @return MT_OK, MT_EINVAL for a risk that does not exist. */
	int (*verdict)(struct mt_ctx *ctx, int risk, int deny, struct mt_str rule,
		       struct mt_str reason);

	/* -- elsewhere -- */
	/** In `open`: the reason of a failure. @return MT_EINVAL, to be returned. */
	int (*refuse)(struct mt_ctx *ctx, const char *fmt, ...) MT_PRINTF(2, 3);
	/** In `rules`: one rule, in the order in which they are tried. Texts are not NULL,
	 *  and copied. @return MT_OK. */
	int (*rule)(struct mt_ctx *ctx, int risk, int deny, const char *name,
		    const char *text, const char *reason);
	/** What `open` made; NULL in `open`, and without it. */
	void *(*instance)(struct mt_ctx *ctx);

	/* -- the action, continued (0.3) -- */
	/** 1 if `hints` can be trusted: the tool comes with Mortise, or the user's
	 *  configuration trusts its declaration; otherwise 0. */
	int (*trusted)(struct mt_ctx *ctx);
	/** Directory of the conversation's shell, from its last result; "" if no command
	 *  has run yet. */
	const char *(*directory)(struct mt_ctx *ctx);

	/* -- the action, continued (0.6) -- */
	/** The n-th directory that belongs to the conversation in addition to the workspace:
	 *  absolute, without symbolic links. NULL past the last. */
	const char *(*root)(struct mt_ctx *ctx, size_t n);

	/* -- elsewhere, continued (0.7) -- */
	/** `refuse` of a given text. @return MT_EINVAL. */
	int (*refuse_text)(struct mt_ctx *ctx, struct mt_str text);
};

enum {
	MT_ANALYZER_READS_RISK = 1u << 0, /* wants `security_risk` in the schemas */
	MT_ANALYZER_CLASSIFIES = 1u << 1, /* its UNKNOWN is a result (0.3): LOW or MEDIUM
	                                     of another analyzer does not replace it */
};

struct mt_analyzer {
	uint32_t size;
	uint32_t flags; /* MT_ANALYZER_READS_RISK | MT_ANALYZER_CLASSIFIES */
	/** Ends with `verdict`; without one the risk is unknown. `in` is MT_START.
	 *  @return MT_OK or a status, which counts as the option analyzer_failure says. */
	int (*advance)(const struct mt_host *host, const struct mt_analyzer_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
	/** May be NULL. Read the options, once, before anything is asked; in each forked copy
	 *  (see doc/plugins.md) before its first call. *ret_instance is NULL at
	 *  first. @return MT_OK, or a status after `refuse`: the conversation does not start. */
	int (*open)(const struct mt_host *host, const struct mt_analyzer_out *out,
		    struct mt_ctx *ctx, void **ret_instance);
	/** May be NULL. Frees an instance that is not NULL. Not called in a forked copy, which
	 *  ends with all that it has. */
	void (*close)(void *instance);
	/** May be NULL. List the effective rules with `rule`, for `mortise policy`.
	 *  @return MT_OK or a status. */
	int (*rules)(const struct mt_host *host, const struct mt_analyzer_out *out,
		     struct mt_ctx *ctx);
};

/** A plugin of one analyzer; see MT_ONE_COMPONENT. */
#define MT_ANALYZER(functions_, plugin_name_, ...)                             \
	MT_ONE_COMPONENT(MT_KIND_ANALYZER, MT_ANALYZER_MAJOR, MT_ANALYZER_MINOR,\
			 1 ? (functions_) : (const struct mt_analyzer *)0,     \
			 plugin_name_, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
