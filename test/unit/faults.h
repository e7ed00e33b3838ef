/*
 * faults.h - a call that is cut short: cancelled where it looks for interrupts, refused memory
 * where it takes some.  Whatever it is cut short by, it says so, and does not go on.
 *
 * In each of these `call` is an expression of a tlv_status, with the context ctx of the test; it is
 * evaluated as often as it is cut short.
 */
#ifndef TENSORLV_TEST_FAULTS_H
#define TENSORLV_TEST_FAULTS_H

#include "assertions.h"

/* Bytes that a call may leave in the arena when it is cut short; 0 in a program whose library calls
 * give back all that they take (malloc_setup.h). */
#ifndef FAULTS_LEAVE
#define FAULTS_LEAVE (SIZE_MAX / 2)
#endif

/* Looks for interrupts so far, and the one that says yes; 0: none. */
typedef struct fault_looks
{
	size_t looks, at;
} fault_looks;

static inline bool
fault_stops(void *argument)
{
	fault_looks *own = argument;

	return ++own->looks >= own->at && own->at > 0;
}

/* The status of a call under these looks. */
#define STATUS_UNDER(own, call)                                                                    \
	__extension__({                                                                                \
		bool (*stop_)(void *) = ctx.stop;                                                          \
		void *argument_ = ctx.stop_argument;                                                       \
		tlv_status under_;                                                                         \
		ctx.stop = fault_stops;                                                                    \
		ctx.stop_argument = &(own);                                                                \
		under_ = (call);                                                                           \
		ctx.stop = stop_;                                                                          \
		ctx.stop_argument = argument_;                                                             \
		under_;                                                                                    \
	})

/* Cancelled at look number `look`, from 1, it looks no more. */
#define assert_cancelled_at(look, call)                                                            \
	do                                                                                             \
	{                                                                                              \
		fault_looks own_ = {.at = (look)};                                                         \
		size_t held_ = ctx.arena.used;                                                             \
		assert_int_equal(STATUS_UNDER(own_, call), TLV_CANCELLED);                                 \
		assert_int_equal(own_.looks, own_.at);                                                     \
		assert_at_most(ctx.arena.used, held_ + FAULTS_LEAVE);                                      \
	} while (0)

/* It succeeds after at least `least` looks, and is cancelled at any of them, of which about `most`
 * are tried, evenly. */
#define assert_cancelled_anywhere(least, most, call)                                               \
	do                                                                                             \
	{                                                                                              \
		fault_looks free_ = {0};                                                                   \
		assert_ok(STATUS_UNDER(free_, call));                                                      \
		assert_at_least(free_.looks, least);                                                       \
		for (size_t look_ = 1; look_ <= free_.looks; look_ += 1 + free_.looks / (most))            \
			assert_cancelled_at(look_, call);                                                      \
	} while (0)

/* Memory ends that many bytes after what is held. */
#define assert_short_of_memory(bytes, call)                                                        \
	do                                                                                             \
	{                                                                                              \
		size_t held_ = ctx.arena.used;                                                             \
		ctx.arena.limit = held_ + (bytes);                                                         \
		assert_int_equal((call), TLV_MEMORY_LIMIT);                                                \
		ctx.arena.limit = SIZE_MAX;                                                                \
		assert_at_most(ctx.arena.used, held_ + FAULTS_LEAVE);                                      \
	} while (0)

/* The same at every `step` bytes up to what is enough; returns how often it was refused. */
#define COUNT_REFUSALS(step, call)                                                                 \
	__extension__({                                                                                \
		size_t refused_ = 0;                                                                       \
		for (;; refused_++)                                                                        \
		{                                                                                          \
			size_t held_ = ctx.arena.used;                                                         \
			tlv_status status_;                                                                    \
			ctx.arena.limit = held_ + refused_ * (step);                                           \
			status_ = (call);                                                                      \
			ctx.arena.limit = SIZE_MAX;                                                            \
			if (status_ == TLV_OK)                                                                 \
				break;                                                                             \
			assert_int_equal(status_, TLV_MEMORY_LIMIT);                                           \
			assert_at_most(ctx.arena.used, held_ + FAULTS_LEAVE);                                  \
		}                                                                                          \
		refused_;                                                                                  \
	})

#endif /* TENSORLV_TEST_FAULTS_H */
