/*
 * plan.h - the plan of latent Dirichlet allocation, between the files that it is made of: plan.c
 * (counts and subspace), choose.c (k), from_moments.c (where refinement starts), slices.c (the
 * tensor of hundreds of topics without forming it), refine.c
 * (refinement and the end), recurrence.c (which topics are real).
 */
#ifndef TENSORLV_LDA_PLAN_H
#define TENSORLV_LDA_PLAN_H

#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"

/* Steps from either start before their contest. */
#define RIVAL_STEPS 3

/* Values that are kept over several passes. */
enum
{
	KEPT_SUMMARY, /* of the raw counts */
	KEPT_FOLD	  /* triples of the second fold in the subspace of the first */
};

typedef struct lda_plan
{
	tlv_plan base;
	tlv_lda_plan_options options;
	size_t k;
	bool k_chosen;
	size_t identified; /* topics that the moments give; the others are parts of these */
	bool nothing;	   /* no direction is significant in both halves: one topic */
	bool untested;	   /* nor could any be: too few documents, or too alike */
	bool at_limit;	   /* refinement ended at its limit, not because the perplexity stood */
	bool seen;		   /* a pass has found documents */
	bool damped;
	double minimum_documents;
	double trace;
	double bursts; /* NaN: not measured, the trace is small */
	double *z;	   /* of the directions that k was chosen from */
	size_t n_z;
	bool pooled;		/* over folds, by rank: each document in directions of all other folds */
	double *pool;		/* max_k x 2, while they are: sums, and sums of squares */
	double pool_fitted; /* documents that they are of */
	double edge;		/* of the spectrum of pairs of independent words */
	bool doubtful;		/* whether there are topics at all */
	bool testing;		/* the passes of the choice of k only tell that */
	double topics_z;	/* of that test; NaN: there was none */
	/* The rows that are passed over, and the subspace that is sought over them. */
	int folds, fold;
	bool others; /* than of that fold */
	bool damp;
	double
		times;	 /* that the moments count each word of documents too short for them; 0: as it is */
	bool judged; /* that they do is settled, or that they do not */
	double longer;	  /* documents of as many words as moments need, until it is */
	double too_short; /* documents of fewer, but of some, where most are */
	bool of_one_word; /* are all of them */
	tlv_held subspace;
	bool begun; /* the subspace, with other counts: the next one begins with it */
	int subspace_steps;
	tlv_plan_step subspace_found; /* what comes when it stands */
	/* The start by anchor words beside that of the tensor, which is the model. */
	bool rivals;
	tlv_held rival;
	size_t rival_identified;
	int rival_steps;
	double rival_perplexity[2][RIVAL_STEPS]; /* before each of them, of the tensor's and the
												anchors' */
	double held_out[2];	 /* perplexity of the tensor's start and of the anchors'; NaN: no contest */
	double tensor_bytes; /* of third moments that there is no room for; 0: anchors are not in their
							place, or for another reason */
	int slice_steps;	 /* of the decomposition by passes over the documents */
	double slice_moved;	 /* by the last of them */
	/* Topics from parts of the documents: the plan over one, how many are done, and the mean
	 * distance of every topic of the model (k; NULL: not sought, the first NaN: there is no
	 * telling). */
	tlv_plan *part;
	int parts;
	double *recurrence;
	/* Refinement. */
	tlv_held model;
	bool correlated; /* the topics have been refined, and their correlations are */
	int refine_steps;
	double perplexity[2]; /* of the last two steps, the later one last */
	int steps;			  /* where topics move: how many there will be; 0: not known yet */
} lda_plan;

static inline lda_plan *
lda_plan_of(tlv_plan *plan)
{
	return (lda_plan *) plan;
}

/* ---- plan.c ---- */

/* One statistic over the rows of the moment; then is the step that takes its value. */
extern tlv_statistic *tlv_lda_ask(lda_plan *plan, tlv_pass *pass, const char *stage,
								  const tlv_aggregate *aggregate, tlv_plan_step then);
extern void tlv_lda_ask_summary(lda_plan *plan, tlv_pass *pass, tlv_plan_step then);

/* Are nearly all documents of the summary too short for moments?  Then their words count several
 * times from here on, and the summary is to be asked for again: true.  That one tells documents
 * of few words from those of none, which are no documents; where they were those, the words count
 * once again, and the summary is to be asked for once more. */
extern bool tlv_lda_repeats_words(lda_plan *plan, const tlv_value *summary);
/* The next summary is of other documents. */
extern void tlv_lda_judge_afresh(lda_plan *plan);
extern bool tlv_lda_holds_documents(const tlv_value *summary);

/* The subspace of those documents that the summary is of; found comes when it stands. */
extern tlv_status tlv_lda_subspace_begin(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary,
										 tlv_subspace_options *options, tlv_plan_step found,
										 tlv_pass *pass);
extern void tlv_lda_subspace_drop(tlv_context *ctx, lda_plan *plan);

/* The step that takes the summary of all documents. */
extern tlv_status tlv_lda_take_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									   tlv_pass *pass);

/* ---- choose.c ---- */

/* The first pass of the choice of k. */
extern void tlv_lda_choose_begin(lda_plan *plan, tlv_pass *pass);

/* The summary of one fold of two is asked for: whether there are topics, and the choice of k where
 * documents are many. */
extern void tlv_lda_fold_begin(lda_plan *plan, int fold, tlv_pass *pass);

/* ---- from_moments.c ---- */

/* The subspace of the counts as the moments see them, then the moments, then the start. */
extern tlv_status tlv_lda_fit_subspace(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary,
									   tlv_pass *pass);

/* Where a tensor of that rank will be formed whatever it takes, the fit is told beforehand. */
extern void tlv_lda_expect_tensor(tlv_context *ctx, const lda_plan *plan, const tlv_frame *summary,
								  size_t rank);

/* The step that takes the moments that the start is fitted to. */
extern tlv_status tlv_lda_take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									   tlv_pass *pass);

/* ---- slices.c ---- */

/* Passes of the decomposition of a tensor that is not formed, at most. */
#define TLV_LDA_SLICE_STEPS 30

/* The moments from which such a decomposition begins; tlv_lda_take_moments comes after it. */
extern void tlv_lda_slices_begin(lda_plan *plan, tlv_pass *pass);

/* ---- refine.c ---- */

/* What the steps of the moment are called: those that find correlations follow others. */
extern const char *tlv_lda_refinement(const lda_plan *plan);

/* How many of them are asked for; below 0: as many as it takes. */
extern int tlv_lda_iterations(const lda_plan *plan);

/* Do topics move with every document? */
extern bool tlv_lda_topics_move(const lda_plan *plan);

/* Are the documents few enough to be seen by one process, in the order of their contents? */
extern bool tlv_lda_is_settled(const lda_plan *plan);

/* Steps after the first one, which has lowered the perplexity by that part. */
extern int tlv_lda_more_steps(const lda_plan *plan, double fall);

/* One more refinement step, unless there are enough. */
extern tlv_status tlv_lda_refine(tlv_context *ctx, lda_plan *plan, tlv_pass *pass);

/* The end, but where a given k is doubted what two halves of the documents say comes before. */
extern tlv_status tlv_lda_finish_or_test(tlv_context *ctx, lda_plan *plan, tlv_pass *pass);

/* The model, labelled, with its diagnostics and warnings; where errors are wanted, which topics
 * come again from parts of the documents is seen before. */
extern tlv_status tlv_lda_finish(tlv_context *ctx, lda_plan *plan, tlv_pass *pass);

/* ---- recurrence.c ---- */

/* Topics whose mean L1 distance is above are not real. */
#define TLV_LDA_RECURRENCE_LIMIT 0.6

/* Is that still to be seen?  And the passes for it, after which tlv_lda_finish is called again. */
extern bool tlv_lda_is_to_recur(const lda_plan *plan);
extern tlv_status tlv_lda_recur(tlv_context *ctx, lda_plan *plan, tlv_pass *pass);
extern tlv_status tlv_lda_diagnose_recurrence(tlv_context *ctx, const lda_plan *plan,
											  tlv_diagnostics *to);

#endif /* TENSORLV_LDA_PLAN_H */
