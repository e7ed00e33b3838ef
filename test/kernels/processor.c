/*
 * processor.c - the processor that the clones of the hot loops see (TLV_CLONES), in place of
 * libgcc's account of the true one: with the features of TLV_CPU_FEATURES alone.  Linked before
 * libgcc, it decides which clone each loop runs.
 */
#define FEATURE_AVX2                                                                               \
	(1U << 10) /* numbers of GCC's enum processor_features, which no release has changed */
#define FEATURE_AVX512F (1U << 15)

struct cpu_model
{
	unsigned vendor, type, subtype, features[1];
};

__attribute__((visibility("hidden"))) struct cpu_model __cpu_model = {
	.features = {TLV_CPU_FEATURES}};
__attribute__((visibility("hidden"))) unsigned __cpu_features2[4];

__attribute__((visibility("hidden"))) int __cpu_indicator_init(void);

/* Called by the function that chooses a clone; there is nothing to find out. */
int
__cpu_indicator_init(void)
{
	return 0;
}
