/*
 * hash.h - one hash table, a template: open addressing, linear probing, at most half full.
 *
 * A table is a struct with members n (keys in it), slots and mask (one less than their number, a
 * power of two); all zero, it is empty.  Before this file is included, once for every table:
 *
 *     #define TLV_HASH_NAME word                        what the functions' names begin with
 *     #define TLV_HASH_TABLE word_table                 the type of the table
 *     #define TLV_HASH_SLOT word_slot                   the type of a slot; all zero, it is free
 *     #define TLV_HASH_USED(table, slot) ...            whether a slot (not a pointer) is taken
 *     #define TLV_HASH_KEY(table, slot) ...             its key, a uint64_t
 *
 * This makes word_slot_of, word_prefetch and word_reserve.  Nothing that is computed may depend on
 * the order of slots: it follows from tlv_hash_key.
 */
#ifndef TENSORLV_HASH_H
#define TENSORLV_HASH_H

#include "tensorlv/num/assert.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/rng.h"

/*
 * Keys come from users: with a random number here nobody can choose many that collide.  It is set
 * once in a process, before the first table is made; 0 unless it is.
 */
extern uint64_t tlv_hash_key;

static inline uint64_t
tlv_hash(uint64_t key)
{
	return tlv_mix64(key ^ tlv_hash_key);
}

#define TLV_HASH_FEWEST			((size_t) 16)
#define TLV_HASH_STRIDE			((size_t) 1 << 18) /* slots between two looks at tlv_should_stop() */
#define TLV_HASH_JOIN(a, b)		a##_##b
#define TLV_HASH_EXPAND(a, b)	TLV_HASH_JOIN(a, b)
#define TLV_HASH_FUNCTION(name) TLV_HASH_EXPAND(TLV_HASH_NAME, name)

#endif /* TENSORLV_HASH_H */

#ifdef TLV_HASH_NAME

/* The slot of a key, or the free one where it would be; there are slots. */
static inline TLV_HASH_SLOT *
TLV_HASH_FUNCTION(slot_of)(const TLV_HASH_TABLE *table, uint64_t key)
{
	size_t at = tlv_hash(key) & table->mask;

	tlv_assert(table->n <= table->mask); /* one slot is free at least, which ends the search */
	while (TLV_HASH_USED(table, table->slots[at]) && TLV_HASH_KEY(table, table->slots[at]) != key)
		at = (at + 1) & table->mask;
	return &table->slots[at];
}

/* Asks for the memory of a key that will soon be looked for. */
static inline void
TLV_HASH_FUNCTION(prefetch)(const TLV_HASH_TABLE *table, uint64_t key)
{
	__builtin_prefetch(&table->slots[tlv_hash(key) & table->mask]);
}

static tlv_status
TLV_HASH_FUNCTION(move_slots)(tlv_context *ctx, const TLV_HASH_TABLE *from, TLV_HASH_TABLE *to)
{
	for (size_t i = 0; from->slots != NULL && i <= from->mask; i++)
	{
		if (i % TLV_HASH_STRIDE == TLV_HASH_STRIDE - 1)
			TLV_TRY_CONTINUE(ctx);
		if (TLV_HASH_USED(from, from->slots[i]))
			*TLV_HASH_FUNCTION(slot_of)(to, TLV_HASH_KEY(from, from->slots[i])) = from->slots[i];
	}
	return TLV_OK;
}

/* Slots for so many keys, those there are included.  On error the table is as before. */
static inline tlv_status
TLV_HASH_FUNCTION(reserve)(tlv_context *ctx, TLV_HASH_TABLE *table, size_t keys)
{
	TLV_HASH_TABLE larger = *table;
	size_t slots = table->slots == NULL ? TLV_HASH_FEWEST : table->mask + 1;
	tlv_status status;

	if (table->slots != NULL && keys <= slots / 2)
		return TLV_OK;
	while (keys > slots / 2)
		slots *= 2;
	larger.slots = tlv_alloc0(ctx, slots, sizeof(TLV_HASH_SLOT));
	TLV_TRY_ALLOC(ctx, larger.slots);
	larger.mask = slots - 1;
	tlv_assert((larger.mask & slots) == 0 && table->n <= keys);
	status = TLV_HASH_FUNCTION(move_slots)(ctx, table, &larger);
	if (status != TLV_OK)
	{
		tlv_free(ctx, larger.slots);
		return status;
	}
	tlv_free(ctx, table->slots);
	*table = larger;
	return TLV_OK;
}

#undef TLV_HASH_NAME
#undef TLV_HASH_TABLE
#undef TLV_HASH_SLOT
#undef TLV_HASH_USED
#undef TLV_HASH_KEY

#endif /* TLV_HASH_NAME */
