#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of tally: prints a line for each, ends with 1 if one failed.
tmp=test.tmp
failed=0
rm -rf $tmp && mkdir $tmp || exit 1

check() { # NAME EXPECTED GOT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "FAILED - $1"
		echo "    expected: $2"
		echo "    got:      $3"
		failed=1
	fi
}

# orders N: that many orders of 1.50; a third goes to Halle "Saale"
orders() {
	echo 'id,city,amount'
	awk -v n="$1" 'BEGIN {
		city[0] = "Bonn"
		city[1] = "Celle"
		city[2] = "\"Halle \"\"Saale\"\"\""
		for (i = 0; i < n; i++)
			printf "%d,%s,1.50\n", i + 1, city[i % 3]
	}'
}

printf 'a,b\n1,2\n3,4.25\n' > $tmp/plain.csv
check 'names of the columns' 'a b' "$(./tally columns $tmp/plain.csv | xargs)"
check 'sum of a column' 6.25 "$(./tally sum b $tmp/plain.csv)"
check 'standard input' 4.00 "$(./tally sum a - < $tmp/plain.csv)"

printf 'a,b\n-1.25,x\n0.5,y\n' > $tmp/signs.csv
check 'negative amounts' -0.75 "$(./tally sum a $tmp/signs.csv)"

printf 'a,b\r\n1,"x, y"\r\n2,"two\nlines"\r\n3,"say ""hi"""\r\n' > $tmp/quotes.csv
check 'commas, line ends and quotes in quotes' 6.00 "$(./tally sum a $tmp/quotes.csv)"
check 'records, not lines' 3 "$(./tally count $tmp/quotes.csv)"

orders 30 > $tmp/small.csv
check 'a small file by city' 'Bonn 15.00, Celle 15.00, Halle "Saale" 15.00, ' \
	"$(./tally sum amount by city $tmp/small.csv | tr '\t\n' ' ,' | sed 's/,/, /g')"

orders 3000 > $tmp/large.csv
check 'a large file' 4500.00 "$(./tally sum amount $tmp/large.csv)"
check 'a large file by city' 'Bonn 1500.00, Celle 1500.00, Halle "Saale" 1500.00, ' \
	"$(./tally sum amount by city $tmp/large.csv | tr '\t\n' ' ,' | sed 's/,/, /g')"

rm -rf $tmp
exit $failed
