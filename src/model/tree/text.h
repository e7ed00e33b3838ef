/*
 * text.h - text that grows in the arena, with numbers that no locale changes.
 */
#ifndef TENSORLV_TREE_TEXT_H
#define TENSORLV_TREE_TEXT_H

#include "tensorlv/num/json.h"

/* After an error nothing more is added; tree_text_end returns it. */
typedef struct tree_text
{
	tlv_context *ctx;
	tlv_status status;
	tlv_json_writer text;
} tree_text;

extern void tree_text_begin(tree_text *t, tlv_context *ctx);
extern tlv_status tree_text_end(tree_text *t, char **text);
extern void tree_text_add(tree_text *t, const char *string);
/* With at most `decimals` (0 to 6) decimals, without zeros at the end; |x| < 1e12. */
extern void tree_text_number(tree_text *t, double x, int decimals);

/*
 * The character at *at, which moves behind it: U+FFFD for what is not UTF-8; 0 at the end.
 */
extern uint32_t tree_text_next(const char **at);
extern void tree_text_character(tree_text *t, uint32_t character);

#endif /* TENSORLV_TREE_TEXT_H */
