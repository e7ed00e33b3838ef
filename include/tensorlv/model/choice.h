/*
 * choice.h - the number of components by one criterion.  Models of several k are learnt from a part
 * of the rows, and predict the others.  Chosen is the least k whose score is within one standard
 * error of the best (Breiman, Friedman, Olshen, Stone 1984), on a grid that ends when the curve has
 * fallen.  One component is given up for more at the level of 1 % only, 2.33 errors: where
 * there are none, models of several are near copies of it, and one of them is above it by chance.
 *
 * The score of k is L(k) = sum of s_i / sum of n_i over the rows i that are predicted, s_i the
 * log-likelihood of what is predicted of row i and n_i how much that is: tokens, steps, 1.  The
 * standard error of L(b) - L(k) is that of the paired differences
 * d_i = s_i(b) - s_i(k) - (L(b) - L(k)) n_i, sqrt(sum of d_i^2) / sum of n_i.  Rows are added up in
 * groups by their contents, so that any number of them takes the same memory, and the d of a group
 * takes the place of d_i.
 *
 * The room does not know what is learnt and predicted, which the models say by tlv_choice_score.
 * Criteria of the rows that are learnt from, such as BIC, are in the rooms of the models.
 */
#ifndef TENSORLV_CHOICE_H
#define TENSORLV_CHOICE_H

#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/context.h"

/* Groups of rows: differences are taken row by row up to some hundreds of them, and the standard
 * error of a difference has an error of 4 % of its own. */
#define TLV_CHOICE_GROUPS 256

/* Most k that are compared. */
#define TLV_CHOICE_POINTS 32

typedef struct tlv_choice_point
{
	size_t k;
	double *score; /* by group: sum of the log-likelihoods */
	double *count; /* by group: how much was predicted */
	double mean;   /* L(k) */
	double error;  /* standard error of its difference from the best; 0 for the best itself */
} tlv_choice_point;

typedef struct tlv_choice
{
	size_t least, most;							/* bounds of k */
	bool fine;									/* the grid */
	bool ended;									/* the grid has ended */
	bool limited;								/* it ended since k cannot be greater than most */
	size_t n;									/* points, by ascending k */
	tlv_choice_point points[TLV_CHOICE_POINTS]; /* their arrays are the arena's */
	size_t best, chosen; /* positions: of the greatest score, and of the chosen k */
	size_t gain;		 /* of the least k that has nine tenths of the rise from the first point */
	size_t first, last;	 /* points between which more folds decide, both included */
	bool narrowed;		 /* only those are compared now */
} tlv_choice;

/*
 * Nothing has been tried yet.  The fine grid is for components that each count, such as classes and
 * states: their number has a peak, beyond which models cost most.  Of topics there are many, and
 * the curve is flat.
 */
extern void tlv_choice_begin(size_t least, size_t most, bool fine, tlv_choice *choice);

/*
 * The k to be tried next; 0: k is chosen.  First the grid up to `most`.  The fine one, 1, 2, 3, 4,
 * 5, 6, 8, 10, 13, 16, 20, ..., ends when two k above the best were tried; the other, 1, 2, 3, 5,
 * 8, 13, 20, 32, 50, 80, ..., when the last two are worse than the best by more than a standard
 * error, too.  Then the k between the chosen one and the one below it, where the curve has fallen
 * at all.
 */
extern size_t tlv_choice_next(const tlv_choice *choice);

/*
 * The sums of one more k, TLV_CHOICE_GROUPS of either; of a k that has some, those of other rows,
 * which are added to them.  Errors: memory.
 */
extern tlv_status tlv_choice_add(tlv_context *ctx, tlv_choice *choice, size_t k,
								 const double *score, const double *count);

/* What follows from the sums: after every k that was added, of further rows after all of their k.
 */
extern void tlv_choice_decide(tlv_choice *choice);

/*
 * Do the rows leave the choice open: is a lesser k than the best chosen, though the error of the
 * difference is above a hundredth of a nat, 1 % of perplexity; are more components better than one
 * by 1 to 4 errors; or, on the fine grid, more than fewer by at most 4?  Then more rows are to be
 * predicted under the k of the points first .. last, one fold after the other.
 */
extern bool tlv_choice_is_open(tlv_choice *choice);

/*
 * The fold, 0 to folds - 1, of each of n rows: at random, since rows come in the order of their
 * values, of which every fifth row is the same proportion in each fold; and of one size.
 */
extern tlv_status tlv_choice_draw_folds(tlv_context *ctx, size_t n, size_t folds, int64_t **fold);

/* Adds the sums of the rows of one fold, TLV_CHOICE_GROUPS of either, under k components that are
 * learnt from all other rows. */
typedef tlv_status (*tlv_choice_score)(tlv_context *ctx, void *search, size_t k, size_t fold,
									   double *score, double *count);

/*
 * The whole search: the grid, and what refines it, in the first `first` folds together, and the k
 * that these leave open in the others.  Nothing of the fits stays in the arena.
 */
extern tlv_status tlv_choice_follow(tlv_context *ctx, tlv_choice *choice, tlv_choice_score score,
									void *search, size_t first, size_t folds);

/* The scores and their errors as diagnostics, "held_out_1" and so on. */
extern tlv_status tlv_choice_tell(tlv_context *ctx, const tlv_choice *choice,
								  tlv_diagnostics *diagnostics);

/* What a point has of the rise of the curve from its first point to the best one, 0 to 1. */
extern double tlv_choice_gain(const tlv_choice *choice, size_t point);

/* Of the random numbers of folds, and of starts that are compared for k: the seed of a fit decides
 * where it starts, not how many components there are. */
#define TLV_CHOICE_SEED 1

/* Folds of a cross-validation. */
#define TLV_FOLDS 5

#endif /* TENSORLV_CHOICE_H */
