/* SPDX-License-Identifier: MIT
 *
 * test-ipython-text.c - messages of kernels and text for terminals, byte by byte. */
#include "plain.h"
#include "tap.h"
#include "wire.h"

static struct output output;

static void test_plain(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain\n", "plain\n" },
		{ "\033[1;31mred\033[0m\n", "red\n" },
		{ "\033]0;title\007x\033]8;;u\033\\y\n", "xy\n" },
		{ "a\rb\n", "b\n" },
		{ "abc\r\nd", "abc\nd" },
		{ "1%\r2%\r3%", "3%" },
		{ "\r\r\n", "\n" },
		{ "ab\b\bc\n", "c\n" },
		{ "\xc3\xa9\bx", "x" },
		{ "\b\b", "" },
		{ "a\001\002\177\tb", "a\tb" },
		{ "\033(Bx\033=y\033Mz", "xyz" },
		{ "\033[31", "" },
		{ "\033P1\nafter", "after" },
	};

	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		size_t wrong = 0;

		for (size_t cut = 0; cut <= strlen(cases[n].in); cut++) {
			AUTO(strbuf) struct strbuf live = STRBUF(4096),
						   text = STRBUF(1 << 20);
			struct plain p;

			plain_init(&p, &output);
			plain_add(&p, cases[n].in, cut, &live);
			plain_add(&p, cases[n].in + cut, strlen(cases[n].in) - cut,
				  &live);
			plain_end(&p);
			output_text(&output, &text);
			if (strcmp(text.text, cases[n].out) != 0 ||
			    strchr(live.text, '\033')) {
				printf("# case %zu cut at %zu: %s\n", n, cut, text.text);
				wrong++;
			}
			plain_clear(&p);
		}
		CHECK_MSG(wrong == 0, "case %zu, cut everywhere", n);
	}
}

static void test_long_lines(void)
{
	AUTO(strbuf) struct strbuf live = STRBUF(4 << 20), text = STRBUF(1 << 20);
	char piece[1000];
	struct plain p;

	memset(piece, 'x', sizeof piece);
	plain_init(&p, &output);
	CHECK(plain_at_start(&p));
	for (int n = 0; n < 1000; n++)
		plain_add(&p, piece, sizeof piece, &live);
	CHECK(!plain_at_start(&p) && p.line.len <= PLAIN_LINE);
	CHECK(live.len == 1000 * sizeof piece);
	plain_add(&p, "\n", 1, &live);
	CHECK(plain_at_start(&p));
	plain_reset(&p);
	output_text(&output, &text);
	CHECK(text.len == 0);
	plain_clear(&p);
}

static const char key[] = "a0436f6c-1916-498b-8eb9-e81ab9368e84";

/* The example of a signature, computed with Python's hmac. */
static void test_sign(void)
{
	const struct mt_str parts[WIRE_SIGNED] = { MT_STR("{\"msg_type\":\"status\"}"),
						   MT_STR("{}"), MT_STR("{}"),
						   MT_STR("{\"execution_state\":\"idle\"}") };
	char hex[WIRE_HEX + 1];

	CHECK(wire_sign(key, parts, hex) == MT_OK);
	CHECK_STR(hex,
		  "10659184d15f7c9dbd6c50fec7c0624ca5f8437b0bb2f5d32a0ab0add95b0860");
}

static void test_read(void)
{
	struct mt_str parts[] = { MT_STR("identity"), MT_STR(WIRE_MARK), { NULL, 0 },
				  MT_STR("{\"msg_type\":\"status\"}"), MT_STR("{\"msg_id\":\"7\"}"),
				  MT_STR("{}"), MT_STR("{\"text\":\"a\xff\"}"),
				  MT_STR("raw") };
	struct error err = ERROR_NONE;
	struct wire_message m;
	char hex[WIRE_HEX + 1];

	CHECK(wire_sign(key, parts + 3, hex) == MT_OK);
	parts[2] = (struct mt_str){ hex, WIRE_HEX };
	CHECK(wire_read(key, parts, ARRAY_LEN(parts), &m, NULL) == MT_OK);
	CHECK_STR(wire_type(&m), "status");
	CHECK_STR(wire_parent(&m), "7");
	CHECK_STR(js_str(m.content, "text", ""), "a\xef\xbf\xbd");
	wire_clear(&m);
	for (size_t n = 0; n < 7; n++)
		CHECK(wire_read(key, parts, n, &m, NULL) == MT_EINVAL && !m.header);
	CHECK(wire_read("another", parts, 8, &m, &err) == MT_EDENIED);
	CHECK(strstr(err.text, "not signed"));
	/* Every signed byte matters. */
	for (size_t part = 2; part < 7; part++) {
		char copy[128];
		struct mt_str before = parts[part];
		bool good = true;

		memcpy(copy, before.ptr, before.len);
		parts[part].ptr = copy;
		for (size_t i = 0; i < before.len; i++) {
			copy[i] ^= 1;
			good = good && wire_read(key, parts, 8, &m, NULL) == MT_EDENIED;
			copy[i] ^= 1;
		}
		CHECK_MSG(good, "part %zu", part);
		parts[part] = before;
	}
	parts[6] = (struct mt_str)MT_STR("[]");
	wire_sign(key, parts + 3, hex);
	CHECK(wire_read(key, parts, 8, &m, NULL) == MT_EINVAL && !m.content);
}

static void test_header(void)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1024);
	AUTO(json) json_object *json = NULL;

	CHECK(wire_header(&out, "id", "session", "execute_request") == MT_OK);
	json = js_parse_object(out.text, out.len, NULL);
	CHECK_STR(js_str(json, "msg_type", ""), "execute_request");
	CHECK_STR(js_str(json, "version", ""), "5.3");
	CHECK(strlen(js_str(json, "date", "")) == strlen("2026-01-02T03:04:05.678901Z"));
}

int main(void)
{
	test_plain();
	test_long_lines();
	test_sign();
	test_read();
	test_header();
	return tap_done();
}
