/* SPDX-License-Identifier: MIT
 *
 * effects-text.c - implements effects-text.h. Commands, names and contents are untrusted:
 * all of them are shown in their visible form. */
#include "features/effects/effects-text.h"

#include "features/overlay-diff.h"
#include "files.h"
#include "limits/amount.h"
#include "utf8.h"
#include "visible.h"

#include <string.h>

enum {
	COMMAND_SHOWN = 4096,
	OUTPUT_SHOWN = 2048,
	NAMES_SHOWN = 100,
	NAMES_BYTES = 8192,
	LIST_MAX = 64 << 20,
	REFUSED_SHOWN = 2048,
	DIFF_SHOWN = 20000,
};

/* ---- changed files ---------------------------------------------------------------- */

static bool effects_is_leaf(const struct stat *st)
{
	return st->st_mode && !S_ISDIR(st->st_mode);
}

/* The time of a directory is not shown. */
static bool effects_is_shown(const struct overlay_change *c)
{
	if (c->same)
		return false;
	return c->content || effects_is_leaf(&c->is) || effects_is_leaf(&c->real) ||
	       c->is.st_mode != c->real.st_mode;
}

size_t effects_count(const struct overlay_changes *changes)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		count += effects_is_shown(&changes->list[i]);
	return count;
}

static void effects_put_size(struct strbuf *out, const struct overlay_change *c)
{
	char is[AMOUNT_TEXT], real[AMOUNT_TEXT];

	if (S_ISREG(c->is.st_mode) && S_ISREG(c->real.st_mode))
		strbuf_addf(out, " (%s -> %s)", amount_size(c->real.st_size, real),
			    amount_size(c->is.st_size, is));
	else if (S_ISREG(c->is.st_mode))
		strbuf_addf(out, " (%s)", amount_size(c->is.st_size, is));
	if (c->is.st_mode && c->real.st_mode &&
	    (c->is.st_mode & 07777) != (c->real.st_mode & 07777))
		strbuf_addf(out, ", mode %o -> %o", (unsigned)c->real.st_mode & 07777,
			    (unsigned)c->is.st_mode & 07777);
	else if (S_ISREG(c->is.st_mode) && c->is.st_mode & 0111 && !c->real.st_mode)
		strbuf_add(out, ", executable");
}

static void effects_put_name(struct strbuf *out, const struct overlay *o,
			     const struct overlay_change *c)
{
	const mode_t mode = c->is.st_mode ? c->is.st_mode : c->real.st_mode;

	strbuf_addf(out, "  %-8s ",
		    !c->real.st_mode ? "added"
		    : !c->is.st_mode ? "removed"
				     : "changed");
	if (c->root) {
		visible_add(out, VISIBLE_ONE_LINE, o->roots[c->root].path,
			    strlen(o->roots[c->root].path), NULL, NULL);
		strbuf_add(out, "/");
	}
	visible_add(out, VISIBLE_ONE_LINE, c->path, strlen(c->path), NULL, NULL);
	if (S_ISDIR(mode))
		strbuf_add(out, "/");
	if (S_ISLNK(mode))
		strbuf_add(out, " (symbolic link)");
	effects_put_size(out, c);
	strbuf_add(out, "\n");
}

/* Files of the repository are listed last. */
static bool effects_is_git(const struct overlay_change *c)
{
	return c->root || strncmp(c->path, ".git/", 5) == 0;
}

/* @return the number of names that fit */
static size_t effects_put_list(struct strbuf *out, const struct overlay *o,
			       const struct overlay_changes *changes, size_t most,
			       size_t bytes)
{
	const size_t from = out->len;
	size_t shown = 0;

	for (int git = 0; git < 2; git++)
		for (size_t i = 0;
		     i < changes->count && shown < most && out->len - from < bytes; i++) {
			const struct overlay_change *one = &changes->list[i];

			if (!effects_is_shown(one) || effects_is_git(one) != git)
				continue;
			effects_put_name(out, o, one);
			shown++;
		}
	return shown;
}

int effects_write_names(const char *path, const struct overlay *o,
			const struct overlay_changes *changes, struct error *err)
{
	AUTO(strbuf) struct strbuf text = STRBUF(LIST_MAX);

	effects_put_list(&text, o, changes, SIZE_MAX, SIZE_MAX);
	if (text.error)
		return fail(err, MT_ELIMIT,
			    "the names of the changed files exceed %d MiB",
			    LIST_MAX >> 20);
	return file_write(path, text.text, text.len, 0600, false, err);
}

static void effects_put_names(struct strbuf *out, const struct overlay *o,
			      const struct overlay_changes *changes, const char *path)
{
	const size_t count = effects_count(changes);
	size_t shown;

	if (!count) {
		strbuf_add(out, "It changes no files.\n");
		return;
	}
	strbuf_addf(out, "It makes %zu change%s of files:\n", count,
		    count > 1 ? "s" : "");
	shown = effects_put_list(out, o, changes, NAMES_SHOWN, NAMES_BYTES);
	if (shown < count) {
		strbuf_addf(out, "  and %zu more; the whole list is in ", count - shown);
		visible_add(out, VISIBLE_ONE_LINE, path, strlen(path), NULL, NULL);
		strbuf_add(out, "\n");
	}
}

bool effects_has_jobs(const struct runner_result *result)
{
	return js_int(js_get(result->fields, "metadata"), "pid", -1) >= 0;
}

/* ---- the question ----------------------------------------------------------------- */

static void effects_put_text(struct strbuf *out, const char *text, size_t len,
			     size_t most)
{
	size_t shown = utf8_cut(text, len, most);

	visible_add(out, VISIBLE_LINES, text, shown, NULL, NULL);
	if (shown < len)
		strbuf_addf(out, "\n(%zu more bytes)", len - shown);
	if (out->len && out->text[out->len - 1] != '\n')
		strbuf_add(out, "\n");
}

static void effects_put_result(struct strbuf *out, const struct runner_result *result,
			       bool apply)
{
	if (!apply)
		strbuf_addf(out,
			    "\nIt did not end%s%s, so its changes cannot be applied.\n",
			    result->error ? ": " : "",
			    result->error ? result->error : "");
	else if (runner_result_exit_code(result))
		strbuf_addf(out, "\nIt failed with exit code %lld.\n",
			    (long long)runner_result_exit_code(result));
	if (!result->text_len)
		return;
	strbuf_add(out, "\nOutput:\n");
	effects_put_text(out, result->text, result->text_len, OUTPUT_SHOWN);
}

void effects_put(struct strbuf *out, const char *command,
		 const struct runner_result *result, const struct overlay *o,
		 const struct overlay_changes *changes, const char *list,
		 const struct strbuf *shell, bool apply)
{
	strbuf_add(out, "This command ran in a preview, without network:\n\n");
	effects_put_text(out, command, strlen(command), COMMAND_SHOWN);
	effects_put_result(out, result, apply);
	strbuf_add(out, "\n");
	effects_put_names(out, o, changes, list);
	if (shell->len) {
		strbuf_add(out, "\nIt changes the shell:\n");
		effects_put_text(out, shell->text, shell->len, shell->len);
	}
	if (effects_has_jobs(result))
		strbuf_add(out, "\nIt started background processes, which have ended.\n");
	if (result->refused) {
		strbuf_add(out, "\nThe sandbox refused:\n");
		effects_put_text(out, result->refused, strlen(result->refused),
				 REFUSED_SHOWN);
	}
}

/* ---- differences ------------------------------------------------------------------- */

static int effects_add_diff(void *arg, const struct snapshots_file_diff *f,
			    struct error *err)
{
	struct strbuf *out = arg;

	(void)err;
	if (out->len >= DIFF_SHOWN)
		return MT_OK;
	if (f->added < 0) {
		strbuf_add(out, "Binary file ");
		visible_add(out, VISIBLE_ONE_LINE, f->path, strlen(f->path), NULL, NULL);
		strbuf_addf(out, " (%s)\n", f->change);
	} else {
		effects_put_text(out, f->text.ptr, f->text.len, DIFF_SHOWN - out->len);
	}
	return MT_OK;
}

int effects_put_diff(struct strbuf *out, const struct overlay *o,
		     const struct overlay_changes *changes, struct error *err)
{
	int r = overlay_diff(o, changes, effects_add_diff, out, err);

	if (!r && out->len >= DIFF_SHOWN)
		strbuf_add(out, "(the differences are longer than this)\n");
	return r;
}
