/*
 * mmsb.c - fitting mixed membership block models to graphs, and reading
 * memberships, communities and their connectivity.
 */
#include "mmsb.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* The text of argument, or otherwise when it is NULL. */
static char *
name_argument(FunctionCallInfo fcinfo, int argument, const char *otherwise)
{
	return PG_ARGISNULL(argument) ? pstrdup(otherwise)
								  : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

static void
refuse_name(const char *what, const char *name, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no %s \"%.40s\"", what, name), errhint("Use %s.", hint)));
}

static bool
flag_argument(FunctionCallInfo fcinfo, int argument)
{
	return !PG_ARGISNULL(argument) && PG_GETARG_BOOL(argument);
}

void
TlvMmsbOptions(FunctionCallInfo fcinfo, tlv_mmsb_options *options)
{
	char *method = name_argument(fcinfo, 3, "joint"), *refine = name_argument(fcinfo, 4, "auto");
	char *edges = name_argument(fcinfo, 8, "auto");

	memset(options, 0, sizeof(*options));
	options->k = PG_ARGISNULL(1) ? 0 : TlvCountArgument(fcinfo, 1, "k", 1);
	options->alpha0 = PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2);
	if (!(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("alpha0 = %g is not between 0 and 1e6", options->alpha0),
						errhint("alpha0 is the sum of the Dirichlet parameters; 0 gives every "
								"node one community.")));
	if (!tlv_method_from_name(method, &options->decompose.method))
		refuse_name("method", method, "'joint', 'power', 'als' or 'sgd'");
	if (!tlv_mmsb_refinement_from_name(refine, &options->refine))
		refuse_name("refinement", refine, "'auto', 'none', 'likelihood' or 'variational'");
	options->seed = TlvSeedArgument(fcinfo, 5);
	options->decompose.seed = options->seed;
	options->degree_corrected = flag_argument(fcinfo, 6);
	options->partition = flag_argument(fcinfo, 7);
	if (!tlv_edge_model_from_name(edges, &options->edges))
		refuse_name("model of edges", edges, "'auto', 'bernoulli' or 'poisson'");
	if (!PG_ARGISNULL(10))
		options->decompose.restarts = (int) TlvCountArgument(fcinfo, 10, "restarts", 1);
	if (!PG_ARGISNULL(11))
		options->decompose.steps = (int) TlvCountArgument(fcinfo, 11, "steps", 1);
	options->decompose.starts = options->decompose.restarts;
	options->max_k = PG_ARGISNULL(12) ? 50 : TlvCountArgument(fcinfo, 12, "max_k", 1);
}

void
TlvMmsbLabels(struct varlena *value, tlv_mmsb_options *options)
{
	const tlv_bag_image *bag = TLV_BAG(value);
	int64_t *nodes = palloc_extended((Size) (bag->n + 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	double *labels = palloc_extended((Size) (bag->n + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	int32_t *label = palloc_extended((Size) (bag->n + 1) * sizeof(int32_t), MCXT_ALLOC_HUGE);

	tlv_bag_decode(bag, nodes, labels);
	for (uint32 i = 0; i < bag->n; i++)
	{
		if (!(labels[i] >= 1 && labels[i] <= UINT16_MAX) || labels[i] != (int32_t) labels[i])
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("label %g of node " INT64_FORMAT " is not the number of a "
								   "community",
								   labels[i], nodes[i]),
							errhint("Labels are whole numbers from 1 to k, one for each node.")));
		label[i] = (int32_t) labels[i] - 1;
	}
	options->n_labels = bag->n;
	options->label_nodes = nodes;
	options->label = label;
	pfree(labels);
}

struct varlena *
TlvMmsbFit(struct varlena *graph, const tlv_mmsb_options *options)
{
	tlv_frame frame = TlvFrame(graph);
	TlvWork *work = TlvWorkBegin("tensorlv communities");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx, tlv_mmsb_fit(&work->ctx, &frame, options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

PG_FUNCTION_INFO_V1(tlv_fit_mmsb);

/*
 * tlv_fit_mmsb(g, k, alpha0, method, refine, seed, degree_corrected, partition, edges, labels,
 * restarts, steps, max_k)
 */
Datum
tlv_fit_mmsb(PG_FUNCTION_ARGS)
{
	tlv_mmsb_options options;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvMmsbOptions(fcinfo, &options);
	if (!PG_ARGISNULL(9))
		TlvMmsbLabels(PG_GETARG_TLV(9), &options);
	PG_RETURN_POINTER(TlvMmsbFit(PG_GETARG_TLV(0), &options));
}

/* ---- reading ---- */

/* A model opened for reading rows from. */
typedef struct MmsbReader
{
	tlv_context ctx;
	tlv_mmsb_parts parts;
} MmsbReader;

static void
open_reader(FunctionCallInfo fcinfo, const char *function, MmsbReader *reader)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_mmsb, function);

	TlvContextInit(&reader->ctx, CurrentMemoryContext, SIZE_MAX);
	TlvCheck(&reader->ctx, tlv_mmsb_read(&reader->ctx, &frame, &reader->parts));
	TlvInitRows(fcinfo);
}

/* How a side is called in rows. */
static Datum
side_name(const tlv_mmsb_parts *parts, size_t side)
{
	const char *name = parts->sides == 1 ? "both" : side == 0 ? "source" : "target";

	return PointerGetDatum(cstring_to_text(name));
}

PG_FUNCTION_INFO_V1(tlv_memberships_rows);

/* Rows (node, side, community, membership) with memberships of at least threshold. */
Datum
tlv_memberships_rows(PG_FUNCTION_ARGS)
{
	double threshold = PG_GETARG_FLOAT8(1);
	MmsbReader reader;

	if (!(threshold >= 0 && threshold <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("threshold = %g is not between 0 and 1", threshold)));
	open_reader(fcinfo, "tlv_memberships", &reader);
	for (size_t s = 0; s < reader.parts.sides; s++)
	{
		const tlv_memberships *memberships = &reader.parts.side[s].memberships;
		Datum side = side_name(&reader.parts, s);

		for (size_t u = 0; u < memberships->n; u++)
		{
			Datum values[4] = {Int64GetDatum(reader.parts.side[s].nodes[u]), side, (Datum) 0,
							   (Datum) 0};
			bool nulls[4] = {false, false, true, true};
			size_t first = memberships->start[u], end = memberships->start[u + 1];
			double sum = 0;

			if (first == end && threshold == 0)
				TlvPutRow(fcinfo, values, nulls);
			nulls[2] = nulls[3] = false;
			for (size_t i = first; i < end; i++)
				sum += memberships->share[i];
			for (size_t i = first; i < end; i++)
			{
				double share = memberships->share[i] / sum;

				if (share < threshold)
					continue;
				values[2] = Int32GetDatum((int32) memberships->community[i] + 1);
				values[3] = Float8GetDatum(share);
				TlvPutRow(fcinfo, values, nulls);
			}
		}
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_membership_vectors_rows);

/* Rows (node, side, memberships): all k of a node in one array; NULL for a node without edges. */
Datum
tlv_membership_vectors_rows(PG_FUNCTION_ARGS)
{
	MmsbReader reader;
	Datum *shares;

	open_reader(fcinfo, "tlv_membership_vectors", &reader);
	shares = palloc(reader.parts.k * sizeof(Datum));
	for (size_t s = 0; s < reader.parts.sides; s++)
	{
		const tlv_memberships *memberships = &reader.parts.side[s].memberships;
		Datum side = side_name(&reader.parts, s);

		for (size_t u = 0; u < memberships->n; u++)
		{
			Datum values[3] = {Int64GetDatum(reader.parts.side[s].nodes[u]), side, (Datum) 0};
			bool nulls[3] = {false, false, true};
			size_t first = memberships->start[u], end = memberships->start[u + 1];
			double sum = 0;

			for (size_t j = 0; j < reader.parts.k; j++)
				shares[j] = Float8GetDatum(0);
			for (size_t i = first; i < end; i++)
				sum += memberships->share[i];
			for (size_t i = first; i < end; i++)
				shares[memberships->community[i]] = Float8GetDatum(memberships->share[i] / sum);
			if (first < end)
			{
				values[2] = PointerGetDatum(construct_array(shares, (int) reader.parts.k, FLOAT8OID,
															sizeof(float8), FLOAT8PASSBYVAL,
															TYPALIGN_DOUBLE));
				nulls[2] = false;
			}
			TlvPutRow(fcinfo, values, nulls);
			if (first < end)
				pfree(DatumGetPointer(values[2]));
		}
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_communities_rows);

/* Rows (community, side, alpha, size). */
Datum
tlv_communities_rows(PG_FUNCTION_ARGS)
{
	MmsbReader reader;
	size_t k;

	open_reader(fcinfo, "tlv_communities", &reader);
	k = reader.parts.k;
	for (size_t s = 0; s < reader.parts.sides; s++)
		for (size_t j = 0; j < k; j++)
		{
			Datum values[4] = {Int32GetDatum((int32) j + 1), side_name(&reader.parts, s),
							   Float8GetDatum(reader.parts.alpha[s * k + j]),
							   Float8GetDatum(reader.parts.sizes[s * k + j])};
			bool nulls[4] = {false, false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_connectivity_rows);

/* Rows (community_a, community_b, probability), a of the source, b of the target. */
Datum
tlv_connectivity_rows(PG_FUNCTION_ARGS)
{
	MmsbReader reader;
	size_t k;

	open_reader(fcinfo, "tlv_connectivity", &reader);
	k = reader.parts.k;
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			Datum values[3] = {Int32GetDatum((int32) a + 1), Int32GetDatum((int32) b + 1),
							   Float8GetDatum(reader.parts.connectivity[a + k * b])};
			bool nulls[3] = {false, false, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(tlv_bridgeness_rows);

/* Rows (node, bridgeness, degree_corrected, side); nodes without edges have none. */
Datum
tlv_bridgeness_rows(PG_FUNCTION_ARGS)
{
	MmsbReader reader;

	open_reader(fcinfo, "tlv_bridgeness", &reader);
	for (size_t s = 0; s < reader.parts.sides; s++)
	{
		const tlv_memberships *memberships = &reader.parts.side[s].memberships;
		Datum side = side_name(&reader.parts, s);

		for (size_t u = 0; u < memberships->n; u++)
		{
			size_t first = memberships->start[u], n = memberships->start[u + 1] - first;
			double b = tlv_bridgeness(reader.parts.k, n, memberships->share + first);
			Datum values[4] = {Int64GetDatum(reader.parts.side[s].nodes[u]), Float8GetDatum(b),
							   Float8GetDatum(b * reader.parts.side[s].degree[u]), side};
			bool nulls[4] = {false, n == 0, n == 0, false};

			TlvPutRow(fcinfo, values, nulls);
		}
	}
	return (Datum) 0;
}
