/*
 * any_type.c - what the type of an argument that is declared "any" is, and the types of the columns
 * of a record (any.h).
 */
#include "any_internal.h"

#include "access/htup_details.h"
#include "catalog/pg_cast.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "query/query.h"
#include "vectors.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/dimension_names.h"

Oid
TlvAnyDeclared(FunctionCallInfo fcinfo, int argument)
{
	Oid *declared;
	int n;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &declared, &n);
	return argument < n ? declared[argument] : ANYOID;
}

Oid
TlvAnyArgument(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!OidIsValid(type))
		type = TlvAnyDeclared(fcinfo, argument);
	if (type == ANYOID)
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("the type of argument %d of function %s is not known", argument + 1,
							   get_func_name(fcinfo->flinfo->fn_oid)),
						errhint("Cast the argument, or call the aggregate that declares the types "
								"of its arguments, whose name ends in _typed.")));
	return type;
}

static void
require_execute(Oid function)
{
#if PG_VERSION_NUM >= 160000
	AclResult result = object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE);
#else
	AclResult result = pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE);
#endif

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
}

/* As extensions have, a type of its own for vectors: its cast to real[]. */
static bool
find_cast(Oid type, MemoryContext mcxt, AnyType *any)
{
	Oid function = InvalidOid;

	if (find_coercion_pathway(FLOAT4ARRAYOID, type, COERCION_EXPLICIT, &function) !=
		COERCION_PATH_FUNC)
		return false;
	TlvRequireTrustedCast(type, FLOAT4ARRAYOID, function);
	require_execute(function);
	if (func_volatile(function) != PROVOLATILE_IMMUTABLE)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the cast from %s to real[] is not immutable", format_type_be(type)),
						errhint("Cast the row.")));
	fmgr_info_cxt(function, &any->cast, mcxt);
	any->cast_arguments = get_func_nargs(function);
	return true;
}

const char *
TlvVectorStep(Oid type)
{
	CatCList *casts = SearchSysCacheList1(CASTSOURCETARGET, ObjectIdGetDatum(getBaseType(type)));
	const char *step = NULL;
	Oid function;

	for (int i = 0; i < casts->n_members && step == NULL; i++)
	{
		Oid target = ((Form_pg_cast) GETSTRUCT(&casts->members[i]->tuple))->casttarget;

		if (find_coercion_pathway(FLOAT4ARRAYOID, target, COERCION_EXPLICIT, &function) ==
			COERCION_PATH_FUNC)
			step = format_type_be(target);
	}
	ReleaseSysCacheList(casts);
	return step;
}

void
TlvAnyType(Oid type, Oid collation, MemoryContext mcxt, AnyType *any)
{
	Oid base = getBaseType(type), element = get_element_type(base);

	memset(any, 0, sizeof(*any));
	any->type = type;
	any->base = base;
	any->equality =
		TlvEqualityOf(OidIsValid(element) ? getBaseType(element) : base, collation, mcxt);
	if (base == UNKNOWNOID)
		any->form = ANY_LITERAL;
	else if (OidIsValid(element) && TlvIsBagType(getBaseType(element)))
		any->form = ANY_BAGS;
	else if (OidIsValid(element) || base == ANYARRAYOID)
		any->form = ANY_ARRAY;
	else if (base == TSVECTOROID)
		any->form = ANY_TSVECTOR;
	else if (TlvIsNumberType(base))
		any->form = ANY_NUMBER;
	else if (TlvIsBagType(base))
		any->form = ANY_BAG;
	else if (base != RECORDOID && find_cast(base, mcxt, any))
		any->form = ANY_CAST;
	else if (type_is_rowtype(base))
		any->form = ANY_RECORD;
}

Oid
TlvAnyElement(AnyType *any, const ArrayType *array)
{
	if (ARR_ELEMTYPE(array) != any->elements)
	{
		any->elements = ARR_ELEMTYPE(array);
		any->base = getBaseType(any->elements);
	}
	return any->base;
}

ArrayType *
TlvAnyCast(AnyType *any, Datum value)
{
	LOCAL_FCINFO(call, 3);
	ArrayType *array;
	Datum result;

	/* The type, its modifier, and that the cast is explicit. */
	InitFunctionCallInfoData(*call, &any->cast, any->cast_arguments, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum){value, false};
	call->args[1] = (NullableDatum){Int32GetDatum(-1), false};
	call->args[2] = (NullableDatum){BoolGetDatum(true), false};
	result = FunctionCallInvoke(call);
	array = call->isnull ? NULL : DatumGetArrayTypeP(result);
	if (array == NULL || ARR_ELEMTYPE(array) != FLOAT4OID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the cast from %s to real[] gives none", format_type_be(any->type))));
	return array;
}

/* ---- records ---- */

static void
record_forget(AnyRecord *record)
{
	if (record->mcxt != NULL)
		MemoryContextDelete(record->mcxt);
	memset(record, 0, sizeof(*record));
}

/* All that is asked of a type may be asked of another one the next time. */
static void
record_learn(AnyRecord *record, Oid type, int32 typmod, uint64 version, MemoryContext parent)
{
	TupleDesc desc;
	MemoryContext before;

	record_forget(record);
	record->mcxt = AllocSetContextCreate(parent, "tensorlv record", ALLOCSET_SMALL_SIZES);
	before = MemoryContextSwitchTo(record->mcxt);
	desc = lookup_rowtype_tupdesc(type, typmod);
	record->desc = CreateTupleDescCopy(desc);
	ReleaseTupleDesc(desc);
	record->columns = palloc((size_t) (record->desc->natts + 1) * sizeof(int));
	record->type = palloc0((size_t) (record->desc->natts + 1) * sizeof(AnyType));
	record->values = palloc((size_t) (record->desc->natts + 1) * sizeof(Datum));
	record->nulls = palloc((size_t) (record->desc->natts + 1) * sizeof(bool));
	for (int i = 0; i < record->desc->natts; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(record->desc, i);

		if (column->attisdropped)
			continue;
		TlvAnyType(column->atttypid, column->attcollation, record->mcxt, &record->type[record->n]);
		record->columns[record->n++] = i;
	}
	MemoryContextSwitchTo(before);
	record->version = version;
}

void
TlvAnyReadRecord(AnyRecord *record, HeapTupleHeader header, MemoryContext mcxt)
{
	Oid type = HeapTupleHeaderGetTypeId(header);
	int32 typmod = HeapTupleHeaderGetTypMod(header);
	uint64 version = assign_record_type_identifier(type, typmod);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};

	if (version != record->version)
		record_learn(record, type, typmod, version, mcxt);
	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, record->desc, record->values, record->nulls);
}

bool
TlvAnyColumnIsNull(const AnyRecord *record, int i)
{
	return record->nulls[record->columns[i]];
}

ArrayType *
TlvAnyColumnNumbers(const AnyRecord *record, size_t n, const int *order)
{
	double *values = palloc(Max(n, 1) * sizeof(double));
	bool *nulls = palloc(Max(n, 1) * sizeof(bool));

	for (size_t i = 0; i < n; i++)
	{
		int column = order != NULL ? order[i] : (int) i;

		nulls[i] = TlvAnyColumnIsNull(record, column);
		values[i] = nulls[i] ? 0
							 : TlvNumberOf(record->type[column].base,
										   record->values[record->columns[column]]);
	}
	return TlvFloat8Nulls(n, values, nulls);
}

/* Called f1, f2, ...: those of a ROW(...). */
static bool
has_no_names(const AnyRecord *record)
{
	char name[16];

	if (record->desc->tdtypeid != RECORDOID)
		return false;
	for (int i = 0; i < record->n; i++)
	{
		snprintf(name, sizeof(name), "f%d", i + 1);
		if (strcmp(TlvColumnName(record->desc, record->columns[i]), name) != 0)
			return false;
	}
	return true;
}

static int
column_called(const AnyCall *call, tlv_text name)
{
	const AnyRecord *record = &call->row->record;
	char *called = palloc(name.length + 1);
	int found = -1;

	memcpy(called, name.bytes, name.length);
	tlv_lines_decode(called, name.length);
	called[name.length] = '\0';
	for (int i = 0; i < record->n; i++)
	{
		const char *column = TlvColumnName(record->desc, record->columns[i]);

		if (strcmp(column, called) != 0)
			continue;
		if (found >= 0)
			ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
							errmsg("columns %d and %d of a row are both called \"%s\"", found + 1,
								   i + 1, TlvWhole(called)),
							errhint("Give every column a name of its own, with AS.")));
		found = i;
	}
	if (found >= 0)
		return found;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a row has no column \"%s\"", TlvWhole(called)),
			 errhint("Columns are found by the names of the model's dimensions, tlv_info(model) -> "
					 "'dimension_names'; those of ROW(a, b) by their order. Use NULL AS %s for a "
					 "missing value.",
					 quote_identifier(TlvWhole(called)))));
	pg_unreachable();
}

/* The columns that are numbers, if there are d: a fit skips the others of its query as well. */
static bool
find_numbers(const AnyRecord *record, size_t d, int *order)
{
	size_t n = 0;

	for (int i = 0; i < record->n; i++)
		if (record->type[i].form == ANY_NUMBER && n++ < d)
			order[n - 1] = i;
	return n == d;
}

void
TlvAnyMatchRecord(const AnyCall *call)
{
	AnyRecord *record = &call->row->record;
	const tlv_frame *model = &call->model->frame;
	tlv_value_names names = tlv_value_names_of(model);
	bool by_name = names.n > 0 && !has_no_names(record);
	bool by_type = !by_name && names.n > 0 && (size_t) record->n > names.n &&
				   (call->takes & TLV_ROW_VECTOR) != 0;
	int *order = NULL;
	tlv_text name;

	if (record->matched && tlv_digest_equal(&record->model, &model->header->digest))
		return;
	record->matched = false;
	if (by_name || by_type)
		order = MemoryContextAllocExtended(record->mcxt, names.n * sizeof(int), MCXT_ALLOC_HUGE);
	for (size_t i = 0; by_name && tlv_value_names_next(&names, &name); i++)
		order[i] = column_called(call, name);
	if (by_type && !find_numbers(record, names.n, order))
	{
		pfree(order);
		order = NULL;
	}
	if (record->order != NULL)
		pfree(record->order);
	record->order = order;
	record->d = order != NULL ? names.n : (size_t) record->n;
	record->model = model->header->digest;
	record->matched = true;
}
