/*
 * kind_readers.c - which SQL functions read the parts of a model (kind_readers.h): those that most
 * users want; tlv_kinds() has all of them.
 */
#include "tensorlv/model/kind_readers.h"

const char *
tlv_kind_readers(const tlv_kind *kind)
{
	static const struct
	{
		const tlv_kind *kind;
		const char *readers;
	} known[] = {
		{&tlv_kind_lda, "tlv_topics and tlv_topic_items"},
		{&tlv_kind_mmsb, "tlv_memberships and tlv_communities"},
		{&tlv_kind_gaussian_mixture, "tlv_components, tlv_means and tlv_covariances"},
		{&tlv_kind_direction_mixture, "tlv_components and tlv_means"},
		{&tlv_kind_multiview, "tlv_components, tlv_means and tlv_categories"},
		{&tlv_kind_hmm, "tlv_states, tlv_transitions and tlv_emissions or tlv_means"},
		{&tlv_kind_ica, "tlv_mixing"},
		{&tlv_kind_tree, "tlv_tree_edges and tlv_tree_clusters"},
		{&tlv_kind_latent_classes, "tlv_components and tlv_categories"},
		{&tlv_kind_grade_of_membership, "tlv_components and tlv_categories"},
		{&tlv_kind_crowd, "tlv_workers and tlv_confusions"},
		{&tlv_kind_cp, "tlv_factors"},
		{&tlv_kind_tucker, "tlv_factors"},
		{&tlv_kind_convolution, "tlv_templates"},
		{&tlv_kind_dictionary, "tlv_atoms"},
		{&tlv_kind_network, "tlv_edges"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].kind == kind)
			return known[i].readers;
	return NULL;
}
