/*
 * round.c - topics as they are stored: what documents cannot tell apart becomes one number.
 *
 * Of every topic the items below a threshold get the mean of their probabilities, which keeps its
 * sum and leaves every unseen word some; the others keep theirs in single precision.  What the
 * likelihood of a token loses by that is at most sum_j w_j KL(phi_j || rounded phi_j), since the
 * divergence of mixtures is at most that of their parts: thresholds are the largest with which no
 * topic loses more than LOSS, so that perplexity grows by that part at most.
 */
#include <math.h>

#include "internal.h"

/* Nats a token. */
#define LOSS 1e-4

/* Models of fewer numbers are small as they are. */
#define LEAST_NUMBERS 8192

/* Probabilities by their leading bits: exponent and four of the mantissa. */
#define BIN_SHIFT 48
#define BINS	  ((size_t) 0x3ff0 + 1)

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 65536

typedef struct topic_bin
{
	double n, sum, entropy; /* of probabilities: how many, sum of p, sum of p log p */
} topic_bin;

static inline size_t
bin_of(double p)
{
	uint64_t bits;

	memcpy(&bits, &p, sizeof(bits));
	bits >>= BIN_SHIFT;
	return bits < BINS ? bits : BINS - 1;
}

static tlv_status
fill_bins(tlv_context *ctx, size_t k, size_t d, const double *topic, topic_bin *bins)
{
	memset(bins, 0, BINS * sizeof(*bins));
	for (size_t i = 0; i < d; i++)
	{
		double p = topic[i * k];
		topic_bin *bin = &bins[bin_of(p)];

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		bin->n++;
		bin->sum += p;
		bin->entropy += p > 0 ? p * log(p) : 0;
	}
	return TLV_OK;
}

/* The bins below the one that is returned lose at most LOSS together; *mean is theirs. */
static size_t
find_threshold(const topic_bin *bins, double *mean)
{
	topic_bin below = {0};
	size_t end = 0;

	*mean = 0;
	for (size_t b = 0; b < BINS - 1; b++)
	{
		double lost;

		if (bins[b].n == 0)
			continue;
		below.n += bins[b].n;
		below.sum += bins[b].sum;
		below.entropy += bins[b].entropy;
		lost = below.sum > 0 ? below.entropy - below.sum * log(below.sum / below.n) : 0;
		if (lost > LOSS)
			break;
		end = b + 1;
		*mean = below.sum / below.n;
	}
	return end;
}

/* All but one number of the topic are of single precision: it has been rounded, and a label or
 * another step of storing it must not change it again. */
static tlv_status
is_rounded(tlv_context *ctx, size_t k, size_t d, const double *topic, bool *rounded)
{
	double usual = -1;

	*rounded = true;
	for (size_t i = 0; i < d && *rounded; i++)
	{
		double p = topic[i * k];

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		if (p == (double) (float) p || p == usual)
			continue;
		*rounded = usual < 0;
		usual = p;
	}
	return TLV_OK;
}

tlv_status
tlv_lda_round(tlv_context *ctx, size_t k, size_t d, double *phi)
{
	topic_bin *bins;

	if (k * d < LEAST_NUMBERS)
		return TLV_OK;
	TLV_TRY_NEW(ctx, bins, BINS);
	for (size_t j = 0; j < k; j++)
	{
		bool rounded;
		double mean;
		size_t end;

		TLV_TRY(is_rounded(ctx, k, d, phi + j, &rounded));
		if (rounded)
			continue;
		TLV_TRY(fill_bins(ctx, k, d, phi + j, bins));
		end = find_threshold(bins, &mean);
		for (size_t i = 0; i < d; i++)
		{
			if (i % ITEMS_BETWEEN == 0)
				TLV_TRY_CONTINUE(ctx);
			phi[i * k + j] = bin_of(phi[i * k + j]) < end ? mean : (float) phi[i * k + j];
		}
	}
	tlv_free(ctx, bins);
	return TLV_OK;
}
