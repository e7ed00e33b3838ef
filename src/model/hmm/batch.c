/*
 * batch.c - forward and backward over many sequences at once
 * (internal.h).
 *
 * Eight sequences go side by side, the numbers of one state and one step of all of them in one
 * vector: the products with the transitions then need no sums across a vector, and the
 * sequences' steps, which wait for each other, overlap.  Filtered probabilities of all rows are
 * kept, the rest for a chunk of rows only.  A lane that has ended has filtered probabilities of 0.
 */
#include <math.h>
#include <string.h>

#include "batch_sums.h"

/* Rows gone through at once: what is kept of them stays in the first cache. */
#define CHUNK ((size_t) 16)
/* Filtered probabilities of a batch, in bytes: usually, so that they stay in the second cache, and
 * for sequences that are longer than that; vectors that wait. */
#define USUAL_BYTES	 ((size_t) 1 << 20)
#define MOST_BYTES	 ((size_t) 1 << 23)
#define VECTOR_BYTES ((size_t) 1 << 22)
#define LEAST_ROWS	 ((size_t) 256)
#define MOST_ROWS	 ((size_t) 4096)
#define FIRST_ROWS	 ((size_t) 64)

/* ---- filling ---- */

static size_t
rows_within(const tlv_hmm_model *model, size_t alpha_bytes)
{
	size_t row = TLV_OCTET * sizeof(double), rows = alpha_bytes / (row * model->parts.k);
	size_t vectors = model->parts.gaussian ? VECTOR_BYTES / (row * model->parts.d) : MOST_ROWS;

	rows = tlv_least(rows > LEAST_ROWS ? rows : LEAST_ROWS, MOST_ROWS);
	return tlv_least(rows, vectors > LEAST_ROWS ? vectors : LEAST_ROWS);
}

size_t
tlv_hmm_batch_most(const tlv_hmm_model *model)
{
	return rows_within(model, MOST_BYTES);
}

static tlv_status
batch_grow(tlv_context *ctx, const tlv_hmm_model *model, tlv_hmm_batch *batch, size_t rows)
{
	size_t room = batch->rows > 0 ? batch->rows : FIRST_ROWS;
	void *grown;

	while (room < rows)
		room *= 2;
	grown = tlv_realloc(ctx, batch->starts, room + 1, 2);
	TLV_TRY_ALLOC(ctx, grown);
	batch->starts = grown;
	batch->breaks = batch->starts + room + 1;
	memset(batch->starts + batch->rows, 0, room + 1 - batch->rows);
	if (model->parts.gaussian)
	{
		grown = tlv_realloc(ctx, batch->x, room * TLV_OCTET, model->parts.d * sizeof(double));
		TLV_TRY_ALLOC(ctx, grown);
		batch->x = grown;
	}
	else
	{
		grown = tlv_realloc(ctx, batch->at, room, TLV_OCTET * sizeof(int32_t));
		TLV_TRY_ALLOC(ctx, grown);
		batch->at = grown;
	}
	batch->rows = room;
	return TLV_OK;
}

tlv_status
tlv_hmm_batch_add(tlv_context *ctx, const tlv_hmm_model *model, tlv_hmm_batch *batch,
				  const tlv_sequence *sequence, bool *full)
{
	size_t lane = 0, d = model->parts.d, row;

	for (size_t l = 1; l < TLV_OCTET; l++)
		lane = batch->filled[l] < batch->filled[lane] ? l : lane;
	row = batch->filled[lane];
	*full = row > 0 && row + sequence->n > rows_within(model, USUAL_BYTES);
	if (*full)
		return TLV_OK;
	if (row + sequence->n > batch->rows)
		TLV_TRY(batch_grow(ctx, model, batch, row + sequence->n));
	batch->starts[row] |= (uint8_t) (1U << lane);
	for (size_t t = 0; t < sequence->n; t++)
	{
		size_t at = (row + t) * TLV_OCTET + lane;

		if (model->parts.gaussian)
			memcpy(batch->x + at * d, sequence->x + t * d, d * sizeof(double));
		else
			batch->at[at] = tlv_hmm_position(model, sequence->symbols[t]);
	}
	batch->filled[lane] = row + sequence->n;
	return TLV_OK;
}

/* ---- products with the transitions ---- */

/*
 * The k x k matrix for multiply_lanes(): rows in fours, the four entries of a column together; the
 * rows that are left over one by one.  entry (row, column) is matrix[column * by + row].
 */
static void
pack_transitions(size_t k, const double *matrix, size_t by, double *packed)
{
	for (size_t row = 0; row < k;)
	{
		size_t own = row + 4 <= k ? 4 : 1;

		for (size_t column = 0; column < k; column++)
			for (size_t r = 0; r < own; r++)
				*packed++ = matrix[column * by + row + r];
		row += own;
	}
}

static inline __attribute__((always_inline)) void
multiply_lanes(size_t k, const double *restrict packed, const tlv_octet *in, tlv_octet *out)
{
	size_t row = 0;

	for (; row + 4 <= k; row += 4)
	{
		tlv_octet a = {0}, b = {0}, c = {0}, d = {0};

		for (size_t i = 0; i < k; i++, packed += 4)
		{
			tlv_octet x = in[i];

			a += packed[0] * x;
			b += packed[1] * x;
			c += packed[2] * x;
			d += packed[3] * x;
		}
		out[row] = a;
		out[row + 1] = b;
		out[row + 2] = c;
		out[row + 3] = d;
	}
	for (; row < k; row++, packed += k)
	{
		tlv_octet a = {0}, b = {0};
		size_t i = 0;

		for (; i + 2 <= k; i += 2)
		{
			a += packed[i] * in[i];
			b += packed[i + 1] * in[i + 1];
		}
		if (i < k)
			a += packed[i] * in[i];
		out[row] = a + b;
	}
}

/* ---- forward ---- */

/* A row in which sequences start or lanes end. */
static void
begin_lanes(size_t k, unsigned starts, unsigned breaks, const double *initial, double *row)
{
	for (size_t l = 0; l < TLV_OCTET; l++)
		for (size_t j = 0; (breaks >> l & 1U) != 0 && j < k; j++)
			row[j * TLV_OCTET + l] = (starts >> l & 1U) != 0 ? initial[j] : 0;
}

/* Takes the scales' logarithms when their products become small. */
static double
hmm_take_logarithms(double *products, bool all)
{
	/* Below this, a product of scales is turned into its logarithm. */
	const double least_product = 1e-200;
	double sum = 0;

	for (size_t l = 0; l < TLV_OCTET; l++)
		if (all || products[l] < least_product)
		{
			sum += log(products[l]);
			products[l] = 1;
		}
	return sum;
}

/* Filters n rows; alpha and inverse point to the first of them. */
TLV_CLONES static double
forward_rows(size_t k, const double *restrict packed, const double *restrict initial,
			 const tlv_octet *restrict likelihood, size_t n, const uint8_t *starts,
			 const uint8_t *breaks, tlv_octet *alpha, tlv_octet *restrict inverse,
			 tlv_octet *restrict products)
{
	double taken = 0;

	for (size_t r = 0; r < n; r++, alpha += k, likelihood += k)
	{
		tlv_octet sum = {0}, scale = {0};

		multiply_lanes(k, packed, alpha - k, alpha);
		if (breaks[r] != 0)
			begin_lanes(k, starts[r], breaks[r], initial, (double *) alpha);
		for (size_t j = 0; j < k; j++)
		{
			alpha[j] *= likelihood[j];
			sum += alpha[j];
		}
		inverse[r] = (tlv_octet){1, 1, 1, 1, 1, 1, 1, 1};
		if (r % TLV_OCTET_STEPS != TLV_OCTET_STEPS - 1 && breaks[r + 1] == 0)
			continue;
		for (size_t l = 0; l < TLV_OCTET; l++)
			scale[l] = sum[l] > 0 ? sum[l] : 1; /* a lane that has ended */
		inverse[r] /= scale;
		*products *= scale;
		for (size_t j = 0; j < k; j++)
			alpha[j] *= inverse[r];
		taken += hmm_take_logarithms((double *) products, false);
	}
	return taken;
}

/* ---- backward ---- */

static void
set_lanes(size_t k, unsigned which, double value, double *row)
{
	for (size_t l = 0; l < TLV_OCTET; l++)
		for (size_t j = 0; (which >> l & 1U) != 0 && j < k; j++)
			row[j * TLV_OCTET + l] = value;
}

/* beta is that of the last of n rows, then of the row before the first. */
TLV_CLONES static void
backward_rows(size_t k, const double *restrict packed, const tlv_octet *restrict likelihood,
			  size_t n, const uint8_t *breaks, const tlv_octet *restrict alpha,
			  const tlv_octet *restrict inverse, tlv_octet *restrict beta,
			  tlv_octet *restrict gamma, tlv_octet *restrict weighted)
{
	for (size_t r = n; r-- > 0;)
	{
		tlv_octet *own = weighted + r * k;

		if (breaks[r + 1] != 0)
			set_lanes(k, breaks[r + 1], 1, (double *) beta);
		for (size_t j = 0; j < k; j++)
		{
			gamma[r * k + j] = alpha[r * k + j] * beta[j];
			own[j] = likelihood[r * k + j] * inverse[r] * beta[j];
		}
		if (breaks[r] != 0)
			set_lanes(k, breaks[r], 0, (double *) own);
		multiply_lanes(k, packed, own, beta);
	}
}

/* ---- likelihoods of a chunk ---- */

/* Rows of k from the tables of eight lanes, turned round. */
TLV_CLONES static void
gather_symbols(size_t k, size_t stride, const double *restrict table, const int32_t *restrict at,
			   size_t n, tlv_octet *restrict likelihood)
{
	for (size_t r = 0; r < n; r++, at += TLV_OCTET, likelihood += k)
	{
		const double *from[TLV_OCTET];

		for (size_t l = 0; l < TLV_OCTET; l++)
			from[l] = table + (size_t) at[l] * stride;
		for (size_t j = 0; j < k; j++)
			likelihood[j] = (tlv_octet){from[0][j], from[1][j], from[2][j], from[3][j],
										from[4][j], from[5][j], from[6][j], from[7][j]};
	}
}

/* Scaled densities of the vectors of n rows; ones where a lane has ended.  Returns the scale. */
static double
gather_densities(const tlv_hmm_model *model, const tlv_hmm_batch *batch, size_t row, size_t n,
				 double *work, double *likelihood)
{
	size_t k = model->parts.k, d = model->parts.d;
	double taken = 0;

	for (size_t r = 0; r < n; r++, likelihood += k * TLV_OCTET)
		for (size_t l = 0; l < TLV_OCTET; l++)
		{
			bool there = row + r < batch->filled[l];

			if (there)
				taken += tlv_hmm_densities(model, 1, batch->x + ((row + r) * TLV_OCTET + l) * d,
										   true, work);
			for (size_t j = 0; j < k; j++)
				likelihood[j * TLV_OCTET + l] = there ? work[j] : 1;
		}
	return taken;
}

/* ---- one batch ---- */

typedef struct batch_run
{
	tlv_hmm_model *model;
	tlv_hmm_batch *batch;
	tlv_hmm_sums *sums;
	size_t rows;
	size_t chunk;		/* rows between two looks at whether to stop */
	double *likelihood; /* of a chunk, symbols */
	double *gamma;		/* of a chunk */
	double *weighted;	/* of a chunk */
	double *beta;
	double *pairs; /* k x k */
	double *work;  /* vectors: stride x (1 + tlv_hmm_vector_sums) */
} batch_run;

static tlv_status
open_packed(tlv_context *ctx, tlv_hmm_model *model)
{
	size_t k = model->parts.k;
	double *block;

	if (model->packed[0] != NULL)
		return TLV_OK;
	block = tlv_alloc(ctx, 2 * k, k * sizeof(double));
	TLV_TRY_ALLOC(ctx, block);
	pack_transitions(k, model->forward, model->stride, block);
	pack_transitions(k, model->backward, model->stride, block + k * k);
	model->packed[1] = block + k * k;
	model->packed[0] = block;
	return TLV_OK;
}

/* Room for the batch's rows in the model's buffers. */
static tlv_status
batch_reserve(tlv_context *ctx, batch_run *run)
{
	tlv_hmm_model *model = run->model;
	tlv_hmm_scratch *scratch = &model->scratch;
	size_t k = model->parts.k, lanes = TLV_OCTET * sizeof(double);

	if (scratch->block == NULL)
	{
		size_t wide = (3 * CHUNK + 1) * k * TLV_OCTET + k * k;

		wide += model->parts.gaussian ? (tlv_hmm_vector_sums(model) + 1) * model->stride : 0;
		TLV_TRY_NEW0(ctx, scratch->block, wide);
	}
	if (run->rows <= scratch->rows)
		return TLV_OK;
	tlv_free(ctx, scratch->alpha);
	tlv_free(ctx, scratch->likelihood);
	scratch->likelihood = NULL;
	scratch->rows = 0;
	scratch->alpha = tlv_alloc0(ctx, (run->batch->rows + 1) * (k + 1), lanes);
	TLV_TRY_ALLOC(ctx, scratch->alpha);
	scratch->inverse = scratch->alpha + (run->batch->rows + 1) * k * TLV_OCTET;
	if (model->parts.gaussian)
	{
		scratch->likelihood = tlv_alloc(ctx, run->batch->rows * k, lanes);
		TLV_TRY_ALLOC(ctx, scratch->likelihood);
	}
	scratch->rows = run->batch->rows;
	return TLV_OK;
}

/* Lanes that have ended before the last row: there, symbols are not known. */
static void
end_lanes(batch_run *run)
{
	tlv_hmm_batch *batch = run->batch;

	memcpy(batch->breaks, batch->starts, run->rows);
	batch->breaks[run->rows] = UINT8_MAX;
	for (size_t l = 0; l < TLV_OCTET; l++)
	{
		if (batch->filled[l] < run->rows)
			batch->breaks[batch->filled[l]] |= (uint8_t) (1U << l);
		for (size_t r = batch->filled[l]; batch->at != NULL && r < run->rows; r++)
			batch->at[r * TLV_OCTET + l] = (int32_t) run->model->parts.d;
	}
}

static const double *
chunk_likelihood(batch_run *run, size_t row, size_t n)
{
	const tlv_hmm_model *model = run->model;

	if (model->parts.gaussian)
		return model->scratch.likelihood + row * model->parts.k * TLV_OCTET;
	gather_symbols(model->parts.k, model->stride, model->emissions,
				   run->batch->at + row * TLV_OCTET, n, (tlv_octet *) run->likelihood);
	return run->likelihood;
}

static tlv_status
run_forward(tlv_context *ctx, batch_run *run)
{
	tlv_hmm_model *model = run->model;
	size_t k = model->parts.k;
	tlv_octet products = {1, 1, 1, 1, 1, 1, 1, 1};

	for (size_t row = 0; row < run->rows; row += run->chunk)
	{
		size_t n = tlv_least(run->chunk, run->rows - row), at = row * k * TLV_OCTET;

		TLV_TRY_CONTINUE(ctx);
		if (model->parts.gaussian)
			run->sums->log_likelihood += gather_densities(model, run->batch, row, n, run->work,
														  model->scratch.likelihood + at);
		run->sums->log_likelihood += forward_rows(
			k, model->packed[0], model->initial, (const tlv_octet *) chunk_likelihood(run, row, n),
			n, run->batch->starts + row, run->batch->breaks + row,
			(tlv_octet *) (model->scratch.alpha + at) + k,
			(tlv_octet *) (model->scratch.inverse + row * TLV_OCTET), &products);
	}
	run->sums->log_likelihood += hmm_take_logarithms((double *) &products, true);
	return TLV_OK;
}

static void
add_chunk(batch_run *run, size_t row, size_t n)
{
	const tlv_hmm_model *model = run->model;
	size_t k = model->parts.k;

	tlv_hmm_add_pairs(k, n, (const tlv_octet *) run->weighted,
					  (const tlv_octet *) (model->scratch.alpha + row * k * TLV_OCTET), run->pairs);
	tlv_hmm_add_first(k, run->batch->starts + row, n, run->gamma, run->sums->initial);
	if (model->parts.gaussian)
		tlv_hmm_add_lane_vectors(model, run->batch, row, n, run->gamma, run->work, run->sums);
	else
		tlv_hmm_add_symbols(k, model->parts.d, run->batch->at + row * TLV_OCTET, n, run->gamma,
							run->sums->emissions);
}

static tlv_status
run_backward(tlv_context *ctx, batch_run *run)
{
	tlv_hmm_model *model = run->model;
	size_t k = model->parts.k, chunks = (run->rows + run->chunk - 1) / run->chunk;

	memset(run->pairs, 0, k * k * sizeof(double));
	for (size_t c = chunks; c-- > 0;)
	{
		size_t row = c * run->chunk, n = tlv_least(run->chunk, run->rows - row);

		TLV_TRY_CONTINUE(ctx);
		backward_rows(k, model->packed[1], (const tlv_octet *) chunk_likelihood(run, row, n), n,
					  run->batch->breaks + row,
					  (const tlv_octet *) (model->scratch.alpha + (row + 1) * k * TLV_OCTET),
					  (const tlv_octet *) (model->scratch.inverse + row * TLV_OCTET),
					  (tlv_octet *) run->beta, (tlv_octet *) run->gamma,
					  (tlv_octet *) run->weighted);
		add_chunk(run, row, n);
	}
	for (size_t e = 0; e < k * k; e++)
		run->sums->pairs[e] += run->pairs[e] * model->parts.transitions[e];
	return TLV_OK;
}

tlv_status
tlv_hmm_batch_run(tlv_context *ctx, tlv_hmm_model *model, tlv_hmm_batch *batch, tlv_hmm_sums *sums)
{
	batch_run run = {.model = model, .batch = batch, .sums = sums};
	size_t wide = CHUNK * model->parts.k * TLV_OCTET, rows = model->piece / TLV_OCTET;

	for (size_t l = 0; l < TLV_OCTET; l++)
		run.rows = batch->filled[l] > run.rows ? batch->filled[l] : run.rows;
	if (run.rows == 0)
		return TLV_OK;
	run.chunk = tlv_least(rows > 0 ? rows : 1, CHUNK);
	model->missing = false; /* such sequences do not wait */
	TLV_TRY(open_packed(ctx, model));
	TLV_TRY(batch_reserve(ctx, &run));
	run.likelihood = model->scratch.block;
	run.gamma = run.likelihood + wide;
	run.weighted = run.gamma + wide;
	run.beta = run.weighted + wide;
	run.pairs = run.beta + model->parts.k * TLV_OCTET;
	run.work = run.pairs + model->parts.k * model->parts.k;
	end_lanes(&run);
	TLV_TRY(run_forward(ctx, &run));
	TLV_TRY(run_backward(ctx, &run));
	memset(batch->starts, 0, batch->rows + 1);
	memset(batch->filled, 0, sizeof(batch->filled));
	return TLV_OK;
}
