/* SPDX-License-Identifier: MIT
 *
 * shell.c - walks over the simple commands of a shell text. */
#include "shell-internal.h"

#include "array.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 1 << 18 };

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

/* A pattern that matches no file is unchanged; `text` then contains it approximately. */
static void shell_pattern_word(struct shell_word *ret, const struct shell_value *word)
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

static int shell_add_word(struct shell_word **words, size_t *count,
			  struct shell_value *word)
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
		shell_pattern_word(&all[*count], word);
	if (!all[*count].text && !all[*count].shape)
		return MT_ENOMEM;
	++*count;
	return MT_OK;
}

static int shell_tell(struct shell_reader *w, struct building *b)
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
static int expand_here(struct shell_reader *outer, const char *text, size_t len,
		       bool *ret_any)
{
	struct shell_reader w = *outer;
	struct shell_value unused = { .text = STRBUF(WORD_BYTES_MAX) };
	int r = MT_OK;

	w.p = text;
	w.end = text + len;
	if (++w.depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	while (!r && !shell_at_end(&w)) {
		if (*w.p == '\\' && shell_peek(&w, 1)) {
			w.p += 2;
		} else if (*w.p == '$') {
			r = shell_dollar(&w, &unused, true);
		} else if (*w.p == '`') {
			r = shell_backticks(&w, &unused);
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
static int take_here(struct shell_reader *w, struct building *b)
{
	for (size_t i = 0; i < b->here_count; i++) {
		AUTO(strbuf) struct strbuf body = STRBUF(WORD_BYTES_MAX);
		bool found = false;

		while (!found && !shell_at_end(w)) {
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
static int find_here(struct shell_reader *w, struct building *b)
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

/* The operand of >& or <&: the number of an open descriptor, or - to close. */
static bool is_descriptor(const struct shell_value *word)
{
	return !word->dynamic &&
	       word->text.text[strspn(word->text.text, "0123456789-")] == '\0';
}

static int redirect(struct shell_reader *w, struct building *b)
{
	struct shell_value word = { .text = STRBUF(WORD_BYTES_MAX) };
	bool here = false, string = false, writes = false, copies = false,
	     appends = false;
	bool room = b->here_count < ARRAY_LEN(b->here);
	const char *from;
	int r;

	while (!shell_at_end(w) && strchr("<>&|", *w->p) && *w->p) {
		appends = appends || (writes && *w->p == '>');
		writes = writes || *w->p == '>';
		copies = *w->p == '&';
		if (*w->p == '<' && shell_peek(w, 1) == '<') {
			string = shell_peek(w, 2) == '<';
			here = !string;
			w->p += string ? 3 : 2;
			break;
		}
		if ((*w->p == '<' || *w->p == '>') && shell_peek(w, 1) == '(')
			break;
		w->p++;
	}
	if (here && shell_peek(w, 0) == '-') {
		if (room)
			b->strip_tabs[b->here_count] = true;
		w->p++;
	}
	while (shell_peek(w, 0) == ' ' || shell_peek(w, 0) == '\t')
		w->p++;
	from = w->p;
	r = shell_read_word(w, &word);
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
		r = shell_add_word(&b->redirects, &b->redirect_count, &word);
		if (!r)
			b->redirects[b->redirect_count - 1].redirect = appends  ? 'a'
								       : writes ? '>'
										: '<';
	}
	strbuf_clear(&word.text);
	return r;
}

static bool shell_is_assignment(const char *text, size_t len)
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

static bool shell_one_of(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

/* Words after which a command begins. */
static bool shell_is_reserved(const char *word)
{
	static const char *const words[] = {
		"if", "then", "else", "elif", "fi", "do", "done", "while", "until",
		"!", "{", "}", "esac", "coproc", "time", NULL,
	};

	return shell_one_of(words, word);
}

/* Digits before < or >: the number of a descriptor. */
static bool at_redirect(const struct shell_reader *w)
{
	size_t n = 0;

	while (isdigit((unsigned char)shell_peek(w, n)))
		n++;
	if (shell_peek(w, n) == '&' && shell_peek(w, n + 1) == '>')
		return n == 0;
	return (shell_peek(w, n) == '<' || shell_peek(w, n) == '>') &&
	       shell_peek(w, n + 1) != '(';
}

static int one_word(struct shell_reader *w, struct building *b, bool *function,
		    int *cases)
{
	struct shell_value word = { .text = STRBUF(WORD_BYTES_MAX) };
	const char *from = w->p;
	bool plain, skipped = false;
	int r = shell_read_word(w, &word);

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
		} else if (plain && shell_is_reserved(word.text.text)) {
			*cases -= strcmp(word.text.text, "esac") == 0 && *cases > 0;
			skipped = true;
		} else if (shell_is_assignment(from, (size_t)(w->p - from))) {
			skipped = true;
			r = shell_add_word(&b->assignments, &b->assignment_count, &word);
		} else if (plain && strcmp(word.text.text, "case") == 0) {
			++*cases;
		}
	}
	if (!r && !skipped && word.any)
		r = shell_add_word(&b->words, &b->count, &word);
	strbuf_clear(&word.text);
	return r;
}

/* One simple command, up to what separates it from the next. */
static int simple(struct shell_reader *w, int *cases)
{
	struct building b = { .from = w->p, .piped = w->piped };
	bool function = false;
	int r = MT_OK;

	w->piped = false;

	while (!r && !shell_at_end(w) && !b.defines) {
		char c = *w->p;

		if (c == ' ' || c == '\t') {
			w->p++;
		} else if (c == '\\' && shell_peek(w, 1) == '\n') {
			w->p += 2;
		} else if (c == '#') {
			while (!shell_at_end(w) && *w->p != '\n')
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
	b.defines = b.defines || (b.count && !shell_at_end(w) && *w->p == '(');
	if (!r && b.here_count)
		r = find_here(w, &b);
	if (!r)
		r = shell_tell(w, &b);
	building_clear(&b);
	return r;
}

int shell_walk_list(struct shell_reader *w, char closer)
{
	int r = MT_OK, cases = 0;

	if (w->depth > SHELL_DEPTH_MAX)
		return MT_ELIMIT;
	while (!r && !shell_at_end(w)) {
		char c = *w->p;

		if (c == '(') {
			w->p++;
			w->depth++;
			r = shell_walk_list(w, ')');
			w->depth--;
		} else if (c == ')') {
			w->p++;
			if (closer == ')' && !cases)
				return MT_OK;
		} else if (c == '\n' && w->p == w->here_at) {
			w->p = w->here_to;
		} else if (c == '|') {
			w->piped = shell_peek(w, 1) != '|';
			w->p += w->piped ? 1 : 2;
			if (w->piped && shell_peek(w, 0) == '&')
				w->p++;
		} else if (strchr("\n;", c)) {
			w->p++;
		} else if (c == '&' && shell_peek(w, 1) != '>') {
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
	struct shell_reader w = { .p = text, .end = text + len, .each = each, .variable = variable,
			  .arg = arg };

	return shell_walk_list(&w, '\0');
}

int shell_walk(const char *text, size_t len, shell_each_fn *each, void *arg)
{
	return shell_walk_with(text, len, each, NULL, arg);
}

int shell_quote(struct strbuf *out, const char *text)
{
	strbuf_addc(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			strbuf_add(out, "'\\''");
		else
			strbuf_addc(out, *text);
	return strbuf_addc(out, '\'');
}
