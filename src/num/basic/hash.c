/*
 * hash.c - the key of all hash tables (hash.h).
 */
#include "tensorlv/num/hash.h"

uint64_t tlv_hash_key = 0;
