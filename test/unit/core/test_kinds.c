/*
 * test_kinds.c - the table of kinds: in order, no code twice, every record with what its type
 * needs: a model that takes rows infers and has a likelihood.
 */
#include "assertions.h"
#include "tensorlv/model/kind.h"

TEST(test_table)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);

	assert_at_least(n, 34);
	for (size_t i = 0; i < n; i++)
	{
		const tlv_kind *kind = kinds[i];

		assert_above(kind->code, 0);
		assert_unequal(kind->name[0], '\0');
		assert_true(kind->check != NULL || tlv_kind_sections(kind) != NULL);
		if (i > 0)
			assert_above(kind->type * 256 + kind->code,
						 kinds[i - 1]->type * 256 + kinds[i - 1]->code);
		assert_ptr_equal(tlv_kind_find(kind->type, kind->code), kind);
		assert_equal(kind->model != NULL, kind->type == TLV_FRAME_MODEL);
		if (kind->model != NULL && kind->model->rows != 0)
			assert_true(kind->model->infer != NULL && kind->model->log_likelihood != NULL);
		assert_equal(kind->accumulator != NULL,
					 kind->type == TLV_FRAME_MOMENTS || kind->type == TLV_FRAME_GRAPH);
	}
}

/* Names are told apart within a type. */
TEST(test_names)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (kinds[i]->type == kinds[j]->type)
				assert_string_not_equal(kinds[i]->name, kinds[j]->name);
	assert_null(tlv_kind_find(TLV_FRAME_MODEL, 255));
	assert_null(tlv_kind_find(TLV_FRAME_GRAPH, 0));
}

RUN_TESTS(NULL, NULL)
