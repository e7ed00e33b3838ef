/*
 * round.c - topics as they are stored: what documents cannot tell apart becomes one number.
 *
 * Of every topic the items below a threshold get the mean of their probabilities, which keeps its
 * sum and leaves every unseen word some; the others become multiples of one small number (a power
 * of 2 that all topics have in common), which take a byte or two each, or keep single precision.
 * What the likelihood of a token loses by that is at most sum_j w_j KL(phi_j || rounded phi_j),
 * since the divergence of mixtures is at most that of their parts: thresholds are the largest with
 * which no topic loses more than LOSS, so that perplexity grows by that part at most.
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"

/* The number in place of those that are not kept changes by less than one part in this. */
#define MOST_SHIFT 64.0

/* Probabilities by their leading bits: exponent and four of the mantissa. */
#define BIN_SHIFT 48
#define BINS	  ((size_t) 0x3ff0 + 1)

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

		TLV_TRY_CONTINUE_AT(ctx, i);
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

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (p == (double) (float) p || p == usual)
			continue;
		*rounded = usual < 0;
		usual = p;
	}
	return TLV_OK;
}

/* A topic on its way: what of it is below the threshold becomes one number. */
typedef struct topic_rounding
{
	bool done; /* earlier: it stays */
	size_t end;
	double mean, below; /* of those below, and how many */
} topic_rounding;

/* The least probability that is kept in any topic, 1 where there is none. */
static double
least_kept(size_t k, size_t d, const double *phi, const topic_rounding *topics)
{
	double least = 1;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; !topics[j].done && i < d; i++)
			if (bin_of(phi[i * k + j]) >= topics[j].end)
				least = fmin(least, phi[i * k + j]);
	return least;
}

/*
 * What kept numbers are multiples of the inverse of: the least power of two with which none of them
 * changes by more than 1 in 2 GRAINS; 0 where single precision does not hold such numbers.
 */
static double
divisor_of(double least)
{
	double divisor = exp2(ceil(log2(GRAINS / least)));

	return divisor <= 0x1p24 ? divisor : 0;
}

/* What is taken from the kept numbers of a topic goes to the others, which must not notice. */
static bool
shares_remain(size_t k, size_t d, const double *topic, double divisor, topic_rounding *rounding)
{
	double change = 0, mean;

	for (size_t i = 0; i < d; i++)
		if (bin_of(topic[i * k]) >= rounding->end)
			change += topic[i * k] - rint(topic[i * k] * divisor) / divisor;
	mean = rounding->mean + (rounding->below > 0 ? change / rounding->below : 0);
	if (rounding->below == 0 || fabs(mean - rounding->mean) > rounding->mean / MOST_SHIFT)
		return false;
	rounding->mean = mean;
	return true;
}

static tlv_status
round_topic(tlv_context *ctx, size_t k, size_t d, double *topic, double divisor,
			topic_rounding *rounding)
{
	bool multiples = divisor > 0 && shares_remain(k, d, topic, divisor, rounding);

	for (size_t i = 0; i < d; i++)
	{
		double p = topic[i * k];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (bin_of(p) < rounding->end)
			topic[i * k] = rounding->mean;
		else
			topic[i * k] = multiples ? rint(p * divisor) / divisor : (double) (float) p;
	}
	return TLV_OK;
}

tlv_status
tlv_lda_round(tlv_context *ctx, size_t k, size_t d, const double *fixed, double *phi)
{
	/* Models of fewer numbers are small as they are. */
	const int least_numbers = 8192;
	topic_rounding *topics;
	topic_bin *bins;
	double divisor;

	if (k * d < least_numbers)
		return TLV_OK;
	TLV_TRY_NEW(ctx, bins, BINS);
	TLV_TRY_NEW0(ctx, topics, k);
	for (size_t j = 0; j < k; j++)
	{
		if (tlv_lda_is_fixed(fixed, j))
			topics[j].done = true;
		else
			TLV_TRY(is_rounded(ctx, k, d, phi + j, &topics[j].done));
		if (topics[j].done)
			continue;
		TLV_TRY(fill_bins(ctx, k, d, phi + j, bins));
		topics[j].end = find_threshold(bins, &topics[j].mean);
		for (size_t b = 0; b < topics[j].end; b++)
			topics[j].below += bins[b].n;
	}
	divisor = divisor_of(least_kept(k, d, phi, topics));
	for (size_t j = 0; j < k; j++)
		if (!topics[j].done)
			TLV_TRY(round_topic(ctx, k, d, phi + j, divisor, &topics[j]));
	tlv_free(ctx, topics);
	tlv_free(ctx, bins);
	return TLV_OK;
}
