/*
 * shown_list.c - names in messages, and lists of names or numbers: the first three and the number
 * of the others (source.h).
 */
#include "tensorlv/model/source.h"

#include <stdio.h>

#include "tensorlv/num/names.h"

const char *
tlv_show_name(tlv_text name, char shown[TLV_SHOWN_NAME])
{
	int length = tlv_shown_length(name);
	char *to = shown;

	*to++ = '"';
	for (int i = 0; i < length; i++)
	{
		if (name.bytes[i] == '"')
			*to++ = '"';
		*to++ = name.bytes[i];
	}
	*to++ = '"';
	*to = '\0';
	return shown;
}

void
tlv_shown_add(tlv_shown_list *list, const char *shown)
{
	if (list->n < TLV_SHOWN_MOST)
		snprintf(list->names[list->n], TLV_SHOWN_NAME, "%s", shown);
	list->n++;
}

void
tlv_shown_add_number(tlv_shown_list *list, size_t number)
{
	char shown[TLV_SHOWN_NAME];

	snprintf(shown, sizeof(shown), "%zu", number);
	tlv_shown_add(list, shown);
}

const char *
tlv_shown_text(tlv_shown_list *list, const char *noun)
{
	size_t named = list->n < TLV_SHOWN_MOST ? list->n : TLV_SHOWN_MOST, room = sizeof(list->text);
	size_t at = 0;

	list->text[0] = '\0';
	if (noun != NULL)
		at = (size_t) snprintf(list->text, room, "%s%s ", noun, list->n == 1 ? "" : "s");
	for (size_t i = 0; i < named; i++)
	{
		const char *before = i == 0 ? "" : i + 1 == list->n ? " and " : ", ";

		at += (size_t) snprintf(list->text + at, room - at, "%s%s", before, list->names[i]);
	}
	if (list->n > named)
		snprintf(list->text + at, room - at, " and %zu more", list->n - named);
	return list->text;
}

const char *
tlv_shown_verb(const tlv_shown_list *list)
{
	return list->n == 1 ? "is" : "are";
}
