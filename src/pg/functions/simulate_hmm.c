/*
 * simulate_hmm.c - true hidden Markov models and sequences drawn from them,
 * for users' own checks, the tests and the benches.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "server/arguments.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/num/rng.h"
#include "rows/vectors.h"

/* tlv_simulate_hmm_model(symbols, k, stay, concentration, dimensions, separation, seed) */
TLV_FUNCTION(tlv_simulate_hmm_model)
{
	tlv_hmm_simulation options = {0};
	TlvMaker maker;
	bool vectors = TlvArgumentIsNull(fcinfo, "symbols");

	if (vectors == TlvArgumentIsNull(fcinfo, "dimensions"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("either symbols or dimensions must be given"),
						errhint("symbols => 20 makes a model of symbols 1 .. 20, dimensions => 3 "
								"one of vectors of 3 numbers.")));
	if (!vectors)
		options.symbols = TlvNamedCount(fcinfo, "symbols", 1);
	else
		options.dimensions = TlvNamedCount(fcinfo, "dimensions", 1);
	options.k = TlvNamedCount(fcinfo, "k", 1);
	options.stay = TlvNamedNumber(fcinfo, "stay");
	options.concentration = TlvNamedNumber(fcinfo, "concentration");
	options.separation = TlvNamedNumber(fcinfo, "separation");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_hmm_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* One step at a time: a sequence of any length needs no memory. */
typedef struct Simulation
{
	tlv_hmm_parts parts;
	tlv_hmm_parts next; /* the same, starting from where the last step goes to */
	tlv_rng rng;
	int32_t state;
	int64_t symbol;
	double *x;
} Simulation;

static void
simulate_hmm_put_step(FunctionCallInfo fcinfo, Simulation *s, int64 sequence, int64 t)
{
	bool gaussian = s->parts.gaussian;

	s->next.initial =
		t == 1 ? s->parts.initial : s->parts.transitions + (size_t) s->state * s->parts.k;
	tlv_hmm_simulate(&s->next, &s->rng, 1, &s->state, &s->symbol, s->x);
	TlvPutRow(fcinfo, TlvInt8(sequence), TlvInt8(t), TlvNullIf(gaussian, TlvInt8(s->symbol)),
			  TlvOwned(gaussian ? TlvFloat8Array(s->parts.d, s->x) : NULL), TlvInt4(s->state + 1));
}

/* tlv_simulate_hmm(model, sequences, length, seed): rows (seq, t, symbol, x, state) */
TLV_FUNCTION(tlv_simulate_hmm)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_hmm, "tlv_simulate_hmm");
	size_t sequences = TlvNamedCount(fcinfo, "sequences", 0);
	size_t length = TlvNamedCount(fcinfo, "length", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	Simulation s = {0};

	tlv_hmm_read(&frame, &s.parts);
	s.next = s.parts;
	s.x = palloc_extended(s.parts.d * sizeof(double), MCXT_ALLOC_HUGE);
	TlvInitRows(fcinfo);
	for (size_t i = 1; i <= sequences; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tlv_rng_stream(&s.rng, seed, i);
		for (size_t t = 1; t <= length; t++)
			simulate_hmm_put_step(fcinfo, &s, (int64) i, (int64) t);
	}
	return (Datum) 0;
}
