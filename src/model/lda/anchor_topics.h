/*
 * anchor_topics.h - what fits by anchor words share, whatever their rows are: choosing anchors,
 * topics from the shares of items, alpha0, the model.  Rows come from the pair moment in a basis
 * (anchors.c) or from the exact one (recover.c).
 */
#ifndef TENSORLV_LDA_ANCHOR_TOPICS_H
#define TENSORLV_LDA_ANCHOR_TOPICS_H

#include "tensorlv/model/anchors.h"
#include "tensorlv/model/lda.h"

typedef struct anchor_fit
{
	/* what the moments say */
	const tlv_frame *moments;
	size_t k;
	size_t dims; /* of a row */
	size_t d;
	const int64_t *items;
	const double *totals;
	const double *frequency;
	const double *shares; /* of the corpus */
	double tokens;
	double *rows;  /* dims x d */
	double *noise; /* d */
	uint8_t *candidate;
	/* anchors, and every item as a mixture of them */
	tlv_anchor_corners corners;
	double *mixtures; /* corners.k x d */
	double alpha0;
	bool searched; /* alpha0 was not given */
	struct
	{
		double *phi; /* k x d */
		double *weights;
		double *alpha;
		double *distance;
		int64_t *anchors;
	} topics; /* k each */
	tlv_diagnostics diagnostics;
} anchor_fit;

/* An alpha0 that is given is one that can be. */
extern tlv_status tlv_lda_anchor_alpha0(tlv_context *ctx, const tlv_lda_options *options);

/* The corners, those that are given first. */
extern tlv_status tlv_lda_choose_anchors(tlv_context *ctx, const tlv_lda_options *options,
										 anchor_fit *fit);

/* By Bayes' rule topics as mixtures of items, from fit->mixtures, which are freed; those without
 * weight are left out. */
extern tlv_status tlv_lda_topics_of_mixtures(tlv_context *ctx, anchor_fit *fit);

/* The second moments of the topics' shares (k x k) of the fit, which is the head of what its rows
 * come from.  TLV_BAD_DATA: these topics have none. */
typedef tlv_status (*anchor_second)(tlv_context *ctx, const anchor_fit *fit, double *second);

/* alpha0 where it is not given: by these second moments, or where they tell none the usual one. */
extern tlv_status tlv_lda_anchor_prior(tlv_context *ctx, const tlv_lda_options *options,
									   anchor_second find_second, anchor_fit *fit);

/* The model, with diagnostics and the warnings of fewer topics than were wanted. */
extern tlv_status tlv_lda_write_anchors(tlv_context *ctx, const tlv_lda_options *options,
										size_t wanted, anchor_fit *fit, void **image, size_t *size);

#endif /* TENSORLV_LDA_ANCHOR_TOPICS_H */
