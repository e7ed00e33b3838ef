/*
 * rows.h - rows as only tests make them of numbers in memory (tensorlv/model/row.h has the others):
 * pointers to rows that live as long as the block.
 */
#ifndef TENSORLV_TEST_ROWS_H
#define TENSORLV_TEST_ROWS_H

#include <string.h>

#include "tensorlv/model/row.h"

#define TLV_AS_BAG(image)                                                                          \
	(&(const tlv_row){.form = TLV_ROW_BAG, .bag = (const tlv_bag_image *) (image)})
#define TLV_AS_NEIGHBOURS(id, image)                                                               \
	(&(const tlv_row){.form = TLV_ROW_NEIGHBOURS,                                                  \
					  .neighbours = {.bag = (const tlv_bag_image *) (image), .node = (id)}})
#define TLV_AS_NAMED_EDGE(from, from_name, to, to_name, value)                                     \
	(&(const tlv_row){                                                                             \
		.form = TLV_ROW_NAMED_EDGE,                                                                \
		.edge = {.source = (from),                                                                 \
				 .target = (to),                                                                   \
				 .weight = (value),                                                                \
				 .name = {{(from_name), strlen(from_name)}, {(to_name), strlen(to_name)}}}})
/* two ids */
#define TLV_AS_LABELS(a, b)                                                                        \
	(&(const tlv_row){.form = TLV_ROW_LABELS,                                                      \
					  .part = {TLV_PART(TLV_PART_IDS, 1, 1, (&(const int64_t){a})),                \
							   TLV_PART(TLV_PART_IDS, 1, 1, (&(const int64_t){b}))}})
/* n_a ids and n_b ids */
#define TLV_AS_COVERS(n_a, a, n_b, b)                                                              \
	(&(const tlv_row){                                                                             \
		.form = TLV_ROW_COVERS,                                                                    \
		.part = {TLV_PART(TLV_PART_IDS, n_a, 1, a), TLV_PART(TLV_PART_IDS, n_b, 1, b)}})
/* k_a numbers and k_b numbers */
#define TLV_AS_MEMBERSHIPS(k_a, a, k_b, b)                                                         \
	(&(const tlv_row){                                                                             \
		.form = TLV_ROW_MEMBERSHIPS,                                                               \
		.part = {TLV_PART(TLV_PART_FLOAT64, 1, k_a, a), TLV_PART(TLV_PART_FLOAT64, 1, k_b, b)}})
#define TLV_NAMED_PART(id, name)                                                                   \
	{                                                                                              \
		.type = (id) == NULL ? TLV_PART_NONE : TLV_PART_IDS, .n = 1, .d = 1, .ids = (id),          \
		.names = (name)                                                                            \
	}
/* ids and names (NULL: none) of item, worker (id NULL: none) and answer */
#define TLV_AS_ANSWER(item, item_name, worker, worker_name, answer, answer_name)                   \
	(&(const tlv_row){.form = TLV_ROW_ANSWER,                                                      \
					  .part = {TLV_NAMED_PART(item, item_name),                                    \
							   TLV_NAMED_PART(worker, worker_name),                                \
							   TLV_NAMED_PART(answer, answer_name)}})
/* ids and names (NULL: none) of the places of an entry, and its value */
#define TLV_AS_ENTRY(i, i_name, j, j_name, l, l_name, number)                                      \
	(&(const tlv_row){                                                                             \
		.form = TLV_ROW_ENTRY,                                                                     \
		.part = {TLV_NAMED_PART(i, i_name), TLV_NAMED_PART(j, j_name), TLV_NAMED_PART(l, l_name)}, \
		.value = (number)})
/* n ids of workers, n of answers */
#define TLV_AS_ANSWERS(n, workers, answers)                                                        \
	(&(const tlv_row){                                                                             \
		.form = TLV_ROW_ANSWERS,                                                                   \
		.part = {TLV_PART(TLV_PART_IDS, n, 1, workers), TLV_PART(TLV_PART_IDS, n, 1, answers)}})

#endif /* TENSORLV_TEST_ROWS_H */
