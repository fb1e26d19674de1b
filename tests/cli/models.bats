# SPDX-License-Identifier: MIT
# mortise models: known facts, and imported prices.

setup() {
	export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data" XDG_CONFIG_HOME="$BATS_TEST_TMPDIR/config"
}

@test "info prints the facts of a model, marks defaults, and names an unknown model" {
	run mortise models info openai/gpt-4.1
	[ "$status" -eq 0 ]
	[[ "$output" == *"window                   1047576"* ]]
	[[ "$output" == *"(default)"* ]]
	run mortise models info unknown/model
	[ "${lines[0]}" = "Model unknown/model is not in the model table." ]
	mortise models info unknown/model --json | jq -e '.known == false and .tools == false'
}

@test "list matches a part of a name" {
	run mortise models list gpt-4.1
	[ "$status" -eq 0 ]
	[[ "$output" == *"gpt-4.1-mini"* ]]
	[[ "$output" != *claude* ]]
	mortise models list sonnet --json | jq -e 'length > 2 and all(.[]; .window > 0)'
}

@test "list matches a pattern with wildcards to each name" {
	names() { mortise models list "$1" | sed -n '2,$s/ .*//p'; }
	[ "$(names 'gpt-4.?')" = gpt-4.1 ]
	[ "$(names 'gpt-4.1-*')" = $'gpt-4.1\ngpt-4.1-mini\ngpt-4.1-nano' ]
	[ "$(names 'GPT-4.1-[mn]*')" = $'gpt-4.1-mini\ngpt-4.1-nano' ]
	[ -z "$(names '4.1*')" ]
}

@test "import writes a user table that applies immediately" {
	cat > "$BATS_TEST_TMPDIR/prices.json" <<-'END'
		{"sample_spec": {}, "unknown/model": {"mode": "chat", "max_tokens": 77,
		 "input_cost_per_token": 2e-06, "output_cost_per_token": 4e-06}}
	END
	run mortise models import "$BATS_TEST_TMPDIR/prices.json"
	[ "$status" -eq 0 ]
	[ "$(stat -c %a "$XDG_DATA_HOME/mortise/models.ini")" = 600 ]
	mortise models info unknown/model --json |
		jq -e '.known and .window == 77 and .input_price == 2 and .output_price == 4'
	run mortise models info unknown/model -o model.unknown/*.window=5
	[[ "$output" == *"window                   5"* ]]
}

@test "a failed import changes nothing" {
	echo '{"a": {}}' > "$BATS_TEST_TMPDIR/none.json"
	run mortise models import "$BATS_TEST_TMPDIR/none.json"
	[ "$status" -eq 1 ]
	[[ "$output" == "mortise: cannot import $BATS_TEST_TMPDIR/none.json: the file contains no models"* ]]
	run mortise models import "$BATS_TEST_TMPDIR/missing.json"
	[ "$status" -eq 2 ]
	[ ! -e "$XDG_DATA_HOME/mortise/models.ini" ]
	run mortise models dance
	[ "$status" -eq 2 ]
}

@test "test reports the features that work, with a scripted model" {
	cat > "$BATS_TEST_TMPDIR/t.script" <<-'END'
		[turn]
		expect tool = report
		text = ready
		usage = input 20, output 5
		[call report]
		word = ready

		[turn]
		text = red
		usage = input 10, output 1
	END
	run mortise models test "script:$BATS_TEST_TMPDIR/t.script"
	[ "$status" -eq 0 ]
	[[ "$output" == *"tools        yes"* ]]
	[[ "$output" == *"vision       yes"* ]]
	[[ "$output" == *"tokens       30 in, 6 out"* ]]
	mortise models test "script:$BATS_TEST_TMPDIR/t.script" --json |
		jq -e '.tools == "yes" and .vision == "yes" and .input == 30'
}

@test "test names a missing key, and the reason for a missing response" {
	env -u OPENAI_API_KEY mortise models test openai/gpt-4.1 > "$BATS_TEST_TMPDIR/out" 2>&1 ||
		[ $? -eq 2 ]
	grep -q OPENAI_API_KEY "$BATS_TEST_TMPDIR/out"
	run mortise models test some -o llm.base_url=http://127.0.0.1:1/v1
	[ "$status" -eq 3 ]
	[[ "$output" == *"cannot be reached"* ]]
	run mortise models test
	[ "$status" -eq 2 ]
}

@test "list --server refuses an unknown provider, and names the known ones" {
	run mortise models list --server nosuch
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown provider \`nosuch\`; use one of "*"anthropic"*"openai"* ]]
	run mortise models list --server openia
	[ "$status" -eq 2 ]
	[ "$output" = "mortise: unknown provider \`openia\`; did you mean \`openai\`?" ]
	run mortise models info --server nosuch/model
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: model \`nosuch/model\`: unknown provider \`nosuch\`"* ]]
}

@test "list --server queries the models of a server and their context windows" {
	command -v python3 > /dev/null || skip "no python3"
	cat > "$BATS_TEST_TMPDIR/server.py" <<-'END'
		import http.server, json, sys
		class H(http.server.BaseHTTPRequestHandler):
		    def say(self, o, status=200):
		        b = json.dumps(o).encode()
		        self.send_response(status)
		        self.send_header("Content-Length", str(len(b)))
		        self.end_headers()
		        self.wfile.write(b)
		    def do_GET(self):
		        if self.path == "/v1/models":
		            self.say({"data": [{"id": "a:7b"}, {"id": "b", "max_model_len": 4096}]})
		        elif self.path == "/props":
		            self.say({"default_generation_settings": {"n_ctx": 2048}})
		        else:
		            self.say({}, 404)
		    def do_POST(self):
		        q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
		        ok = self.path == "/api/show" and q["model"] == "a:7b"
		        self.say({"model_info": {"llama.context_length": 8192}} if ok else {}, 200 if ok else 404)
		    def log_message(self, *a): pass
		s = http.server.HTTPServer(("127.0.0.1", 0), H)
		print(s.server_port, flush=True)
		s.serve_forever()
	END
	python3 "$BATS_TEST_TMPDIR/server.py" > "$BATS_TEST_TMPDIR/port" 3>&- &
	server=$!
	for i in $(seq 200); do
		[ -s "$BATS_TEST_TMPDIR/port" ] && break
		sleep 0.05
	done
	base=llm.base_url=http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")/v1
	run mortise models list --server ollama -o "$base" --json
	out=$output
	told=$(mortise models info ollama/a:7b --server -o "$base" --json)
	passed=$(mortise models info vllm/b --server -o "$base")
	mortise models info llamacpp/x --server -o "$base" > "$BATS_TEST_TMPDIR/x"
	run mortise models info ollama/none --server -o "$base"
	[ "$status" -eq 3 ]
	[[ "$output" == *"does not report a context window"* ]]
	run mortise models list --server llamacpp -o "$base"
	kill "$server"
	echo "$told" | jq -e '.window == 8192'
	[[ "$passed" == *"window                   4096"* ]]
	grep -q '^window  *2048$' "$BATS_TEST_TMPDIR/x"
	echo "$out" | jq -e '. == [{"name":"a:7b","window":8192},{"name":"b","window":4096}]'
	[ "$status" -eq 0 ]
	[[ "$output" == *"llamacpp/a:7b"*2048* ]]
	run mortise models list --server ollama -o "$base"
	[ "$status" -eq 3 ]
}
