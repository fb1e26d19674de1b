/* SPDX-License-Identifier: MIT
 *
 * tally - add up the columns of a CSV file. */
#include "csv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS 1024

struct group {
	char *name;
	long cents;
};

static struct group groups[GROUPS];
static int group_count;

static int die(const char *file, long record, const char *why)
{
	fprintf(stderr, "tally: %s, record %ld: %s\n", file, record, why);
	return 1;
}

/* "12.5" -> 1250. @return 0 if it is not an amount with at most two decimals. */
static int to_cents(const char *text, long *cents)
{
	char *end;
	long whole, part = 0;
	int negative = *text == '-';

	errno = 0;
	whole = strtol(text, &end, 10);
	if (end == text || errno != 0)
		return 0;
	if (*end == '.') {
		const char *digit = end + 1;

		for (int i = 0; i < 2; i++) {
			part *= 10;
			if (*digit >= '0' && *digit <= '9')
				part += *digit++ - '0';
		}
		end = (char *)digit;
	}
	*cents = whole * 100 + (negative ? -part : part);
	return *end == '\0';
}

static struct group *find_group(const char *name)
{
	for (int i = 0; i < group_count; i++)
		if (strcmp(groups[i].name, name) == 0)
			return &groups[i];
	if (group_count == GROUPS)
		return NULL;
	groups[group_count].name = strdup(name);
	if (!groups[group_count].name)
		return NULL;
	return &groups[group_count++];
}

static int find_column(const struct csv *csv, const char *name)
{
	for (int i = 0; i < csv->fields; i++)
		if (strcmp(csv->field[i], name) == 0)
			return i;
	return -1;
}

static void print_cents(long cents)
{
	printf("%s%ld.%02ld", cents < 0 ? "-" : "", labs(cents) / 100, labs(cents) % 100);
}

static int sum(struct csv *csv, const char *file, const char *what, const char *by)
{
	int column = find_column(csv, what), key = by ? find_column(csv, by) : -1;
	int got;

	if (column < 0 || (by && key < 0))
		return die(file, csv->record, "no such column");
	while ((got = csv_next(csv)) > 0) {
		struct group *group;
		long cents;

		if (csv->fields <= column || csv->fields <= key)
			return die(file, csv->record, "too few fields");
		if (!to_cents(csv->field[column], &cents))
			return die(file, csv->record, "not an amount");
		group = find_group(by ? csv->field[key] : "");
		if (!group)
			return die(file, csv->record, "too many groups");
		group->cents += cents;
	}
	if (got < 0)
		return die(file, csv->record + 1, csv->error);
	for (int i = 0; i < group_count; i++) {
		if (by)
			printf("%s\t", groups[i].name);
		print_cents(groups[i].cents);
		putchar('\n');
	}
	return 0;
}

static int count(struct csv *csv, const char *file)
{
	long records = 0;
	int got;

	while ((got = csv_next(csv)) > 0)
		records++;
	if (got < 0)
		return die(file, csv->record + 1, csv->error);
	printf("%ld\n", records);
	return 0;
}

static int columns(const struct csv *csv)
{
	for (int i = 0; i < csv->fields; i++)
		printf("%s\n", csv->field[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static struct csv csv;
	const char *command = argc > 1 ? argv[1] : "", *file = argv[argc - 1];
	int grouped = argc == 6 && strcmp(argv[3], "by") == 0;
	FILE *in;

	if (!(argc == 3 && strcmp(command, "columns") == 0) &&
	    !(argc == 3 && strcmp(command, "count") == 0) &&
	    !((argc == 4 || grouped) && strcmp(command, "sum") == 0)) {
		fprintf(stderr, "usage: tally columns|count FILE\n"
				"       tally sum COLUMN [by COLUMN] FILE\n");
		return 2;
	}
	in = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	if (!in)
		return die(file, 0, strerror(errno));
	csv_init(&csv, in);
	if (csv_next(&csv) < 1)
		return die(file, 1, csv.error ? csv.error : "no header");
	if (strcmp(command, "columns") == 0)
		return columns(&csv);
	if (strcmp(command, "count") == 0)
		return count(&csv, file);
	return sum(&csv, file, argv[2], grouped ? argv[4] : NULL);
}
