/*
 * atoms.c - estimates atoms from rows in memory, by iterations until the error converges
 * (coding.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* Bytes that a learner takes beside the rows. */
static double
learner_memory(size_t d, size_t k, size_t sparsity, size_t n)
{
	double wide = (double) k, deep = (double) d, s = (double) sparsity;

	return 8 * (4 * wide * wide + 4 * wide * deep + wide * (CODE_BLOCK + 4) +
				s * (s + 2 * CODE_BLOCK + 2) + 2 * (double) n + 8192);
}

tlv_status
tlv_coding_learner_create(tlv_context *ctx, const tlv_coding_options *options, size_t d, size_t n,
						  const double *rows, tlv_coding_learner *learner)
{
	size_t k = options->atoms;
	tlv_code_sums *sums = &learner->sums;

	*learner = (tlv_coding_learner){.d = d, .k = k, .n = n, .rows = rows};
	TLV_TRY(
		tlv_require_memory(ctx, learner_memory(d, k, options->sparsity, n), "learning the atoms"));
	TLV_TRY(tlv_coder_create(ctx, d, k, options->sparsity, &learner->coder));
	TLV_TRY_NEW_ROWS(ctx, sums->codes, k, k + d + 1);
	sums->products = sums->codes + k * k;
	sums->uses = sums->products + d * k;
	TLV_TRY_NEW_ROWS(ctx, learner->atoms, k, d + k);
	learner->codes = learner->atoms + d * k;
	TLV_TRY_NEW(ctx, learner->errors, n);
	tlv_rng_seed(&learner->rng, options->seed);
	return TLV_OK;
}

tlv_status
tlv_coding_code_all(tlv_context *ctx, tlv_coding_learner *learner)
{
	size_t k = learner->k, d = learner->d;
	tlv_code_sums *sums = &learner->sums;

	memset(sums->codes, 0, k * (k + d + 1) * sizeof(double));
	sums->rows = sums->energy = sums->error = 0;
	TLV_TRY(tlv_coder_use(ctx, &learner->coder, learner->atoms));
	for (size_t i = 0; i < learner->n; i += CODE_BLOCK)
	{
		size_t n = learner->n - i < CODE_BLOCK ? learner->n - i : CODE_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_coder_run(ctx, &learner->coder, n, learner->rows + i * d));
		tlv_code_sums_add(&learner->coder, n, learner->rows + i * d, sums);
		memcpy(learner->errors + i, learner->coder.errors, n * sizeof(double));
	}
	return TLV_OK;
}

/* Atom j becomes the row that is represented worst, which is not taken again. */
static bool
replace_atom(tlv_coding_learner *learner, size_t j)
{
	size_t d = learner->d, worst = 0;
	double largest = 0, length = 0;
	double *atom = learner->atoms + j * d;

	for (size_t i = 0; i < learner->n; i++)
		if (learner->errors[i] > largest)
		{
			largest = learner->errors[i];
			worst = i;
		}
	if (!(largest > 0))
		return false;
	learner->errors[worst] = 0;
	for (size_t e = 0; e < d; e++)
		length += learner->rows[e + worst * d] * learner->rows[e + worst * d];
	if (!(length > 0))
		return false;
	for (size_t e = 0; e < d; e++)
		atom[e] = learner->rows[e + worst * d] / sqrt(length);
	return true;
}

/* Replaces atoms that are hardly used, and the less used of two that are alike; how many. */
static tlv_status
replace_atoms(tlv_context *ctx, tlv_coding_learner *learner, size_t *replaced)
{
	/* Atoms are one and the same above this cosine; unused below this part of an even share. */
	const double alike = 0.95, unused = 0.02;
	size_t k = learner->k, d = learner->d;
	const double *gram = learner->coder.gram, *uses = learner->sums.uses;
	double share = 0;

	*replaced = 0;
	for (size_t j = 0; j < k; j++)
		share += uses[j] / (double) k;
	TLV_TRY(tlv_gemm(ctx, true, false, k, k, d, 1, learner->atoms, d, learner->atoms, d, 0,
					 learner->coder.gram, k));
	for (size_t j = 0; j < k; j++)
	{
		bool bad = uses[j] < unused * share || uses[j] == 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, j);

		for (size_t i = 0; i < k && !bad; i++)
			bad = i != j && fabs(gram[i + j * k]) > alike &&
				  (uses[i] > uses[j] || (i < j && uses[i] == uses[j]));
		*replaced += bad && replace_atom(learner, j);
	}
	return TLV_OK;
}

tlv_status
tlv_coding_learn(tlv_context *ctx, tlv_coding_learner *learner, int limit)
{
	/* Steps at most; those that may still replace atoms; the error converges when it falls by less.
	 */
	const int most_steps = 100, replacing_steps = 40;
	const double tolerance = 1e-4;
	double *before;
	double error = INFINITY;

	TLV_TRY_NEW_ROWS(ctx, before, learner->d, learner->k);
	TLV_TRY(tlv_coding_code_all(ctx, learner));
	for (int step = 0; step < (limit < 0 ? most_steps : limit); step++)
	{
		size_t replaced = 0;

		memcpy(before, learner->atoms, learner->d * learner->k * sizeof(double));
		TLV_TRY(tlv_code_solve(ctx, learner->d, learner->k, &learner->sums, before, learner->atoms,
							   learner->codes));
		if (step < replacing_steps)
			TLV_TRY(replace_atoms(ctx, learner, &replaced));
		error = learner->sums.error;
		TLV_TRY(tlv_coding_code_all(ctx, learner));
		learner->steps++;
		if (replaced == 0 && !(learner->sums.error < error * (1 - tolerance)))
			break;
	}
	tlv_free(ctx, before);
	return TLV_OK;
}

tlv_status
tlv_coding_start_rows(tlv_context *ctx, tlv_coding_learner *learner, size_t first)
{
	size_t d = learner->d, n = learner->n, next = 0;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, n);
	TLV_TRY(tlv_rng_permutation(ctx, &learner->rng, n, order));
	for (size_t j = first; j < learner->k; j++)
	{
		double *atom = learner->atoms + j * d, length = 0, largest;

		for (; next < n && !(length > 0); next++)
		{
			memcpy(atom, learner->rows + (size_t) order[next] * d, d * sizeof(double));
			length = tlv_largest_modulus(d, atom);
		}
		if (!(length > 0))
			tlv_rng_fill_normal(&learner->rng, d, atom);
		largest = tlv_largest_modulus(d, atom);
		length = 0;
		for (size_t i = 0; i < d; i++)
		{
			atom[i] /= largest;
			length += atom[i] * atom[i];
		}
		for (size_t i = 0; i < d; i++)
			atom[i] /= sqrt(length);
	}
	tlv_free(ctx, order);
	return TLV_OK;
}
