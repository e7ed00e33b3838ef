/*
 * lda_passes_fixture.h - plans that pass over the documents of a simulated corpus.
 */
#ifndef TENSORLV_TEST_LDA_PASSES_FIXTURE_H
#define TENSORLV_TEST_LDA_PASSES_FIXTURE_H

#include "lda_fixture.h"
#include "rows.h"
#include "source_fixture.h"

static source_fixture passes;

static void
use_corpus(const corpus *c)
{
	tlv_row *rows = room(c->n, sizeof(tlv_row));

	for (size_t t = 0; t < c->n; t++)
		rows[t] = *TLV_AS_BAG(c->bags[t]);
	fixture_forget(&passes);
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{c->n, rows}}};
	passes.told.form = TLV_ROW_BAG;
}

#endif
