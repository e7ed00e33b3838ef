/*
 * pages.c - seeds of texts in pages: what ends a text in HTML, JSON, SVG and COPY, and characters
 * of every length (fuzz_page.c).
 */
#include "seeds.h"

#include <string.h>

SEEDS(pages)
{
	static const char *const texts[] = {"</script><img src=x>", "<!--<script>\\ \"'&amp;%3C",
										"caf\xc3\xa9 \xe2\x80\xae \xf0\x9f\x98\x80 \xef\xbf\xbf",
										"\xc3 \xed\xa0\x80 \xff\t\n\x7f"};
	char bytes[160];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
	{
		memcpy(bytes + n, texts[i], strlen(texts[i]) + 1);
		n += strlen(texts[i]) + 1;
		save("page", (const char[]){'t', (char) ('1' + i), '\0'}, (int) (i % 2), bytes, n);
	}
}
