/*
 * plural.h - counts in messages.
 */
#ifndef TLV_PLURAL_H
#define TLV_PLURAL_H

/* The form of the words that follow the number n in a message. */
static inline const char *
tlv_plural(double n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

#endif /* TLV_PLURAL_H */
