/*
 * lda_passes_fixture.h - plans that pass over the documents of a simulated corpus.
 */
#ifndef TENSORLV_TEST_LDA_PASSES_FIXTURE_H
#define TENSORLV_TEST_LDA_PASSES_FIXTURE_H

#include "lda_fixture.h"
#include "source_fixture.h"

static source_fixture passes;

/* The documents of a corpus, or a part of them, as rows. */
static inline fixture_rows
documents_of(const corpus *c, size_t from, size_t to)
{
	tlv_row *rows = room(to - from, sizeof(tlv_row));

	for (size_t t = from; t < to; t++)
		rows[t - from] = *TLV_AS_BAG(c->bags[t]);
	return (fixture_rows){to - from, rows};
}

static void
use_corpus(const corpus *c)
{
	fixture_forget(&passes);
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {documents_of(c, 0, c->n)}};
	passes.told.form = TLV_ROW_BAG;
}

#endif
