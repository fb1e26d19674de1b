/* SPDX-License-Identifier: MIT
 *
 * effects-internal.h - the steps of a preview, for the files of this feature: its overlay
 * (effects-overlay.c), how its call ends (effects-end.c), what the user is asked
 * (effects-ask.c), its runner and shell (effects-run.c). Each uses only those before it;
 * effects.c connects them with the points of the feature. */
#ifndef HOST_FEATURES_EFFECTS_INTERNAL_H
#define HOST_FEATURES_EFFECTS_INTERNAL_H

#include "controller/overlay.h"
#include "features/effects/effects.h"
#include "overlay/changes.h"
#include "runner-client/runner-connection.h"
#include "strbuf.h"

enum effects_phase {
	EFFECTS_IDLE,
	EFFECTS_WAITS,   /* for the end of the runner of an earlier preview */
	EFFECTS_STATE,   /* requests the state of the shell */
	EFFECTS_RUNS,
	EFFECTS_CLOSES,  /* the command has ended, its runner has not */
	EFFECTS_ASKS,
	EFFECTS_SHELL,   /* changes the state of the shell */
	EFFECTS_ENDS,    /* the call gets its result */
};

/* Of a conversation. */
struct effects {
	enum effects_phase phase;
	struct runner *runner; /* of the preview; NULL: none */
	struct overlay overlay;
	struct overlay_changes changes;
	struct runner_result result; /* a copy */
	struct strbuf shell;         /* commands that make the changes of the shell */
	bool only_directory;         /* that is all they change */
	const char *shell_note;      /* why the shell is not changed; NULL */
	bool again;                  /* the state of the shell was requested twice */
	uint64_t states;             /* number of calls about the state of the shell */
	bool told;                   /* the user knows that no preview is possible */
	bool shows_diff;             /* in the next question */
	const char *note;            /* for the model, when the call gets its result */
};

struct effects *effects_of(const struct conversation *c);

/* ---- effects-overlay.c ---- */

/** A file of the preview, in the directory of the conversation. NULL: out of memory. */
char *effects_path(const struct conversation *c, const char *name);
/** The file in which the shell of the preview looks for a state, and stores its own
 *  (plugins/tools/bash/carry.h). NULL: out of memory. */
char *effects_carry(const struct conversation *c, const char *instance);
/** Unmount and remove what the preview left. Its runner is closed. */
void effects_clear(struct conversation *c);
/** The configuration of the runner: nothing is writable but the overlay, and no host or
 *  socket is within reach. NULL: the administrator enforces that. */
struct config *effects_config(const struct conversation *c, struct error *err);
/** Mount the overlay, instead of that of an earlier preview. */
int effects_mount(struct conversation *c, struct error *err);

/* ---- effects-end.c ---- */

/** Why a call has no result that was interrupted. */
extern const char effects_interrupted[];
/** The call ends with an error. */
void effects_fail(struct conversation *c, const char *why);
/** The result of the preview is that of the call. */
void effects_end(struct conversation *c);
/** Make the changes of the shell, then end the call. `note` tells the model what became
 *  of the effects. */
void effects_accept(struct conversation *c, const char *note);
/** Nothing is changed: the call ends as one that the user denied. */
void effects_discard(struct conversation *c, const char *why);
/** Call the tool without the knowledge of the model, to read or to change the state of
 *  the shell. Its result has the number effects_shell_number. */
int effects_call_shell(struct conversation *c, const char *command,
		       enum effects_phase phase, struct error *err);
/** The number of the last such call. */
uint64_t effects_shell_number(const struct effects *s);
/** Is this the number of such a call, also of an earlier one? */
bool effects_is_shell_number(uint64_t number);

/* ---- effects-ask.c ---- */

/** The runner of the preview is closed: accept effects that need no approval, ask the
 *  user about others. */
void effects_judge(struct conversation *c);
/** Withdraw the question. */
void effects_withdraw(struct conversation *c);

/* ---- effects-run.c ---- */

/** Begin the preview of the call. There is no runner of an earlier one. */
void effects_start(struct conversation *c);
/** The result of a call of effects_call_shell has arrived. */
void effects_go_on(struct conversation *c, const struct runner_result *result);
/** Remove the stored state, which contains secrets, if no shell takes it over. */
void effects_forget_state(struct conversation *c);

#endif
