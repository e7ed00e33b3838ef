/*
 * mmsb_edges.c - how probable edges are under a model of communities.
 */
#include "rows/any.h"
#include "query/query.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "tensorlv/model/mmsb.h"

/* What a call site keeps of the model that it had last, which the cache holds open for it. */
typedef struct EdgeModel
{
	const tlv_frame_header *header; /* NULL: none */
	tlv_digest digest;
	MemoryContext mcxt;
	tlv_mmsb_parts parts; /* pointing into the model's frame */
	AnyType types[2];	  /* of the nodes in the two arguments */
} EdgeModel;

static void
read_edge_model(const tlv_frame *frame, EdgeModel *model)
{
	tlv_context ctx;

	model->header = NULL;
	TlvRequireKind(frame, &tlv_kind_mmsb, "tlv_edge_probability");
	MemoryContextReset(model->mcxt);
	TlvContextInit(&ctx, model->mcxt, TlvValueMemory());
	TlvCheck(&ctx, tlv_mmsb_read(&ctx, frame, &model->parts));
	model->digest = frame->header->digest;
	model->header = frame->header;
}

static const EdgeModel *
edge_model(FunctionCallInfo fcinfo, const tlv_frame *frame)
{
	TlvCallNote *note = TlvNoteOfCall(fcinfo);
	EdgeModel *model = note->kept;

	if (model == NULL)
	{
		model = MemoryContextAllocZero(note->mcxt, sizeof(EdgeModel));
		model->mcxt = AllocSetContextCreate(note->mcxt, "tensorlv edges", ALLOCSET_SMALL_SIZES);
		for (int s = 0; s < 2; s++)
			TlvIdType(fcinfo, 1 + s, note->mcxt, &model->types[s]);
		note->kept = model;
	}
	if (model->header != frame->header ||
		memcmp(&model->digest, &frame->header->digest, sizeof(tlv_digest)) != 0)
		read_edge_model(frame, model);
	return model;
}

/* The node that is called so, or by an equal name. */
static int64
called_node(const EdgeModel *model, const tlv_frame *frame, int end, tlv_text name)
{
	const tlv_mmsb_parts *parts = &model->parts;
	size_t side = end == 0 ? 0 : parts->sides - 1, unknown = parts->side[side].n, n;
	int64 node = TlvTermId(name.bytes, name.length);
	const tlv_text *equal;

	if (model->types[end].equality == NULL || tlv_mmsb_find_node(parts, side, node) < unknown)
		return node;
	n = TlvEqualNames(model->types[end].equality, frame, name, &equal);
	for (size_t i = 0; i < n; i++)
	{
		int64 other = TlvTermId(equal[i].bytes, equal[i].length);

		if (tlv_mmsb_find_node(parts, side, other) < unknown)
			return other;
	}
	return node;
}

/* The node of a number, or of its digits where nodes have names. */
static int64
numbered_node(const tlv_mmsb_parts *parts, size_t s, int64 node)
{
	size_t unknown = parts->side[s].n;

	if (parts->side[s].names.offsets == NULL || tlv_mmsb_find_node(parts, s, node) < unknown)
		return node;
	if (tlv_mmsb_find_node(parts, s, TlvDigitsId(node)) == unknown)
		TlvRefuseNumberId(node);
	return TlvDigitsId(node);
}

/* The node in an argument that is declared "any", bigint or text, whose value tells it by name or
 * by number, whichever the model does. */
static int64
node_argument(FunctionCallInfo fcinfo, int end, const EdgeModel *model, const tlv_frame *frame)
{
	const tlv_mmsb_parts *parts = &model->parts;
	const AnyType *type = &model->types[end];
	size_t s = end == 0 ? 0 : parts->sides - 1;
	bool by_name = parts->side[s].names.offsets != NULL;
	Datum value = PG_GETARG_DATUM(1 + end);
	text *given;
	tlv_text name;

	if (TlvIsIntegerType(type->base))
		return numbered_node(parts, s, TlvIdOf(type->base, value));
	if (type->form != ANY_LITERAL && !TlvIsIdType(type->base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("nodes of the model are identified by %s, not by values of type %s",
							   by_name ? "name" : "number", format_type_be(type->type)),
						errhint("Cast the value to %s.", by_name ? "text" : "bigint")));
	given = type->form == ANY_LITERAL ? cstring_to_text(DatumGetCString(value))
									  : TlvTextOf(type->base, value);
	name = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
	return by_name ? called_node(model, frame, end, name) : TlvNumberId(name);
}

/* tlv_edge_probability(model, src, dst) */
TLV_FUNCTION(tlv_edge_probability)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_frame *frame = &cache->model->frame;
	const EdgeModel *model = edge_model(fcinfo, frame);
	double probability;
	int64 ends[2];

	for (int end = 0; end < 2; end++)
		ends[end] = node_argument(fcinfo, end, model, frame);
	probability = tlv_mmsb_edge_probability(&model->parts, ends[0], ends[1]);
	TlvCachedModelEnd(cache);
	if (isnan(probability))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(probability);
}
