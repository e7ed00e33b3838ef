/*
 * print_number.h - the shortest text that reads as a number, for writers of JSON without the
 * server's functions.
 */
#ifndef TENSORLV_TEST_PRINT_NUMBER_H
#define TENSORLV_TEST_PRINT_NUMBER_H

#include <stdio.h>
#include <stdlib.h>

#include "tensorlv/num/json.h"

static inline int
print_number(double value, char *to)
{
	int n = 0;

	for (int digits = 15; digits <= 17; digits++)
	{
		n = snprintf(to, TLV_JSON_NUMBER_ROOM, "%.*g", digits, value);
		if (strtod(to, NULL) == value)
			break;
	}
	return n;
}

#endif /* TENSORLV_TEST_PRINT_NUMBER_H */
