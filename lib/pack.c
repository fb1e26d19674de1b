/* SPDX-License-Identifier: MIT
 *
 * pack.c - reads and writes archives: the only file that uses libarchive. */
#include "pack.h"

#include "digest.h"
#include "files.h"
#include "hex.h"
#include "library.h"
#include "utf8.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* ---- libarchive --------------------------------------------------------- */

#define FUNCTIONS(X)                                                           \
	X(archive_read_new) X(archive_read_free) X(archive_read_open_fd)       \
	X(archive_read_support_filter_gzip) X(archive_read_support_filter_xz)  \
	X(archive_read_support_filter_zstd) X(archive_read_support_format_tar) \
	X(archive_read_support_format_zip) X(archive_read_next_header)         \
	X(archive_read_data) X(archive_error_string) X(archive_filter_bytes)   \
	X(archive_entry_pathname) X(archive_entry_pathname_utf8)               \
	X(archive_entry_filetype) X(archive_entry_symlink)                     \
	X(archive_entry_symlink_utf8) X(archive_entry_hardlink)                \
	X(archive_entry_is_encrypted)                                          \
	X(archive_write_new) X(archive_write_free) X(archive_write_open_fd)    \
	X(archive_write_close) X(archive_write_header) X(archive_write_data)   \
	X(archive_write_set_format_pax_restricted)                             \
	X(archive_write_set_format_zip) X(archive_write_add_filter_gzip)       \
	X(archive_write_add_filter_xz) X(archive_write_add_filter_zstd)        \
	X(archive_write_set_bytes_in_last_block) X(archive_entry_new)          \
	X(archive_write_set_filter_option)                                     \
	X(archive_entry_free) X(archive_entry_set_pathname)                    \
	X(archive_entry_set_filetype) X(archive_entry_set_perm)                \
	X(archive_entry_set_size) X(archive_entry_set_mtime)

#define MEMBER(f) __typeof__(f) *f;
#define NAME(f) { #f, offsetof(struct archive_api, f) },

struct archive_api {
	FUNCTIONS(MEMBER)
};

static const struct library_function functions[] = { FUNCTIONS(NAME) };

static const struct archive_api *archive_api(struct error *err)
{
	static const struct library library = {
		"libarchive.so.13", "libarchive", "to read skill packs",
		functions, ARRAY_LEN(functions),
	};
	static struct archive_api api;

	return api.archive_read_new || !library_load(&library, &api, sizeof api, err)
		       ? &api
		       : NULL;
}

bool pack_is_archive(const char *file)
{
	static const char *const suffixes[] = {
		".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.zst", ".zip",
	};
	size_t len = strlen(file);

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(file + len - n, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* ---- names in an archive ------------------------------------------------- */

/* Normalize a path: remove "." and empty parts, resolve ".."; below `dir` if that is
 * not NULL. @return false: it leaves the root. */
static bool resolve_link_target(const char *dir, const char *path, struct strbuf *out)
{
	if (*path == '/')
		return false;
	if (dir)
		strbuf_add(out, dir);
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			char *slash = strrchr(out->text, '/');

			if (!out->len)
				return false;
			strbuf_cut(out, slash ? (size_t)(slash - out->text) : 0);
		} else if (n && !(n == 1 && *path == '.')) {
			if (out->len)
				strbuf_addc(out, '/');
			strbuf_addn(out, path, n);
		}
		path += n + (path[n] == '/');
	}
	return out->error == MT_OK;
}

static bool has_parents(const char *path)
{
	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.')
			return true;
	}
	return false;
}

static int check_entry_name(const char *raw, struct strbuf *out, struct error *err)
{
	size_t len = raw ? strlen(raw) : 0;

	if (!len || !utf8_valid(raw, len))
		return fail(err, MT_EINVAL, "an entry name is not UTF-8");
	if (len > PACK_NAME_MAX)
		return fail(err, MT_ELIMIT, "an entry name is longer than %d bytes",
			    PACK_NAME_MAX);
	for (size_t i = 0; i < len; i++)
		if (raw[i] == '\\' || utf8_control(raw + i, len - i))
			return fail(
				err, MT_EINVAL,
				"an entry name contains a backslash or a control character");
	if (*raw == '/')
		return fail(err, MT_EINVAL, "contains an absolute path: %.200s", raw);
	if (has_parents(raw))
		return fail(err, MT_EINVAL, "contains a path with ..: %.200s", raw);
	return resolve_link_target(NULL, raw, out) ? MT_OK : out_of_memory(err);
}

/* ---- reading -------------------------------------------------------------- */

struct scan {
	const struct archive_api *api;
	struct archive *archive;
	const struct pack_reader *reader;
	uint64_t size;           /* size of the file */
	uint64_t read;           /* bytes of contents extracted */
	size_t count;
	char **names;            /* names of entries, as a hash table */
	size_t room;
	struct error *err;
};

static size_t hash_name(const char *name)
{
	uint64_t h = 14695981039346656037u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 1099511628211u;
	return (size_t)h;
}

static void names_place(char **names, size_t room, char *name)
{
	size_t at = hash_name(name + 1) & (room - 1);

	while (names[at])
		at = (at + 1) & (room - 1);
	names[at] = name;
}

/* Add a name, prefixed by a letter for its kind. @return MT_EEXIST: it already exists;
 * a directory may be repeated. */
static int names_add(struct scan *s, const char *name, bool is_dir)
{
	char *copy;

	if (2 * (s->count + 1) > s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		char **all = calloc(room, sizeof *all);

		if (!all)
			return MT_ENOMEM;
		for (size_t i = 0; i < s->room; i++)
			if (s->names[i])
				names_place(all, room, s->names[i]);
		free(s->names);
		s->names = all;
		s->room = room;
	}
	for (size_t at = hash_name(name) & (s->room - 1); s->names[at];
	     at = (at + 1) & (s->room - 1))
		if (strcmp(s->names[at] + 1, name) == 0)
			return is_dir && s->names[at][0] == 'd' ? MT_OK : MT_EEXIST;
	if (asprintf(&copy, "%c%s", is_dir ? 'd' : 'f', name) < 0)
		return MT_ENOMEM;
	names_place(s->names, s->room, copy);
	s->count++;
	return MT_OK;
}

/* Reject an archive whose contents are too large (possible decompression bomb). */
static int check_amount(struct scan *s)
{
	int64_t out = s->api->archive_filter_bytes(s->archive, 0);
	uint64_t most = out > 0 && (uint64_t)out > s->read ? (uint64_t)out : s->read;

	if (most > PACK_TOTAL_MAX)
		return fail(s->err, MT_ELIMIT, "unpacked size exceeds %d MiB",
			    PACK_TOTAL_MAX >> 20);
	if (most > (1 << 20) + PACK_RATIO_MAX * s->size)
		return fail(s->err, MT_ELIMIT,
			    "unpacked size exceeds %d times the archive size "
			    "(possible decompression bomb)",
			    PACK_RATIO_MAX);
	return MT_OK;
}

static int pack_broken(struct scan *s)
{
	const char *why = s->api->archive_error_string(s->archive);

	return fail(s->err, MT_EINVAL, "cannot read the archive: %.200s",
		    why ? why : "damaged");
}

/* All bytes of an entry are counted here, also unused ones. */
static int read_bytes(struct scan *s, const char *path, bool wanted, struct strbuf *to,
		      EVP_MD_CTX *sum)
{
	char buffer[16384];
	la_ssize_t n;

	while ((n = s->api->archive_read_data(s->archive, buffer, sizeof buffer)) > 0) {
		s->read += (uint64_t)n;
		if (check_amount(s))
			return s->err->code;
		if (sum && digest_crypto_api(NULL)->EVP_DigestUpdate(sum, buffer,
								     (size_t)n) != 1)
			return fail(s->err, MT_EIO, "SHA-256 failed");
		if (wanted && strbuf_addn(to, buffer, (size_t)n))
			return fail(s->err, to->error, "%.200s is larger than %d KiB",
				    path, PACK_WANTED_MAX >> 10);
	}
	return n < 0 ? pack_broken(s) : MT_OK;
}

static int check_entry_link(struct scan *s, struct archive_entry *entry, const char *path,
			    struct strbuf *target)
{
	const char *to = s->api->archive_entry_symlink_utf8(entry);
	AUTO(free) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!dir)
		return out_of_memory(s->err);
	if (slash)
		*slash = '\0';
	if (!to)
		to = s->api->archive_entry_symlink(entry);
	if (!to || !utf8_valid(to, strlen(to)) ||
	    !resolve_link_target(slash ? dir : NULL, to, target))
		return fail(s->err, MT_EINVAL,
			    "a link points outside the archive: %.200s", path);
	return MT_OK;
}

static int end_sum(EVP_MD_CTX *sum, char hex[65])
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (digest_crypto_api(NULL)->EVP_DigestFinal_ex(sum, raw, &n) != 1)
		return MT_EIO;
	hex_write(raw, SHA256_BYTES, hex);
	return MT_OK;
}

static int take_file(struct scan *s, struct pack_entry *e)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(PACK_WANTED_MAX + 1);
	bool wanted = s->reader->wants && s->reader->wants(e->path, s->reader->arg);
	const struct crypto_api *api = s->reader->sums ? digest_crypto_api(s->err) : NULL;
	EVP_MD_CTX *sum = api ? api->EVP_MD_CTX_new() : NULL;
	char hex[65] = "";
	int r = s->reader->sums && (!sum || api->EVP_DigestInit_ex(sum, api->EVP_sha256(),
								   NULL) != 1)
			? fail(s->err, MT_EIO,
			       "cannot compute SHA-256: libcrypto is not available")
			: read_bytes(s, e->path, wanted, &bytes, sum);

	if (!r && sum && end_sum(sum, hex))
		r = fail(s->err, MT_EIO, "SHA-256 failed");
	if (sum)
		api->EVP_MD_CTX_free(sum);
	if (r)
		return r;
	e->sha256 = hex;
	if (wanted) {
		e->bytes = bytes.text;
		e->len = bytes.len;
	}
	return s->reader->entry ? s->reader->entry(e, s->reader->arg, s->err) : MT_OK;
}

static int pack_take_entry(struct scan *s, struct archive_entry *entry)
{
	AUTO(strbuf) struct strbuf path = STRBUF(PACK_NAME_MAX + 2);
	AUTO(strbuf) struct strbuf target = STRBUF(8192);
	const char *raw = s->api->archive_entry_pathname_utf8(entry);
	mode_t type = s->api->archive_entry_filetype(entry);
	struct pack_entry e = { 0 };
	int r = check_entry_name(raw ? raw : s->api->archive_entry_pathname(entry), &path,
				 s->err);

	if (r || !path.len)
		return r; /* "./": the root */
	if (s->count >= PACK_ENTRIES_MAX)
		return fail(s->err, MT_ELIMIT, "contains more than %d entries",
			    PACK_ENTRIES_MAX);
	r = names_add(s, path.text, type == AE_IFDIR);
	if (r)
		return r == MT_ENOMEM
			       ? fail_code(s->err, r)
			       : fail(s->err, r, "duplicate entry: %.200s", path.text);
	if (s->api->archive_entry_hardlink(entry))
		return fail(s->err, MT_EINVAL, "contains a hard link: %.200s", path.text);
	if (s->api->archive_entry_is_encrypted(entry))
		return fail(s->err, MT_EUNSUPPORTED, "the archive is encrypted");
	e.path = path.text;
	e.kind = type == AE_IFREG ? 'f' : type == AE_IFDIR ? 'd' : 'l';
	if (type == AE_IFREG)
		return take_file(s, &e);
	if (type != AE_IFDIR && type != AE_IFLNK)
		return fail(s->err, MT_EINVAL,
			    "contains a device, pipe or socket: %.200s", path.text);
	if (type == AE_IFLNK && check_entry_link(s, entry, path.text, &target))
		return s->err->code;
	e.target = target.text;
	return s->reader->entry ? s->reader->entry(&e, s->reader->arg, s->err) : MT_OK;
}

static int scan_all(struct scan *s)
{
	struct archive_entry *entry;
	int r;

	while ((r = s->api->archive_read_next_header(s->archive, &entry)) !=
	       ARCHIVE_EOF) {
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			return pack_broken(s);
		r = check_amount(s);
		if (!r)
			r = pack_take_entry(s, entry);
		if (r)
			return r == PACK_STOP ? MT_OK : r;
	}
	return s->count ? check_amount(s)
			: fail(s->err, MT_EINVAL, "the archive is empty");
}

static int scan_open(struct scan *s, int fd)
{
	const struct archive_api *api = s->api;
	int r;

	s->archive = api->archive_read_new();
	if (!s->archive)
		return out_of_memory(s->err);
	api->archive_read_support_filter_gzip(s->archive);
	api->archive_read_support_filter_xz(s->archive);
	api->archive_read_support_filter_zstd(s->archive);
	api->archive_read_support_format_tar(s->archive);
	api->archive_read_support_format_zip(s->archive);
	r = api->archive_read_open_fd(s->archive, fd, 64 << 10);
	return r == ARCHIVE_OK ? scan_all(s) : pack_broken(s);
}

static int open_archive(const char *path, uint64_t *ret_size, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= PACK_FILE_MAX) {
		*ret_size = (uint64_t)st.st_size;
		return fd;
	}
	if (fd < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO, "%s",
			    strerror(errno));
	close(fd);
	return fail(err, MT_ELIMIT, "not a regular file of at most %d MiB",
		    PACK_FILE_MAX >> 20);
}

int pack_scan(const char *path, const struct pack_reader *reader, struct error *err)
{
	struct error why = ERROR_NONE;
	struct scan s = { .api = archive_api(&why), .reader = reader, .err = &why };
	int fd = s.api ? open_archive(path, &s.size, &why) : -1;

	if (fd >= 0) {
		scan_open(&s, fd);
		s.api->archive_read_free(s.archive);
		close(fd);
	}
	for (size_t i = 0; i < s.room; i++)
		free(s.names[i]);
	free(s.names);
	return why.code ? fail(err, why.code, "%s: %s", path, why.text) : MT_OK;
}

/* ---- one file of it -------------------------------------------------------- */

struct extract_request {
	const char *path;
	char *bytes, *target;
	size_t len;
	bool found;
};

static bool entry_matches(const char *path, void *arg)
{
	return strcmp(path, ((struct extract_request *)arg)->path) == 0;
}

static int extract_entry(const struct pack_entry *e, void *arg, struct error *err)
{
	struct extract_request *w = arg;

	if (strcmp(e->path, w->path) != 0)
		return MT_OK;
	w->found = true;
	w->len = e->len;
	if (e->bytes) {
		w->bytes = malloc(e->len + 1);
		if (!w->bytes)
			return out_of_memory(err);
		memcpy(w->bytes, e->bytes, e->len + 1);
	} else if (e->kind == 'l') {
		w->target = strdup(e->target);
	}
	return PACK_STOP;
}

int pack_file(const char *path, const char *inside, char **ret, size_t *ret_len,
	      struct error *err)
{
	struct extract_request w = { .path = inside };
	const struct pack_reader reader = {
		.wants = entry_matches, .entry = extract_entry, .arg = &w,
	};
	int r = pack_scan(path, &reader, err);

	if (!r && w.target) { /* a link, once */
		AUTO(free) char *target = STEAL(w.target);

		w = (struct extract_request){ .path = target };
		r = pack_scan(path, &reader, err);
		w.path = inside;
	}
	free(w.target);
	if (r) {
		free(w.bytes);
		return r;
	}
	if (!w.bytes)
		return fail(err, MT_ENOTFOUND, "%s contains no file %.200s", path,
			    inside);
	*ret = w.bytes;
	if (ret_len)
		*ret_len = w.len;
	return MT_OK;
}

/* ---- writing ---------------------------------------------------------------- */

enum { FILE_TIME = 315619200 }; /* 1980: zip has no earlier time */

struct pack_writer {
	const struct archive_api *api;
	struct archive *archive;
	struct error *err;
	size_t count;
	struct pack_sums sums;
	bool is_signed;
};

static int write_failed(struct pack_writer *m)
{
	const char *why = m->api->archive_error_string(m->archive);

	return fail(m->err, MT_EIO, "cannot write the archive: %.200s",
		    why ? why : status_name(MT_ENOMEM));
}

/* The same content produces the same archive: no owners, one time, sorted. */
static int write_entry(struct pack_writer *m, const char *name, const char *bytes,
		       size_t len, bool runs)
{
	struct archive_entry *entry = m->api->archive_entry_new();
	int r;

	if (!entry)
		return out_of_memory(m->err);
	m->api->archive_entry_set_pathname(entry, name);
	m->api->archive_entry_set_filetype(entry, AE_IFREG);
	m->api->archive_entry_set_perm(entry, runs ? 0755 : 0644);
	m->api->archive_entry_set_size(entry, (la_int64_t)len);
	m->api->archive_entry_set_mtime(entry, FILE_TIME, 0);
	r = m->api->archive_write_header(m->archive, entry);
	m->api->archive_entry_free(entry);
	if (r != ARCHIVE_OK ||
	    m->api->archive_write_data(m->archive, bytes, len) != (la_ssize_t)len)
		return write_failed(m);
	return ++m->count > PACK_ENTRIES_MAX
		       ? fail(m->err, MT_ELIMIT, "more than %d files", PACK_ENTRIES_MAX)
		       : MT_OK;
}

static int write_file(struct pack_writer *m, const char *name, const char *path,
		      bool runs)
{
	AUTO(free) char *bytes = NULL;
	char hex[65];
	size_t len;
	int r;

	if (m->is_signed && strcmp(name, PACK_SIGNATURE) == 0)
		return MT_OK; /* of before */
	r = file_read(path, PACK_FILE_MAX, &bytes, &len, m->err);
	if (!r && m->is_signed &&
	    (pack_hash_bytes(bytes, len, hex) || pack_sums_add(&m->sums, 'f', name, hex)))
		r = out_of_memory(m->err);
	return r ? r : write_entry(m, name, bytes, len, runs);
}

static int write_signature(struct pack_writer *m, const char *key)
{
	AUTO(strbuf) struct strbuf text = STRBUF(1024);
	int r = pack_sums_sign(&m->sums, key, &text, m->err);

	return r ? r : write_entry(m, PACK_SIGNATURE, text.text, text.len, false);
}

/* Hidden directories are allowed, but only one hidden file. */
static int is_packed(const struct dirent *d)
{
	static const char *const never[] = { ".", "..", ".git", ".hg", ".svn" };

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		if (strcmp(d->d_name, never[i]) == 0)
			return false;
	return d->d_name[0] != '.' || strcmp(d->d_name, ".mcp.json") == 0 ||
	       d->d_type == DT_DIR || d->d_type == DT_LNK || d->d_type == DT_UNKNOWN;
}

static int compare_dirents(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Pack the target of a link instead of the link, if the target is in the tree. A link to
 * one of its own parents would lead to endless recursion. @return 1: the link is omitted. */
static int follow_link(struct pack_writer *m, const char *root, const char *path,
		       struct stat *ret_st)
{
	AUTO(free) char *real = realpath(path, NULL), *top = realpath(root, NULL);
	AUTO(free) char *dir = strndup(path, (size_t)(strrchr(path, '/') - path));
	AUTO(free) char *around = dir ? realpath(dir, NULL) : NULL;

	if (!real || !top || !around || stat(path, ret_st))
		return fail(m->err, MT_EINVAL, "%s: dangling symbolic link", path);
	if (!path_is_in(real, top))
		return fail(m->err, MT_EINVAL, "%s: symbolic link points outside %s",
			    path, root);
	return S_ISDIR(ret_st->st_mode) && path_is_in(around, real);
}

static int write_dir(struct pack_writer *m, const char *root, const char *below,
		     unsigned depth)
{
	AUTO(free) char *dir = path_join(root, below);
	struct dirent **names = NULL;
	int n = dir ? scandir(dir, &names, is_packed, compare_dirents) : -1, r = MT_OK;

	if (n < 0)
		r = fail(m->err, MT_EIO, "cannot read %s: %s", dir ? dir : root,
			 strerror(errno));
	for (int i = 0; i < n; i++) {
		AUTO(free) char *name = *below ? path_join(below, names[i]->d_name)
					       : strdup(names[i]->d_name);
		AUTO(free) char *path = name ? path_join(root, name) : NULL;
		bool hidden = names[i]->d_name[0] == '.' &&
			      strcmp(names[i]->d_name, ".mcp.json") != 0;
		struct stat st;
		int link = 0;

		free(names[i]);
		if (r)
			continue;
		if (!path || lstat(path, &st))
			r = fail(m->err, MT_EIO, "cannot read %s: %s", root,
				 strerror(errno));
		else if (S_ISLNK(st.st_mode))
			link = follow_link(m, root, path, &st);
		if (r || link) {
			r = link < 0 ? link : r;
			continue;
		}
		if (hidden && !S_ISDIR(st.st_mode))
			continue;
		if (S_ISDIR(st.st_mode) && depth < 16)
			r = write_dir(m, root, name, depth + 1);
		else if (S_ISREG(st.st_mode))
			r = write_file(m, name, path, st.st_mode & S_IXUSR);
		else
			r = fail(m->err, MT_EINVAL, "not a regular file: %s", path);
	}
	free(names);
	return r;
}

static void choose_form(struct pack_writer *m, const char *path)
{
	size_t n = strlen(path);

	if (n > 4 && strcmp(path + n - 4, ".zip") == 0) {
		m->api->archive_write_set_format_zip(m->archive);
		return;
	}
	m->api->archive_write_set_format_pax_restricted(m->archive);
	if (strcmp(path + n - 2, "gz") == 0) {
		m->api->archive_write_add_filter_gzip(m->archive);
		m->api->archive_write_set_filter_option(m->archive, "gzip", "timestamp",
							NULL);
	} else if (strcmp(path + n - 2, "xz") == 0) {
		m->api->archive_write_add_filter_xz(m->archive);
	} else if (strcmp(path + n - 3, "zst") == 0) {
		m->api->archive_write_add_filter_zstd(m->archive);
	}
}

int pack_make(const char *dir, int fd, const char *path, const char *key,
	      struct error *err)
{
	struct pack_writer m = { .api = archive_api(err),
				 .err = err,
				 .is_signed = key != NULL };
	int r;

	if (!m.api)
		return err->code;
	if (!pack_is_archive(path))
		return fail(err, MT_EINVAL,
			    "%s: the name must end in .tar.gz, .tar.xz, "
			    ".tar.zst, .tar or .zip",
			    path);
	m.archive = m.api->archive_write_new();
	if (!m.archive)
		return out_of_memory(err);
	choose_form(&m, path);
	m.api->archive_write_set_bytes_in_last_block(m.archive, 1);
	r = m.api->archive_write_open_fd(m.archive, fd) == ARCHIVE_OK
		    ? write_dir(&m, dir, "", 0)
		    : write_failed(&m);
	if (!r && key)
		r = write_signature(&m, key);
	if (!r && m.api->archive_write_close(m.archive) != ARCHIVE_OK)
		r = write_failed(&m);
	m.api->archive_write_free(m.archive);
	pack_sums_clear(&m.sums);
	return r;
}
