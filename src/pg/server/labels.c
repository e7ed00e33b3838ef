/*
 * labels.c - what a model's components are called.
 */
#include "tlv_pg.h"

TlvCell
TlvComponentLabel(const tlv_frame *model, size_t component)
{
	return TlvText(NULL);
}
