/* SPDX-License-Identifier: MIT
 *
 * test-trace.c - log_requests: the stored data, its file mode, and the absence of
 * secrets; the estimate of tokens, learned from what a provider counts. */
#include "dialogue.h"
#include "files.h"
#include "server.h"
#include "tap.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD(status) "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n" \
	"Connection: close\r\n\r\n"
#define SECRET "sk-very\\\"odd\\\\key"      /* as it stands in JSON */
#define KEY "sk-very\"odd\\key"
#define GRANTED "tok-12345"

static const char answer[] =
	HEAD("200 OK") "{\"choices\":[{\"message\":{\"content\":\"Your key is " SECRET
		       ", the other " GRANTED
		       ".\"},\"finish_reason\":\"stop\"}],\"usage\":{"
		       "\"prompt_tokens\":500,\"completion_tokens\":2}}";
static const char refusal[] =
	HEAD("400 No") "{\"error\":{\"message\":\"odd key " SECRET "\"}}";

static uv_loop_t loop;
static struct server server;
static struct mask *mask;

static char *state(const char *name)
{
	static char path[512];

	snprintf(path, sizeof path, "%s/%s", getenv("STATE"), name);
	return path;
}

static bool open_bench(struct bench *b, const struct answer *answers, size_t count,
		       const char *more)
{
	static char base[64], directory[512];
	const char *settings[] = { base, directory, "llm.retries=1", "llm.api_key_env=KEY",
				   "llm.extra_headers=X-More: " GRANTED, more, NULL };
	struct llm *masked = NULL;

	uv_loop_init(&loop);
	server_start(&server, &loop);
	server_say(&server, answers, count);
	snprintf(base, sizeof base, "llm.base_url=http://me:pw123@127.0.0.1:%d/v1",
		 server.port);
	snprintf(directory, sizeof directory, "core.state_dir=%s", getenv("STATE"));
	if (!bench_open(b, &loop, "some-model", settings)) {
		CHECK_MSG(0, "%s", b->err.text);
		return false;
	}
	mask = mask_new();
	mask_add(mask, GRANTED, strlen(GRANTED));
	CHECK(llm_open(b->pool, b->config, b->registry, "llm", "some-model", mask,
		       &masked, &b->err) == MT_OK);
	llm_free(b->llm);
	b->llm = masked;
	return masked != NULL;
}

static void close_bench(struct bench *b)
{
	bench_close(b);
	server_stop(&server);
	mask = mask_free(mask);
	CHECK(uv_loop_close(&loop) == 0);
}

/* All files of a directory, one behind the other; -1: there is none. */
static int read_dir(const char *path, struct strbuf *out)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int count = 0;

	while (dir && (e = readdir(dir))) {
		AUTO(free) char *file = path_join(path, e->d_name), *text = NULL;
		AUTO(json) json_object *parsed = NULL;
		struct stat st;
		size_t len;

		if (e->d_name[0] == '.' || file_read(file, 1 << 20, &text, &len, NULL))
			continue;
		CHECK_MSG(stat(file, &st) == 0 && (st.st_mode & 0777) == 0600, "%s",
			  e->d_name);
		parsed = js_parse_object(text, len, NULL);
		CHECK_MSG(parsed, "JSON");
		strbuf_addn(out, text, len);
		count++;
	}
	if (dir)
		closedir(dir);
	return dir ? count : -1;
}

static void kept_without_secrets(void)
{
	static const struct answer answers[] = { { refusal, 0, CLOSE },
						 { answer, 0, CLOSE } };
	AUTO(llm_request) struct llm_request *q = ask("my keys: " KEY " and " GRANTED);
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 20);
	struct result r = { .text = STRBUF(16), .reasoning = STRBUF(16) };
	struct bench b;

	if (!open_bench(&b, answers, 2, "llm.log_requests=yes"))
		return;
	CHECK(llm_request_log_open(b.llm, state("kept")) == MT_OK);
	bench_send(&b, q, 0, NULL, &r);
	CHECK(!r.reply);
	bench_send(&b, q, 0, NULL, &r);
	CHECK_MSG(r.reply, "%s", r.error.text);
	CHECK(read_dir(state("kept/llm"), &all) == 2);
	CHECK(!strstr(all.text, SECRET) && !strstr(all.text, KEY));
	CHECK(!strstr(all.text, GRANTED) && !strstr(all.text, "pw123"));
	CHECK(strstr(all.text, "my keys: " MASK_TEXT " and " MASK_TEXT));
	CHECK(strstr(all.text, "Your key is " MASK_TEXT));
	CHECK(strstr(all.text, "\"X-More\":\"" MASK_TEXT "\""));
	CHECK(strstr(all.text, "\"Authorization\":\"" MASK_TEXT "\""));
	CHECK(strstr(all.text, "\"Content-Type\":\"application/json\""));
	CHECK(strstr(all.text, "\"status\":400") && strstr(all.text, "\"error\":\""));
	result_clear(&r);
	close_bench(&b);
}

static void not_asked_for(void)
{
	static const struct answer answers[] = { { answer, 0, CLOSE } };
	AUTO(llm_request) struct llm_request *q = ask("hi");
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 20);
	struct result r = { .text = STRBUF(16), .reasoning = STRBUF(16) };
	struct bench b;

	if (!open_bench(&b, answers, 1, "llm.log_requests=no"))
		return;
	CHECK(llm_request_log_open(b.llm, state("other")) == MT_OK);
	bench_send(&b, q, 0, NULL, &r);
	CHECK(r.reply && read_dir(state("other/llm"), &all) == -1);
	result_clear(&r);
	close_bench(&b);
}

/* 1000 bytes that the provider counts as 500 tokens. */
static void learned(void)
{
	static const struct answer answers[] = { { answer, 0, CLOSE } };
	static char text[1001];
	struct result r = { .text = STRBUF(16), .reasoning = STRBUF(16) };
	struct bench b;
	AUTO(llm_request) struct llm_request *q = NULL;

	memset(text, 'x', sizeof text - 1);
	q = ask(text);
	unlink(state("tokens/some-model"));
	if (!open_bench(&b, answers, 1, "llm.seed=1"))
		return;
	CHECK(llm_estimate_tokens(b.llm, q) == 251);
	bench_send(&b, q, 0, NULL, &r);
	CHECK(llm_estimate_tokens(b.llm, q) == 501);
	result_clear(&r);
	close_bench(&b);
	if (!open_bench(&b, answers, 1, "llm.seed=1"))
		return;
	CHECK_MSG(llm_estimate_tokens(b.llm, q) == 501, "known again");
	close_bench(&b);
	CHECK(file_write(state("tokens/some-model"), "-5 or so", 8, 0600, false, NULL) ==
	      0);
	if (!open_bench(&b, answers, 1, "llm.seed=1"))
		return;
	CHECK_MSG(llm_estimate_tokens(b.llm, q) == 251, "a file that says nothing");
	close_bench(&b);
}

int main(void)
{
	char dir[] = "/tmp/mortise-trace-XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	setenv("STATE", dir, 1);
	setenv("KEY", KEY, 1);
	kept_without_secrets();
	not_asked_for();
	learned();
	dir_remove(dir, NULL);
	return tap_done();
}
