/* SPDX-License-Identifier: MIT
 *
 * packs-cache.c - the index of an archive, read once and cached: a line for the
 * archive, and a line for each skill or problem. Descriptions are loaded on demand. */
#include "skills/packs.h"
#include "skills/skills-internal.h"

#include "array.h"
#include "files.h"
#include "log.h"
#include "utf8.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_FORM "mortise-pack-2"

enum { INDEX_MAX = 32 << 20, FIELDS_MAX = 8 };
enum { FIELD_END = '\x1f', LIST_END = '\x1e' };

/* ---- writing ---------------------------------------------------------------- */

static int packs_cache_put_field(struct strbuf *out, const char *text, char end)
{
	AUTO(free) char *copy = strdup(text ? text : "");

	if (!copy)
		return out->error = MT_ENOMEM;
	utf8_blank_controls(copy, strlen(copy));
	strbuf_add(out, copy);
	return strbuf_addc(out, end);
}

static void index_put_skill(struct strbuf *out, const struct skill *s)
{
	strbuf_addf(out, "S%d%d%d%d%c", s->trigger, s->listed, s->hidden, s->asks,
		    FIELD_END);
	packs_cache_put_field(out, s->name, FIELD_END);
	packs_cache_put_field(out, s->source, FIELD_END);
	packs_cache_put_field(out, s->description, FIELD_END);
	for (size_t i = 0; i < s->trigger_count; i++)
		packs_cache_put_field(out, s->triggers[i], LIST_END);
	strbuf_addc(out, '\n');
}

/* The identity of the archive: if it changes, the archive is read again. */
static int put_key(struct strbuf *out, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return MT_EIO;
	return strbuf_addf(out, "%s%c%s%c%lld%c%lld.%09ld%c%llu%c%llu\n", INDEX_FORM,
			   FIELD_END, path, FIELD_END, (long long)st.st_size, FIELD_END,
			   (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, FIELD_END,
			   (unsigned long long)st.st_ino, FIELD_END,
			   (unsigned long long)st.st_dev);
}

static char *index_path(const char *path, bool make)
{
	AUTO(free) char *cache = NULL, *dir = NULL;
	AUTO(strbuf) struct strbuf name = STRBUF(128);
	uint64_t h = 14695981039346656037u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 1099511628211u;
	if (paths_xdg_dir("CACHE", make, &cache, NULL))
		return NULL;
	dir = path_join(cache, "packs");
	if (!dir || (make && dir_make(dir, NULL)))
		return NULL;
	strbuf_addf(&name, "%016llx", (unsigned long long)h);
	return path_join(dir, name.text);
}

static void index_write(const struct pack *p, const struct skills *s)
{
	AUTO(strbuf) struct strbuf out = STRBUF(INDEX_MAX);
	AUTO(free) char *path = index_path(p->path, true);

	if (!path || put_key(&out, p->path))
		return;
	for (size_t i = 0; i < s->problem_count; i++) {
		strbuf_addf(&out, "P%d%c", s->problems[i].warning, FIELD_END);
		packs_cache_put_field(&out, s->problems[i].path, FIELD_END);
		packs_cache_put_field(&out, s->problems[i].text, FIELD_END);
		strbuf_addc(&out, '\n');
	}
	for (size_t i = 0; i < s->count; i++)
		index_put_skill(&out, s->list[i]);
	if (!out.error)
		file_write(path, out.text, out.len, 0600, false, NULL);
}

/* ---- reading ------------------------------------------------------------------ */

/* Split a line in place. */
static size_t split_fields(char *line, char end, char **fields, size_t max)
{
	size_t n = 0;

	while (n < max && *line) {
		char *stop = strchr(line, end);

		fields[n++] = line;
		if (!stop)
			break;
		*stop = '\0';
		line = stop + 1;
	}
	return n;
}

static int packs_cache_take_words(struct skill *s, char *text)
{
	char *words[SKILL_TRIGGERS_MAX];
	size_t n = split_fields(text, LIST_END, words, SKILL_TRIGGERS_MAX);

	if (!n)
		return MT_OK;
	s->triggers = calloc(n, sizeof *s->triggers);
	for (size_t i = 0; s->triggers && i < n; i++) {
		s->triggers[i] = strdup(words[i]);
		if (!s->triggers[i])
			return MT_ENOMEM;
		s->trigger_count++;
	}
	return s->triggers ? MT_OK : MT_ENOMEM;
}

static struct skill *skill_from(char **fields, size_t count, struct pack *p,
				const char *text)
{
	struct skill *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->trigger = fields[0][1] - '0' > TRIGGER_PATH
			     ? TRIGGER_NONE
			     : (enum trigger_kind)(fields[0][1] - '0');
	s->listed = fields[0][2] == '1';
	s->hidden = fields[0][3] == '1';
	s->asks = fields[0][4] == '1';
	s->name = strdup(fields[1]);
	s->source = strdup(fields[2]);
	s->said_at = (size_t)(fields[3] - text);
	s->said_len = strlen(fields[3]);
	s->pack = p;
	if (s->name && s->source && (count < 5 || !packs_cache_take_words(s, fields[4])))
		return s;
	return skill_free(s);
}

/* Report a problem of a file in an archive; the archive's path precedes the file. */
static int report_inside(struct skills *s, const char *pack, const char *path,
			 bool warning, const char *text, struct error *err)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(1 << 16);

	return strbuf_addf(&whole, "%s: %s", pack, path)
		       ? out_of_memory(err)
		       : skills_report_problem(s, whole.text, warning, text, err);
}

static int index_line(struct skills *s, struct pack *p, char *line, const char *text,
		      size_t known, struct error *err)
{
	char *fields[FIELDS_MAX];
	size_t n = split_fields(line, FIELD_END, fields, FIELDS_MAX);
	struct skill *skill;

	if (n >= 3 && fields[0][0] == 'P')
		return report_inside(s, p->path, fields[1], fields[0][1] == '1',
				     fields[2], err);
	if (n < 4 || fields[0][0] != 'S' || strlen(fields[0]) != 5)
		return MT_OK;
	skill = skill_from(fields, n, p, text);
	return skill ? skills_add_known(s, skill, "pack", known, err)
		     : out_of_memory(err);
}

static int read_piece(int fd, size_t at, size_t len, char **ret)
{
	char *text = malloc(len + 1);
	size_t got = 0;

	if (!text)
		return MT_ENOMEM;
	while (got < len) {
		ssize_t n = pread(fd, text + got, len - got, (off_t)(at + got));

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	if (got < len || !utf8_valid(text, len)) {
		free(text);
		return MT_EIO;
	}
	text[len] = '\0';
	*ret = text;
	return MT_OK;
}

/* Open the index if it matches the current archive; the pack keeps it open. */
static char *index_open(struct pack *p, size_t *ret_start)
{
	AUTO(strbuf) struct strbuf key = STRBUF(8192);
	AUTO(free) char *path = index_path(p->path, false);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	char *text = NULL;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size <= INDEX_MAX && !put_key(&key, p->path) &&
	    !read_piece(fd, 0, (size_t)st.st_size, &text) &&
	    strncmp(text, key.text, key.len) == 0) {
		p->index = fd;
		*ret_start = key.len;
		return text;
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* @return MT_ENOTFOUND: there is no matching index. */
static int index_read(struct skills *s, struct pack *p, struct error *err)
{
	size_t known = s->count, start = 0;
	AUTO(free) char *text = index_open(p, &start);
	int r = MT_OK;

	if (!text)
		return MT_ENOTFOUND;
	s->quiet = true; /* skills_add_pack reported them when it read the archive */
	for (char *line = text + start, *next; !r && *line; line = next) {
		next = strchr(line, '\n');
		if (!next)
			break;
		*next++ = '\0';
		r = index_line(s, p, line, text, known, err);
	}
	s->quiet = false;
	return r;
}

int skill_describe(struct skill *s)
{
	const struct pack *p = s->pack;

	if (s->description || !p || p->index < 0)
		return MT_OK;
	return read_piece(p->index, s->said_at, s->said_len, &s->description);
}

/* ---- adding --------------------------------------------------------------------- */

static int keep_pack(struct skills *s, struct pack *p, struct error *err)
{
	if (ARRAY_ADD(s->packs, s->pack_count, ARRAY_MAX)) {
		pack_free(p);
		return out_of_memory(err);
	}
	s->packs[s->pack_count++] = p;
	return MT_OK;
}

/* Move the skills that were read from an archive to the others. */
static int merge_skills(struct skills *s, struct skills *from, const char *pack,
			struct error *err)
{
	size_t known = s->count;
	int r = MT_OK;

	s->quiet = true;
	for (size_t i = 0; !r && i < from->problem_count; i++)
		r = report_inside(s, pack, from->problems[i].path,
				  from->problems[i].warning, from->problems[i].text, err);
	s->quiet = false;
	for (size_t i = 0; !r && i < from->count; i++)
		r = skills_add_known(s, STEAL(from->list[i]), "pack", known, err);
	return r;
}

/* Report an error of an archive, such as too many skills, as one problem. */
static int note_pack_problem(struct skills *s, const char *path, int r,
			     const struct error *why, struct error *err)
{
	if (!r)
		return MT_OK;
	return r == MT_ENOMEM ? out_of_memory(err)
			      : skills_report_problem(s, path, false, why->text, err);
}

static int check_signed(const char *path, struct error *why)
{
	AUTO(free) char *signer = NULL;
	int r = pack_verify_signature(path, NULL, KEY_DIR, &signer, why);

	return r == MT_ENOTFOUND
		       ? fail(why, MT_EDENIED, "ignored: the archive is not signed")
		       : r;
}

static int add_pack(struct skills *s, const char *path, bool is_signed, struct error *err)
{
	AUTO(skills) struct skills *fresh = NULL;
	struct error why = ERROR_NONE;
	struct pack *p = pack_new(path), *whole;
	int r = p ? keep_pack(s, p, err) : out_of_memory(err);

	if (!r)
		r = index_read(s, p, &why);
	if (r != MT_ENOTFOUND)
		return note_pack_problem(s, path, r, &why, err);
	why = ERROR_NONE;
	r = is_signed ? check_signed(path, &why) : MT_OK;
	if (!r)
		r = pack_open(path, &whole, &fresh, &why);
	if (r)
		return note_pack_problem(s, path, r, &why, err);
	for (size_t i = 0; i < fresh->problem_count; i++)
		log_line(fresh->problems[i].warning ? MT_LOG_INFO : MT_LOG_WARNING,
			 "skills", "%s: %s: %s", path, fresh->problems[i].path,
			 fresh->problems[i].text);
	index_write(whole, fresh);
	r = index_read(s, p, &why);
	if (r != MT_ENOTFOUND) {
		pack_free(whole);
		return note_pack_problem(s, path, r, &why, err);
	}
	r = keep_pack(s, whole, err);
	return r ? r
		 : note_pack_problem(s, path, merge_skills(s, fresh, path, &why), &why,
				     err);
}

int skills_add_pack(struct skills *s, const char *path, struct error *err)
{
	return add_pack(s, path, false, err);
}

int skills_add_signed_pack(struct skills *s, const char *path, struct error *err)
{
	return add_pack(s, path, true, err);
}
