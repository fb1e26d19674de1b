/* SPDX-License-Identifier: MIT
 *
 * csv.c - the reader behind csv.h. */
#include "csv.h"

static int refill(struct csv *csv)
{
	csv->at = 0;
	csv->have = fread(csv->block, 1, sizeof csv->block, csv->in);
	return csv->have > 0;
}

/* The next byte, which is used up; EOF at the end. */
static int take(struct csv *csv)
{
	if (csv->at == csv->have && !refill(csv))
		return EOF;
	return (unsigned char)csv->block[csv->at++];
}

/* The next byte, which stays; EOF at the end. */
static int peek(struct csv *csv)
{
	if (csv->at == csv->have)
		return EOF;
	return (unsigned char)csv->block[csv->at];
}

static int put(struct csv *csv, int byte)
{
	if (csv->used == sizeof csv->text) {
		csv->error = "record too long";
		return 0;
	}
	csv->text[csv->used++] = (char)byte;
	return 1;
}

static int begin_field(struct csv *csv)
{
	if (csv->fields == CSV_FIELDS) {
		csv->error = "too many fields";
		return 0;
	}
	csv->field[csv->fields++] = csv->text + csv->used;
	return 1;
}

/* The rest of a quoted field, after its opening quote. */
static int quoted(struct csv *csv)
{
	for (;;) {
		int byte = take(csv);

		if (byte == EOF) {
			csv->error = "a quoted field does not end";
			return 0;
		}
		if (byte == '"') {
			if (peek(csv) != '"')
				return 1;
			take(csv);
		}
		if (!put(csv, byte))
			return 0;
	}
}

void csv_init(struct csv *csv, FILE *in)
{
	csv->in = in;
	csv->at = csv->have = 0;
	csv->record = 0;
	csv->fields = 0;
	csv->error = NULL;
}

int csv_next(struct csv *csv)
{
	int byte = take(csv);

	if (byte == EOF)
		return 0;
	csv->used = 0;
	csv->fields = 0;
	if (!begin_field(csv))
		return -1;
	for (;; byte = take(csv)) {
		if (byte == '"') {
			if (!quoted(csv))
				return -1;
		} else if (byte == ',') {
			if (!put(csv, '\0') || !begin_field(csv))
				return -1;
		} else if (byte == '\n' || byte == EOF) {
			break;
		} else if (byte != '\r' && !put(csv, byte)) {
			return -1;
		}
	}
	csv->record++;
	return put(csv, '\0') ? 1 : -1;
}
