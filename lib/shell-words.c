/* SPDX-License-Identifier: MIT
 *
 * shell-words.c - reads one word of a shell text: quotes, escapes, expansions and
 * patterns. */
#include "shell-internal.h"
#include "hex.h"
#include "utf8.h"

#include <ctype.h>
#include <string.h>

static void shell_words_put(struct shell_value *word, char c)
{
	word->odd = word->odd || c == SHELL_ANY || c == SHELL_ONE;
	strbuf_addc(&word->text, c);
}

/* An expansion whose result is not known. */
static void put_any(struct shell_value *word)
{
	word->dynamic = true;
	strbuf_addc(&word->text, SHELL_ANY);
}

/* @return whether the value of the variable is known. */
static bool put_variable(const struct shell_reader *w, struct shell_value *word,
			 const char *name, size_t len)
{
	AUTO(free) char *copy = w->variable && len < 256 ? strndup(name, len) : NULL;
	const char *value = copy ? w->variable(w->arg, copy) : NULL;

	for (size_t i = 0; value && value[i]; i++)
		shell_words_put(word, value[i]);
	if (!value)
		put_any(word);
	return value != NULL;
}

/* Report the commands of a complete text: that of `...`, or the argument of eval. */
static int walk_text(const struct shell_reader *outer, const char *text, size_t len)
{
	struct shell_reader w = { .p = text, .end = text + len, .depth = outer->depth + 1,
			  .each = outer->each, .variable = outer->variable,
			  .arg = outer->arg };

	return shell_walk_list(&w, '\0');
}

int shell_backticks(struct shell_reader *w, struct shell_value *word)
{
	AUTO(strbuf) struct strbuf inner = STRBUF(WORD_BYTES_MAX);

	put_any(word);
	word->substitutes = true;
	for (w->p++; !shell_at_end(w) && *w->p != '`'; w->p++) {
		if (*w->p == '\\' && strchr("\\`$", shell_peek(w, 1)) && shell_peek(w, 1))
			w->p++;
		strbuf_addc(&inner, *w->p);
	}
	if (shell_at_end(w))
		w->broken = true;
	else
		w->p++;
	return inner.error ? inner.error : walk_text(w, inner.text, inner.len);
}

static int in_double_quotes(struct shell_reader *w, struct shell_value *word)
{
	int r = MT_OK;

	for (w->p++; !r && !shell_at_end(w) && *w->p != '"';) {
		char next = shell_peek(w, 1);

		if (*w->p == '\\' && next && strchr("$`\"\\\n", next)) {
			if (next != '\n')
				shell_words_put(word, next);
			w->p += 2;
		} else if (*w->p == '$') {
			r = shell_dollar(w, word, true);
		} else if (*w->p == '`') {
			r = shell_backticks(w, word);
		} else {
			shell_words_put(word, *w->p++);
		}
	}
	if (r)
		return r;
	if (shell_at_end(w))
		w->broken = true;
	else
		w->p++;
	return word->text.error;
}

static void in_single_quotes(struct shell_reader *w, struct shell_value *word)
{
	const char *from = ++w->p;

	while (!shell_at_end(w) && *w->p != '\'')
		w->p++;
	for (; from < w->p; from++)
		shell_words_put(word, *from);
	if (shell_at_end(w))
		w->broken = true;
	else
		w->p++;
}

/* The digits of \ooo, \xhh, \uhhhh. */
static unsigned long shell_words_digits(struct shell_reader *w, size_t most, int base)
{
	unsigned long value = 0;

	for (size_t i = 0; i < most; i++) {
		char c = shell_peek(w, 0);
		int digit = hex_digit(c);

		if (digit < 0 || digit >= base)
			break;
		value = value * (unsigned)base + (unsigned)digit;
		w->p++;
	}
	return value;
}

static void put_code(struct shell_value *word, unsigned long code)
{
	char bytes[4];
	size_t n = utf8_encode((uint32_t)code, bytes);

	for (size_t i = 0; i < n; i++)
		shell_words_put(word, bytes[i]);
}

/* The escape after a backslash in $'...'. */
static void ansi_escape(struct shell_reader *w, struct shell_value *word)
{
	static const char from[] = "abeEfnrtv\\'\"?",
			  to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = *w->p;
	const char *known = strchr(from, c);

	if (c >= '0' && c <= '7') {
		shell_words_put(word, (char)shell_words_digits(w, 3, 8));
		return;
	}
	w->p++;
	if (known)
		shell_words_put(word, to[known - from]);
	else if (c == 'x')
		shell_words_put(word, (char)shell_words_digits(w, 2, 16));
	else if (c == 'u' || c == 'U')
		put_code(word, shell_words_digits(w, c == 'u' ? 4 : 8, 16));
	else if (c == 'c')
		shell_words_put(word, shell_at_end(w) ? 'c' : (char)(*w->p++ & 0x1f));
	else
		shell_words_put(word, '\\'), shell_words_put(word, c);
}

static void ansi_quotes(struct shell_reader *w, struct shell_value *word)
{
	for (w->p += 2; !shell_at_end(w) && *w->p != '\'';) {
		char c = *w->p++;

		if (c == '\\' && !shell_at_end(w))
			ansi_escape(w, word);
		else
			shell_words_put(word, c);
	}
	if (shell_at_end(w))
		w->broken = true;
	else
		w->p++;
}

static size_t shell_words_name_length(const struct shell_reader *w, size_t from)
{
	size_t n = 0;

	while (shell_peek(w, from + n) == '_' ||
	       isalnum((unsigned char)shell_peek(w, from + n)))
		n++;
	return n;
}

/* "[0]", "[@]", "[*]": subscripts that are not expressions. @return their length. */
static size_t plain_subscript(const struct shell_reader *w, size_t from)
{
	size_t n = 1;

	if (strchr("@*", shell_peek(w, from + 1)) && shell_peek(w, from + 1))
		n++;
	else
		while (isdigit((unsigned char)shell_peek(w, from + n)))
			n++;
	return n > 1 && shell_peek(w, from + n) == ']' ? n + 1 : 0;
}

/* Does ${...} do more than insert a value? It may assign one, evaluate an expression or a
 * prompt, or name a variable by the value of another: `$(...)` in a value then runs. */
static bool braces_evaluate(const struct shell_reader *w, size_t *ret_at)
{
	size_t at = 2, n;
	bool indirect = false;

	if (shell_peek(w, at) == '#' && shell_peek(w, at + 1) != '}')
		at++;
	else if (shell_peek(w, at) == '!' && shell_peek(w, at + 1) != '}')
		indirect = at++ > 0;
	n = shell_words_name_length(w, at);
	if (!n && !(shell_peek(w, at) && strchr("@*#?-$!", shell_peek(w, at))))
		return true;
	at += n ? n : 1;
	if (shell_peek(w, at) == '[') {
		n = plain_subscript(w, at);
		if (!n)
			return true;
		indirect = indirect && strchr("@*", shell_peek(w, at + 1)) == NULL;
		at += n;
	}
	*ret_at = at;
	if (indirect)
		return !(strchr("@*", shell_peek(w, at)) && shell_peek(w, at + 1) == '}');
	if (shell_peek(w, at) == '@')
		return !shell_peek(w, at + 1) ||
		       !strchr("QUuLEaKk", shell_peek(w, at + 1));
	if (shell_peek(w, at) != ':')
		return shell_peek(w, at) == '=';
	if (shell_peek(w, at + 1) && strchr("-?+=", shell_peek(w, at + 1)))
		return shell_peek(w, at + 1) == '=';
	for (at++; shell_peek(w, at) && shell_peek(w, at) != '}'; at++)
		if (!strchr("0123456789 :-", shell_peek(w, at)))
			return true;
	return false;
}

/* ${...}: what is in it may hold substitutions. Inside of double quotes, and in
 * here-documents, ' quotes only in patterns. */
static int in_braces(struct shell_reader *w, struct shell_value *word, bool quoted)
{
	size_t operator= 2;
	bool evaluates = braces_evaluate(w, &operator);
	bool literal = quoted && !(shell_peek(w, operator) &&
				   strchr("#%/^,", shell_peek(w, operator)));
	AUTO(strbuf) struct strbuf unused = STRBUF(WORD_BYTES_MAX);
	struct shell_value inner = { .text = unused };
	unsigned open = 1;
	int r = MT_OK;

	if (++w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	w->evaluates = w->evaluates || evaluates;
	for (w->p += 2; !r && !shell_at_end(w) && open;) {
		/* Shells do not agree on it. */
		w->evaluates = w->evaluates || (quoted && *w->p == '\'');
		if (*w->p == '\\' && shell_peek(w, 1))
			w->p += 2;
		else if (*w->p == '\'' && !literal &&
			 memchr(w->p + 1, '\'', (size_t)(w->end - w->p - 1)))
			in_single_quotes(w, &inner);
		else if (*w->p == '"')
			r = in_double_quotes(w, &inner);
		else if (*w->p == '`')
			r = shell_backticks(w, &inner);
		else if (*w->p == '$')
			r = shell_dollar(w, &inner, quoted);
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

static int in_parens(struct shell_reader *w, struct shell_value *word)
{
	bool piped = w->piped;
	int r;

	put_any(word);
	word->substitutes = true;
	w->p += 2;
	if (++w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	w->piped = false;
	r = shell_walk_list(w, ')');
	w->piped = piped;
	w->depth--;
	return r;
}

int shell_dollar(struct shell_reader *w, struct shell_value *word, bool quoted)
{
	char next = shell_peek(w, 1);

	if (next == '(')
		return in_parens(w, word);
	if (next == '{') {
		size_t n = 2 + shell_words_name_length(w, 2);

		if (n > 2 && shell_peek(w, n) == '}' &&
		    !isdigit((unsigned char)shell_peek(w, 2))) {
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

		while (shell_peek(w, 0) == '_' ||
		       isalnum((unsigned char)shell_peek(w, 0)))
			w->p++;
		put_variable(w, word, name, (size_t)(w->p - name));
	} else if (next && (isdigit((unsigned char)next) || strchr("@*#?-$!", next))) {
		put_any(word);
		w->p += 2;
	} else {
		w->evaluates = w->evaluates || next == '['; /* $[...] is an expression */
		shell_words_put(word, *w->p++);
	}
	return word->text.error;
}

static bool ends_word(char c)
{
	return strchr(" \t\n;&|()<>", c) != NULL;
}

/* An unquoted ~ that begins a word: of this user if its directory is known. */
static void tilde(struct shell_reader *w, struct shell_value *word)
{
	char next = shell_peek(w, 1);

	w->p++;
	if (!next || next == '/' || ends_word(next)) {
		put_variable(w, word, "HOME", 4);
		return;
	}
	put_any(word);
	while (!shell_at_end(w) && *w->p != '/' && !ends_word(*w->p))
		w->p++;
}

/* Length of an unquoted group that becomes several words: "{a,b}", "{1..3}". */
static size_t brace_length(const struct shell_reader *w)
{
	enum { LONGEST = 1024, DEEPEST = 8 };
	bool several = false;
	unsigned open = 0;

	for (size_t n = 0; n < LONGEST; n++) {
		char c = shell_peek(w, n);

		if (!c || ends_word(c) || strchr("$`'\"\\", c))
			return 0;
		open += c == '{';
		if (open > DEEPEST)
			return 0;
		several =
			several || c == ',' || (c == '.' && shell_peek(w, n + 1) == '.');
		if (c == '}' && --open == 0)
			return several ? n + 1 : 0;
	}
	return 0;
}

/* Patterns that a shell replaces by file names. */
static void glob_part(struct shell_reader *w, struct shell_value *word)
{
	char c = *w->p;

	word->pattern = true;
	if (c == '[') {
		enum { LONGEST = 64 };
		size_t n = 1;

		while (n < LONGEST && shell_peek(w, n) && shell_peek(w, n) != ']' &&
		       !ends_word(shell_peek(w, n)))
			n++;
		if (n == LONGEST) { /* where it ends is not looked for */
			w->p++;
			put_any(word);
			return;
		}
		if (shell_peek(w, n) != ']' || memchr(w->p, '\'', n) ||
		    memchr(w->p, '"', n) || memchr(w->p, '$', n) ||
		    memchr(w->p, '`', n)) {
			shell_words_put(word, c); /* as it stands, or beyond us */
			word->dynamic = word->dynamic || shell_peek(w, n) == ']';
			w->p++;
			return;
		}
		w->p += n;
	}
	strbuf_addc(&word->text, c == '*' ? SHELL_ANY : SHELL_ONE);
	w->p++;
}

/* One of the parts that an unquoted word is made of. */
static int bare_part(struct shell_reader *w, struct shell_value *word, bool begins)
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
		if (c == '{' && shell_peek(w, 1) != '}' && shell_peek(w, 1) &&
		    !ends_word(shell_peek(w, 1)))
			word->dynamic =
				true; /* braces with quotes or expansions in them */
		shell_words_put(word, c);
		w->p++;
	}
	return word->text.error;
}

/* Number of characters from here on that have no meaning for a shell. */
static size_t ordinary(const struct shell_reader *w)
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

int shell_read_word(struct shell_reader *w, struct shell_value *word)
{
	const char *from = w->p;
	int r = MT_OK;

	while (!r && !shell_at_end(w) && *w->p) {
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

		if ((c == '<' || c == '>') && shell_peek(w, 1) == '(')
			r = in_parens(w, word);
		else if (ends_word(c))
			break;
		else if (c == '\'')
			in_single_quotes(w, word);
		else if (c == '"')
			r = in_double_quotes(w, word);
		else if (c == '`')
			r = shell_backticks(w, word);
		else if (c == '$')
			r = shell_dollar(w, word, false);
		else if (c == '\\' && shell_peek(w, 1)) {
			if (shell_peek(w, 1) != '\n')
				shell_words_put(word, shell_peek(w, 1));
			w->p += 2;
		} else {
			r = bare_part(w, word, w->p == from || w->p[-1] == '=');
		}
		word->any = true;
	}
	if (!r && !shell_at_end(w) && !*w->p)
		w->p++;
	return r ? r : word->text.error;
}
