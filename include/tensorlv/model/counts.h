/*
 * counts.h - moments of documents (bags of counts): everything that
 * latent Dirichlet allocation and the single topic model need.
 *
 * Notation: document t has counts c_t and length L_t; documents with L_t < 3
 * are skipped.  Documents weigh in proportion to their length,
 * w_t = L_t, which is the best weight on every data set tried; sums
 * are kept unnormalised (divide by tokens = sum L_t), so that they add up:
 *
 *     totals_i       = sum_t c_ti                       = tokens * P1_i
 *     correction_i   = sum_t c_ti   / (L_t - 1)         = tokens * g2_i
 *     squares_i      = sum_t c_ti^2 / (L_t - 1)
 *     pairs_ij       = sum_t c_ti c_tj / (L_t - 1)
 *     tokens * P2    = pairs - diag(correction)
 *
 * P2 and P3 are the unbiased moments of pairs and triples of distinct tokens (Anandkumar et al.
 * 2014, section 3.2; Huang 2016, section 3.1.1, with corrected diagonals).  In `distinct` mode
 * pairs of the same item are left out altogether, P2_ii = 0, which is what choosing k needs when
 * words come in bursts.
 *
 * The room collects documents and finds their subspace.  Bags are on floor 1 (bag.h), topics are
 * fitted to the moments in lda.h, and documents are inferred under given topics in topics.h.
 */
#ifndef TENSORLV_COUNT_MOMENTS_H
#define TENSORLV_COUNT_MOMENTS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/frame.h"

/* Most distinct items of the exact pair moment (packed: 268 MB). */
#define TLV_COUNT_PAIRS_MAX_ITEMS 8192

/* First pass, any vocabulary: totals, document frequencies, lengths. */
extern tlv_status tlv_count_summary_create(tlv_context *ctx, tlv_accumulator **accumulator);

/* First pass, exact: the same and the packed matrix of pairs. */
extern tlv_status tlv_count_pairs_create(tlv_context *ctx, tlv_accumulator **accumulator);

/* The aggregates of documents; the constant is a tlv_subspace of kind items. */
extern const tlv_aggregate tlv_aggregate_count_summary;
extern const tlv_aggregate
	tlv_aggregate_count_moments; /* pairs; triples where there is a subspace */
extern const tlv_aggregate tlv_aggregate_count_products;

/*
 * A subspace value opened for collecting; of compressed moments weights = scale * basis, laid out
 * width x d.  The frame's memory must outlive it.
 */
typedef struct tlv_subspace
{
	tlv_frame frame;
	size_t d;	  /* items */
	size_t block; /* directions held */
	size_t rank;  /* directions asked for (k) */
	size_t width; /* directions that are used: block for products, rank for compressed moments */
	bool distinct;
	const int64_t *items; /* d, ascending */
	const double *scale;  /* d */
	const double *basis;  /* block x d, orthonormal */
	double *weights;	  /* width x d; NULL for products, which take the basis as it is */
	tlv_dictionary dictionary;
	tlv_digest fingerprint;
} tlv_subspace;

/* Opens a subspace; width is block, or rank when compressed, with weights then. */
extern tlv_status tlv_subspace_open(tlv_context *ctx, const tlv_frame *frame, bool compressed,
									tlv_subspace **subspace);

/* Middle passes: image of the basis under the scaled pair moment (one step of the iteration). */
extern tlv_status tlv_count_products_create(tlv_context *ctx, const tlv_subspace *subspace,
											tlv_accumulator **accumulator);

/*
 * Last pass: raw compressed moments in the basis W = scale * basis[, 1..rank]:
 * m = tokens W'P1, Q = tokens W'P2W, T = tokens P3(W,W,W).  They do not depend on alpha0.
 * In distinct mode also sums of q_j and q_j^2 over documents, the per-document Rayleigh
 * quotients of distinct-item pairs, for the cross-validated choice of k.
 */
extern tlv_status tlv_count_triples_create(tlv_context *ctx, const tlv_subspace *subspace,
										   tlv_accumulator **accumulator);

typedef struct tlv_subspace_options
{
	size_t rank;			  /* k; 0: as in the products' own subspace */
	double minimum_documents; /* items in fewer documents are left out; 0: none */
	bool distinct;
	bool fewer; /* lower the rank to the items and documents that there are */
	bool twice; /* another one is to come while this one's model is there: of memory, see
				   tlv_expect_memory */
	uint64_t seed;
	const tlv_frame *begun;	   /* of a summary: a subspace value to begin with, or NULL */
	const tlv_frame *subspace; /* of products: the one that they were collected in, or NULL, which
								* is enough for those that do not refer to it */
} tlv_subspace_options;

/*
 * The subspace value that follows from a moments value:
 * from a summary, a random start, or what a subspace of like counts says of its items; from
 * products, the next block with its Ritz values; from pairs, the dominant subspace at once. Errors:
 * TLV_BAD_PARAMETER when rank is 0 or more than the items, TLV_BAD_DATA when too few documents
 * are left.  *image (from the arena) and *size get the frame.
 */
extern tlv_status tlv_subspace_from_moments(tlv_context *ctx, const tlv_frame *moments,
											const tlv_subspace_options *options, void **image,
											size_t *size);

/* Ritz values still moving between the last two steps: largest relative change of the leading k. */
extern double tlv_subspace_change(const tlv_frame *subspace);

/*
 * Trace of the scaled pair moment S P2 S of a summary or of pairs: at most k for k topics,
 * since its k non-zero eigenvalues are at most 1; more means words come in bursts.
 */
extern double tlv_count_trace(const tlv_frame *summary, double minimum_documents);

/*
 * Number of directions whose cross-validated Rayleigh quotient is positive by
 * more than three standard errors in both folds: a, b are triples of either
 * half of the documents in the basis learnt from the other half.  z (may be NULL)
 * gets the smaller z value of each of the first *count directions.
 */
extern tlv_status tlv_count_suggest_k(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b,
									  double *z, size_t *count, size_t *k);

/*
 * z value of one direction of triples collected in distinct mode; NaN otherwise, of fewer than two
 * documents, or where all say nothing.  Documents that all say the same tell no variance: the
 * deviation is taken for no less than one more document without information would make it, so that
 * |z| is at most the number of documents.
 */
extern double tlv_count_z(const tlv_frame *triples, size_t direction);

/*
 * Of documents in a subspace (not of distinct pairs), for anchor words (anchors.h), in its first
 * rank directions W = scale * basis: totals and document frequencies of its items, Q = tokens
 * W'P2W, and of every item noise_i = sum_t (c_ti s2_t)^2 |W'c_t|^2, from which the variance of its
 * row of the co-occurrence follows.  Neither the third moment nor alpha0.
 */
extern tlv_status tlv_anchor_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
											tlv_accumulator **accumulator);
extern const tlv_aggregate tlv_aggregate_anchor_moments;

/*
 * Whether products, triples or anchor moments refer to their subspace by its digest: those of few
 * tokens do, which would be small beside its items and basis, or are held as documents in the place
 * of sums, and sums of such: of products if a part does, of the others if all do.  Whatever follows
 * from them needs it then.
 */
extern bool tlv_count_refers(const tlv_frame *moments);

/*
 * The same moments as sums, of products and anchor moments with what they refer to, by the subspace
 * that they were collected in;
 * NULL, which is enough for those that do not refer to it.  Errors: TLV_BAD_PARAMETER for another
 * one, or none, with a hint how to call what needs it; TLV_BAD_DATA where more was taken away than
 * there was.
 */
extern tlv_status tlv_count_complete(tlv_context *ctx, const tlv_frame *moments,
									 const tlv_frame *subspace, const char *call,
									 tlv_frame *complete);

/* What stands for all items that are not told apart, in moments of tlv_pair_moments. */
#define TLV_RUNOFF_ITEM INT64_MAX

/*
 * The exact packed matrix of pairs (count_pairs) of the items of a subspace; all others are
 * counted as one, TLV_RUNOFF_ITEM, so that shares stay what they are (Ge 2013, lemma 3.16).  Of
 * the subspace its items alone play a part.
 */
extern tlv_status tlv_pair_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
										  tlv_accumulator **accumulator);
extern const tlv_aggregate tlv_aggregate_pair_moments;

/* Checks shared by the kinds of document moments: counters, ascending items. */
extern tlv_status tlv_count_check_counters(tlv_context *ctx, const tlv_frame *frame);
/* What a subspace says of itself, without its items, and a section `wide` of so many rows whose
 * columns are those of its basis, or none. */
extern tlv_status tlv_count_check_reference(tlv_context *ctx, const tlv_frame *frame,
											const char *wide, size_t width);
/* The same with them, and a section `wide` (width x d) of the shape of its basis. */
extern tlv_status tlv_count_check_subspace(tlv_context *ctx, const tlv_frame *frame,
										   const char *wide);
extern tlv_status tlv_count_check_items(tlv_context *ctx, const tlv_frame *frame, uint64_t *d);

#endif /* TENSORLV_COUNT_MOMENTS_H */
