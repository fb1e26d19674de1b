/* SPDX-License-Identifier: MIT
 *
 * shell.c - a walk over the simple commands of a shell text. */
#include "shell.h"

#include "array.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 1 << 18, WORD_BYTES_MAX = 4 << 20 };

struct walk {
	const char *p, *end;
	unsigned depth;
	bool broken;               /* the text ends inside a construct */
	bool evaluates;            /* an expansion did more than insert a value */
	const char *here_at, *here_to; /* the newline after which bodies are skipped */
	bool piped;                /* the next command reads from a pipe */
	shell_each_fn *each;
	shell_variable_fn *variable;
	void *arg;
};

/* A command while it is read. */
struct building {
	struct shell_word *words, *redirects, *assignments;
	size_t count, redirect_count, assignment_count;
	bool writes, substitutes, piped, defines;
	const char *from;
	char *input;
	char *here[8];             /* delimiters of here-documents to come */
	bool strip_tabs[8], expands[8];
	size_t here_count;
};

static int walk_list(struct walk *w, char closer);

static bool at_end(const struct walk *w)
{
	return w->p >= w->end;
}

static char peek(const struct walk *w, size_t n)
{
	return (size_t)(w->end - w->p) > n ? w->p[n] : '\0';
}

/* ---- words --------------------------------------------------------------- */

struct word {
	struct strbuf text;        /* the value; SHELL_ANY where it is not known */
	bool dynamic, pattern, any, substitutes;
	bool encoded;              /* holds $'...' */
	bool odd;                  /* the text itself has one of those two bytes */
};

static void put(struct word *word, char c)
{
	word->odd = word->odd || c == SHELL_ANY || c == SHELL_ONE;
	strbuf_addc(&word->text, c);
}

/* An expansion whose result is not known. */
static void put_any(struct word *word)
{
	word->dynamic = true;
	strbuf_addc(&word->text, SHELL_ANY);
}

/* @return whether the value of the variable is known. */
static bool put_variable(const struct walk *w, struct word *word, const char *name,
			 size_t len)
{
	AUTO(free) char *copy = w->variable && len < 256 ? strndup(name, len) : NULL;
	const char *value = copy ? w->variable(w->arg, copy) : NULL;

	for (size_t i = 0; value && value[i]; i++)
		put(word, value[i]);
	if (!value)
		put_any(word);
	return value != NULL;
}

static int dollar(struct walk *w, struct word *word, bool quoted);

/* The commands of a text that stands for itself: `...`, or what eval gets. */
static int walk_text(const struct walk *outer, const char *text, size_t len)
{
	struct walk w = { .p = text, .end = text + len, .depth = outer->depth + 1,
			  .each = outer->each, .variable = outer->variable,
			  .arg = outer->arg };

	return walk_list(&w, '\0');
}

static int backticks(struct walk *w, struct word *word)
{
	AUTO(strbuf) struct strbuf inner = STRBUF(WORD_BYTES_MAX);

	put_any(word);
	word->substitutes = true;
	for (w->p++; !at_end(w) && *w->p != '`'; w->p++) {
		if (*w->p == '\\' && strchr("\\`$", peek(w, 1)) && peek(w, 1))
			w->p++;
		strbuf_addc(&inner, *w->p);
	}
	if (at_end(w))
		w->broken = true;
	else
		w->p++;
	return inner.error ? inner.error : walk_text(w, inner.text, inner.len);
}

static int in_double_quotes(struct walk *w, struct word *word)
{
	int r = MT_OK;

	for (w->p++; !r && !at_end(w) && *w->p != '"';) {
		char next = peek(w, 1);

		if (*w->p == '\\' && next && strchr("$`\"\\\n", next)) {
			if (next != '\n')
				put(word, next);
			w->p += 2;
		} else if (*w->p == '$') {
			r = dollar(w, word, true);
		} else if (*w->p == '`') {
			r = backticks(w, word);
		} else {
			put(word, *w->p++);
		}
	}
	if (r)
		return r;
	if (at_end(w))
		w->broken = true;
	else
		w->p++;
	return word->text.error;
}

static void in_single_quotes(struct walk *w, struct word *word)
{
	const char *from = ++w->p;

	while (!at_end(w) && *w->p != '\'')
		w->p++;
	for (; from < w->p; from++)
		put(word, *from);
	if (at_end(w))
		w->broken = true;
	else
		w->p++;
}

/* The digits of \ooo, \xhh, \uhhhh. */
static unsigned long digits(struct walk *w, size_t most, int base)
{
	unsigned long value = 0;

	for (size_t i = 0; i < most; i++) {
		char c = peek(w, 0);
		int digit = isdigit((unsigned char)c)    ? c - '0'
			    : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
							 : 99;

		if (digit >= base)
			break;
		value = value * (unsigned)base + (unsigned)digit;
		w->p++;
	}
	return value;
}

static void put_code(struct word *word, unsigned long code)
{
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	put(word, (char)(leads[bytes] | (code >> 6 * (bytes - 1))));
	while (--bytes > 0)
		put(word, (char)(0x80 | (code >> 6 * (bytes - 1) & 0x3f)));
}

/* What stands after a backslash in $'...'. */
static void ansi_escape(struct walk *w, struct word *word)
{
	static const char from[] = "abeEfnrtv\\'\"?",
			  to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = *w->p;
	const char *known = strchr(from, c);

	if (c >= '0' && c <= '7') {
		put(word, (char)digits(w, 3, 8));
		return;
	}
	w->p++;
	if (known)
		put(word, to[known - from]);
	else if (c == 'x')
		put(word, (char)digits(w, 2, 16));
	else if (c == 'u' || c == 'U')
		put_code(word, digits(w, c == 'u' ? 4 : 8, 16));
	else if (c == 'c')
		put(word, at_end(w) ? 'c' : (char)(*w->p++ & 0x1f));
	else
		put(word, '\\'), put(word, c);
}

static void ansi_quotes(struct walk *w, struct word *word)
{
	for (w->p += 2; !at_end(w) && *w->p != '\'';) {
		char c = *w->p++;

		if (c == '\\' && !at_end(w))
			ansi_escape(w, word);
		else
			put(word, c);
	}
	if (at_end(w))
		w->broken = true;
	else
		w->p++;
}

static size_t name_length(const struct walk *w, size_t from)
{
	size_t n = 0;

	while (peek(w, from + n) == '_' || isalnum((unsigned char)peek(w, from + n)))
		n++;
	return n;
}

/* "[0]", "[@]", "[*]": subscripts that are not expressions. @return their length. */
static size_t plain_subscript(const struct walk *w, size_t from)
{
	size_t n = 1;

	if (strchr("@*", peek(w, from + 1)) && peek(w, from + 1))
		n++;
	else
		while (isdigit((unsigned char)peek(w, from + n)))
			n++;
	return n > 1 && peek(w, from + n) == ']' ? n + 1 : 0;
}

/* Does ${...} do more than insert a value? It may assign one, evaluate an expression or a
 * prompt, or name a variable by the value of another: `$(...)` in a value then runs. */
static bool braces_evaluate(const struct walk *w, size_t *ret_at)
{
	size_t at = 2, n;
	bool indirect = false;

	if (peek(w, at) == '#' && peek(w, at + 1) != '}')
		at++;
	else if (peek(w, at) == '!' && peek(w, at + 1) != '}')
		indirect = at++ > 0;
	n = name_length(w, at);
	if (!n && !(peek(w, at) && strchr("@*#?-$!", peek(w, at))))
		return true;
	at += n ? n : 1;
	if (peek(w, at) == '[') {
		n = plain_subscript(w, at);
		if (!n)
			return true;
		indirect = indirect && strchr("@*", peek(w, at + 1)) == NULL;
		at += n;
	}
	*ret_at = at;
	if (indirect)
		return !(strchr("@*", peek(w, at)) && peek(w, at + 1) == '}');
	if (peek(w, at) == '@')
		return !peek(w, at + 1) || !strchr("QUuLEaKk", peek(w, at + 1));
	if (peek(w, at) != ':')
		return peek(w, at) == '=';
	if (peek(w, at + 1) && strchr("-?+=", peek(w, at + 1)))
		return peek(w, at + 1) == '=';
	for (at++; peek(w, at) && peek(w, at) != '}'; at++)
		if (!strchr("0123456789 :-", peek(w, at)))
			return true;
	return false;
}

/* ${...}: what is in it may hold substitutions. Inside of double quotes, and in
 * here-documents, ' quotes only in patterns. */
static int in_braces(struct walk *w, struct word *word, bool quoted)
{
	size_t operator= 2;
	bool evaluates = braces_evaluate(w, &operator);
	bool literal =
		quoted && !(peek(w, operator) && strchr("#%/^,", peek(w, operator)));
	AUTO(strbuf) struct strbuf unused = STRBUF(WORD_BYTES_MAX);
	struct word inner = { .text = unused };
	unsigned open = 1;
	int r = MT_OK;

	if (++w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	w->evaluates = w->evaluates || evaluates;
	for (w->p += 2; !r && !at_end(w) && open;) {
		/* Shells do not agree on it. */
		w->evaluates = w->evaluates || (quoted && *w->p == '\'');
		if (*w->p == '\\' && peek(w, 1))
			w->p += 2;
		else if (*w->p == '\'' && !literal &&
			 memchr(w->p + 1, '\'', (size_t)(w->end - w->p - 1)))
			in_single_quotes(w, &inner);
		else if (*w->p == '"')
			r = in_double_quotes(w, &inner);
		else if (*w->p == '`')
			r = backticks(w, &inner);
		else if (*w->p == '$')
			r = dollar(w, &inner, quoted);
		else if (*w->p == '{')
			open++, w->p++;
		else if (*w->p == '}')
			open--, w->p++;
		else
			w->p++;
	}
	w->depth--;
	w->broken = w->broken || open;
	word->substitutes = word->substitutes || inner.substitutes;
	strbuf_clear(&inner.text);
	return r;
}

static int in_parens(struct walk *w, struct word *word)
{
	bool piped = w->piped;
	int r;

	put_any(word);
	word->substitutes = true;
	w->p += 2;
	if (++w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	w->piped = false;
	r = walk_list(w, ')');
	w->piped = piped;
	w->depth--;
	return r;
}

static int dollar(struct walk *w, struct word *word, bool quoted)
{
	char next = peek(w, 1);

	if (next == '(')
		return in_parens(w, word);
	if (next == '{') {
		size_t n = 2 + name_length(w, 2);

		if (n > 2 && peek(w, n) == '}' && !isdigit((unsigned char)peek(w, 2))) {
			put_variable(w, word, w->p + 2, n - 2);
			w->p += n + 1;
			return word->text.error;
		}
		put_any(word);
		return in_braces(w, word, quoted);
	}
	if (next == '\'' && !quoted) {
		word->encoded = true;
		ansi_quotes(w, word);
	} else if (next == '"' && !quoted) {
		w->p++;
		return in_double_quotes(w, word);
	} else if (next == '_' || isalpha((unsigned char)next)) {
		const char *name = ++w->p;

		while (peek(w, 0) == '_' || isalnum((unsigned char)peek(w, 0)))
			w->p++;
		put_variable(w, word, name, (size_t)(w->p - name));
	} else if (next && (isdigit((unsigned char)next) || strchr("@*#?-$!", next))) {
		put_any(word);
		w->p += 2;
	} else {
		w->evaluates = w->evaluates || next == '['; /* $[...] is an expression */
		put(word, *w->p++);
	}
	return word->text.error;
}

static bool ends_word(char c)
{
	return strchr(" \t\n;&|()<>", c) != NULL;
}

/* An unquoted ~ that begins a word: of this user if its directory is known. */
static void tilde(struct walk *w, struct word *word)
{
	char next = peek(w, 1);

	w->p++;
	if (!next || next == '/' || ends_word(next)) {
		put_variable(w, word, "HOME", 4);
		return;
	}
	put_any(word);
	while (!at_end(w) && *w->p != '/' && !ends_word(*w->p))
		w->p++;
}

/* Length of an unquoted group that becomes several words: "{a,b}", "{1..3}". */
static size_t brace_length(const struct walk *w)
{
	enum { LONGEST = 1024, DEEPEST = 8 };
	bool several = false;
	unsigned open = 0;

	for (size_t n = 0; n < LONGEST; n++) {
		char c = peek(w, n);

		if (!c || ends_word(c) || strchr("$`'\"\\", c))
			return 0;
		open += c == '{';
		if (open > DEEPEST)
			return 0;
		several = several || c == ',' || (c == '.' && peek(w, n + 1) == '.');
		if (c == '}' && --open == 0)
			return several ? n + 1 : 0;
	}
	return 0;
}

/* What a shell replaces by the names of files. */
static void glob_part(struct walk *w, struct word *word)
{
	char c = *w->p;

	word->pattern = true;
	if (c == '[') {
		enum { LONGEST = 64 };
		size_t n = 1;

		while (n < LONGEST && peek(w, n) && peek(w, n) != ']' &&
		       !ends_word(peek(w, n)))
			n++;
		if (n == LONGEST) { /* where it ends is not looked for */
			w->p++;
			put_any(word);
			return;
		}
		if (peek(w, n) != ']' || memchr(w->p, '\'', n) || memchr(w->p, '"', n) ||
		    memchr(w->p, '$', n) || memchr(w->p, '`', n)) {
			put(word, c); /* as it stands, or beyond us */
			word->dynamic = word->dynamic || peek(w, n) == ']';
			w->p++;
			return;
		}
		w->p += n;
	}
	strbuf_addc(&word->text, c == '*' ? SHELL_ANY : SHELL_ONE);
	w->p++;
}

/* One of the parts that an unquoted word is made of. */
static int bare_part(struct walk *w, struct word *word, bool begins)
{
	char c = *w->p;
	size_t n;

	if (c == '~' && begins) {
		tilde(w, word);
	} else if (c == '{' && (n = brace_length(w))) {
		word->pattern = true;
		strbuf_addc(&word->text, SHELL_ANY);
		w->p += n;
	} else if (strchr("*?[", c)) {
		glob_part(w, word);
	} else {
		if (c == '{' && peek(w, 1) != '}' && peek(w, 1) && !ends_word(peek(w, 1)))
			word->dynamic =
				true; /* braces with quotes or expansions in them */
		put(word, c);
		w->p++;
	}
	return word->text.error;
}

/* How many characters from here on mean nothing to a shell. */
static size_t ordinary(const struct walk *w)
{
	static const char special[] = " \t\n;&|()<>'\"`$\\~{*?[=\1\2";
	static bool is_special[256];
	const char *p = w->p;

	if (!is_special[0])
		for (size_t i = 0; i < sizeof special; i++) /* with the NUL */
			is_special[(unsigned char)special[i]] = true;
	while (p < w->end && !is_special[(unsigned char)*p])
		p++;
	return (size_t)(p - w->p);
}

/* Read a word into `word`; stands behind it afterwards. */
static int read_word(struct walk *w, struct word *word)
{
	const char *from = w->p;
	int r = MT_OK;

	while (!r && !at_end(w) && *w->p) {
		size_t run = ordinary(w);
		char c;

		if (run) {
			strbuf_addn(&word->text, w->p, run);
			w->p += run;
			word->any = true;
			r = word->text.error;
			continue;
		}
		c = *w->p;

		if ((c == '<' || c == '>') && peek(w, 1) == '(')
			r = in_parens(w, word);
		else if (ends_word(c))
			break;
		else if (c == '\'')
			in_single_quotes(w, word);
		else if (c == '"')
			r = in_double_quotes(w, word);
		else if (c == '`')
			r = backticks(w, word);
		else if (c == '$')
			r = dollar(w, word, false);
		else if (c == '\\' && peek(w, 1)) {
			if (peek(w, 1) != '\n')
				put(word, peek(w, 1));
			w->p += 2;
		} else {
			r = bare_part(w, word, w->p == from || w->p[-1] == '=');
		}
		word->any = true;
	}
	if (!r && !at_end(w) && !*w->p)
		w->p++;
	return r ? r : word->text.error;
}

/* ---- commands ------------------------------------------------------------ */

static void clear_words(struct shell_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(words[i].text);
		free(words[i].shape);
	}
	free(words);
}

static void building_clear(struct building *b)
{
	clear_words(b->words, b->count);
	clear_words(b->redirects, b->redirect_count);
	clear_words(b->assignments, b->assignment_count);
	free(b->input);
	for (size_t i = 0; i < b->here_count; i++)
		free(b->here[i]);
	*b = (struct building){ 0 };
}

/* A pattern that fits no file stays as it stands, which `text` then says roughly. */
static void pattern_word(struct shell_word *ret, const struct word *word)
{
	ret->shape = strndup(word->text.text, word->text.len);
	ret->text = strndup(word->text.text, word->text.len);
	if (!ret->shape || !ret->text) {
		free(ret->shape);
		free(ret->text);
		ret->shape = ret->text = NULL;
		return;
	}
	for (char *p = ret->text; *p; p++)
		*p = *p == SHELL_ANY ? '*' : *p == SHELL_ONE ? '?' : *p;
}

static int add_word(struct shell_word **words, size_t *count, struct word *word)
{
	int status = ARRAY_ADD(*words, *count, WORDS_MAX);
	struct shell_word *all = *words;

	if (status)
		return status;
	all[*count] = (struct shell_word){ .pattern = word->pattern,
						  .encoded = word->encoded };
	if (!word->dynamic && !word->pattern && !word->odd)
		all[*count].text = strndup(word->text.text, word->text.len);
	else if (word->dynamic || word->odd)
		all[*count].shape = strndup(word->text.text, word->text.len);
	else
		pattern_word(&all[*count], word);
	if (!all[*count].text && !all[*count].shape)
		return MT_ENOMEM;
	++*count;
	return MT_OK;
}

static int tell(struct walk *w, struct building *b)
{
	AUTO(free) char *raw = NULL;
	struct shell_command command = {
		.words = b->words, .count = b->count, .redirects = b->redirects,
		.redirect_count = b->redirect_count, .assignments = b->assignments,
		.assignment_count = b->assignment_count, .writes = b->writes,
		.substitutes = b->substitutes, .broken = w->broken, .input = b->input,
		.piped = b->piped, .defines = b->defines, .evaluates = w->evaluates,
	};
	const char *to = w->p;

	if (!b->count && !b->redirect_count && !b->assignment_count)
		return MT_OK;
	while (to > b->from && strchr(" \t\r\n", to[-1]))
		to--;
	raw = strndup(b->from, (size_t)(to - b->from));
	if (!raw)
		return MT_ENOMEM;
	command.raw = raw;
	return w->each(w->arg, &command);
}

/* The commands that the expansions of a here-document run; `*ret_any`: there are
 * expansions. */
static int expand_here(struct walk *outer, const char *text, size_t len, bool *ret_any)
{
	struct walk w = *outer;
	struct word unused = { .text = STRBUF(WORD_BYTES_MAX) };
	int r = MT_OK;

	w.p = text;
	w.end = text + len;
	if (++w.depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	while (!r && !at_end(&w)) {
		if (*w.p == '\\' && peek(&w, 1)) {
			w.p += 2;
		} else if (*w.p == '$') {
			r = dollar(&w, &unused, true);
		} else if (*w.p == '`') {
			r = backticks(&w, &unused);
		} else {
			w.p++;
		}
	}
	outer->evaluates = w.evaluates;
	*ret_any = unused.dynamic;
	strbuf_clear(&unused.text);
	return r;
}

/* The bodies of here-documents, which begin behind this line. */
static int take_here(struct walk *w, struct building *b)
{
	for (size_t i = 0; i < b->here_count; i++) {
		AUTO(strbuf) struct strbuf body = STRBUF(WORD_BYTES_MAX);
		bool found = false;

		while (!found && !at_end(w)) {
			const char *nl = memchr(w->p, '\n', (size_t)(w->end - w->p));
			const char *to = nl ? nl : w->end, *from = w->p;

			while (b->strip_tabs[i] && from < to && *from == '\t')
				from++;
			found = (size_t)(to - from) == strlen(b->here[i]) &&
				memcmp(from, b->here[i], (size_t)(to - from)) == 0;
			if (!found)
				strbuf_addn(&body, w->p, (size_t)(to - w->p));
			if (!found)
				strbuf_addc(&body, '\n');
			w->p = nl ? nl + 1 : w->end;
		}
		if (b->expands[i]) {
			bool any = false;
			int r = expand_here(w, body.text, body.len, &any);

			if (r)
				return r;
			b->substitutes = b->substitutes || any;
		}
		free(b->input);
		b->input = strbuf_take(&body);
		if (!b->input)
			return MT_ENOMEM;
	}
	return MT_OK;
}

/* The rest of the line continues after a here-document, which must be read
 * first: it belongs to this command. */
static int find_here(struct walk *w, struct building *b)
{
	const char *line = w->p;
	const char *nl = memchr(line, '\n', (size_t)(w->end - line));
	int r;

	if (!nl)
		return MT_OK;
	w->p = w->here_at == nl ? w->here_to : nl + 1;
	r = take_here(w, b);
	w->here_at = nl;
	w->here_to = w->p;
	w->p = line;
	return r;
}

/* What stands behind >& or <&: the number of an open descriptor, or - to close. */
static bool is_descriptor(const struct word *word)
{
	return !word->dynamic &&
	       word->text.text[strspn(word->text.text, "0123456789-")] == '\0';
}

static int redirect(struct walk *w, struct building *b)
{
	struct word word = { .text = STRBUF(WORD_BYTES_MAX) };
	bool here = false, string = false, writes = false, copies = false,
	     appends = false;
	bool room = b->here_count < ARRAY_LEN(b->here);
	const char *from;
	int r;

	while (!at_end(w) && strchr("<>&|", *w->p) && *w->p) {
		appends = appends || (writes && *w->p == '>');
		writes = writes || *w->p == '>';
		copies = *w->p == '&';
		if (*w->p == '<' && peek(w, 1) == '<') {
			string = peek(w, 2) == '<';
			here = !string;
			w->p += string ? 3 : 2;
			break;
		}
		if ((*w->p == '<' || *w->p == '>') && peek(w, 1) == '(')
			break;
		w->p++;
	}
	if (here && peek(w, 0) == '-') {
		if (room)
			b->strip_tabs[b->here_count] = true;
		w->p++;
	}
	while (peek(w, 0) == ' ' || peek(w, 0) == '\t')
		w->p++;
	from = w->p;
	r = read_word(w, &word);
	b->substitutes = b->substitutes || word.substitutes;
	if (!r && here && room) {
		b->expands[b->here_count] = (size_t)(w->p - from) == word.text.len;
		b->here[b->here_count] = strndup(word.text.text, word.text.len);
		r = b->here[b->here_count] ? MT_OK : MT_ENOMEM;
		b->here_count += !r;
	} else if (!r && string) {
		free(b->input);
		b->input = word.dynamic ? NULL : strndup(word.text.text, word.text.len);
	} else if (!r && word.any && !(copies && is_descriptor(&word))) {
		b->writes =
			b->writes || (writes && strcmp(word.text.text, "/dev/null") != 0);
		r = add_word(&b->redirects, &b->redirect_count, &word);
		if (!r)
			b->redirects[b->redirect_count - 1].redirect = appends  ? 'a'
								       : writes ? '>'
										: '<';
	}
	strbuf_clear(&word.text);
	return r;
}

static bool is_assignment(const char *text, size_t len)
{
	size_t n = 0;

	if (!len || (!isalpha((unsigned char)text[0]) && text[0] != '_'))
		return false;
	while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_'))
		n++;
	if (n < len && text[n] == '+')
		n++;
	return n < len && text[n] == '=';
}

static bool one_of(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

/* Words after which a command begins. */
static bool is_reserved(const char *word)
{
	static const char *const words[] = {
		"if", "then", "else", "elif", "fi", "do", "done", "while", "until",
		"!", "{", "}", "esac", "coproc", "time", NULL,
	};

	return one_of(words, word);
}

/* Digits before < or >: the number of a descriptor. */
static bool at_redirect(const struct walk *w)
{
	size_t n = 0;

	while (isdigit((unsigned char)peek(w, n)))
		n++;
	if (peek(w, n) == '&' && peek(w, n + 1) == '>')
		return n == 0;
	return (peek(w, n) == '<' || peek(w, n) == '>') && peek(w, n + 1) != '(';
}

static int one_word(struct walk *w, struct building *b, bool *function, int *cases)
{
	struct word word = { .text = STRBUF(WORD_BYTES_MAX) };
	const char *from = w->p;
	bool plain, skipped = false;
	int r = read_word(w, &word);

	plain = !r && !word.dynamic && (size_t)(w->p - from) == word.text.len;
	b->substitutes = b->substitutes || word.substitutes;
	if (*from == '{' && w->p[-1] == '}' && at_redirect(w))
		w->evaluates = true; /* {x}<y sets x */
	if (!r && !b->count) {
		if (*function) {
			*function = false;
			b->defines = true;
		} else if (plain && strcmp(word.text.text, "function") == 0) {
			*function = skipped = true;
		} else if (plain && is_reserved(word.text.text)) {
			*cases -= strcmp(word.text.text, "esac") == 0 && *cases > 0;
			skipped = true;
		} else if (is_assignment(from, (size_t)(w->p - from))) {
			skipped = true;
			r = add_word(&b->assignments, &b->assignment_count, &word);
		} else if (plain && strcmp(word.text.text, "case") == 0) {
			++*cases;
		}
	}
	if (!r && !skipped && word.any)
		r = add_word(&b->words, &b->count, &word);
	strbuf_clear(&word.text);
	return r;
}

/* One simple command, up to what separates it from the next. */
static int simple(struct walk *w, int *cases)
{
	struct building b = { .from = w->p, .piped = w->piped };
	bool function = false;
	int r = MT_OK;

	w->piped = false;

	while (!r && !at_end(w) && !b.defines) {
		char c = *w->p;

		if (c == ' ' || c == '\t') {
			w->p++;
		} else if (c == '\\' && peek(w, 1) == '\n') {
			w->p += 2;
		} else if (c == '#') {
			while (!at_end(w) && *w->p != '\n')
				w->p++;
		} else if (at_redirect(w)) {
			while (isdigit((unsigned char)*w->p))
				w->p++;
			r = redirect(w, &b);
		} else if (strchr("\n;&|()", c)) {
			break;
		} else {
			r = one_word(w, &b, &function, cases);
		}
	}
	b.defines = b.defines || (b.count && !at_end(w) && *w->p == '(');
	if (!r && b.here_count)
		r = find_here(w, &b);
	if (!r)
		r = tell(w, &b);
	building_clear(&b);
	return r;
}

static int walk_list(struct walk *w, char closer)
{
	int r = MT_OK, cases = 0;

	if (w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	while (!r && !at_end(w)) {
		char c = *w->p;

		if (c == '(') {
			w->p++;
			w->depth++;
			r = walk_list(w, ')');
			w->depth--;
		} else if (c == ')') {
			w->p++;
			if (closer == ')' && !cases)
				return MT_OK;
		} else if (c == '\n' && w->p == w->here_at) {
			w->p = w->here_to;
		} else if (c == '|') {
			w->piped = peek(w, 1) != '|';
			w->p += w->piped ? 1 : 2;
			if (w->piped && peek(w, 0) == '&')
				w->p++;
		} else if (strchr("\n;", c)) {
			w->p++;
		} else if (c == '&' && peek(w, 1) != '>') {
			w->p++;
		} else {
			r = simple(w, &cases);
		}
	}
	if (!r && closer)
		w->broken = true;
	return r;
}

int shell_walk_with(const char *text, size_t len, shell_each_fn *each,
		    shell_variable_fn *variable, void *arg)
{
	struct walk w = { .p = text, .end = text + len, .each = each, .variable = variable,
			  .arg = arg };

	return walk_list(&w, '\0');
}

int shell_walk(const char *text, size_t len, shell_each_fn *each, void *arg)
{
	return shell_walk_with(text, len, each, NULL, arg);
}
