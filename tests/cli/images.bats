#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# images.bats - images that a user gives with a message.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	printf '%s\n' '[turn]' '[call finish]' 'message = Seen.' >"$work/script"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
	# the frame of a PNG of 32 x 16 pixels
	{
		printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0 \0\0\0\020\010\002\0\0\0crc!'
		printf '\0\0\0\003IDATabccrc!\0\0\0\0IENDcrc!'
	} >"$work/picture"
	url="data:image/png;base64,$(base64 -w0 "$work/picture")"
	named="data:image/png;name=$work/picture;base64,${url#*;base64,}"
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "files become data URLs of the message, with the detected media type" {
	run "${run_it[@]}" -t "look" --image "$work/picture" -i "$work/picture"
	[ "$status" -eq 0 ]
	[ "$(events | jq -c 'select(.action == "message" and .source == "user").args.image_urls')" = \
		"[\"$named\",\"$named\"]" ]
}

@test "a file that is not an image is refused at the start" {
	echo hello >"$work/hello.png"
	run "${run_it[@]}" -t "look" --image "$work/hello.png"
	[ "$status" -eq 2 ]
	[[ "$output" == *"hello.png: it is not a PNG, JPEG, GIF, WebP or PDF file"* ]]
	head -c 40 "$work/picture" >"$work/cut.png"
	run "${run_it[@]}" -t "look" --image "$work/cut.png"
	[ "$status" -eq 2 ]
	[[ "$output" == *"cut.png: it is a damaged or truncated PNG image"* ]]
	run "${run_it[@]}" -t "look" --image "$work/none.png"
	[ "$status" -eq 2 ]
	[ -z "$(ls "$work/state")" ]
}

@test "a command attaches images; an invalid one refuses the message" {
	{
		echo '{"type":"message","text":"a","images":["ftp://x"],"id":1}'
		echo '{"type":"message","text":"b","images":"x","id":2}'
		echo '{"type":"message","text":"look","images":["'"$url"'","https://example.org/a.png"],"id":3}'
	} >"$work/in"
	run bash -c '"$@" --keep --json <"$0"' "$work/in" "${run_it[@]}"
	[[ "$output" == *'"id":1,"ok":false,"error":"image 1 is neither a data: nor an https: URL"'* ]]
	[[ "$output" == *'"id":2,"ok":false,"error":"message: `images` must be a list"'* ]]
	[[ "$output" == *'"id":3,"ok":true'* ]]
	[ "$(events | jq -c 'select(.source == "user" and .action == "message").args.image_urls[1]')" = \
		'"https://example.org/a.png"' ]
}

@test "a model without vision: the user gets a notice" {
	run "${run_it[@]}" -t "look" --image "$work/picture" -o llm.vision=no
	[ "$status" -eq 0 ]
	[[ "$output" == *"images are not sent to"* ]]
}
