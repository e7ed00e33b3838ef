/*
 * tuned.h - numbers that decide an answer.  They stand in the tuning.h of their room, each as
 *
 *     #define NAME TLV_TUNED(NAME, 0.5)
 *
 * below a comment that states its unit and what it decides.  TLV_TUNED(NAME, value) is the value,
 * with its type.
 *
 * In a build with TLV_TUNING (make TLV_TUNING=yes) an environment variable NAME replaces the value
 * in the whole process; it is read once at each place of use, so scripts/bench tuning measures what
 * half and twice of each number do with one build.  There a number is no constant expression: sizes
 * of arrays, labels of cases and static initialisers take plain constants.
 */
#ifndef TENSORLV_TUNED_H
#define TENSORLV_TUNED_H

#ifdef TLV_TUNING
#include <stdbool.h>
#include <stdlib.h>

#define TLV_TUNED(name, value)                                                                     \
	(__extension__({                                                                               \
		static bool tuned_is_read;                                                                 \
		static __typeof__(value) tuned_value;                                                      \
		if (!tuned_is_read)                                                                        \
		{                                                                                          \
			const char *tuned_text = getenv(#name);                                                \
			tuned_value = tuned_text == NULL ? (value) : (__typeof__(value)) atof(tuned_text);     \
			tuned_is_read = true;                                                                  \
		}                                                                                          \
		tuned_value;                                                                               \
	}))
#else
#define TLV_TUNED(name, value) (value)
#endif

#endif /* TENSORLV_TUNED_H */
