/*
 * tensors.c - seeds of entries of tensors, by number and by name, and models of them.
 */
#include "seeds.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

#include "tensorlv/model/tensors.h"

static void
fit_tensor(const char *name, const tlv_frame *entries, bool nonnegative)
{
	const tlv_cp_fit_options options = {.k = 2, .nonnegative = nonnegative, .seed = 1};
	tlv_tensor_source source;
	void *image;
	size_t size;

	must(tlv_tensor_load(&ctx, entries, false, &source));
	must(tlv_cp_fit(&ctx, &source, &options, &image, &size));
	save_frame(name, image, size);
}

static void
shorten_tensor(const char *tucker, const char *train, const tlv_frame *entries)
{
	const tlv_tucker_fit_options bases = {.ranks = {2, 2, 2}, .iterations = -1, .seed = 1};
	const tlv_train_fit_options chain = {.ranks = {2, 2}};
	tlv_tensor_source source;
	void *image;
	size_t size;

	must(tlv_tensor_load(&ctx, entries, false, &source));
	must(tlv_tucker_fit(&ctx, &source, &bases, &image, &size));
	save_frame(tucker, image, size);
	must(tlv_train_fit(&ctx, &source, &chain, &image, &size));
	save_frame(train, image, size);
}

SEEDS(tensors)
{
	tlv_accumulator *numbers, *names;
	tlv_frame entries;

	must(tlv_tensor_entries_create(&ctx, &numbers));
	save_collected("tensor-entries-none", numbers);
	must(tlv_tensor_entries_create(&ctx, &names));
	for (int64_t n = 0; n < 60; n++)
	{
		int64_t i = n / 12, j = n / 3 % 4, l = n % 3, i_id = i + 100;
		char text[8];
		tlv_text name = {text, (size_t) snprintf(text, sizeof(text), "i%d", (int) i)};

		must(tlv_add(&ctx, numbers,
					 TLV_AS_ENTRY(&i, NULL, &j, NULL, &l, NULL, (double) (1 + i * j * l % 5))));
		if (n % 7 == 0)
			must(tlv_add(&ctx, names,
						 TLV_AS_ENTRY(&i_id, &name, &j, NULL, &l, NULL, .5 + (double) (n % 3))));
	}
	entries = save_collected("tensor-entries-named", names);
	fit_tensor("cp-named", &entries, true);
	shorten_tensor("tucker-named", "tensor-train-named", &entries);
	entries = save_collected("tensor-entries", numbers);
	fit_tensor("cp", &entries, false);
}
