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
 * how many events must be there, -1 if nothing was promised about it. With POWERLOSS_EACH=1 each line of output vouches for the
 * log, as with `[core] sync = event`. With POWERLOSS_NO_SYNC=1 no sync has any effect, to see
 * that this is noticed. */
#include "journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, NODES_MAX = 4096, NEVER = INT_MAX, ENTRIES_MAX = 512 };

struct op {
	const struct journal_record *r;
	char *path, *other;
	const char *data;
	int node, dir, to;    /* its object; the directories of `path` and `other` */
	int durable;          /* the operation before which it was synced */
};

struct entry {
	char *name;
	int node;
};

struct node {
	bool is_dir;
	char *bytes;
	size_t size, room;
	struct entry *entries;
	size_t count;
};

static struct op *ops;
static int op_count;

static void die(const char *what, const char *which)
{
	fprintf(stderr, "simulate: %s: %s\n", what, which);
	exit(2);
}

static void *need(void *memory)
{
	if (!memory)
		die("memory", "exhausted");
	return memory;
}

/* ---- a tree in memory ------------------------------------------------------------ */

static void clear(struct node *nodes)
{
	for (int i = 0; i < NODES_MAX; i++) {
		for (size_t k = 0; k < nodes[i].count; k++)
			free(nodes[i].entries[k].name);
		free(nodes[i].entries);
		free(nodes[i].bytes);
	}
	memset(nodes, 0, NODES_MAX * sizeof *nodes);
	nodes[0].is_dir = true; /* the root */
}

static struct entry *entry_of(const struct node *dir, const char *name)
{
	for (size_t i = 0; i < dir->count; i++)
		if (strcmp(dir->entries[i].name, name) == 0)
			return &dir->entries[i];
	return NULL;
}

static void set_entry(struct node *dir, const char *name, int node)
{
	struct entry *e = entry_of(dir, name);

	if (e) {
		e->node = node;
		return;
	}
	dir->entries =
		need(realloc(dir->entries, (dir->count + 1) * sizeof *dir->entries));
	dir->entries[dir->count++] = (struct entry){ need(strdup(name)), node };
}

static void drop_entry(struct node *dir, const char *name)
{
	struct entry *e = entry_of(dir, name);

	if (!e)
		return;
	free(e->name);
	*e = dir->entries[--dir->count];
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The object of a path; -1: there is none. `parent`: of the directory that holds it. */
static int find(const struct node *nodes, const char *path, bool parent)
{
	const char *last = last_of(path);
	int at = 0;

	while (*path && !(parent && path == last)) {
		size_t n = strcspn(path, "/");
		char name[NAME_MAX + 1];
		struct entry *e;

		snprintf(name, sizeof name, "%.*s", (int)n, path);
		e = n ? entry_of(&nodes[at], name) : NULL;
		if (!e)
			return -1;
		at = e->node;
		path += n + (path[n] == '/');
	}
	return at;
}

static void grow(struct node *n, size_t size)
{
	if (size > n->room) {
		n->room = size * 2;
		n->bytes = need(realloc(n->bytes, n->room));
	}
	if (size > n->size) {
		memset(n->bytes + n->size, 0, size - n->size);
		n->size = size;
	}
}

static void write_bytes(struct node *n, size_t at, const char *bytes, size_t len)
{
	grow(n, at + len);
	memcpy(n->bytes + at, bytes, len);
}

static void set_size(struct node *n, size_t size)
{
	if (size < n->size)
		n->size = size;
	else
		grow(n, size);
}

static void apply(struct node *nodes, const struct op *o)
{
	const char *name = last_of(o->path);

	switch (o->r->kind) {
	case J_MKDIR:
		nodes[o->node].is_dir = true;
		/* fall through */
	case J_CREATE:
		set_entry(&nodes[o->dir], name, o->node);
		break;
	case J_WRITE:
		write_bytes(&nodes[o->node], (size_t)o->r->offset, o->data, o->r->data);
		break;
	case J_TRUNCATE:
		set_size(&nodes[o->node], (size_t)o->r->offset);
		break;
	case J_RENAME:
		drop_entry(&nodes[o->dir], name);
		/* fall through */
	case J_LINK:
		set_entry(&nodes[o->to], last_of(o->other), o->node);
		break;
	case J_REMOVE:
		drop_entry(&nodes[o->dir], name);
		break;
	}
}

/* ---- the journal ----------------------------------------------------------------- */

static char *read_file(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	if (fd < 0 || fstat(fd, &st) != 0)
		die(path, strerror(errno));
	bytes = need(malloc((size_t)st.st_size + 1));
	for (off_t at = 0; at < st.st_size;) {
		ssize_t n = read(fd, bytes + at, (size_t)(st.st_size - at));

		if (n <= 0)
			die(path, "cannot be read");
		at += n;
	}
	close(fd);
	bytes[st.st_size] = '\0';
	*ret_len = (size_t)st.st_size;
	return bytes;
}

static char *path_from(const char *at, size_t len)
{
	char *path = need(strndup(at, len));

	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	return path;
}

static void load(const char *path)
{
	size_t len, at = 0;
	char *bytes = read_file(path, &len);

	while (at < len) {
		struct journal_record *r = need(malloc(sizeof *r));
		struct op *o;

		if (len - at < sizeof *r)
			die(path, "ends inside a record");
		memcpy(r, bytes + at, sizeof *r);
		at += sizeof *r;
		if (r->magic != JOURNAL_MAGIC ||
		    len - at < (size_t)r->path + r->other + r->data)
			die(path, "is damaged");
		if (op_count % 1024 == 0)
			ops = need(realloc(ops, (size_t)(op_count + 1024) * sizeof *ops));
		o = &ops[op_count++];
		*o = (struct op){
			.r = r, .node = -1, .dir = -1, .to = -1, .durable = NEVER
		};
		o->path = path_from(bytes + at, r->path);
		o->other = path_from(bytes + at + r->path, r->other);
		o->data = bytes + at + r->path + r->other;
		at += (size_t)r->path + r->other + r->data;
	}
}

/* Objects by their inode numbers, which are used again when a file is gone. */
static struct {
	uint64_t inode;
	int node;
} inodes[NODES_MAX];
static int node_count = 1, inode_count;

static int node_of(uint64_t inode)
{
	for (int i = inode_count - 1; i >= 0; i--)
		if (inodes[i].inode == inode)
			return inodes[i].node;
	return -1;
}

static void resolve_one(struct node *live, struct op *o)
{
	uint32_t kind = o->r->kind;

	if (kind == J_CREATE || kind == J_MKDIR) {
		if (node_count == NODES_MAX)
			die(o->path, "too many files");
		inodes[inode_count].inode = o->r->inode;
		inodes[inode_count++].node = o->node = node_count++;
	} else if (kind == J_SYNC && !*o->path) {
		o->node = 0;
	} else if (kind == J_WRITE || kind == J_TRUNCATE || kind == J_SYNC) {
		o->node = node_of(o->r->inode);
	} else if (kind == J_RENAME || kind == J_LINK || kind == J_REMOVE) {
		o->node = find(live, o->path, false);
	} else {
		return;
	}
	if (*o->path && kind != J_SYNC)
		o->dir = find(live, o->path, true);
	if (*o->other)
		o->to = find(live, o->other, true);
	if (o->node < 0 || (*o->path && kind != J_SYNC && o->dir < 0) ||
	    (*o->other && o->to < 0))
		die("the journal lacks the origin of", o->path);
	apply(live, o);
}

static bool changes_data(const struct op *o)
{
	return o->r->kind == J_WRITE || o->r->kind == J_TRUNCATE;
}

static bool changes_names(const struct op *o)
{
	return o->dir >= 0;
}

/* The first sync of an object behind an operation. */
static int synced(int from, int node)
{
	for (int i = from + 1; i < op_count && !getenv("POWERLOSS_NO_SYNC"); i++)
		if (ops[i].r->kind == J_SYNC && ops[i].node == node)
			return i;
	return NEVER;
}

static void resolve(void)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));

	clear(live);
	for (int i = 0; i < op_count; i++)
		resolve_one(live, &ops[i]);
	for (int i = 0; i < op_count; i++) {
		struct op *o = &ops[i];
		int other;

		if (changes_data(o)) {
			o->durable = synced(i, o->node);
		} else if (changes_names(o)) {
			/* a link leaves the directory of the old name as it was */
			o->durable = synced(i, o->r->kind == J_LINK ? o->to : o->dir);
			other = o->to >= 0 ? synced(i, o->to) : 0;
			if (other > o->durable)
				o->durable = other;
		}
	}
	clear(live);
	free(live);
}

/* ---- does the journal explain the real files? ------------------------------------ */

static int compare(const struct node *nodes, int at, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	size_t seen = 0;
	int bad = 0;

	while (dir && (d = readdir(dir))) {
		struct entry *e = entry_of(&nodes[at], d->d_name);
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
			char *bytes = read_file(below, &len);

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

	clear(live);
	for (int i = 0; i < op_count; i++)
		if (ops[i].node >= 0)
			apply(live, &ops[i]);
	bad = compare(live, 0, tree);
	printf("# %d operations, %d files and directories\n", op_count, node_count);
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
			write_bytes(n, at, o->data + (at - (size_t)o->r->offset),
				    next - at);
		at = next;
	}
	if (grows)
		grow(n, end);
}

static void keep_some(struct node *nodes, const struct op *o, enum choice choice,
		      bool early)
{
	bool data = changes_data(o), write = o->r->kind == J_WRITE;

	if (choice == KEEP_ALL || (choice == EARLIER && early) ||
	    (choice == DATA_ONLY && data) ||
	    ((choice == NAMES_ONLY || choice == SIZES_ONLY) && !data))
		apply(nodes, o);
	else if (choice == SIZES_ONLY && write)
		grow(&nodes[o->node], (size_t)o->r->offset + o->r->data);
	else if (choice == ANY && write)
		keep_blocks(&nodes[o->node], o);
	else if (choice == ANY && pick(2))
		apply(nodes, o);
}

static void lose_power(struct node *nodes, int cut, enum choice choice)
{
	int early = (int)pick((unsigned)cut + 1);

	for (int i = 0; i < cut; i++) {
		const struct op *o = &ops[i];

		if (o->node < 0 || o->r->kind == J_SYNC)
			continue;
		if (o->durable < cut)
			apply(nodes, o);
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

/* ---- what had been promised -------------------------------------------------------- */

static bool has(const struct op *o, const char *text)
{
	return memmem(o->data, o->r->data, text, strlen(text));
}

/* True for what may leave only when all that was logged before it is on the disk. */
static bool vouches(const struct op *o)
{
	if (o->r->kind == J_EXIT)
		return o->r->offset == 0;
	if (o->r->kind != J_SENT)
		return false;
	if (o->r->target == SENT_NETWORK)
		return has(o, "POST ");
	if (o->r->target == SENT_OUTPUT && getenv("POWERLOSS_EACH"))
		return true;
	return has(o, "\"method\":\"tools/call\"") || has(o, "{\"type\":\"result\"") ||
	       has(o, "{\"type\":\"end\"") ||
	       (has(o, "{\"type\":\"state\"") && has(o, "\"exit_code\""));
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
	const char *last = last_of(path);

	if (!conversation_of(path))
		return NULL;
	if (strcmp(last, "events.jsonl") == 0 || strcmp(last, "meta.json") == 0)
		return last;
	return strstr(path, "/blobs/") && strlen(last) == 64 ? "blob" : NULL;
}

/* Was the conversation being removed before the cut? */
static bool is_going(const char *path, int cut, uint32_t *ret_pid, int *ret_at)
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
	clear(live);
	for (int i = 0; i < cut && !found; i++) {
		int at;

		if (ops[i].node < 0)
			continue;
		apply(live, &ops[i]);
		if (i < from || ops[i].r->kind != J_RENAME ||
		    strcmp(ops[i].other, path) != 0)
			continue;
		at = ops[i].node;
		found = live[at].size == got->size &&
			memcmp(live[at].bytes, got->bytes, got->size) == 0;
	}
	clear(live);
	free(live);
	return found;
}

static const char *check_file(const struct node *image, const char *path,
			      const struct node *want, int from, int cut)
{
	const char *kind = kind_of(path);
	int at = find(image, path, false);
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
		    is_going(path, cut, &remover, &gone))
			continue;
		at = find(live, path, false);
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
		    strcmp(last_of(path), "events.jsonl") != 0 ||
		    is_going(path, cut, &remover, &gone))
			continue;
		at = find(live, path, false);
		for (int k = i; k < from; k++)
			if (ops[k].r->pid == pid && ops[k].node == ops[i].node &&
			    changes_data(&ops[k]))
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
	return is_going(path, cut, &pid, &at);
}

/* The whole of a file of output as it was when the log first named it at `named`. */
static int check_spool(const struct node *image, const struct op *made, int named,
		       int cut)
{
	struct node *live = need(calloc(NODES_MAX, sizeof *live));
	int at = find(image, made->path, false);
	const struct node *want = &live[made->node], *got = at >= 0 ? &image[at] : NULL;
	int bad;

	if (is_removed(made->path, cut)) {
		free(live);
		return 0;
	}
	clear(live);
	for (int i = 0; i < named; i++)
		if (ops[i].node >= 0)
			apply(live, &ops[i]);
	bad = !got || got->size < want->size ||
	      memcmp(got->bytes, want->bytes, want->size) != 0;
	if (bad)
		printf("lost %s: an event names it\n", made->path);
	clear(live);
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
			    has(&ops[k], name))
				named = k;
		if (named >= 0)
			bad += check_spool(image, &ops[i], named, cut);
	}
	return bad;
}

/* What a process said it had removed does not come back. */
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
		if (*last_of(dir) != '.' && find(image, dir, false) >= 0) {
			printf("lost the removal of %s\n", dir);
			bad++;
		}
	}
	return bad;
}

static int check_image(const struct node *image, int cut)
{
	uint32_t seen[ENTRIES_MAX];
	int seen_count = 0, bad = 0;

	for (int i = cut - 1; i >= 0; i--) {
		struct node *live;
		uint32_t pid = ops[i].r->pid;
		bool known = false;

		for (int k = 0; k < seen_count; k++)
			known |= seen[k] == pid;
		if (known || !vouches(&ops[i]))
			continue;
		if (seen_count == ENTRIES_MAX)
			die("processes", "too many");
		seen[seen_count++] = pid;
		live = need(calloc(NODES_MAX, sizeof *live));
		clear(live);
		for (int k = 0; k < i; k++)
			if (ops[k].node >= 0)
				apply(live, &ops[k]);
		bad += check_promises(image, live, pid, i, cut);
		bad += check_taken_over(image, live, pid, i, cut);
		bad += check_spools(image, pid, i, cut);
		if (ops[i].r->kind == J_EXIT)
			bad += check_removed(image, pid, i);
		clear(live);
		free(live);
	}
	return bad;
}

/* ---- cases -------------------------------------------------------------------------- */

/* The conversations of the image, and what is known of each. */
static void print_conversations(const struct node *image, int cut)
{
	int at = find(image, "mortise/conversations", false);

	for (size_t i = 0; at >= 0 && i < image[at].count; i++) {
		char path[PATH_MAX];
		uint32_t pid;
		int events = -1, gone;

		snprintf(path, sizeof path, "mortise/conversations/%s/events.jsonl",
			 image[at].entries[i].name);
		for (int k = 0; k < promise_count && k < ENTRIES_MAX; k++)
			if (strcmp(promises[k].path, path) == 0 &&
			    promises[k].events > events)
				events = promises[k].events;
		if (is_going(path, cut, &pid, &gone))
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
		barriers += ops[i].r->kind == J_SYNC || vouches(&ops[i]);
	if (!barriers)
		die("the journal", "has no barrier");
	if (number % 2)
		return (int)pick((unsigned)op_count) + 1;
	wanted = (int)(number / 2 % barriers);
	for (int i = 0; i < op_count; i++)
		if ((ops[i].r->kind == J_SYNC || vouches(&ops[i])) && wanted-- == 0)
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
	clear(image);
	lose_power(image, cut, choice);
	printf("# after operation %d of %d, of the rest is kept: %s\n", cut, op_count,
	       choice_names[choice]);
	bad = check_image(image, cut);
	print_conversations(image, cut);
	write_tree(image, 0, image_path);
	clear(image);
	free(image);
	return bad != 0;
}

/* ---- after a failed sync ------------------------------------------------------------ */

/* No request, no call, no acknowledgment; an error is not an acknowledgment. */
static bool leaves(const struct op *o)
{
	if (o->r->kind == J_EXIT)
		return o->r->offset == 0;
	return o->r->kind == J_SENT &&
	       ((o->r->target == SENT_NETWORK && has(o, "POST ")) ||
		has(o, "\"method\":\"tools/call\"") ||
		(has(o, "{\"type\":\"result\"") && has(o, "\"ok\":true")));
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
		if (!leaves(&ops[i]))
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
	load(argv[1]);
	resolve();
	if (strcmp(argv[3], "failed") == 0)
		return check_failed();
	return strcmp(argv[3], "verify") == 0
		       ? verify(argv[2])
		       : one_case(argv[2], strtol(argv[3], NULL, 10));
}
