/*
 * uses.h - what the frame harness does with valid values beyond what every kind can do by its
 * record (kind_uses.h).  Every file of test/fuzz/uses is of one family, and is found there by the
 * Makefile.
 */
#ifndef TENSORLV_FUZZ_USES_H
#define TENSORLV_FUZZ_USES_H

#include "tensorlv/model/kind.h"

extern tlv_context ctx;
extern tlv_frame_builder builder;

/* The uses of a family: USES(hmm) { if (kind == &tlv_kind_hmm) ...; }.  They see every value, its
 * kind, and seven bits of mode for choices, and announce themselves before the harness begins, so
 * that no list has to name them. */
#define USES(family)                                                                               \
	static void family##_uses(const tlv_frame *frame, const tlv_kind *kind, uint8_t mode);         \
	__attribute__((constructor)) static void family##_announce(void)                               \
	{                                                                                              \
		announce_uses(family##_uses);                                                              \
	}                                                                                              \
	static void family##_uses(const tlv_frame *frame, const tlv_kind *kind, uint8_t mode)

typedef void (*kind_uses)(const tlv_frame *frame, const tlv_kind *kind, uint8_t mode);
extern void announce_uses(kind_uses uses);

/* Return from a use that fails; errors are what is expected here. */
#define USE(expression)                                                                            \
	do                                                                                             \
	{                                                                                              \
		if ((expression) != TLV_OK)                                                                \
			return;                                                                                \
	} while (0)

#endif /* TENSORLV_FUZZ_USES_H */
