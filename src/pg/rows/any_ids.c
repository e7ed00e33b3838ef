/*
 * any_ids.c - ids in rows told in another way than the model's: texts where its ids are numbers,
 * the other way round, and other spellings of texts that their type takes for equal.
 */
#include "any_internal.h"

#include <errno.h>

#include "miscadmin.h"

/* As many characters as the longest number has. */
#define MOST_CHARACTERS 20

int64
TlvNumberId(tlv_text name)
{
	char digits[MOST_CHARACTERS + 1] = "", *end = digits;
	long long number = 0;

	if (name.length > 0 && name.length <= MOST_CHARACTERS)
	{
		memcpy(digits, name.bytes, name.length);
		digits[name.length] = '\0';
		errno = 0;
		if (strspn(digits, "-0123456789") == name.length)
			number = strtoll(digits, &end, 10);
	}
	if (end == digits || *end != '\0' || errno != 0)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the model's ids are integers, and \"%s\" is a string",
							   TlvWhole(pnstrdup(name.bytes, name.length))),
						errhint("Cast the ids to the type of the model's ids, bigint.")));
	return number;
}

int64
TlvDigitsId(int64 number)
{
	char digits[MOST_CHARACTERS + 1];

	snprintf(digits, sizeof(digits), INT64_FORMAT, number);
	return TlvTermId(digits, strlen(digits));
}

void
TlvRefuseNumberId(int64 number)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the model's ids are strings, and " INT64_FORMAT " is a number", number),
					errhint("Cast the ids to the type of the model's ids, text.")));
	pg_unreachable();
}

/* A name that the model does not know becomes an equal one that it knows, if there is one. */
static void
settle_spelling(const tlv_model *model, int p, TlvEquality *equality, int64_t *id, tlv_text *name)
{
	const tlv_text *equal;
	size_t n = TlvEqualNames(equality, &model->frame, *name, &equal);
	bool known = false;

	for (size_t i = 0; i < n && !known; i++)
	{
		int64 other = TlvTermId(equal[i].bytes, equal[i].length);

		(void) model->class->ids(model, p, other, &known);
		if (!known)
			continue;
		*id = other;
		*name = equal[i];
	}
}

/* The ids of a part as the model tells them. */
static void
settle_part(const tlv_model *model, int p, TlvEquality *equality, tlv_part *part)
{
	int64_t *ids = (int64_t *) part->ids;
	const tlv_text *names = part->names;
	bool known = false;

	for (size_t i = 0; i < part->n; i++)
	{
		tlv_ids told;

		TlvLoopCheck(i);
		if (part->missing != NULL && part->missing[i])
			continue;
		told = model->class->ids(model, p, ids[i], &known);
		if (told == TLV_IDS_ANY || ((told == TLV_IDS_NAMES) == (names != NULL) && equality == NULL))
			return;
		if (names != NULL && told == TLV_IDS_NAMES)
		{
			if (!known)
				settle_spelling(model, p, equality, &ids[i], (tlv_text *) &names[i]);
		}
		else if (names != NULL)
		{
			ids[i] = TlvNumberId(names[i]);
			part->names = NULL;
		}
		else if (!known)
		{
			int64_t digits = TlvDigitsId(ids[i]);

			(void) model->class->ids(model, p, digits, &known);
			if (!known)
				TlvRefuseNumberId(ids[i]);
			ids[i] = digits;
		}
	}
}

void
TlvAnySettleIds(const tlv_model *model, TlvRowCursor *cursor)
{
	tlv_row *row = &cursor->row;
	int parts = row->form == TLV_ROW_SYMBOLS	  ? 1
				: row->form == TLV_ROW_ANSWERS	  ? 2
				: row->form == TLV_ROW_CATEGORIES ? 3
												  : 0;

	for (int p = 0; p < parts && model->class->ids != NULL; p++)
		if (row->part[p].type == TLV_PART_IDS)
			settle_part(model, p, cursor->equality[p], &row->part[p]);
}
