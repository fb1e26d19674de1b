#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/rust/mortise-plugin-sys: its structs match those of the headers, and it needs
# only the standard library.
bats_require_minimum_version 1.5.0

setup() {
	rustc --version || skip "rustc is not installed"
	crate=$top_srcdir/examples/rust/mortise-plugin-sys
	cd "$BATS_TEST_TMPDIR"
	umask 022
}

# members FORMAT: a line for each member of a struct of the bindings
members() {
	awk -v format="$1" '
		/^pub struct mt_/ { sub(/ \{/, ""); name = $3 }
		/^}/ { name = "" }
		name && /^    pub [a-z_0-9]*:/ {
			sub(/:.*/, "", $2)
			printf format, name, $2, name, $2
		}' "$crate/src/mortise_plugin_sys.rs"
}

@test "each member has the offset of the C compiler" {
	{
		echo '#include <mortise/extensions.h>'
		echo '#include <stdio.h>'
		echo 'int main(void) {'
		members 'printf("%s.%s %%zu\\n", offsetof(struct %s, %s));\n'
		for type in mt_tool_host mt_tool mt_toolset mt_component mt_plugin; do
			echo "printf(\"$type %zu\\n\", sizeof(struct $type));"
		done
		echo 'return 0; }'
	} > c.c
	{
		echo 'use mortise_plugin_sys::*; fn main() {'
		members 'println!("%s.%s {}", std::mem::offset_of!(%s, %s));\n'
		for type in mt_tool_host mt_tool mt_toolset mt_component mt_plugin; do
			echo "println!(\"$type {}\", std::mem::size_of::<$type>());"
		done
		echo '}'
	} > r.rs
	${CC:-cc} -I"$top_srcdir/sdk-headers" -o c c.c
	rustc --edition 2021 -D warnings --crate-type rlib "$crate/src/mortise_plugin_sys.rs"
	rustc --edition 2021 --extern mortise_plugin_sys=libmortise_plugin_sys.rlib -o r r.rs
	./c > c.out
	./r > r.out
	[ "$(wc -l < c.out)" -gt 80 ]
	diff c.out r.out
}

@test "cargo builds the crate offline, and a plugin that depends on it" {
	cargo --version || skip "cargo is not installed"
	cp -R "$crate" sys
	mkdir -p plugin/src
	cat > plugin/Cargo.toml <<-'END'
		[package]
		name = "words"
		version = "1.0.0"
		edition = "2021"
		[lib]
		crate-type = ["cdylib"]
		[dependencies]
		mortise-plugin-sys = { path = "../sys" }
	END
	sed 's/@name@/words/; s/@ident@/words/' \
		"$top_srcdir/examples/templates/tool-rust/NAME.rs" > plugin/src/lib.rs
	(cd plugin && cargo build --offline)
	mortise plugins check plugin/target/debug/libwords.so
}

@test "a preview, a structured result, an argument in pieces, and requests" {
	mortise plugins new tool words --lang rust
	cat > words/words.rs <<-'END'
		use mortise_plugin_sys::{tool, Call};

		fn run(call: &Call) -> Result<String, String> {
		    let mut piece = [0u8; 3];
		    let mut text = Vec::new();
		    let mut answers = 0;

		    while let Some(n @ 1..) = call.read("text", text.len() as u64, &mut piece) {
		        text.extend_from_slice(&piece[..n]);
		    }
		    if call.read("none", 0, &mut piece).is_some() || !call.structured("{\"n\": 1}") {
		        return Err("not as documented".to_string());
		    }
		    call.submit("no/method", "{}");
		    call.submit("no/method", "{}");
		    while let Some(answer) = call.wait() {
		        answers += answer.text.is_err() as i32;
		    }
		    let refused = call.request("no/method", "{}").unwrap_err();
		    Ok(format!("{} {answers} {refused}", String::from_utf8_lossy(&text)))
		}

		fn before(call: &Call) -> Result<String, String> {
		    Ok(format!("counts {}", call.text("text").unwrap_or("")))
		}

		tool! {
		    plugin: "words", name: "words", description: "For a test.", hints: 0,
		    schema: r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#,
		    run: run, preview: before,
		}
	END
	cat > words/words.cases <<-'END'
		[in pieces]
		call = words
		arguments = {"text": "abcdefgh"}
		result = abcdefgh 2 no conversation is attached

		[structured]
		call = words
		structured = {"n": 1}

		[a preview]
		call = words
		arguments = {"text": "abc"}
		preview = counts abc
	END
	make -C words test
}

@test "a panic fails the call" {
	mortise plugins new tool words --lang rust
	sed -i 's/    if text.is_empty() {/    if text == "panic" { panic!("on purpose"); }\n&/' \
		words/words.rs
	printf '[panic]\ncall = words\narguments = {"text": "panic"}\nerror = panicked\n' \
		>> words/words.cases
	make -C words test
}
