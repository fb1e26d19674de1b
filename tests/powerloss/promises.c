/* SPDX-License-Identifier: MIT
 *
 * promises.c - the promises of a program before a loss of power, and those that an
 * image of the disk keeps. */
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 512 };

bool promise_is_made(const struct op *o)
{
	if (o->r->kind == J_EXIT)
		return o->r->offset == 0;
	if (o->r->kind != J_SENT)
		return false;
	if (o->r->target == SENT_NETWORK)
		return op_has(o, "POST ");
	if (o->r->target == SENT_OUTPUT && getenv("POWERLOSS_EACH"))
		return true;
	return op_has(o, "\"method\":\"tools/call\"") ||
	       op_has(o, "{\"type\":\"result\"") || op_has(o, "{\"type\":\"end\"") ||
	       (op_has(o, "{\"type\":\"state\"") && op_has(o, "\"exit_code\""));
}

/* The directory of the conversation that a path is in: a prefix of it; 0: none. */
static size_t conversation_of(const char *path)
{
	const char *mark = strstr(path, "conversations/");

	if (!mark)
		return 0;
	mark += strlen("conversations/");
	mark += strcspn(mark, "/");
	return (size_t)(mark - path);
}

static const char *kind_of(const char *path)
{
	const char *last = tree_last_name(path);

	if (!conversation_of(path))
		return NULL;
	if (strcmp(last, "events.jsonl") == 0 || strcmp(last, "meta.json") == 0)
		return last;
	return strstr(path, "/blobs/") && strlen(last) == 64 ? "blob" : NULL;
}

bool promise_is_withdrawn(const char *path, int cut, uint32_t *ret_pid, int *ret_at)
{
	size_t n = conversation_of(path);

	for (int i = 0; i < cut; i++) {
		const struct op *o = &ops[i];

		if ((o->r->kind == J_REMOVE && kind_of(o->path) &&
		     strncmp(o->path, path, n) == 0 && o->path[n] == '/') ||
		    (o->r->kind == J_RENAME && conversation_of(o->path) == n &&
		     !o->path[n] && strncmp(o->path, path, n) == 0)) {
			*ret_pid = o->r->pid;
			*ret_at = i;
			return true;
		}
	}
	return false;
}

/* A meta.json that replaced an old one is as good as that. */
static bool is_later_meta(const struct node *image, const char *path,
			  const struct node *got, int from, int cut)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));
	bool found = false;

	(void)image;
	tree_clear(live);
	for (int i = 0; i < cut && !found; i++) {
		int at;

		if (ops[i].node < 0)
			continue;
		tree_apply(live, &ops[i]);
		if (i < from || ops[i].r->kind != J_RENAME ||
		    strcmp(ops[i].other, path) != 0)
			continue;
		at = ops[i].node;
		found = live[at].size == got->size &&
			memcmp(live[at].bytes, got->bytes, got->size) == 0;
	}
	tree_clear(live);
	free(live);
	return found;
}

static const char *check_file(const struct node *image, const char *path,
			      const struct node *want, int from, int cut)
{
	const char *kind = kind_of(path);
	int at = tree_find(image, path, false);
	const struct node *got = at >= 0 ? &image[at] : NULL;
	bool same;

	if (!got)
		return "is gone";
	same = got->size >= want->size &&
	       memcmp(got->bytes, want->bytes, want->size) == 0;
	if (strcmp(kind, "events.jsonl") == 0)
		return same ? NULL : "lost what was acknowledged";
	if (same && got->size == want->size)
		return NULL;
	if (strcmp(kind, "meta.json") == 0 && is_later_meta(image, path, got, from, cut))
		return NULL;
	return "is not what was acknowledged";
}

struct promise {
	char *path;
	uint32_t pid;
	int events;
};
static struct promise promises[ENTRIES_MAX];
static int promise_count;

/* Everything that process `pid` had made when it vouched for it at `from`. */
static int check_promises(const struct node *image, const struct node *live, uint32_t pid,
			  int from, int cut)
{
	int bad = 0;

	for (int i = 0; i < from; i++) {
		const char *path =
			ops[i].r->kind == J_CREATE ? ops[i].path : ops[i].other;
		uint32_t remover;
		const char *fault;
		int at, gone;

		if (ops[i].r->pid != pid || !kind_of(path) ||
		    promise_is_withdrawn(path, cut, &remover, &gone))
			continue;
		at = tree_find(live, path, false);
		if (at < 0 || ops[i].node != at)
			continue;
		fault = check_file(image, path, &live[at], from, cut);
		if (fault) {
			printf("lost %s: %s\n", path, fault);
			bad++;
		}
	}
	return bad;
}

static int count_events(const struct node *log)
{
	static const char start[] = "{\"id\":";
	int count = 0;

	for (size_t at = 0; at + sizeof start < log->size; at++)
		count += (!at || log->bytes[at - 1] == '\n') &&
			 memcmp(log->bytes + at, start, sizeof start - 1) == 0;
	return count;
}

/* The same for a log that it took over from another process. */
static int check_taken_over(const struct node *image, const struct node *live,
			    uint32_t pid, int from, int cut)
{
	int bad = 0;

	for (int i = 0; i < from; i++) {
		uint32_t remover;
		const char *fault, *path = ops[i].path;
		int at, gone, last = -1;

		if (ops[i].r->kind != J_CREATE ||
		    strcmp(tree_last_name(path), "events.jsonl") != 0 ||
		    promise_is_withdrawn(path, cut, &remover, &gone))
			continue;
		at = tree_find(live, path, false);
		for (int k = i; k < from; k++)
			if (ops[k].r->pid == pid && ops[k].node == ops[i].node &&
			    op_changes_data(&ops[k]))
				last = k;
		if (at < 0 || last < 0)
			continue;
		fault = check_file(image, path, &live[at], from, cut);
		if (fault && ops[i].r->pid != pid) {
			printf("lost %s: %s\n", path, fault);
			bad++;
		}
		promises[promise_count % ENTRIES_MAX] =
			(struct promise){ .path = ops[i].path, .pid = pid };
		promises[promise_count++ % ENTRIES_MAX].events = count_events(&live[at]);
	}
	return bad;
}

/* Was a file removed before the cut, alone or with its conversation? */
static bool is_removed(const char *path, int cut)
{
	uint32_t pid;
	int at;

	for (int i = 0; i < cut; i++)
		if (ops[i].r->kind == J_REMOVE && strcmp(ops[i].path, path) == 0)
			return true;
	return promise_is_withdrawn(path, cut, &pid, &at);
}

/* The whole of a file of output as it was when the log first named it at `named`. */
static int check_spool(const struct node *image, const struct op *made, int named,
		       int cut)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));
	int at = tree_find(image, made->path, false);
	const struct node *want = &live[made->node], *got = at >= 0 ? &image[at] : NULL;
	int bad;

	if (is_removed(made->path, cut)) {
		free(live);
		return 0;
	}
	tree_clear(live);
	for (int i = 0; i < named; i++)
		if (ops[i].node >= 0)
			tree_apply(live, &ops[i]);
	bad = !got || got->size < want->size ||
	      memcmp(got->bytes, want->bytes, want->size) != 0;
	if (bad)
		printf("lost %s: an event names it\n", made->path);
	tree_clear(live);
	free(live);
	return bad;
}

/* Files of whole output that the log of process `pid` named before `from`. */
static int check_spools(const struct node *image, uint32_t pid, int from, int cut)
{
	int bad = 0;

	for (int i = 0; i < from; i++) {
		const char *name = strstr(ops[i].path, "/spool/");
		int named = -1;

		if (ops[i].r->kind != J_CREATE || !name)
			continue;
		for (int k = i; k < from && named < 0; k++)
			if (ops[k].r->pid == pid && ops[k].r->kind == J_WRITE &&
			    op_has(&ops[k], name))
				named = k;
		if (named >= 0)
			bad += check_spool(image, &ops[i], named, cut);
	}
	return bad;
}

/* Files that a process reported as removed do not return. */
static int check_removed(const struct node *image, uint32_t pid, int from)
{
	int bad = 0;

	for (int i = 0; i < from; i++) {
		size_t n = conversation_of(ops[i].path);
		char dir[PATH_MAX];

		if (ops[i].r->pid != pid || !n || ops[i].path[n] ||
		    ops[i].r->kind == J_MKDIR ||
		    (ops[i].r->kind != J_REMOVE && ops[i].r->kind != J_RENAME))
			continue;
		snprintf(dir, sizeof dir, "%.*s", (int)n, ops[i].path);
		if (*tree_last_name(dir) != '.' && tree_find(image, dir, false) >= 0) {
			printf("lost the removal of %s\n", dir);
			bad++;
		}
	}
	return bad;
}

int promise_check(const struct node *image, int cut)
{
	uint32_t seen[ENTRIES_MAX];
	int seen_count = 0, bad = 0;

	for (int i = cut - 1; i >= 0; i--) {
		struct node *live;
		uint32_t pid = ops[i].r->pid;
		bool known = false;

		for (int k = 0; k < seen_count; k++)
			known |= seen[k] == pid;
		if (known || !promise_is_made(&ops[i]))
			continue;
		if (seen_count == ENTRIES_MAX)
			die("processes", "too many");
		seen[seen_count++] = pid;
		live = need(calloc(NODES_MAX, sizeof *live));
		tree_clear(live);
		for (int k = 0; k < i; k++)
			if (ops[k].node >= 0)
				tree_apply(live, &ops[k]);
		bad += check_promises(image, live, pid, i, cut);
		bad += check_taken_over(image, live, pid, i, cut);
		bad += check_spools(image, pid, i, cut);
		if (ops[i].r->kind == J_EXIT)
			bad += check_removed(image, pid, i);
		tree_clear(live);
		free(live);
	}
	return bad;
}

int promise_events(const char *path)
{
	int events = -1;

	for (int k = 0; k < promise_count && k < ENTRIES_MAX; k++)
		if (strcmp(promises[k].path, path) == 0 && promises[k].events > events)
			events = promises[k].events;
	return events;
}
