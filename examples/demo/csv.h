/* SPDX-License-Identifier: MIT
 *
 * csv.h - reads CSV records (RFC 4180) from a file, one at a time. */
#ifndef CSV_H
#define CSV_H

#include <stdio.h>

#define CSV_FIELDS 256  /* fields of a record at most */
#define CSV_RECORD 65536 /* bytes of a record at most */

struct csv {
	FILE *in;
	char block[4096];
	size_t at, have;         /* place in the block; bytes in it */
	char text[CSV_RECORD];   /* fields of the record, each with a final NUL */
	size_t used;
	const char *field[CSV_FIELDS];
	int fields;
	long record;             /* records read so far */
	const char *error;       /* why csv_next returned -1 */
};

void csv_init(struct csv *csv, FILE *in);
/* Read the next record. 1: it is in field[0..fields-1]; 0: the end; -1: an
 * error, see csv->error. */
int csv_next(struct csv *csv);

#endif
