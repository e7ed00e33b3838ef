/*
 * topics.h - inference with latent Dirichlet allocation, given topics:
 * memberships of one document, expected statistics for refinement (Gibbs-EM),
 * likelihood and document completion, coherence, matching, simulation.
 *
 * A document is n distinct items: index[i] in 0 .. d-1 is the item's position
 * in the model, count[i] > 0 its count.  Items that the model does not know
 * have been left out by the caller.
 *
 * Topics are learnt and stored in lda.h, and moments of documents are in counts.h.
 */
#ifndef TENSORLV_TOPICS_H
#define TENSORLV_TOPICS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/rng.h"

/* Most topics of a model: assignments of single tokens take two bytes. */
#define TLV_TOPICS_MOST 65535

/* The parameters of LDA; alpha0 = sum of alpha. */
typedef struct tlv_topics
{
	size_t k;			 /* topics */
	size_t d;			 /* items */
	const double *phi;	 /* k x d: phi[j + k i] = probability of item i in topic j */
	const double *alpha; /* k Dirichlet parameters, > 0 */
} tlv_topics;

/*
 * A scratch object for documents of one model: float copy of phi and buffers.  Probabilities below
 * 1e-12 count as 1e-12, so that no document is impossible.  k <= TLV_TOPICS_MOST.
 */
typedef struct tlv_topic_worker tlv_topic_worker;

/* Bytes that the worker will hold, documents' own buffers aside. */
extern double tlv_topic_worker_memory(const tlv_topics *topics);
extern tlv_status tlv_topic_worker_create(tlv_context *ctx, const tlv_topics *topics,
										  tlv_topic_worker **worker);
extern void tlv_topic_worker_destroy(tlv_context *ctx, tlv_topic_worker *worker);

/*
 * Memberships theta (k, summing to 1): the fixed point of
 * theta_j ~ alpha_j + sum_i c_i theta_j phi_ji / sum_l theta_l phi_li,
 * the maximum a posteriori estimate under Dirichlet(alpha + 1), at most 100
 * steps or until no entry moves by 1e-4.  An empty document gives alpha / alpha0.
 */
extern tlv_status tlv_topic_infer(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
								  const int32_t *index, const double *count, double *theta);

/* sum_i c_i ln(sum_j theta_j phi_ji), nats. */
extern double tlv_topic_log_likelihood(const tlv_topic_worker *worker, size_t n,
									   const int32_t *index, const double *count,
									   const double *theta);

/* Shares that are logistic-normal (below): a scratch object beside the worker, of the same k. */
typedef struct tlv_topic_logistic tlv_topic_logistic;

/*
 * Document completion: the tokens are split by a fair coin (from seed) into
 * an observed half, that gives theta (by logistic, unless that is NULL), and a scored half.  Adds
 * to *log_likelihood and *tokens of the scored half.  Counts must be integers.
 */
extern tlv_status tlv_topic_completion(tlv_context *ctx, tlv_topic_worker *worker,
									   tlv_topic_logistic *logistic, size_t n, const int32_t *index,
									   const double *count, uint64_t seed, double *log_likelihood,
									   double *tokens);

/* What one refinement pass sums up over documents. */
typedef struct tlv_topic_statistics
{
	double *items;		   /* k x d expected counts, laid out as phi */
	double documents;	   /* with at least one known item */
	double tokens;		   /* of known items */
	double log_likelihood; /* sum over tokens of ln p(token | the rest of its document, model) */
	double *alpha_gains; /* k: sum of digamma(alpha_j + N_j) - digamma(alpha_j); NULL: not wanted */
	double length_gain;	 /* sum of digamma(alpha0 + L) - digamma(alpha0) */
} tlv_topic_statistics;

/*
 * Recommended chain.  Documents are stateless between refinement steps, so every chain starts
 * anew: `warm` fixed-point steps cost a sixth of a sweep each and replace most of the burn-in.
 * Measured (Gibbs-EM, eta .1, k = 20, times with AVX-512; L1 of topics / held-out perplexity;
 * prototype: 2 + 2 sweeps from the topics of the step before):
 *
 *     warm, burn, keep   LDA 100 words   LDA 30 words   AP      ns per token and step
 *                        5 steps         5 steps        20 steps
 *     prototype          .1365 / 842.9   .0879 / 972.5  2784
 *     5, 0, 1            .1333 / 843.7   .1055 / 977.9  2750     75
 *     5, 1, 1            .1319 / 843.0   .0892 / 974.1  2757    100
 *     5, 1, 2            .1324 / 843.0   .0877 / 973.6  2763    130
 *     5, 2, 2            .1337 / 842.9   .0869 / 973.1  2769    155
 *     20, 10, 5          .1361 / 842.9                  2783    450
 *
 * Without burn-in short documents are biased; more than one sweep of it buys little.
 */
#define TLV_GIBBS_WARM 5
#define TLV_GIBBS_BURN 1
#define TLV_GIBBS_KEEP 2

/*
 * The chain where topics move: one kept sweep, whose noise the moving averages out, and two of
 * burn-in; twice as many for short documents, whose alpha0 would come too large (package texts of
 * nine words: perplexity with the estimated alpha 199.7 with two, 192.9 with three).
 */
#define TLV_STEPWISE_WARM  3
#define TLV_STEPWISE_BURN  2
#define TLV_STEPWISE_KEEP  1
#define TLV_STEPWISE_SHORT 32 /* tokens */

/*
 * Refinement ends when the perplexity exp(-log_likelihood / tokens) of a step is less than this
 * part below that of two steps before, but not before six steps, or after so many: about 7 on
 * data that are LDA, 16 to 20 on text.
 */
#define TLV_REFINE_TOLERANCE 0.001
#define TLV_REFINE_MIN_STEPS 6
#define TLV_REFINE_MAX_STEPS 200

/*
 * Pseudo-count per item in the M step.  Best on AP (.01: 2824, .03: 2790, .1: 2757, .2: 2763, .5:
 * 2858) and within 1% of the best perplexity everywhere else.
 */
#define TLV_REFINE_ETA 0.1

/*
 * Items with more tokens than this in a document are drawn as one block, in time that grows
 * with the count's logarithm only: memberships given all topics of the document, then the item's
 * topic counts given the memberships (multinomial), once per sweep.  The same posterior; break-even
 * near 100 tokens at k = 50.
 */
#define TLV_GIBBS_BLOCK_COUNT 256

typedef struct tlv_gibbs_options
{
	int warm;	   /* deterministic fixed-point steps on theta before the first draw */
	int burn;	   /* sweeps that are not counted */
	int keep;	   /* sweeps whose Rao-Blackwellised memberships are counted */
	uint64_t seed; /* of this document: mixed by the caller from seed, step and content */
} tlv_gibbs_options;

/*
 * Adds one document's expected topic counts under collapsed Gibbs sampling
 * with topics fixed (theta integrated out): Rao-Blackwellised, mean over the
 * kept sweeps.  The statistics' log_likelihood is that of the kept sweeps.
 */
extern tlv_status tlv_topic_gibbs(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
								  const int32_t *index, const double *count,
								  const tlv_gibbs_options *options,
								  tlv_topic_statistics *statistics);

/* The same of items whose probabilities are the rows at[i] of phi, and whose statistics the rows
 * index[i]. */
extern tlv_status tlv_topic_gibbs_rows(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
									   const int32_t *index, const int32_t *at, const double *count,
									   const tlv_gibbs_options *options,
									   tlv_topic_statistics *statistics);

/*
 * A pass in which the topics move with every document.  After a part f of the tokens they are
 *
 *     (1 - f) tokens weight_j phi_ji + found_ji + smoothing, normalised,
 *
 * where found are the statistics so far: what is still to come is taken to be as the topics were,
 * which is incremental expectation maximisation (Neal, Hinton 1998) without a memory of documents.
 * The statistics are those of tlv_topic_gibbs, and add up in the same way.
 */
typedef struct tlv_topic_moves
{
	tlv_topics begun;	   /* the topics that the pass begins with */
	const double *weights; /* k: shares of the tokens */
	double tokens;		   /* of all documents of the pass, about */
	double eta;			   /* pseudo-count per item */
	const double *fixed;   /* k: topics of a number but 0 stay; NULL: none does */
	double *mass;		   /* k: tokens found so far, by topic, of the statistics */
	double *factors;	   /* 3 k: scratch */
} tlv_topic_moves;

/* The document under the topics as they are, which it moves.  The worker is that of moves->begun.
 */
extern tlv_status tlv_topic_stepwise(tlv_context *ctx, tlv_topic_worker *worker, size_t n,
									 const int32_t *index, const double *count,
									 const tlv_gibbs_options *options, tlv_topic_moves *moves,
									 tlv_topic_statistics *statistics);

/* ---- correlated topics: shares are logistic-normal ---- */

/* Inference factorises a matrix of k x k for every document. */
#define TLV_LOGISTIC_TOPICS_MOST 1000

/* theta = softmax(x), x normal. */
typedef struct tlv_logistic_normal
{
	size_t k;
	const double *mean;		  /* k */
	const double *covariance; /* k x k, positive definite */
} tlv_logistic_normal;

/* Errors: TLV_LIMIT for more than TLV_LOGISTIC_TOPICS_MOST topics, TLV_BAD_DATA for a covariance
 * that is not positive definite, memory. */
extern tlv_status tlv_topic_logistic_create(tlv_context *ctx, const tlv_logistic_normal *normal,
											tlv_topic_logistic **logistic);

extern void tlv_topic_logistic_destroy(tlv_context *ctx, tlv_topic_logistic *logistic);

/*
 * Shares (k, summing to 1) at the mode of x.  Those of AP at k = 20 predict as well as the
 * posterior mean by slice sampling (perplexity 2471 and 2474), while the mean over the normal
 * distribution at the mode, which is wide where a topic has no token, predicts worse (2601).  An
 * empty document has the shares at the mean of x.
 */
extern tlv_status tlv_topic_logistic_infer(tlv_context *ctx, tlv_topic_logistic *logistic,
										   tlv_topic_worker *worker, size_t n, const int32_t *index,
										   const double *count, double *theta);

/* What one refinement pass sums up over documents. */
typedef struct tlv_logistic_statistics
{
	double *items;			 /* k x d expected counts, laid out as phi */
	double documents;		 /* with at least one known item */
	double tokens;			 /* of known items */
	double log_likelihood;	 /* sum over tokens of ln p(token | the rest of its document, model) */
	double *shares;			 /* k: expected shares */
	double *latent;			 /* k: x less the model's mean */
	double *latent_products; /* k x k, lower triangle: the second moments of that */
} tlv_logistic_statistics;

/* Adds one document, of at least one item, by Laplace's approximation; topics of its tokens are
 * those under the shares at the mode. */
extern tlv_status tlv_topic_logistic_expect(tlv_context *ctx, tlv_topic_logistic *logistic,
											tlv_topic_worker *worker, size_t n,
											const int32_t *index, const double *count,
											tlv_logistic_statistics *sums);

/*
 * M step: phi_new = (statistics + eta * prior_i * d) normalised per topic, where prior
 * (d, summing to 1; NULL for uniform) is the smoothing distribution and eta the pseudo-count
 * per item.
 */
extern tlv_status tlv_topic_maximize(tlv_context *ctx, size_t k, size_t d, const double *items,
									 double eta, const double *prior, double *phi);

/*
 * M step of the Dirichlet parameters, in place: alpha_j *= alpha_gains_j / length_gain, one step of
 * Minka's fixed point (2000, eq. 55) on the topic counts of the Gibbs chains, none below a
 * hundredth of the mean.  Without gains alpha stays.
 */
extern void tlv_topic_maximize_alpha(size_t k, const double *gains, double length_gain,
									 double *alpha);

/*
 * Optimal assignment of the topics of b to those of a (phi matrices over the
 * same d items): assignment[j] = topic of b for topic j of a (-1 when b has
 * fewer), error[j] = its L1 distance (2 when there is none).
 */
extern tlv_status tlv_topic_match(tlv_context *ctx, size_t d, size_t ka, const double *phi_a,
								  size_t kb, const double *phi_b, int64_t *assignment,
								  double *error);

/*
 * Coherence of one topic's top m items from document frequencies: single[i] documents hold item
 * i, joint (packed lower triangle with diagonal, m (m+1)/2, linalg.h) documents hold both;
 * documents in all.  npmi (Bouma 2009; pairs never seen together count -1), umass (Mimno et al.
 * 2011, pseudo-count 1, items in descending order of probability); means over pairs.
 */
extern void tlv_topic_coherence(size_t m, const double *joint, double documents, double *npmi,
								double *umass);

/*
 * Random true model: topics Dirichlet(concentration) over d items, alpha as
 * given is not drawn.  phi is k x d.
 */
extern tlv_status tlv_topic_random(tlv_context *ctx, size_t k, size_t d, double concentration,
								   tlv_rng *rng, double *phi);

/*
 * Draws documents from a model: alias tables are built once.  A document of
 * `length` tokens: theta (k) from Dirichlet(alpha), tokens from the mixture;
 * *n distinct items, ascending, in index and count (room for length of each).
 */
typedef struct tlv_topic_simulator tlv_topic_simulator;
extern tlv_status tlv_topic_simulator_create(tlv_context *ctx, const tlv_topics *topics,
											 tlv_topic_simulator **simulator);
/* Shares are drawn from that distribution instead.  Errors: TLV_BAD_DATA for a covariance that is
 * not positive definite, memory. */
extern tlv_status tlv_topic_simulator_correlate(tlv_context *ctx, tlv_topic_simulator *simulator,
												const tlv_logistic_normal *normal);
extern tlv_status tlv_topic_simulate(tlv_context *ctx, tlv_topic_simulator *simulator, tlv_rng *rng,
									 size_t length, double *theta, size_t *n, int32_t *index,
									 double *count);
extern void tlv_topic_simulator_destroy(tlv_context *ctx, tlv_topic_simulator *simulator);

/* Binomial(n, p), n a whole number up to 2^53; exact, O(log n) gamma variates. */
extern double tlv_topic_binomial(tlv_rng *rng, double n, double p);

#endif /* TENSORLV_TOPICS_H */
