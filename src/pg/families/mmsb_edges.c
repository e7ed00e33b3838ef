/*
 * mmsb_edges.c - how probable edges are under a model of communities.
 */
#include "rows/any.h"

#include <math.h>

#include "tensorlv/model/mmsb.h"

/* What a call site keeps of the model that it had last, which the cache holds open for it. */
typedef struct EdgeModel
{
	const tlv_frame_header *header; /* NULL: none */
	tlv_digest digest;
	MemoryContext mcxt;
	tlv_mmsb_parts parts;	  /* pointing into the model's frame */
	TlvEquality *equality[2]; /* of nodes in the two arguments; NULL: by their text */
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
			model->equality[s] =
				TlvEqualityOf(TlvAnyWritten(fcinfo, 1 + s), PG_GET_COLLATION(), note->mcxt);
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

	if (model->equality[end] == NULL || tlv_mmsb_find_node(parts, side, node) < unknown)
		return node;
	n = TlvEqualNames(model->equality[end], frame, name, &equal);
	for (size_t i = 0; i < n; i++)
	{
		int64 other = TlvTermId(equal[i].bytes, equal[i].length);

		if (tlv_mmsb_find_node(parts, side, other) < unknown)
			return other;
	}
	return node;
}

/* The node in an argument, told by name or by number, whichever the model does. */
static int64
node_argument(FunctionCallInfo fcinfo, int argument, bool named, const EdgeModel *model,
			  const tlv_frame *frame)
{
	const tlv_mmsb_parts *parts = &model->parts;
	size_t side = argument == 1 ? 0 : parts->sides - 1, n = parts->side[side].n;
	bool by_name = parts->side[side].names.offsets != NULL;
	tlv_text name;
	int64 node;

	if (named)
	{
		text *given = PG_GETARG_TEXT_PP(argument);

		name = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
		return by_name ? called_node(model, frame, argument - 1, name) : TlvNumberId(name);
	}
	node = PG_GETARG_INT64(argument);
	if (!by_name || tlv_mmsb_find_node(parts, side, node) < n)
		return node;
	if (tlv_mmsb_find_node(parts, side, TlvDigitsId(node)) == n)
		TlvRefuseNumberId(node);
	return TlvDigitsId(node);
}

/* names: which of the two nodes are told by name. */
static Datum
edge_probability(FunctionCallInfo fcinfo, int names)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_frame *frame = &cache->model->frame;
	const EdgeModel *model = edge_model(fcinfo, frame);
	double probability;
	int64 ends[2];

	for (int s = 0; s < 2; s++)
		ends[s] = node_argument(fcinfo, 1 + s, (names & (1 << s)) != 0, model, frame);
	probability = tlv_mmsb_edge_probability(&model->parts, ends[0], ends[1]);
	TlvCachedModelEnd(cache);
	if (isnan(probability))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(probability);
}

/* tlv_edge_probability(model, src, dst) */
TLV_FUNCTION(tlv_edge_probability)
{
	return edge_probability(fcinfo, 0);
}

TLV_FUNCTION(tlv_edge_probability_names)
{
	return edge_probability(fcinfo, 3);
}

TLV_FUNCTION(tlv_edge_probability_source_name)
{
	return edge_probability(fcinfo, 1);
}

TLV_FUNCTION(tlv_edge_probability_target_name)
{
	return edge_probability(fcinfo, 2);
}
