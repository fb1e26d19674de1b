/* SPDX-License-Identifier: MIT
 *
 * test-images.c - images and PDF files of events as parts of messages, the same after a resume;
 * which of many are sent, and that the start of a request seldom changes. */
#include "base64.h"
#include "context/images.h"
#include "context/request-messages.h"
#include "dialogue.h"
#include "files.h"
#include "llm/media.h"
#include "oom.h"
#include "tap.h"

enum { LARGE = 60000 };

static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x20\0\0\0\x10"
			  "\x08\x02\0\0\0crc!\0\0\0\3IDATabccrc!\0\0\0\0IENDcrc!";

static char dir[] = "/tmp/mortise-images-XXXXXX";
static struct evlog *events;

/* A PNG of this many bytes more, as a data: URL. */
static char *data_url(size_t more, const char *type)
{
	AUTO(strbuf) struct strbuf bytes = STRBUF(1 << 23);
	struct strbuf url = STRBUF(1 << 23);
	char head[12] = { (char)(more >> 24), (char)(more >> 16), (char)(more >> 8),
			  (char)more, 't', 'E', 'X', 't' };

	strbuf_addn(&bytes, png, 33);
	if (more) {
		strbuf_addn(&bytes, head, 8);
		for (size_t i = 0; i < more; i++)
			strbuf_addc(&bytes, (char)i);
		strbuf_addn(&bytes, "crc!", 4);
	}
	strbuf_addn(&bytes, png + 33, sizeof png - 1 - 33);
	strbuf_addf(&url, "data:%s;base64,", type);
	base64_put(&url, bytes.text, bytes.len);
	return strbuf_take(&url);
}

static void open_log(enum evlog_open mode)
{
	struct evlog_options o = { .sync = SYNC_NONE };
	struct error err = ERROR_NONE;

	CHECK_MSG(evlog_open(dir, mode, &o, &events, NULL, &err) == MT_OK, "%s",
		  err.text);
}

static int64_t append(struct event *e)
{
	struct error err = ERROR_NONE;
	int64_t id = e && evlog_append(events, e, &err) == MT_OK ? e->id : -1;

	event_unref(e);
	return id;
}

static json_object *list_of(const char *const *urls)
{
	json_object *list = json_object_new_array();

	for (; *urls; urls++)
		json_object_array_add(list, json_object_new_string(*urls));
	return list;
}

static int64_t message(const char *text, const char *const *urls)
{
	json_object *args = json_object_new_object();

	js_set_str(args, "content", text);
	js_set(args, "image_urls", list_of(urls));
	return append(event_action("message", SOURCE_USER, args, NULL));
}

static int64_t result(const char *mime, const char *blob)
{
	json_object *extras = json_object_new_object(), *list = json_object_new_array();
	json_object *medium = json_object_new_object();

	js_set_str(medium, "mime", mime);
	js_set_str(medium, "blob", blob);
	json_object_array_add(list, medium);
	js_set_str(extras, "name", "camera");
	js_set_str(extras, "path", "shot.png");
	js_set(extras, "media", list);
	return append(
		event_observation("tool", SOURCE_AGENT, -1, "click", 5, extras, NULL));
}

/* The parts of all messages as one text. */
static char *said(void)
{
	static const struct request_messages_options options = { 0 };
	AUTO(request_messages)
	struct request_messages *m = request_messages_new(events, &options);
	AUTO(llm_request) struct llm_request *q = llm_request_new();
	struct strbuf out = STRBUF(1 << 20);
	struct view_item items[8];
	struct error err = ERROR_NONE;
	size_t count = (size_t)evlog_count(events);

	for (size_t i = 0; i < count; i++)
		items[i] = (struct view_item){ .event = (int64_t)i };
	if (request_messages_build(m, items, count, q, &err))
		strbuf_add(&out, err.text);
	for (size_t i = 0; i < q->message_count; i++) {
		strbuf_addf(&out, "%d:", q->messages[i].role);
		for (size_t p = 0; p < q->messages[i].part_count; p++) {
			const struct llm_part *part = &q->messages[i].parts[p];

			if (!part->mime)
				strbuf_addf(&out, "{%.*s}", (int)part->len, part->text);
			else
				strbuf_addf(&out, "{%s %zu %s}", part->mime, part->len,
					    part->url ? part->url : "");
		}
		strbuf_addc(&out, '\n');
	}
	return strbuf_take(&out);
}

static const char expected[] =
	"2:{look}{Image 1:}{image/png 60072 }{Image 2:}{image/png 60 }"
	"{[Image 3 cannot be shown: it is a damaged or truncated PNG image]}"
	"{[Image 4 cannot be shown: it contains invalid base64]}"
	"{Image 5:}{image/link 0 https://example.org/a.png}"
	"{[Image 6 cannot be shown: it is neither a data: nor an https: URL]}"
	"{Image 7 (a dir/b,c?é.png):}{image/png 60 }"
	"{PDF 8 (r.pdf):}{application/pdf 8 }\n"
	"2:{\n\nclick}{Image 1 (shot.png):}{image/png 60 }\n"
	"2:{\n\nclick}{[Image 1 cannot be shown: it is missing or damaged on disk]}\n"
	"2:{\n\nclick}{[Image 1 cannot be shown: it has an unsupported type]}\n";

static void from_events_into_messages(void)
{
	AUTO(free) char *large = data_url(LARGE, "image/png");
	AUTO(free) char *wrong = data_url(0, "image/jpeg"); /* of the wrong name */
	AUTO(free) char *first = NULL, *second = NULL;
	AUTO(free) char *named = NULL;
	char blob[65];
	const char *urls[] = { large, wrong, "data:image/png;base64,iVBORw0KGgo=",
			       "data:image/png;base64,iVBO?", "https://example.org/a.png",
			       "file:///etc/passwd", NULL,
			       "data:application/pdf;name=r.pdf;base64,JVBERi0xLjc=", NULL };

	if (asprintf(&named, "data:image/png;name=a%%20dir/b%%2Cc%%0A%%C3%%a9.png%s",
		     strstr(wrong, ";base64,")) < 0)
		abort();
	urls[6] = named;
	open_log(EVLOG_CREATE);
	CHECK(message("look", urls) == 0);
	CHECK(evlog_blob(events, png, sizeof png - 1, blob, NULL) == MT_OK);
	CHECK(result("image/png", blob) == 1);
	blob[0] = blob[0] == '0' ? '1' : '0';
	CHECK(result("image/png", blob) == 2);
	CHECK(result("application/x-odd", "../../etc/passwd") == 3);
	first = said();
	CHECK_STR(first, expected);
	evlog_close(events);
	open_log(EVLOG_WRITE);
	second = said();
	CHECK_MSG(first && second && strcmp(first, second) == 0,
		  "the same after a resume");
}

static void without_memory(void)
{
	AUTO(event) struct event *e = evlog_event(events, 0, NULL);
	bool fine = true;
	size_t most = 0;

	OOM_EACH({
		struct images images = { 0 };
		int status = images_of(e, events, &images);

		fine = fine && (oom_hit || (status == MT_OK && images.count == 13));
		most = images.count > most ? images.count : most;
		images_clear(&images);
	})
	CHECK_MSG(fine && most == 13, "images of an event, without memory");
	evlog_close(events);
}

/* ---- coming in ------------------------------------------------------------- */

static void checked_when_they_come(void)
{
	AUTO(free) char *good = data_url(0, "image/png");
	AUTO(free) char *large = data_url(4 << 20, "image/png");
	const struct {
		const char *url, *says;
	} cases[] = {
		{ good, "" },
		{ "https://example.org/a.png", "" },
		{ "ftp://example.org/a.png", "image 1 is neither a data: nor an https: URL" },
		{ "https://example.org/a b", "image 1 is neither a data: nor an https: URL" },
		{ "data:image/png,abc", "image 1: it is not a data:TYPE;base64, URL" },
		{ "data:image/png;base64,aGVsbG8=",
		  "image 1: it is not a PNG, JPEG, GIF, WebP or PDF file: convert it to one of them" },
		{ large, "image 1: it is larger than 3840000 bytes: scale it down, or save it "
			 "as JPEG" },
	};
	AUTO(json) json_object *many = json_object_new_array();
	AUTO(json) json_object *file = json_object_new_array();
	AUTO(free) char *path = path_join(dir, "picture.txt");
	struct error err = ERROR_NONE;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const urls[] = { cases[i].url, NULL };
		AUTO(json) json_object *list = list_of(urls);
		struct error why = ERROR_NONE;

		images_check(list, &why);
		CHECK_STR(why.text, cases[i].says);
	}
	for (int i = 0; i <= IMAGES_MAX; i++)
		json_object_array_add(many, json_object_new_string(good));
	CHECK(images_check(many, &err) == MT_ELIMIT);
	CHECK(images_check(NULL, NULL) == MT_OK);
	CHECK(images_add_file(file, path, NULL) == MT_ENOTFOUND);
	CHECK(file_write(path, png, sizeof png - 1, 0600, false, NULL) == MT_OK);
	CHECK(images_add_file(file, path, NULL) == MT_OK);
	AUTO(strbuf) struct strbuf named = STRBUF(1 << 16);

	strbuf_addf(&named, "data:image/png;name=%s", path);
	strbuf_add(&named, strstr(good, ";base64,"));
	CHECK_STR(json_object_get_string(json_object_array_get_idx(file, 0)), named.text);
	CHECK(!images_have_pdf(file));
	CHECK(file_write(path, "%PDF-1.7", 8, 0600, false, NULL) == MT_OK);
	CHECK(images_add_file(file, path, NULL) == MT_OK);
	CHECK(images_have_pdf(file) && images_check(file, NULL) == MT_OK);
}

/* ---- which are sent --------------------------------------------------------- */

static const char *const settings[] = { "llm.base_url=http://127.0.0.1:1/v1",
					"llm.vision=yes", NULL };
static struct bench bench;

static struct llm_request *conversation(size_t count, size_t bytes)
{
	struct llm_request *q = llm_request_new();
	struct llm_part *parts = calloc(count, sizeof *parts);
	char *medium = calloc(1, bytes);

	llm_request_own(q, parts);
	llm_request_own(q, medium);
	for (size_t i = 0; i < count; i++) {
		struct llm_message m = { .role = MT_ROLE_USER, .parts = &parts[i],
					 .part_count = 1, .stamp = i + 1 };

		parts[i] = (struct llm_part){ .mime = "image/png", .text = medium,
					      .len = bytes };
		llm_request_add(q, &m);
	}
	return q;
}

static size_t count_in(const char *text, const char *what)
{
	size_t n = 0;

	for (; text && (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static size_t shown_of(size_t count, size_t bytes)
{
	AUTO(llm_request) struct llm_request *q = conversation(count, bytes);
	AUTO(free) char *body = dialogue_body(&bench, q);

	CHECK_MSG(count_in(body, "there are newer ones") + count_in(body, "base64,") ==
			  count,
		  "%zu images, each shown or not", count);
	return count_in(body, "base64,");
}

static void the_oldest_are_left_out(void)
{
	static const struct {
		size_t count, bytes, shown;
	} cases[] = {
		{ 1, 3, 1 }, { 20, 3, 20 }, { 21, 3, 10 }, { 30, 3, 19 }, { 31, 3, 20 },
		{ 32, 3, 10 }, { 42, 3, 20 }, { 43, 3, 10 }, { 3, 3 << 20, 3 },
		{ 4, 3 << 20, 1 }, { 2, 12 << 20, 1 },
	};

	bool open = bench_open(&bench, uv_default_loop(), "openai/gpt-4.1", settings);

	CHECK_MSG(open, "%s", bench.err.text);
	for (size_t i = 0; open && i < ARRAY_LEN(cases); i++) {
		size_t shown = shown_of(cases[i].count, cases[i].bytes);

		CHECK_MSG(shown == cases[i].shown, "%zu of %zu images of %zu bytes: %zu",
			  cases[i].shown, cases[i].count, cases[i].bytes, shown);
	}
	bench_close(&bench);
}

static void addresses_where_they_are_taken(void)
{
	static const struct {
		const char *model, *says;
	} cases[] = {
		{ "openai/gpt-4.1", "\"image_url\":{\"url\":\"https://example.org/a.png\"}" },
		{ "openai/gpt-5", "\"image_url\":\"https://example.org/a.png\"" },
		{ "anthropic/claude-sonnet-4-5",
		  "\"source\":{\"type\":\"url\",\"url\":\"https://example.org/a.png\"}" },
		{ "gemini/gemini-2.5-pro", "only its URL is known" },
		{ "ollama_chat/llava", "only its URL is known" },
		{ "moonshot/kimi-k2.6", "only its URL is known" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const each[] = { settings[0], settings[1], "llm.api_key_env=KEY",
					     strcmp(cases[i].model, "openai/gpt-5")
						     ? NULL : "llm.api=responses", NULL };
		AUTO(llm_request) struct llm_request *q = conversation(1, 1);
		AUTO(free) char *body = NULL;

		((struct llm_part *)q->messages[0].parts)[0] = (struct llm_part){
			.mime = "image/link", .url = "https://example.org/a.png" };
		if (!bench_open(&bench, uv_default_loop(), cases[i].model, each))
			printf("# %s\n", bench.err.text);
		else
			body = dialogue_body(&bench, q);
		CHECK_MSG(body && strstr(body, cases[i].says), "%s: %s", cases[i].model,
			  body);
		bench_close(&bench);
	}
}

/* A PDF file is a document where the model takes it, and a sentence elsewhere. */
static void pdf_where_it_is_taken(void)
{
	static const struct {
		const char *model, *says;
	} cases[] = {
		{ "openai/gpt-4.1", "{\"type\":\"file\",\"file\":{\"filename\":\"document.pdf\","
				    "\"file_data\":\"data:application/pdf;base64,JVBERi0x\"}}" },
		{ "openai/gpt-5", "{\"type\":\"input_file\",\"filename\":\"document.pdf\","
				  "\"file_data\":\"data:application/pdf;base64,JVBERi0x\"}" },
		{ "anthropic/claude-sonnet-4-5",
		  "{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":"
		  "\"application/pdf\",\"data\":\"JVBERi0x\"}" },
		{ "gemini/gemini-2.5-pro",
		  "{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"JVBERi0x\"}" },
		{ "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
		  "{\"document\":{\"name\":\"document\",\"format\":\"pdf\",\"source\":"
		  "{\"bytes\":\"JVBERi0x\"}}}" },
		{ "ollama_chat/llava", "Read its text with the command pdftotext.]" },
		{ "moonshot/kimi-k2.6", "this model does not support PDF input." },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const each[] = { settings[0], settings[1], "llm.api_key_env=KEY",
					     strcmp(cases[i].model, "openai/gpt-5")
						     ? NULL : "llm.api=responses", NULL };
		AUTO(llm_request) struct llm_request *q = conversation(1, 1);
		AUTO(free) char *body = NULL;

		((struct llm_part *)q->messages[0].parts)[0] = (struct llm_part){
			.mime = MEDIA_PDF, .text = "%PDF-1", .len = 6
		};
		if (!bench_open(&bench, uv_default_loop(), cases[i].model, each))
			printf("# %s\n", bench.err.text);
		else
			body = dialogue_body(&bench, q);
		CHECK_MSG(body && strstr(body, cases[i].says), "%s: %s", cases[i].model,
			  body);
		bench_close(&bench);
	}
}

int main(void)
{
	setenv("KEY", "sk-not-a-key", 1);
	setenv("OPENAI_API_KEY", "sk-not-a-key", 1);
	if (!mkdtemp(dir))
		return 99;
	from_events_into_messages();
	without_memory();
	checked_when_they_come();
	the_oldest_are_left_out();
	pdf_where_it_is_taken();
	addresses_where_they_are_taken();
	dir_remove(dir, NULL);
	return tap_done();
}
