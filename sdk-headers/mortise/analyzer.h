/* SPDX-License-Identifier: MIT
 *
 * mortise/analyzer.h - the analyzer kind: how risky an action is.
 * PROVISIONAL, see advance.h. */
#ifndef MORTISE_ANALYZER_H
#define MORTISE_ANALYZER_H

#include <mortise/advance.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_ANALYZER_MAJOR 0u
#define MT_ANALYZER_MINOR 1u

/** Numbers as in the event log. */
enum mt_risk {
	MT_RISK_UNKNOWN = -1,
	MT_RISK_LOW = 0,
	MT_RISK_MEDIUM = 1,
	MT_RISK_HIGH = 2,
};

struct mt_analyzer_out {
	uint32_t size;
	uint32_t reserved;
	/** The action in question. */
	const struct mt_event *(*action)(struct mt_ctx *ctx);
	/** The verdict with a sentence for the user; `deny` refuses outright. */
	int (*verdict)(struct mt_ctx *ctx, int risk, int deny, struct mt_str reason);
};

enum {
	MT_ANALYZER_READS_RISK = 1u << 0, /* wants `security_risk` in the schemas */
};

struct mt_analyzer {
	uint32_t size;
	uint32_t flags; /* MT_ANALYZER_READS_RISK */
	/** Ends with `verdict`; without one the risk is unknown. */
	int (*advance)(const struct mt_host *host, const struct mt_analyzer_out *out,
		       struct mt_ctx *ctx, const struct mt_in *in);
};

#ifdef __cplusplus
}
#endif
#endif
