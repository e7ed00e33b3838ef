/*
 * lda.h - latent Dirichlet allocation and the single topic model by the method
 * of moments (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014; Huang 2016, section
 * 3.1), from compressed moments (counts.h) to a model value.
 *
 * The model's frame: alpha0 (0: single topic), items (d), phi (k x d), alpha
 * (k), weights (k, alpha / alpha0 or the mixing weights), shares (d, of
 * the corpus), labels where items were given as text, and diagnostics.
 *
 * The room contains the fit to moments, the procedure with its choices of k, counts and initial
 * estimate, standard errors, drift and correlated topics.  Moments and subspaces are in counts.h,
 * inference of a document under given topics is in topics.h, and anchors as points are in
 * anchors.h.
 */
#ifndef TENSORLV_LDA_H
#define TENSORLV_LDA_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/suggest.h"
#include "tensorlv/model/topics.h"

/* Items in fewer documents are no anchors: their rows of the co-occurrence are noise. */
#define TLV_LDA_ANCHOR_DOCUMENTS 5

/* Anchors that the caller gives: topic g has the items first[g] .. first[g + 1] - 1. */
typedef struct tlv_lda_anchors
{
	size_t n;
	const size_t *first; /* n + 1 */
	const int64_t *items;
	const char *const *texts; /* of the items, as they were given, for messages; NULL: none */
} tlv_lda_anchors;

/* How items become mixtures of anchors. */
typedef enum tlv_lda_recovery
{
	TLV_LDA_RECOVER_L2,		/* the nearest one */
	TLV_LDA_RECOVER_KL,		/* the nearest one in divergence */
	TLV_LDA_RECOVER_INVERSE /* by the anchors' columns alone, negative parts set to 0 */
} tlv_lda_recovery;

typedef struct tlv_lda_options
{
	size_t k;		  /* topics, at most the rank of the moments; 0: their rank */
	double alpha0;	  /* sum of the Dirichlet parameters; 0: single topic; NaN: by least residual */
	bool alpha0_free; /* refinement may change a given alpha0, too */
	double eta;		  /* pseudo-count per item and topic of the refinement steps */
	uint64_t seed;	  /* of decomposition and refinement */
	bool repeated;	  /* the moments count every word several times */
	bool fewer;		  /* fit as many topics as the moments identify, where that is less than k */
	tlv_decompose_options decompose;
	const tlv_frame *subspace; /* of moments that refer to it; NULL where they hold it */
	tlv_lda_anchors anchors;   /* given ones, of a fit by anchor words; none where n = 0 */
	tlv_lda_recovery recovery; /* of a fit to exact pairs */
	const tlv_names *names;	   /* of the items, for messages; NULL: they are numbers */
} tlv_lda_options;

/* Pseudo-count per item. */
#define TLV_LDA_ETA TLV_REFINE_ETA

/* A topic with less weight than this would vanish from the arithmetic. */
#define TLV_LDA_LEAST_WEIGHT 1e-100

/* Bytes of work space that a fit to triples of this width and number of items allocates. */
extern double tlv_lda_fit_memory(size_t width, size_t d, const tlv_lda_options *options);

/*
 * Fits the model to compressed moments (count_triples).  Formulas:
 * M2 = Q - a0/(a0+1) m m', M3 = T - a0/(a0+2) Sym3[Q (x) m] + 2 a0^2/((a0+1)(a0+2)) m^(x)3,
 * whitening by the k leading eigenvectors of M2, tlv_decompose, topics by
 * un-whitening and Euclidean projection on the simplex, alpha by non-negative least squares.
 * Errors: TLV_BAD_PARAMETER, TLV_NOT_IDENTIFIABLE with the eigenvalues in the detail, memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_lda_fit(tlv_context *ctx, const tlv_frame *triples,
							  const tlv_lda_options *options, void **image, size_t *size);

/*
 * The same by anchor words (Ge 2013, chapter 4), from anchor_moments: rows of the rank k
 * co-occurrence, in the metric of chi-square, the corners among them (anchors.h), every item as a
 * mixture of these, topics and their weights by Bayes' rule; alpha0, where it is not given, from
 * the second moments of the topics' shares, tlv_lda_alpha0.  Nothing is assumed of how shares of
 * topics are distributed.  The model has the sections "anchors" and "anchor_distances".
 * options->decompose is not looked at.  Errors: TLV_BAD_PARAMETER, for given anchors, too, that the
 * documents do not hold, that are given twice or are in fewer than TLV_LDA_ANCHOR_DOCUMENTS
 * documents; TLV_NOT_IDENTIFIABLE where there are fewer than k corners; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_lda_fit_anchors(tlv_context *ctx, const tlv_frame *moments,
									  const tlv_lda_options *options, void **image, size_t *size);

/*
 * By anchor words from the exact co-occurrence, count_pairs (Ge 2013, algorithms 4.1 and 3.3): rows
 * are all of its columns, scaled to sum 1, anchors are in one of a hundred documents at least, and
 * items become mixtures of anchors by options->recovery.  Items that tlv_pair_moments has not told
 * apart count in the rows of others and are in no topic.  k must be given.  Memory: the square of
 * the number of items.  Otherwise as tlv_lda_fit_anchors.
 */
extern tlv_status tlv_lda_fit_pairs(tlv_context *ctx, const tlv_frame *moments,
									const tlv_lda_options *options, void **image, size_t *size);

/*
 * alpha0 of a Dirichlet distribution with these second moments E theta theta' (k x k, symmetric;
 * any scale), by least squares of (1 + alpha0 m_i) over their diagonal; NaN where no alpha0 in 1e-3
 * k .. 1e3 k fits.  means (k) gets the expected shares.
 */
extern double tlv_lda_alpha0(size_t k, const double *second, double *means);

/*
 * The corpus as one topic, where the moments identify none, from a summary; alpha0 as in the
 * options, .1 where it is not given.  Errors: TLV_BAD_DATA for an empty summary; memory.
 */
extern tlv_status tlv_lda_corpus_topic(tlv_context *ctx, const tlv_frame *summary,
									   const tlv_lda_options *options, void **image, size_t *size);

/*
 * The model with topics added until there are k: each a random part of the topic that is heaviest
 * then, which gives it half of its weight.  An alpha0 that refinement may change becomes .1 k.
 * Diagnostics and warnings of single topics are left out.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_lda_fill(tlv_context *ctx, const tlv_frame *model, size_t k, void **image,
							   size_t *size);

/*
 * The model over all items of a summary: items it does not know get their corpus share in
 * every topic, and all topics are mixed with `smoothing` of the corpus shares.  The summary counts
 * each word so many times.  drawn: it is what
 * drawn refinement begins with, and has 16 bits (coarsen_topics says why).
 */
extern tlv_status tlv_lda_extend(tlv_context *ctx, const tlv_frame *model, const tlv_frame *summary,
								 double times, double smoothing, bool drawn, void **image,
								 size_t *size);

/* How many topics of a model tlv_lda_fix would fix: those of weight above 0. */
extern size_t tlv_lda_fixed_topics(const tlv_frame *given);

/*
 * The model with the topics of a given one in the place of those that are nearest to them, over the
 * items of either (the assignment of the least total L1 distance, tlv_topic_match): they keep
 * their probabilities, to the last bit, in all that is done with the model, while the others are
 * learnt; weights stay, since those are learnt of all.  Diagnostics and warnings of single topics
 * are left out.  Errors: TLV_BAD_PARAMETER for more topics than the model has and
 * for those of which the model has no item; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_lda_fix(tlv_context *ctx, const tlv_frame *model, const tlv_frame *given,
							  void **image, size_t *size);

/* The model with its fixed topics called as in the one that gave them.  Errors: memory. */
extern tlv_status tlv_lda_label_fixed(tlv_context *ctx, const tlv_frame *model,
									  const tlv_frame *given, void **image, size_t *size);

/*
 * The order of a topic's items that distinguishes it from other topics: by decreasing p(w | t) /
 * (s_w + c), the lift shrunk by c, where s_w is the proportion of the item in the corpus ("shares")
 * and c = 300 / n + exp(-H), n the tokens of the corpus (1e5 where the model does not contain them)
 * and H the entropy of the proportions in nats.  Multiplied by n, the denominator is the count of
 * the item, 300 tokens, and the count of a typical item: an item needs as many occurrences before
 * its lift ranks it, and the order keeps its nature as the corpus grows.  *shrinkage is c, above 0.
 * Errors: TLV_CANCELLED.
 */
extern tlv_status tlv_lda_shrinkage(tlv_context *ctx, const tlv_frame *model, double *shrinkage);

/* Given parameters of a model. */
typedef struct tlv_lda_parameters
{
	size_t k;
	size_t d;
	const int64_t *items; /* d, ascending */
	const double *phi;	  /* k x d: each topic in proportion to its probabilities */
	const double *alpha;  /* k, positive */
	uint64_t seed;		  /* of refinement */
	/* terms of the items, one behind the other, and their offsets (d + 1); NULL: items are numbers
	 */
	const char *labels;
	const int64_t *label_offsets;
} tlv_lda_parameters;

/*
 * A model from given parameters.  Topics are normalised and ordered by decreasing alpha.  Errors:
 * TLV_BAD_PARAMETER for a probability that is negative or not finite, a topic without any, an alpha
 * that is not positive or vanishes beside the others; memory.
 */
extern tlv_status tlv_lda_from_parameters(tlv_context *ctx, const tlv_lda_parameters *parameters,
										  void **image, size_t *size);

/* What it takes to write a model's frame. */
typedef struct tlv_lda_parts
{
	size_t k;
	size_t d;
	double alpha0;
	double alpha0_free; /* 1: refinement estimates alpha0; 0: it keeps it and estimates its parts */
	double alpha0_least; /* refinement estimates no less: few documents fit the topics too well */
	double eta;
	double seed;
	double steps; /* refinement steps done */
	const int64_t *items;
	const double *phi;
	const double *alpha;
	const double *weights;
	const double *shares;
	/* k each, or NULL: the word that the topic was found by, and how far it stands out of the
	 * noise; a distance of exactly 0: the topic has none */
	const int64_t *anchors;
	const double *anchor_distances;
	/* of correlated topics, or NULL: what shares are the softmax of is normal, of that mean (k) and
	 * covariance (k x k); alpha then is alpha0 times the weights and says nothing else */
	const double *logistic_mean;
	const double *logistic_covariance;
	/* k, or NULL: topics that stay as they are have their number in the model that gave them, from
	 * 1; others 0 */
	const double *fixed;
	size_t labels_length;		  /* bytes */
	const char *labels;			  /* of all items, one behind the other; NULL: there are none */
	const int64_t *label_offsets; /* d + 1 */
	tlv_diagnostics *diagnostics;
} tlv_lda_parts;

/*
 * The frame of these parts as they are: nothing is normalised or sorted here.  Topics must sum to
 * 1 and items ascend, as the check of the kind requires; fits put the heaviest topic first.  *image
 * comes from the arena.
 */
extern tlv_status tlv_lda_write(tlv_context *ctx, const tlv_lda_parts *parts, void **image,
								size_t *size);

/* exp(-log-likelihood of a token), of statistics or of a completion that have tokens; infinite when
 * it is too large for a number. */
extern double tlv_lda_perplexity(const tlv_frame *sums);

/* ---- the whole of learning ---- */

typedef enum tlv_lda_counts
{
	TLV_LDA_COUNTS_AUTO, /* damped where words come in bursts */
	TLV_LDA_COUNTS_RAW,
	TLV_LDA_COUNTS_DAMPED
} tlv_lda_counts;

/* What refinement starts from. */
typedef enum tlv_lda_start
{
	TLV_LDA_START_TENSOR,  /* the decomposition of the third moment */
	TLV_LDA_START_ANCHORS, /* anchor words */
	TLV_LDA_START_CHOOSE   /* where documents are few for k, the one that predicts others better */
} tlv_lda_start;

typedef struct tlv_lda_learn_options
{
	tlv_lda_options fit; /* k = 0: chosen, by how well held-out documents are predicted */
	tlv_lda_start start;
	size_t max_k; /* where it is chosen; 0: 100, or half of the documents, but 10 at least */
	bool test;	  /* where k is given and no direction stands out: whether there are topics */
	bool errors;  /* which topics recur in parts of the documents is measured, too */
	tlv_lda_counts counts;
	double minimum_documents; /* that an item of the moments must be in; below 0: chosen */
	const char *refine; /* "stepwise", "gibbs", "ctm"; NULL: not at all.  Must outlive the fit */
	int iterations;		/* refinement steps; below 0: until the perplexity converges */
	/* Topics that stay as they are (tlv_lda_fix), a model that outlives the fit, and count among
	 * the k; a chosen k is as many at least.  NULL: none. */
	const tlv_frame *fixed;
} tlv_lda_learn_options;

/*
 * The procedure over documents: bags; its options are tlv_lda_learn_options.  Labels: names of the
 * rows become the sections "label_offsets" and "labels".  Errors: those of
 * tlv_subspace_from_moments, tlv_lda_fit and the update, and TLV_BAD_DATA for documents too few or
 * too short, or of no significant direction.
 */
extern const tlv_procedure tlv_lda_procedure;

/* ---- how topics come together ---- */

/* Groups of documents, by their content, from which errors are estimated. */
#define TLV_LDA_GROUPS 20

/*
 * Second moments of the topics' shares under a model, by one pass over documents: sums of the
 * products of two distinct tokens of a document, taken back to topics by the inverse of these. They
 * are right for any topics and any distribution of shares.
 */
extern const tlv_aggregate tlv_aggregate_topic_products;

typedef struct tlv_lda_correlations
{
	size_t k;
	const double *present; /* k: 0 of topics that are not there */
	/* packed, k (k + 1) / 2 (linalg.h): E theta theta', which sums to 1; the correlation, NaN for a
	 * topic of no variance; and its standard error, by leaving out a group at a time */
	double *second;
	double *correlation;
	double *error;
	double *means; /* k */
	double alpha0; /* of the Dirichlet distribution of that diagonal, NaN: none fits; alpha is
					  alpha0 times the means */
} tlv_lda_correlations;

/* From topic_products; arrays are from the arena.  Errors: TLV_BAD_DATA where there are none. */
extern tlv_status tlv_lda_correlate(tlv_context *ctx, const tlv_frame *products,
									tlv_lda_correlations *to);

/* Are the topics correlated: has the model a logistic-normal distribution of shares? */
extern bool tlv_lda_is_correlated(const tlv_frame *model);

/* What such a model says of them: moments of its distribution of shares, by 16,384 draws that are
 * always the same; errors are NaN, and so is alpha0.  Errors: TLV_BAD_PARAMETER for another model,
 * TLV_BAD_DATA for a covariance that is not positive definite. */
extern tlv_status tlv_lda_logistic_correlate(tlv_context *ctx, const tlv_frame *model,
											 tlv_lda_correlations *to);

/* ---- what documents say about k ---- */

/*
 * The rows of significance, n or 1 of these (room for one more than n), from z values (NaN: none)
 * of which k are significant: by decreasing z; k, or 1 for 0, is chosen.
 */
extern size_t tlv_lda_suggest_significance(size_t n, const double *z, size_t k,
										   tlv_suggestion *rows);

/*
 * Rows by criterion and ascending k, of every k that the driver's search for k tries (choice.h):
 * the log-likelihood of a new word of held-out documents, by which it chooses; gain, the part of
 * its rise from one topic to the best k, of which the least k with nine tenths is chosen;
 * coherence, the mean NPMI of the topics' TLV_COHERENCE_TOP first items (the greatest is); and
 * significance, the z value of the k-th direction in both halves of the documents.  criterion: one
 * of these, or NULL for all.  Of too few documents to hold some out there is one k without a score,
 * of fewer items than TLV_COHERENCE_TOP no coherence.  Errors: those of tlv_lda_procedure.
 */
extern tlv_status tlv_lda_suggest(tlv_context *ctx, tlv_source *documents,
								  const tlv_lda_learn_options *options, const char *criterion,
								  tlv_suggestion **rows, size_t *n);

/* Posterior of the single topic model, p(topic | document), and ln p(document).  Errors:
 * TLV_CANCELLED. */
extern tlv_status tlv_single_topic_posterior(tlv_context *ctx, size_t k, const double *phi,
											 const double *weights, size_t n, const int32_t *index,
											 const double *count, double *posterior,
											 double *log_likelihood);

#endif /* TENSORLV_LDA_H */
