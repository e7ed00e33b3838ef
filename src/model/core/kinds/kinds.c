/*
 * kinds.c - the table of all kinds of stored values (kind.h), from kinds.def.
 */
#include "tensorlv/model/kind.h"

static const tlv_kind *const all[] = {
#define TLV_KIND(type, code, name, constant, record) &tlv_kind_##record,
#include "tensorlv/model/kinds.def"
#undef TLV_KIND
};

const tlv_kind *const *
tlv_kinds(size_t *count)
{
	*count = sizeof(all) / sizeof(all[0]);
	return all;
}

const tlv_kind *
tlv_kind_find(unsigned type, unsigned code)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i]->type == type && all[i]->code == code)
			return all[i];
	return NULL;
}
