#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# media.bats - a request names the path of each image and PDF file in it.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/docs" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work/ws" || return
	{ # the frame of a PNG of 32 x 16 pixels
		printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0 \0\0\0\020\010\002\0\0\0crc!'
		printf '\0\0\0\003IDATabccrc!\0\0\0\0IENDcrc!'
	} >docs/shot.png
	printf '%%PDF-1.4\nbytes\n' >docs/report.pdf
}

play() { # the turns come from standard input
	cat >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=str_replace_editor, finish' -t "look" "$@"
	printf '%s\n' "$output"
}

@test "files that come with a message are named" {
	play --image docs/shot.png -i docs/report.pdf <<-'END'
	[turn]
	expect user contains = Image 1 (docs/shot.png):
	expect user contains = PDF 2 (docs/report.pdf):
	[call finish]
	message = Done.
	END
	[ "$status" -eq 0 ]
}

@test "an image that a tool returns is named" {
	play <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/docs/shot.png
	[turn]
	expect last contains = Image 1 ($work/ws/docs/shot.png):
	[call finish]
	message = Done.
	END
	[ "$status" -eq 0 ]
}

@test "a PDF file that is too large is refused with a way around" {
	head -c 4000000 /dev/zero >>docs/report.pdf
	play -i docs/report.pdf </dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"docs/report.pdf: it is larger than 3840000 bytes: extract its text with pdftotext"* ]]
}

@test "the editor names pdftotext for a PDF file" {
	play <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/docs/report.pdf
	[turn]
	expect last contains = It is a PDF file: read its text with pdftotext.
	[call finish]
	message = Done.
	END
	[ "$status" -eq 0 ]
}
