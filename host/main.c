/* SPDX-License-Identifier: MIT
 *
 * main.c - the entry of mortise. */
int main(void)
{
	return 0;
}
