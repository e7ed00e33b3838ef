/*
 * crowd.c - seeds of answers of workers, by number and by name, with known ones, and models of
 * them, one with workers who copy.
 */
#include "seeds.h"
#include "rows.h"

#include <stdio.h>
#include <string.h>

#include "tensorlv/model/crowd.h"

static void
add_named(tlv_accumulator *accumulator, int64_t item, int64_t worker, int64_t answer)
{
	char texts[3][8];
	tlv_text names[3];

	snprintf(texts[0], sizeof(texts[0]), "i%d", (int) item);
	snprintf(texts[1], sizeof(texts[1]), "w%d", (int) worker);
	snprintf(texts[2], sizeof(texts[2]), "a%d", (int) answer);
	for (int s = 0; s < 3; s++)
		names[s] = (tlv_text){texts[s], strlen(texts[s])};
	worker += 100;
	answer += 200;
	must(tlv_add(&ctx, accumulator,
				 TLV_AS_ANSWER(&item, names, &worker, names + 1, &answer, names + 2)));
}

/* Ten workers, of whom four say what a key does. */
static void
save_copies(void)
{
	tlv_accumulator *accumulator;
	tlv_crowd_parts parts;
	tlv_frame answers;
	void *image;
	size_t size;

	must(tlv_crowd_answers_create(&ctx, &accumulator));
	for (int64_t item = 0; item < 40; item++)
	{
		int64_t key = (int64_t) tlv_rng_below(&rng, 3);

		for (int64_t worker = 0; worker < 10; worker++)
		{
			int64_t own = tlv_rng_below(&rng, 3) > 0 ? item % 3 : (int64_t) tlv_rng_below(&rng, 3);
			int64_t answer = worker < 4 ? key : own;

			must(tlv_add(&ctx, accumulator,
						 TLV_AS_ANSWER(&item, NULL, &worker, NULL, &answer, NULL)));
		}
	}
	answers = save_collected("crowd-answers-copies", accumulator);
	must(tlv_crowd_fit(&ctx, &answers, &tlv_crowd_defaults, &image, &size));
	answers = save_frame("crowd-copies", image, size);
	tlv_crowd_read(&answers, &parts);
	if (parts.copies == NULL)
		must(tlv_fail(&ctx, TLV_INTERNAL, "the seed with copies has none"));
}

SEEDS(crowd)
{
	tlv_accumulator *numbers, *names;
	tlv_frame answers;
	void *image;
	size_t size;

	must(tlv_crowd_answers_create(&ctx, &numbers));
	save_collected("crowd-answers-none", numbers);
	must(tlv_crowd_answers_create(&ctx, &names));
	for (int64_t i = 0; i < 60; i++)
	{
		int64_t item = i / 4, worker = i % 4, answer = worker == 3 ? i % 5 % 2 : item % 2;

		must(tlv_add(&ctx, numbers, TLV_AS_ANSWER(&item, NULL, &worker, NULL, &answer, NULL)));
		add_named(names, item, worker, answer);
	}
	answers = save_collected("crowd-answers-named", names);
	must(tlv_crowd_fit(&ctx, &answers, &tlv_crowd_defaults, &image, &size));
	save_frame("crowd-named", image, size);
	must(tlv_add(&ctx, numbers,
				 TLV_AS_ANSWER(&(const int64_t){3}, NULL, NULL, NULL, &(const int64_t){1}, NULL)));
	answers = save_collected("crowd-answers", numbers);
	must(tlv_crowd_fit(&ctx, &answers, &tlv_crowd_defaults, &image, &size));
	save_frame("crowd", image, size);
	save_copies();
}
