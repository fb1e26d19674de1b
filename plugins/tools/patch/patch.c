/* SPDX-License-Identifier: MIT
 *
 * patch.c - parses and applies a patch in one pass. */
#include "patch.h"

#include "array.h"
#include "match.h"

#include <string.h>

enum { WORK_MAX = 50000000 }; /* comparisons of lines */

static const char begin_mark[] = "*** Begin Patch", end_mark[] = "*** End Patch",
	eof_mark[] = "*** End of File";

/* A replacement in a file: lines from `at` on. */
struct chunk {
	size_t at, removed;
	size_t first, added; /* of the new lines, in reader.added */
};

struct chunks {
	struct chunk *list;
	size_t count, room;
};

struct reader {
	struct lines lines; /* of the patch */
	size_t next;
	patch_load *load;
	void *arg;
	struct patch *patch;
	uint64_t work;
	struct lines file;  /* the file being updated */
	struct lines context, added; /* of the section; of all sections of the file */
	struct chunks chunks;
};

static int patch_wrong(struct reader *r, int status, const char *what, struct mt_str line)
{
	strbuf_add(&r->patch->why, what);
	strbuf_addn(&r->patch->why, line.ptr, line.len);
	return status;
}

static int wrong_path(struct reader *r, int status, const char *what, const char *path)
{
	return patch_wrong(r, status, what, (struct mt_str){ path, strlen(path) });
}

static struct mt_str here(const struct reader *r)
{
	return r->next < r->lines.count ? r->lines.at[r->next] : (struct mt_str){ "", 0 };
}

static bool ends(const struct reader *r, bool eof_too)
{
	struct mt_str line = here(r);

	return r->next >= r->lines.count || patch_line_begins(line, end_mark) ||
	       patch_line_begins(line, "*** Update File:") ||
	       patch_line_begins(line, "*** Delete File:") ||
	       patch_line_begins(line, "*** Add File:") ||
	       (eof_too && patch_line_begins(line, eof_mark));
}

/* ---- the sections of an update ----------------------------------------- */

static int add_chunk(struct reader *r, size_t at, size_t removed, size_t first)
{
	struct chunks *c = &r->chunks;

	if (ARRAY_GROW(c->list, &c->room, c->count + 1, ARRAY_MAX))
		return MT_ENOMEM;
	c->list[c->count++] = (struct chunk){ .at = at, .removed = removed, .first = first,
					      .added = r->added.count - first };
	return MT_OK;
}

/* Process one line of a section. An empty line stands for an empty line of context. */
static int section_line(struct reader *r, char kind, struct mt_str rest)
{
	if (kind == '+')
		return patch_lines_add(&r->added, rest);
	return patch_lines_add(&r->context, rest);
}

/* Read lines up to the next section or file; positions are still relative to the
 * context. */
static int patch_section(struct reader *r, bool *ret_eof)
{
	size_t start = r->next, removed = 0, first = r->added.count;
	char mode = ' ';
	int status = MT_OK;

	r->context.count = 0;
	*ret_eof = false;
	for (; !status && !ends(r, true) && !patch_line_begins(here(r), "@@");
	     r->next++) {
		struct mt_str line = here(r);
		char kind = line.len ? *line.ptr : ' ';

		if (patch_line_is(line, "***"))
			break;
		if (patch_line_begins(line, "***") || !strchr("+- ", kind) || !kind)
			return patch_wrong(r, MT_EINVAL, "Invalid Line: ", line);
		if (kind == ' ' && mode != ' ' && (removed || r->added.count > first)) {
			status = add_chunk(r, r->context.count - removed, removed, first);
			removed = 0;
			first = r->added.count;
		}
		mode = kind;
		removed += kind == '-';
		if (!status)
			status = section_line(r, kind, line.len ? (struct mt_str){
				line.ptr + 1, line.len - 1 } : line);
	}
	if (!status && (removed || r->added.count > first))
		status = add_chunk(r, r->context.count - removed, removed, first);
	if (status)
		return status;
	if (patch_line_is(here(r), eof_mark)) {
		r->next++;
		*ret_eof = true;
	} else if (r->next == start) {
		return patch_wrong(r, MT_EINVAL, "Empty section: ", here(r));
	}
	return MT_OK;
}

/* A line named by a section (`@@ int main(void)`) moves the search past it, unless it was
 * passed already. */
static void go_to(struct reader *r, struct mt_str name, size_t *at)
{
	for (int loose = 0; loose < 2; loose++) {
		struct mt_str want = loose ? patch_line_stripped(name) : name;

		for (size_t i = 0; i < r->file.count && r->work; i++, r->work--) {
			struct mt_str line = loose ? patch_line_stripped(r->file.at[i])
						   : r->file.at[i];

			if (!patch_lines_equal(line, want))
				continue;
			if (i < *at)
				break;
			*at = i + 1;
			r->patch->fuzz += (unsigned)loose;
			return;
		}
	}
}

static int no_context(struct reader *r, size_t at, bool eof)
{
	struct strbuf *why = &r->patch->why;

	r->patch->searched = at > 0;
	strbuf_addf(why, "Invalid %sContext %zu:\n", eof ? "EOF " : "", at);
	for (size_t i = 0; i < r->context.count; i++) {
		strbuf_add(&r->patch->miss, i ? "\n" : "");
		strbuf_addn(&r->patch->miss, r->context.at[i].ptr, r->context.at[i].len);
	}
	strbuf_addn(why, r->patch->miss.text, r->patch->miss.len);
	return MT_ENOTFOUND;
}

/* Find the position of the section, and set it in its chunks. */
static int place_section(struct reader *r, size_t *at, size_t first_chunk, bool eof)
{
	int64_t found =
		match_context(&r->file, &r->context, *at, eof, &r->patch->fuzz, &r->work);

	if (found == MATCH_TOO_MUCH)
		return wrong_path(
			r, MT_ELIMIT,
			"The patch takes too long to match: make it smaller, or "
			"add context with @@.",
			"");
	if (found == MATCH_NONE)
		return no_context(r, *at, eof);
	for (size_t i = first_chunk; i < r->chunks.count; i++)
		r->chunks.list[i].at += (size_t)found;
	*at = (size_t)found + r->context.count;
	return MT_OK;
}

static int sections(struct reader *r)
{
	size_t at = 0;

	while (!ends(r, true)) {
		size_t first_chunk = r->chunks.count;
		struct mt_str line = here(r), name = { "", 0 };
		bool named = patch_line_begins(line, "@@ ") && line.len > 3;
		bool marked = named || patch_line_is(line, "@@"), eof;
		int status;

		if (named)
			name = (struct mt_str){ line.ptr + 3, line.len - 3 };
		if (!marked && at > 0)
			return patch_wrong(r, MT_EINVAL, "Invalid Line:\n", line);
		r->next += marked;
		if (patch_line_stripped(name).len)
			go_to(r, name, &at);
		status = patch_section(r, &eof);
		if (!status)
			status = place_section(r, &at, first_chunk, eof);
		if (status)
			return status;
	}
	return MT_OK;
}

/* ---- files ------------------------------------------------------------- */

static bool is_crlf(const struct lines *file)
{
	return file->count > 1 && file->at[0].len &&
	       file->at[0].ptr[file->at[0].len - 1] == '\r';
}

static void patch_put_line(struct strbuf *out, struct mt_str line, bool *begun)
{
	if (*begun)
		strbuf_addc(out, '\n');
	*begun = true;
	strbuf_addn(out, line.ptr, line.len);
}

/* Build the text with its chunks replaced; new lines end like those of the file. */
static int patch_rewrite(struct reader *r, struct patch_change *change)
{
	bool begun = false, crlf = is_crlf(&r->file);
	struct strbuf *out = &change->text;
	size_t at = 0, line = 1;

	change->spots = calloc(r->chunks.count + 1, sizeof *change->spots);
	if (!change->spots)
		return MT_ENOMEM;

	for (size_t i = 0; i < r->chunks.count; i++) {
		const struct chunk *c = &r->chunks.list[i];

		if (c->at < at || c->at + c->removed > r->file.count)
			return wrong_path(r, MT_EINVAL,
					  "Two sections change the same lines.", "");
		for (; at < c->at; at++, line++)
			patch_put_line(out, r->file.at[at], &begun);
		change->spots[change->spot_count++] =
			(struct patch_spot){ line, line + c->added - 1 };
		line += c->added;
		for (size_t n = 0; n < c->added; n++) {
			struct mt_str added = r->added.at[c->first + n];
			bool last =
				n + 1 == c->added && c->at + c->removed == r->file.count;

			patch_put_line(out, added, &begun);
			if (crlf && !last &&
			    (!added.len || added.ptr[added.len - 1] != '\r'))
				strbuf_addc(out, '\r');
		}
		at += c->removed;
	}
	for (; at < r->file.count; at++)
		patch_put_line(out, r->file.at[at], &begun);
	return out->error;
}

/* The path after a file marker; *ret stays NULL if it is another marker. */
static int path_after(struct reader *r, const char *mark, char **ret)
{
	struct mt_str line = here(r);
	size_t len = strlen(mark);

	if (!patch_line_begins(line, mark) || line.len == len)
		return MT_OK;
	r->next++;
	*ret = strndup(line.ptr + len, line.len - len);
	return *ret ? MT_OK : MT_ENOMEM;
}

static struct patch_change *change_of(struct patch *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->changes[i].path, path) == 0)
			return &p->changes[i];
	return NULL;
}

/* Take the path. */
static int begin_change(struct reader *r, enum patch_kind kind, char *path,
			struct patch_change **ret)
{
	struct patch *p = r->patch;

	if (p->count == PATCH_FILES) {
		free(path);
		return wrong_path(r, MT_ELIMIT, "The patch changes too many files.", "");
	}
	if (ARRAY_ADD(p->changes, p->count, PATCH_FILES)) {
		free(path);
		return MT_ENOMEM;
	}
	*ret = &p->changes[p->count++];
	**ret = (struct patch_change){ .kind = kind, .path = path,
				       .old = STRBUF(PATCH_FILE_MAX + 1),
				       .text = STRBUF(PATCH_FILE_MAX + PATCH_MAX) };
	return MT_OK;
}

static int update(struct reader *r, struct patch_change *c)
{
	int status = path_after(r, "*** Move to: ", &c->move_to);

	if (!status)
		status = r->load(r->arg, c->path, &c->old, &r->patch->why);
	if (status == MT_ENOTFOUND)
		return wrong_path(r, status,
				  "Update File Error: Missing File: ", c->path);
	r->file.count = r->added.count = r->chunks.count = 0;
	if (!status)
		status = patch_lines_split(&r->file, c->old.text, c->old.len);
	if (!status)
		status = sections(r);
	if (!status && patch_line_begins(here(r), eof_mark))
		return patch_wrong(r, MT_EINVAL, "Unknown Line: ", here(r));
	return status ? status : patch_rewrite(r, c);
}

static int patch_delete(struct reader *r, struct patch_change *c)
{
	int status = r->load(r->arg, c->path, &c->old, &r->patch->why);

	return status == MT_ENOTFOUND
		       ? wrong_path(r, status,
				    "Delete File Error: Missing File: ", c->path)
		       : status;
}

static int patch_add(struct reader *r, struct patch_change *c)
{
	AUTO(strbuf) struct strbuf there = STRBUF(PATCH_FILE_MAX + 1);
	int status = r->load(r->arg, c->path, &there, &r->patch->why);
	bool begun = false;

	if (status == MT_OK)
		return wrong_path(r, MT_EEXIST,
				  "Add File Error: File already exists: ", c->path);
	if (status != MT_ENOTFOUND)
		return status;
	for (; !ends(r, false); r->next++) {
		struct mt_str line = here(r);

		if (!patch_line_begins(line, "+"))
			return patch_wrong(r, MT_EINVAL, "Invalid Add File Line: ", line);
		patch_put_line(&c->text, (struct mt_str){ line.ptr + 1, line.len - 1 },
			       &begun);
	}
	return c->text.error;
}

static int files(struct reader *r)
{
	static const struct {
		const char *mark, *twice;
		enum patch_kind kind;
		int (*read)(struct reader *r, struct patch_change *c);
	} kinds[] = {
		{ "*** Update File: ", "Update File Error: Duplicate Path: ", PATCH_UPDATE,
		  update },
		{ "*** Delete File: ", "Delete File Error: Duplicate Path: ", PATCH_DELETE,
		  patch_delete },
		{ "*** Add File: ", "Add File Error: Duplicate Path: ", PATCH_ADD, patch_add },
	};
	int status = MT_OK;

	while (!status && !patch_line_begins(here(r), end_mark)) {
		struct patch_change *c;
		char *path = NULL;
		size_t k = 0;

		while (k < ARRAY_LEN(kinds) && !path && !status) {
			status = path_after(r, kinds[k].mark, &path);
			k += !path;
		}
		if (status)
			return status;
		if (!path)
			return patch_wrong(r, MT_EINVAL, "Unknown Line: ", here(r));
		if (change_of(r->patch, path)) {
			status = wrong_path(r, MT_EINVAL, kinds[k].twice, path);
			free(path);
			return status;
		}
		status = begin_change(r, kinds[k].kind, path, &c);
		if (!status)
			status = kinds[k].read(r, c);
	}
	return status;
}

static int read_patch(struct reader *r, const char *text, size_t len)
{
	struct mt_str whole = { text, len };

	if (len > PATCH_MAX)
		return wrong_path(r, MT_ELIMIT, "The patch is too large.", "");
	if (memchr(text, 0, len))
		return wrong_path(r, MT_EINVAL, "The patch contains a NUL byte.", "");
	if (!patch_line_begins(whole, begin_mark))
		return wrong_path(r, MT_EINVAL,
				  "Invalid patch: must start with '*** Begin Patch'", "");
	whole = patch_line_stripped(whole);
	if (patch_lines_split(&r->lines, whole.ptr, whole.len))
		return MT_ENOMEM;
	if (r->lines.count < 2 ||
	    !patch_line_is(r->lines.at[r->lines.count - 1], end_mark))
		return wrong_path(r, MT_EINVAL, "Invalid patch text", "");
	r->next = 1;
	return files(r);
}

int patch_apply(const char *text, size_t len, patch_load *load, void *arg,
		struct patch *ret)
{
	struct reader r = { .load = load, .arg = arg, .patch = ret, .work = WORK_MAX };
	int status;

	*ret = (struct patch){ .why = STRBUF(65536), .miss = STRBUF(PATCH_MAX) };
	status = read_patch(&r, text, len);
	ret->line = status && r.next ? r.next + 1 : 0;
	patch_lines_clear(&r.lines);
	patch_lines_clear(&r.file);
	patch_lines_clear(&r.context);
	patch_lines_clear(&r.added);
	free(r.chunks.list);
	if (status && !ret->why.len)
		strbuf_add(&ret->why, status == MT_ENOMEM
					      ? "Out of memory."
					      : "The patch cannot be applied.");
	return status;
}

void patch_clear(struct patch *p)
{
	for (size_t i = 0; i < p->count; i++) {
		free(p->changes[i].path);
		free(p->changes[i].move_to);
		free(p->changes[i].spots);
		strbuf_clear(&p->changes[i].old);
		strbuf_clear(&p->changes[i].text);
	}
	free(p->changes);
	strbuf_clear(&p->why);
	strbuf_clear(&p->miss);
	*p = (struct patch){ 0 };
}
