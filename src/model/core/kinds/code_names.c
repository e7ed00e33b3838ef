/*
 * code_names.c - categories of rows of codes by name and by number (model.h).
 */
#include <string.h>

#include "tensorlv/model/model.h"

/* Whether a name is an integer in its printed form, and which one. */
static bool
name_is_number(tlv_text name, int64_t *number)
{
	/* Largest number of digits with which every integer is an int64. */
	const int most_digits = 18;
	bool negative = name.length > 0 && name.bytes[0] == '-';
	size_t digits = name.length - negative;

	*number = 0;
	if (digits == 0 || digits > most_digits ||
		(name.bytes[negative] == '0' && (digits > 1 || negative)))
		return false;
	for (size_t i = negative; i < name.length; i++)
	{
		if (name.bytes[i] < '0' || name.bytes[i] > '9')
			return false;
		*number = 10 * *number + (name.bytes[i] - '0');
	}
	if (negative)
		*number = -*number;
	return true;
}

int32_t
tlv_code_called(const tlv_code_names *names, size_t variable, size_t first, tlv_text name)
{
	for (int64_t c = 0; c < names->states[variable]; c++)
		if (tlv_text_equal(tlv_name_at(&names->names, first + (size_t) c), name))
			return (int32_t) c;
	return -1;
}

int32_t
tlv_code_of_number(const tlv_code_names *names, size_t variable, size_t first, double x)
{
	const double *lower = names->ranges.lower + first;
	int64_t code = 0;

	while (code + 1 < names->states[variable] && x >= lower[code + 1])
		code++;
	return (int32_t) code;
}

bool
tlv_codes_are_numbered(const tlv_code_names *names, size_t variable, size_t first)
{
	int64_t number;

	for (int64_t c = 0; names->names.offsets != NULL && c < names->states[variable]; c++)
		if (!name_is_number(tlv_name_at(&names->names, first + (size_t) c), &number))
			return false;
	return names->names.offsets != NULL;
}

int64_t
tlv_code_number(const tlv_code_names *names, size_t variable, size_t first, int64_t code)
{
	int64_t number;

	if (code < 0 || code >= names->states[variable] ||
		!tlv_codes_are_numbered(names, variable, first))
		return code;
	(void) name_is_number(tlv_name_at(&names->names, first + (size_t) code), &number);
	return number;
}
