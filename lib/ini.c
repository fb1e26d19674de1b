/* SPDX-License-Identifier: MIT
 *
 * ini.c - passes lines to inih in a form that it cannot misread.
 *
 * inih requests each line from a function of this file, which never passes a comment, a
 * section name, or a line longer than its buffer. A long value is split; the later pieces
 * are indented continuation lines. Each piece is enclosed in two EDGE bytes, which
 * preserve its white space. Characters with a meaning for inih are replaced by control
 * bytes; a file that contains control bytes is refused. */
#include <ini.h>
#undef INI_MAX_LINE
#include "files.h"
#include "array.h"
#include "ini.h"
#include "utf8.h"
#include <string.h>

enum { EDGE = 0x10, ROOM = INI_MAX_KEY + 40 };

static const char guarded[] = ";#:"; /* these characters are sent as the bytes 1, 2, 3 */

struct feed {
	const char *name;            /* of the file, for messages */
	const char *next, *end;      /* the text that was not examined yet */
	unsigned line;               /* number of the line that is passed to inih */
	const char *piece, *pieces_end; /* rest of its value; NULL: none */
	bool started;                /* inih got the blank line that precedes the text */
	bool open;                   /* a key was seen in this section */
	bool owed;                   /* inih has yet to call the handler */
	bool new_key;                /* ... with the start of an entry */
	bool skip_section, skip_value; /* after an invalid line */
	ini_fault_fn *on_fault;      /* NULL: the first invalid line ends parsing */
	void *fault_arg;
	struct ini *ini;
	struct strbuf value;         /* of the last entry, until it is complete */
	int status;
	struct error *err;
};

static int ini_fault(struct feed *f, int code, const char *what)
{
	return f->status = fail(f->err, code, "%s:%u: %s", f->name, f->line, what);
}

/* An invalid line. Without `on_fault`, or if that returns a status, parsing ends. */
static void ini_line_fault(struct feed *f, int code, const char *what)
{
	struct error why = ERROR_NONE;

	if (!f->on_fault) {
		ini_fault(f, code, what);
		return;
	}
	fail(&why, code, "%s:%u: %s", f->name, f->line, what);
	f->status = f->on_fault(f->fault_arg, &why, f->err);
	f->skip_value = true;
}

static int ini_no_memory(struct feed *f)
{
	return ini_fault(f, MT_ENOMEM, status_name(MT_ENOMEM));
}

static bool ini_is_white(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_comment(char c)
{
	return c == ';' || c == '#';
}

static void ini_trim(const char **start, const char **end)
{
	while (*start < *end && ini_is_white(**start))
		++*start;
	while (*start < *end && ini_is_white((*end)[-1]))
		--*end;
}

/* The value of the last entry is complete. */
static int close_entry(struct feed *f)
{
	if (!f->open)
		return MT_OK;
	f->open = false;
	f->ini->entries[f->ini->count - 1].value = strbuf_take(&f->value);
	return f->ini->entries[f->ini->count - 1].value ? MT_OK : ini_no_memory(f);
}

static int ini_add_section(struct feed *f, const char *name, size_t len)
{
	struct ini *ini = f->ini;
	size_t n = ini->section_count;

	if (ARRAY_ADD(ini->sections, n, ARRAY_MAX) ||
	    ARRAY_ADD(ini->section_lines, n, ARRAY_MAX))
		return ini_no_memory(f);
	ini->section_lines[n] = f->line;
	ini->sections[n] = strndup(name, len);
	if (!ini->sections[n])
		return ini_no_memory(f);
	ini->section_count++;
	return MT_OK;
}

static int ini_add_entry(struct feed *f, char *key)
{
	struct ini *ini = f->ini;
	size_t n = ini->count, len = strlen(key);
	struct ini_entry *e;
	char op = '=';

	if (ARRAY_ADD(ini->entries, n, ARRAY_MAX))
		return ini_no_memory(f);
	if (len > 0 && (key[len - 1] == '+' || key[len - 1] == '-')) {
		op = key[--len];
		while (len > 0 && ini_is_white(key[len - 1]))
			len--;
	}
	if (len == 0)
		return ini_fault(f, MT_EINVAL,
				 "the key before the `=` is missing; use key = value");
	e = &ini->entries[n];
	*e = (struct ini_entry){ .op = op, .line = f->line };
	e->section =
		strdup(ini->section_count ? ini->sections[ini->section_count - 1] : "");
	e->key = strndup(key, len);
	ini->count++;
	f->open = true;
	return e->section && e->key ? MT_OK : ini_no_memory(f);
}

static char *ini_guard(char *to, const char *from, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char *mark = strchr(guarded, from[i]);

		*to++ = mark ? (char)(1 + (mark - guarded)) : from[i];
	}
	return to;
}

static void unguard(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] > 0 && text[i] < (char)sizeof guarded)
			text[i] = guarded[text[i] - 1];
}

/* inih's handler, which gets the text back. inih truncates its section, and its name
 * for a continued value, to 49 bytes, so they are not used. */
static int ini_take(void *user, const char *section, const char *name, const char *value)
{
	struct feed *f = user;
	size_t len = value ? strlen(value) : 0;

	(void)section;
	if (!f->owed || len < 2 || value[0] != EDGE || value[len - 1] != EDGE)
		return ini_fault(f, MT_EUNSUPPORTED,
				 "the INI library of this system is not compatible; use "
				 "inih 53 or later"),
		       0;
	f->owed = false;
	if (f->new_key) {
		char key[ROOM];

		snprintf(key, sizeof key, "%s", name);
		unguard(key, strlen(key));
		if (close_entry(f) || ini_add_entry(f, key))
			return 0;
		f->new_key = false;
	}

	size_t start = f->value.len;

	if (strbuf_addn(&f->value, value + 1, len - 2))
		return ini_no_memory(f), 0;
	unguard(f->value.text + start, len - 2);
	return 1;
}

/* Append the next piece of the value to `to`. */
static char *hand_piece(struct feed *f, char *line, char *to, size_t room)
{
	size_t used = (size_t)(to - line) + 3; /* two edges and the NUL */
	size_t n = (size_t)(f->pieces_end - f->piece);

	if (n > room - used)
		n = room - used;
	*to++ = EDGE;
	to = ini_guard(to, f->piece, n);
	*to++ = EDGE;
	*to = '\0';
	f->piece = f->piece + n < f->pieces_end ? f->piece + n : NULL;
	f->owed = true;
	return line;
}

/* Why the section is invalid, or NULL, with its name. */
static const char *section_fault(const char *start, const char *end,
				 const char **ret_name, const char **ret_name_end)
{
	const char *close = memchr(start, ']', (size_t)(end - start)), *after;

	if (!close)
		return "the section has no `]`; use [name]";
	after = close + 1;
	ini_trim(&after, &end);
	if (after < end && !is_comment(*after))
		return "text after the `]`; move it to its own line";
	*ret_name = start + 1;
	*ret_name_end = close;
	ini_trim(ret_name, ret_name_end);
	return *ret_name == *ret_name_end ? "the section has no name; use [name]" : NULL;
}

static char *hand_section(struct feed *f, char *line, const char *start, const char *end)
{
	const char *name, *name_end;
	const char *fault = section_fault(start, end, &name, &name_end);

	f->skip_section = fault;
	if (fault)
		return ini_line_fault(f, MT_EINVAL, fault), NULL;
	if (close_entry(f) || ini_add_section(f, name, (size_t)(name_end - name)))
		return NULL;
	memcpy(line, "[x]", sizeof "[x]"); /* makes inih forget the previous key */
	return line;
}

static char *hand_key(struct feed *f, char *line, size_t room, const char *start,
		      const char *end)
{
	const char *equals = memchr(start, '=', (size_t)(end - start));
	const char *key_end = equals;
	char *to;

	if (!equals)
		return ini_line_fault(f, MT_EINVAL,
				      "neither a section nor a key with a value; use key "
				      "= value, or # before a comment"),
		       NULL;
	ini_trim(&start, &key_end);
	if (start == key_end)
		return ini_line_fault(
			       f, MT_EINVAL,
			       "the key before the `=` is missing; use key = value"),
		       NULL;
	if (key_end - start > INI_MAX_KEY)
		return ini_line_fault(f, MT_ELIMIT, "the key is longer than 120 bytes"),
		       NULL;
	f->piece = equals + 1;
	f->pieces_end = end;
	ini_trim(&f->piece, &f->pieces_end);
	f->new_key = true;
	to = ini_guard(line, start, (size_t)(key_end - start));
	*to++ = '=';
	return hand_piece(f, line, to, room);
}

static char *hand_continuation(struct feed *f, char *line, size_t room)
{
	line[0] = '\t';
	return hand_piece(f, line, line + 1, room);
}

/* The next line of the text, without its end. False at the end or a fault. */
static bool ini_next_line(struct feed *f, const char **ret_start, const char **ret_end)
{
	const char *end = f->end;

	if (f->next == f->end)
		return false;
	*ret_start = f->next;
	f->next = memchr(*ret_start, '\n', (size_t)(end - *ret_start));
	if (f->next)
		end = f->next++;
	else
		f->next = end;
	f->line++;
	if (end > *ret_start && end[-1] == '\r')
		end--;
	*ret_end = end;
	if (end - *ret_start > INI_MAX_LINE)
		return !ini_fault(f, MT_ELIMIT, "the line is longer than 65536 bytes");
	for (const char *p = *ret_start; p < end; p++)
		if (*p == '\0')
			return !ini_fault(f, MT_EINVAL,
					  "contains a NUL byte: not a text file");
		else if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return !ini_fault(f, MT_EINVAL,
					  "contains a control character; use plain text");
	if (!utf8_valid(*ret_start, (size_t)(end - *ret_start)))
		return !ini_fault(f, MT_EINVAL, "not UTF-8; save the file as UTF-8");
	return true;
}

/* inih's reader. */
static char *hand_line(char *line, int size, void *stream)
{
	struct feed *f = stream;
	size_t room = size > 0 ? (size_t)size : 0;
	const char *start, *end;

	if (f->status)
		return NULL;
	if (f->owed || room < ROOM)
		return ini_fault(f, MT_EUNSUPPORTED,
				 "the INI library of this system is not compatible; use "
				 "inih 53 or later"),
		       NULL;
	if (f->piece)
		return hand_continuation(f, line, room);
	if (!f->started) { /* inih looks for a byte-order mark in its first line */
		f->started = true;
		line[0] = '\0';
		return line;
	}
	while (ini_next_line(f, &start, &end)) {
		bool indented = start < end && ini_is_white(*start);
		char *handed;

		ini_trim(&start, &end);
		if (start == end || is_comment(*start) || (indented && f->skip_value) ||
		    (*start != '[' && f->skip_section))
			continue;
		if (indented && f->open) {
			if (f->value.len > 0)
				strbuf_addc(&f->value, '\n');
			f->piece = start;
			f->pieces_end = end;
			return hand_continuation(f, line, room);
		}
		f->skip_value = false;
		handed = *start == '[' ? hand_section(f, line, start, end)
				       : hand_key(f, line, room, start, end);
		if (handed || f->status)
			return handed;
	}
	return NULL;
}

int ini_parse_text(const char *name, const char *text, size_t len, struct ini *ret,
		   struct error *err)
{
	return ini_parse_each(name, text, len, NULL, NULL, ret, err);
}

int ini_parse_each(const char *name, const char *text, size_t len, ini_fault_fn *on_fault,
		   void *arg, struct ini *ret, struct error *err)
{
	struct ini ini = { 0 };
	struct feed f = { .name = name, .next = text, .end = text + len, .ini = &ini,
			  .value = STRBUF(2 * INI_MAX_FILE), .err = err,
			  .on_fault = on_fault, .fault_arg = arg };
	int status;

	*ret = ini;
	if (len > INI_MAX_FILE)
		return fail(err, MT_ELIMIT, "%s: larger than 1 MiB", name);
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		f.next += 3;
	status = ini_parse_stream(hand_line, &f, ini_take, &f);
	if (!f.status)
		close_entry(&f);
	if (!f.status && (status || f.owed))
		ini_fault(&f, MT_EUNSUPPORTED, "the INI library cannot parse this line");
	strbuf_clear(&f.value);
	if (f.status)
		ini_clear(&ini);
	*ret = ini;
	return f.status;
}

int ini_read(const char *path, struct ini *ret, struct error *err)
{
	AUTO(free) char *text = NULL;
	size_t len;
	int status;

	*ret = (struct ini){ 0 };
	status = file_read(path, INI_MAX_FILE, &text, &len, err);
	return status ? status : ini_parse_text(path, text, len, ret, err);
}

void ini_clear(struct ini *ini)
{
	for (size_t i = 0; i < ini->count; i++) {
		free(ini->entries[i].section);
		free(ini->entries[i].key);
		free(ini->entries[i].value);
	}
	for (size_t i = 0; i < ini->section_count; i++)
		free(ini->sections[i]);
	free(ini->entries);
	free(ini->sections);
	free(ini->section_lines);
	*ini = (struct ini){ 0 };
}
