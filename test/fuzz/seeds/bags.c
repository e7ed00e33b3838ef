/*
 * bags.c - seeds of bags: every form of weights, and texts.
 */
#include "seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/bag.h"

SEEDS(bags)
{
	static const struct
	{
		const char *name;
		size_t n;
		int64_t items[4];
		double weights[4];
	} bags[] = {
		{"empty", 0, {0}, {0}},
		{"ones", 3, {-5, 1, 7}, {1, 1, 1}},
		{"counts8", 4, {-5, 1, 7, 9}, {1, 2, 3, 255}},
		{"counts16", 3, {-5, 1, 70000}, {1, 300, 2}},
		{"counts32", 3, {-5, 1, 7}, {1, 70000, 2}},
		{"weights", 3, {-5, 1, 7}, {0.5, 1, 1e300}},
		{"ends", 3, {INT64_MIN, 0, INT64_MAX}, {1, 2, 0.25}},
		{"wide", 2, {3, INT64_C(10000000000)}, {1, 9}},
	};
	static const char *const texts[] = {"{}",
										"{3:2,17:1}",
										" { 5 , 7 : 0.5 } ",
										"{1:1,1:2}",
										"{-9223372036854775808:1e300,9223372036854775807:1e-7}",
										"{3:0x1p3}",
										"{1:-1}",
										"{1:2:3}"};

	for (size_t i = 0; i < sizeof(bags) / sizeof(bags[0]); i++)
	{
		size_t size;
		void *image = make_bag(bags[i].n, bags[i].items, bags[i].weights, &size);

		save("bag_image", bags[i].name, -1, image, size);
		free(image);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		char name[20];

		snprintf(name, sizeof(name), "text%zu", i);
		save("bag_text", name, -1, texts[i], strlen(texts[i]));
	}
}
