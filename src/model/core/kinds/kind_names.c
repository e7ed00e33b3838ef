/*
 * kind_names.c - the names of all kinds of stored values, from kinds.def.  They are apart from the
 * table (kinds.c), since every record has its own and the table has every record.
 */
#include "tensorlv/model/kind.h"

#define TLV_KIND(type, code, name, constant, record) const char tlv_kind_name_##record[] = name;
#include "tensorlv/model/kinds.def"
#undef TLV_KIND
