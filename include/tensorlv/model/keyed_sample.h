/*
 * keyed_sample.h - what all random samples of rows share.  They keep the rows with the smallest
 * hashes of their content, so that the sample is the same in whatever order and parts rows arrive.
 *
 * What a row is and how it is stored, the samples of vectors (dense.h) and of sequences
 * (sequences.h) decide.
 */
#ifndef TENSORLV_KEYED_SAMPLE_H
#define TENSORLV_KEYED_SAMPLE_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/sections.h"

/* The head of the state of such a kind. */
typedef struct tlv_keyed_sample
{
	tlv_declared declared;
	size_t count; /* rows or numbers wanted; 0 before the first value is merged */
	uint64_t seed;
	uint64_t largest; /* keys above this have no chance any more */
	/* the stored form of count and seed */
	double wanted, stored_seed;
} tlv_keyed_sample;

/* The sections of count and seed; the latter is whole, but no count that would be added. */
#define TLV_KEYED_SAMPLE_COUNT                                                                     \
	{                                                                                              \
		"count", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN,                                \
			offsetof(tlv_keyed_sample, wanted)                                                     \
	}
#define TLV_KEYED_SAMPLE_SEED                                                                      \
	{                                                                                              \
		"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN,                           \
			offsetof(tlv_keyed_sample, stored_seed)                                                \
	}

/* The key of a row whose content is so many bytes. */
extern uint64_t tlv_keyed_sample_key(uint64_t seed, size_t bytes, const void *content);

/* An accumulator that takes its count and seed from the first value that is merged.  Errors:
 * memory. */
extern tlv_status tlv_keyed_sample_create(tlv_context *ctx, const tlv_accumulator_class *class,
										  tlv_accumulator **accumulator);

/* An accumulator of the constants' count, 1 to most of what is named ("rows", "numbers"), and seed.
 * Errors: TLV_BAD_PARAMETER, memory. */
extern tlv_status tlv_keyed_sample_begin(tlv_context *ctx, const tlv_accumulator_class *class,
										 const tlv_statistic *constants, size_t most,
										 const char *what, tlv_accumulator **accumulator);

/* Before a value is merged: its count and seed are the sample's.  Errors: TLV_BAD_PARAMETER. */
extern tlv_status tlv_keyed_sample_join(tlv_context *ctx, tlv_keyed_sample *sample,
										const tlv_frame *frame, const char *what);

/* Sets what is stored of count and seed. */
extern void tlv_keyed_sample_describe(tlv_keyed_sample *sample);

/* Requires a count of 1 to most, of which `held` are there, and a whole seed, *seed.  Errors:
 * TLV_CORRUPT. */
extern tlv_status tlv_keyed_sample_check(tlv_context *ctx, const tlv_frame *frame, double held,
										 double most, const char *what, uint64_t *seed);

/*
 * How many of n rows each of the distinct ones stands for, which occur `counts` times among the
 * `seen` rows: those that a sample has more than one of on average for exactly their share, the
 * others, which stand for what was left out as well, for what remains.
 */
extern void tlv_keyed_sample_share(size_t distinct, const double *counts, double seen, double n,
								   double *share);

#endif /* TENSORLV_KEYED_SAMPLE_H */
