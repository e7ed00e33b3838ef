/*
 * sha256.h - SHA-256 (FIPS 180-4), by which stored values are recognised.
 */
#ifndef TENSORLV_SHA256_H
#define TENSORLV_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLV_SHA256_SIZE	 32
#define TLV_SHA256_BLOCK 64

typedef struct tlv_sha256
{
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	unsigned char block[TLV_SHA256_BLOCK];
	bool plain; /* without the processor's instructions for it, which tests compare with */
} tlv_sha256;

/* Begins a message, of which any number of pieces are added in order. */
extern void tlv_sha256_init(tlv_sha256 *hash);
extern void tlv_sha256_add(tlv_sha256 *hash, const void *bytes, size_t size);
/* Its digest; the message must be begun anew before more is added. */
extern void tlv_sha256_finish(tlv_sha256 *hash, unsigned char digest[TLV_SHA256_SIZE]);

/* Whether this processor has instructions for it. */
extern bool tlv_sha256_accelerated(void);

#endif /* TENSORLV_SHA256_H */
