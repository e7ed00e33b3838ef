/*
 * seeds.h - what makes the seeds of the fuzz harnesses: valid values of every kind, small.  Every
 * file of test/fuzz/seeds adds those of one family, and is found there by the Makefile.
 */
#ifndef TENSORLV_FUZZ_SEEDS_H
#define TENSORLV_FUZZ_SEEDS_H

#include "tensorlv/model/kind.h"
#include "tensorlv/num/bag.h"
#include "tensorlv/num/rng.h"

extern tlv_context ctx;
extern tlv_frame_builder builder;
extern tlv_rng rng; /* seeded anew for every family */

/* The seeds of a family: SEEDS(gmm) { must(...); save_frame(...); }.  They announce themselves
 * before main runs, so that no list has to name them. */
#define SEEDS(family)                                                                              \
	static void family##_seeds(void);                                                              \
	__attribute__((constructor)) static void family##_announce(void)                               \
	{                                                                                              \
		announce_seeds(family##_seeds);                                                            \
	}                                                                                              \
	static void family##_seeds(void)

extern void announce_seeds(void (*make)(void));

/* Ends the program with the error's message unless the status is TLV_OK. */
extern void must(tlv_status status);

/* One input of a harness: a byte of mode (below 0: none) and the bytes. */
extern void save(const char *harness, const char *name, int mode, const void *bytes, size_t size);

/* A value as two inputs of fuzz_frame, or of fuzz_graph: as it is, and to be repaired. */
extern tlv_frame save_frame(const char *name, void *image, size_t size);

/* The same of what an accumulator has collected. */
extern tlv_frame save_collected(const char *name, tlv_accumulator *accumulator);
/* The same as it would be stored, which is another form of small values of some kinds. */
extern tlv_frame save_stored(const char *name, tlv_accumulator *accumulator);

/* The same after 20 rows of three random numbers. */
extern tlv_frame collect_vectors(const char *name, tlv_accumulator *accumulator);

/* A bag on the heap. */
extern tlv_bag_image *make_bag(size_t n, const int64_t *items, const double *weights, size_t *size);

#endif /* TENSORLV_FUZZ_SEEDS_H */
