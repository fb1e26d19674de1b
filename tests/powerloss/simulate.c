/* SPDX-License-Identifier: MIT
 *
 * simulate.c - the loss of power, from a journal of record.c.
 *
 *   simulate JOURNAL TREE verify     the journal explains every file of TREE
 *   simulate JOURNAL TREE failed     nothing left the program after a failed sync
 *   simulate JOURNAL IMAGE CASE      what a disk may hold after the loss in case CASE
 *
 * A case is a place in the journal and a choice. What was synced before that place is
 * kept. Of the rest the disk keeps what it likes: a name without its data, a size
 * without its bytes, single blocks of a write, a later change without an earlier one.
 * The image is checked against what had left the program; a line `conversation ID N` says
 * how many events must be there, -1 if nothing was promised about it. With
 * POWERLOSS_EACH=1 each line of output vouches for the log, as with `[core] sync = event`.
 * With POWERLOSS_NO_SYNC=1 no sync has any effect, to see that this is noticed. */
#include "simulate.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512 };

/* ---- does the journal explain the real files? ------------------------------------ */

static int compare(const struct node *nodes, int at, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	size_t seen = 0;
	int bad = 0;

	while (dir && (d = readdir(dir))) {
		struct entry *e = tree_entry(&nodes[at], d->d_name);
		char below[PATH_MAX];
		size_t len;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, d->d_name);
		seen++;
		if (!e) {
			printf("# not in the journal: %s\n", below);
			bad++;
		} else if (nodes[e->node].is_dir) {
			bad += compare(nodes, e->node, below);
		} else {
			char *bytes = journal_read_file(below, &len);

			if (len != nodes[e->node].size ||
			    memcmp(bytes, nodes[e->node].bytes, len) != 0) {
				printf("# differs: %s\n", below);
				bad++;
			}
			free(bytes);
		}
	}
	if (dir)
		closedir(dir);
	if (seen != nodes[at].count + (size_t)bad && !bad)
		printf("# only in the journal: something in %s\n", path), bad++;
	return bad;
}

static int verify(const char *tree)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));
	int bad;

	tree_clear(live);
	for (int i = 0; i < op_count; i++)
		if (ops[i].node >= 0)
			tree_apply(live, &ops[i]);
	bad = compare(live, 0, tree);
	printf("# %d operations, %d files and directories\n", op_count,
	       journal_node_count);
	return bad != 0;
}

/* ---- the disk after the loss ------------------------------------------------------ */

static uint64_t seed;

static unsigned pick(unsigned below)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (unsigned)((x ^ x >> 31) % below);
}

enum choice {
	LOSE_ALL,    /* nothing that was not synced */
	KEEP_ALL,    /* as if the process had been killed */
	NAMES_ONLY,  /* names without data: empty files */
	SIZES_ONLY,  /* names and sizes without data: zeros */
	DATA_ONLY,   /* data without names */
	EARLIER,     /* everything up to an earlier operation */
	ANY,         /* each for itself, writes in blocks */
	CHOICES,
};
static const char *const choice_names[] = {
	"nothing", "everything", "names", "names and sizes", "data", "the earlier part",
	"any blocks and names",
};

static void keep_blocks(struct node *n, const struct op *o)
{
	size_t at = (size_t)o->r->offset, end = at + o->r->data;
	bool grows = pick(2);

	while (at < end) {
		size_t next = (at / BLOCK + 1) * BLOCK;

		if (next > end)
			next = end;
		if (pick(2))
			tree_write(n, at, o->data + (at - (size_t)o->r->offset),
				   next - at);
		at = next;
	}
	if (grows)
		tree_grow(n, end);
}

static void keep_some(struct node *nodes, const struct op *o, enum choice choice,
		      bool early)
{
	bool data = op_changes_data(o), write = o->r->kind == J_WRITE;

	if (choice == KEEP_ALL || (choice == EARLIER && early) ||
	    (choice == DATA_ONLY && data) ||
	    ((choice == NAMES_ONLY || choice == SIZES_ONLY) && !data))
		tree_apply(nodes, o);
	else if (choice == SIZES_ONLY && write)
		tree_grow(&nodes[o->node], (size_t)o->r->offset + o->r->data);
	else if (choice == ANY && write)
		keep_blocks(&nodes[o->node], o);
	else if (choice == ANY && pick(2))
		tree_apply(nodes, o);
}

static void lose_power(struct node *nodes, int cut, enum choice choice)
{
	int early = (int)pick((unsigned)cut + 1);

	for (int i = 0; i < cut; i++) {
		const struct op *o = &ops[i];

		if (o->node < 0 || o->r->kind == J_SYNC)
			continue;
		if (o->durable < cut)
			tree_apply(nodes, o);
		else
			keep_some(nodes, o, choice, i < early);
	}
}

static void write_tree(const struct node *nodes, int at, const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		die(path, strerror(errno));
	for (size_t i = 0; i < nodes[at].count; i++) {
		const struct node *n = &nodes[nodes[at].entries[i].node];
		char below[PATH_MAX];
		FILE *f;

		snprintf(below, sizeof below, "%s/%s", path, nodes[at].entries[i].name);
		if (n->is_dir) {
			write_tree(nodes, nodes[at].entries[i].node, below);
			continue;
		}
		f = fopen(below, "wxe");
		if (!f || fchmod(fileno(f), 0600) != 0 ||
		    fwrite(n->bytes ? n->bytes : "", 1, n->size, f) != n->size ||
		    fclose(f) != 0)
			die(below, strerror(errno));
	}
}

/* ---- cases -------------------------------------------------------------------------- */

/* The conversations of the image, and the known facts of each. */
static void print_conversations(const struct node *image, int cut)
{
	int at = tree_find(image, "mortise/conversations", false);

	for (size_t i = 0; at >= 0 && i < image[at].count; i++) {
		char path[PATH_MAX];
		uint32_t pid;
		int events, gone;

		snprintf(path, sizeof path, "mortise/conversations/%s/events.jsonl",
			 image[at].entries[i].name);
		events = promise_events(path);
		if (promise_is_withdrawn(path, cut, &pid, &gone))
			events = -1;
		printf("conversation %s %d\n", image[at].entries[i].name, events);
	}
}

/* The operations behind which something may have been promised: the first cases are
 * there, all others anywhere. */
static int place_of(long number)
{
	int barriers = 0, wanted;

	for (int i = 0; i < op_count; i++)
		barriers += ops[i].r->kind == J_SYNC || promise_is_made(&ops[i]);
	if (!barriers)
		die("the journal", "has no barrier");
	if (number % 2)
		return (int)pick((unsigned)op_count) + 1;
	wanted = (int)(number / 2 % barriers);
	for (int i = 0; i < op_count; i++)
		if ((ops[i].r->kind == J_SYNC || promise_is_made(&ops[i])) &&
		    wanted-- == 0)
			return i + 1;
	return op_count;
}

static int one_case(const char *image_path, long number)
{
	struct node *image = need(calloc(NODES_MAX, sizeof *image));
	enum choice choice;
	int cut, bad;

	seed = (uint64_t)number << 32;
	cut = place_of(number);
	choice = pick(CHOICES + 3);
	if (choice >= CHOICES)
		choice = ANY;
	tree_clear(image);
	lose_power(image, cut, choice);
	printf("# after operation %d of %d, of the rest is kept: %s\n", cut, op_count,
	       choice_names[choice]);
	bad = promise_check(image, cut);
	print_conversations(image, cut);
	write_tree(image, 0, image_path);
	tree_clear(image);
	free(image);
	return bad != 0;
}

/* ---- after a failed sync ------------------------------------------------------------ */

/* No request, no call, no acknowledgment, no success of the process whose sync failed;
 * an error is not an acknowledgment, and a runner that the host stops succeeds. */
static bool leaves(const struct op *o, const struct op *failed)
{
	if (o->r->kind == J_EXIT)
		return o->r->pid == failed->r->pid && o->r->offset == 0;
	return o->r->kind == J_SENT &&
	       ((o->r->target == SENT_NETWORK && op_has(o, "POST ")) ||
		op_has(o, "\"method\":\"tools/call\"") ||
		(op_has(o, "{\"type\":\"result\"") && op_has(o, "\"ok\":true")));
}

static int check_failed(void)
{
	int at = 0, bad = 0;

	while (at < op_count && ops[at].r->kind != J_FAILED)
		at++;
	if (at == op_count)
		puts("no sync failed");
	else
		printf("# the failed sync: %s\n", ops[at].path);
	for (int i = at + 1; i < op_count; i++) {
		if (!leaves(&ops[i], &ops[at]))
			continue;
		printf("# %s: %.*s\n",
		       ops[i].r->kind == J_EXIT ? "success" : "left the program",
		       (int)(ops[i].r->data < 200 ? ops[i].r->data : 200), ops[i].data);
		bad++;
	}
	return bad != 0;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fputs("usage: simulate JOURNAL TREE verify|failed|CASE\n", stderr);
		return 2;
	}
	journal_load(argv[1]);
	journal_resolve();
	if (strcmp(argv[3], "failed") == 0)
		return check_failed();
	return strcmp(argv[3], "verify") == 0
		       ? verify(argv[2])
		       : one_case(argv[2], strtol(argv[3], NULL, 10));
}
