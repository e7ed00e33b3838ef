/*
 * membership.c - uses of category moments and with models of latent classes and mixed membership of
 * unknown origin: fits, and rows with a value missing.
 */
#include "uses.h"

#include <stdlib.h>

#include "tensorlv/model/categories.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/membership.h"

/* More categories, or variables, are too slow here. */
#define CATEGORIES_MOST 60

static void
use_members(tlv_context *ctx, const tlv_frame *frame)
{
	tlv_membership_parts parts;
	double *memberships;
	tlv_posterior posterior = {0};
	int32_t *codes;
	tlv_model *model;
	size_t slots;

	tlv_membership_read(frame, &parts);
	slots = parts.p * (size_t) parts.copies;
	if (slots > CATEGORIES_MOST || parts.categories > CATEGORIES_MOST)
		return;
	codes = tlv_alloc0(ctx, slots, sizeof(int32_t));
	memberships = tlv_alloc0(ctx, parts.k, sizeof(double));
	if (codes == NULL || memberships == NULL || tlv_model_open(ctx, frame, &model) != TLV_OK)
		return;
	tlv_membership_draw(&parts, tlv_membership_is_mixed(frame), 1, 1, codes, memberships);
	codes[slots - 1] = TLV_CATEGORY_MISSING;
	(void) tlv_model_infer(ctx, model, TLV_AS_CODES(slots, codes), &posterior);
	tlv_posterior_free(ctx, &posterior);
}

/* A fit that succeeds gives a model that can be stored and read back. */
static void
use_categories(tlv_context *ctx, const tlv_frame *frame, bool mixed)
{
	tlv_membership_options options = {.mixed = mixed, .k = 2, .copies = 1, .seed = 1};
	const tlv_section *singles = tlv_frame_find(frame, "singles");
	tlv_frame model;
	void *image;
	size_t size;

	if (singles == NULL || singles->rows > CATEGORIES_MOST)
		return;
	options.decompose.seed = 1;
	if (tlv_membership_fit(ctx, frame, &options, &image, &size) != TLV_OK)
		return;
	if (tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &model) != TLV_OK)
		abort();
	use_members(ctx, &model);
}

USES(membership)
{
	if (kind == &tlv_kind_category_moments)
		use_categories(&ctx, frame, mode % 2 == 1);
	if (kind == &tlv_kind_latent_classes || kind == &tlv_kind_grade_of_membership)
		use_members(&ctx, frame);
}
