/* SPDX-License-Identifier: MIT
 *
 * drive.h - runs a conversation in this process until it is idle, for `run` and
 * `resume`. */
#ifndef CLI_DRIVE_H
#define CLI_DRIVE_H

#include "commands.h"
#include "final-answer.h"
#include "conversation/conversation.h"
#include "render.h"

struct drive_options {
	enum render_style style;
	bool json;               /* the JSON-lines protocol on stdout */
	bool commands;           /* and on stdin */
	bool listen;             /* json and keep, but send events only on request */
	bool owned;              /* exit when no client can send commands */
	bool keep;               /* keep running when idle, until asked to exit */
	struct strbuf add_dirs;  /* --add-dir as a setting; empty: none */
	json_object *images;     /* image URLs sent with the task; NULL: none */
	struct final_answer *answer;   /* final answer, borrowed; NULL: not needed */
	const char *plugin_path; /* the setting core.plugin_path of -o; or NULL */
	const char *record;      /* write a script of the model's replies here; or NULL */
};

/** Rows of the table of flags of a command whose `struct arguments` has the options as
 *  its member `drive`. */
#define DRIVE_OUTPUT_FLAGS(json_help_, quiet_help_)                                     \
	FLAG('j', "json", NULL, json_help_,                                             \
	     STORE(FLAG_TRUE, struct arguments, drive.json)),                           \
		FLAG('q', "quiet", NULL, quiet_help_,                                   \
		     STORE(FLAG_SET, struct arguments, drive.style),                    \
		     .set = RENDER_QUIET),                                              \
		FLAG('v', "verbose", NULL, "print full results and live output",        \
		     STORE(FLAG_SET, struct arguments, drive.style),                    \
		     .set = RENDER_VERBOSE)
#define DRIVE_RECORD_FLAG                                                             \
	FLAG(0, "record", "FILE", "write the model's responses as a script",          \
	     STORE(FLAG_TEXT, struct arguments, drive.record))
#define DRIVE_ADD_DIR_FLAG                                                            \
	FLAG(0, "add-dir", "DIR",                                                     \
	     "a directory that belongs to the conversation in addition to the "       \
	     "workspace (repeatable)",                                                \
	     STORE(FLAG_TAKE, struct arguments, drive), .take = drive_add_dir)
#define DRIVE_KEEP_FLAGS                                                                \
	FLAG('k', "keep-alive", NULL, "keep running when idle",                         \
	     STORE(FLAG_TRUE, struct arguments, drive.keep), .alias = "keep"),          \
		FLAG(0, "listen", NULL,                                                 \
		     "for programs: as --json --keep-alive, but print events only "     \
		     "after `subscribe`",                                               \
		     STORE(FLAG_TRUE, struct arguments, drive.listen))

/** flags_parse for such a command: --listen implies --json and --keep-alive, and --add-dir
 *  sets `directories` in [workspace]. */
enum flags_status drive_parse(const struct command *self, int argc, char **argv,
			      int *ret_first, struct common *in, struct drive_options *o);
/** Call before the options are parsed. `answer` is the final message, cleared with the
 *  options. */
void drive_options_init(struct drive_options *o, struct final_answer *answer);
void drive_options_clear(struct drive_options *o);

/** Run the loop until the conversation is idle or interrupted by Ctrl-C, close it and
 *  print the result. `task` is the user's message; NULL: continue, or with `keep` wait
 *  for a message.
 *  @return the exit code of the program. */
int drive_conversation(uv_loop_t *loop, struct conversation *c, const char *task,
		       size_t len, const struct drive_options *o);

/** Check that the script of `record` can be written. Call this before the first reply. */
int drive_check(const struct drive_options *o, struct error *err);
/** Read a file that --image names into `images` of a struct drive_options. */
int drive_image(void *options, const char *path, struct error *err);

/** Note a directory that --add-dir names. */
int drive_add_dir(void *options, const char *path, struct error *err);

#endif
