/*
 * tensorlv.c - module load: settings, libraries, build information.
 */
#include "tlv_pg.h"

#include <limits.h>
#include <unistd.h>

#include "access/parallel.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "tensorlv/num/hash.h"
#include "tensorlv/num/linalg.h"

#ifndef TENSORLV_VERSION
#error "TENSORLV_VERSION is set by the Makefile"
#endif

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "tensorlv", .version = TENSORLV_VERSION);
#else
PG_MODULE_MAGIC;
#endif

/* What ordinary fits take: embeddings of 1536 numbers, texts of 100,000 words. */
#define USUAL_KILOBYTES (1024 * 1024)

/* What the setting may be on any machine, so that a configuration can be copied. */
#define MOST_THREADS 64

int tlv_work_mem = USUAL_KILOBYTES;
int tlv_model_cache = 64 * 1024;
int tlv_progress = TLV_PROGRESS_OFF;
int tlv_warnings = TLV_WARNINGS_ON;
static int blas_threads = 1;
static int threads = 1;
static int cores = 1;

static const struct config_enum_entry progress_options[] = {{"off", TLV_PROGRESS_OFF, false},
															{"notice", TLV_PROGRESS_NOTICE, false},
															{"log", TLV_PROGRESS_LOG, false},
															{NULL, 0, false}};

static const struct config_enum_entry warnings_options[] = {
	{"off", TLV_WARNINGS_OFF, false},  {"on", TLV_WARNINGS_ON, false},
	{"log", TLV_WARNINGS_LOG, false},  {"true", TLV_WARNINGS_ON, true},
	{"false", TLV_WARNINGS_OFF, true}, {"yes", TLV_WARNINGS_ON, true},
	{"no", TLV_WARNINGS_OFF, true},	   {"1", TLV_WARNINGS_ON, true},
	{"0", TLV_WARNINGS_OFF, true},	   {NULL, 0, false}};

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	cores = (int) Max(sysconf(_SC_NPROCESSORS_ONLN), 1);
	DefineCustomIntVariable("tensorlv.work_mem", "Memory that one fit may use.",
							"-1 means maintenance_work_mem.", &tlv_work_mem, USUAL_KILOBYTES, -1,
							MAX_KILOBYTES, PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("tensorlv.model_cache",
							"Memory of models that a session keeps open for later statements.",
							"0 keeps none.", &tlv_model_cache, 64 * 1024, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("tensorlv.blas_threads", "Threads of BLAS within one fit.",
							"Parallel workers always use one.", &blas_threads, 1, 1, cores,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("tensorlv.threads", "Threads of one fit of communities.",
							"At most one for every processor, and one more than "
							"max_parallel_workers; parallel workers always use one.",
							&threads, 1, 1, MOST_THREADS, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("tensorlv.progress", "Where fits report their progress.", NULL,
							 &tlv_progress, TLV_PROGRESS_OFF, progress_options, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	DefineCustomEnumVariable("tensorlv.warnings", "Where fits raise what they warn of.",
							 "off: only tlv_warnings(model) has it.", &tlv_warnings,
							 TLV_WARNINGS_ON, warnings_options, PGC_USERSET, 0, NULL, NULL, NULL);
#if PG_VERSION_NUM >= 150000
	MarkGUCPrefixReserved("tensorlv");
#else
	EmitWarningsOnPlaceholders("tensorlv");
#endif
	TlvGuardReading();
	tlv_num_init();
	/* Items and ids come from users: none can be chosen to collide. */
	if (!pg_strong_random(&tlv_hash_key, sizeof(tlv_hash_key)))
		tlv_hash_key = 0;
	TlvApplyBlasThreads();
	TlvWarningsInit();
}

int
TlvThreads(void)
{
	if (IsParallelWorker())
		return 1;
	return Min(threads, Min(cores, max_parallel_workers + 1));
}

size_t
TlvWorkMemory(void)
{
	return (size_t) (tlv_work_mem < 0 ? maintenance_work_mem : tlv_work_mem) * 1024;
}

size_t
TlvValueMemory(void)
{
	return Max(TlvWorkMemory(), TLV_LEAST_MEMORY);
}

void
TlvApplyBlasThreads(void)
{
	int wanted = IsParallelWorker() ? 1 : blas_threads;
	sigset_t all, before;

	if (tlv_blas_threads() == wanted)
		return;
	/* Threads that BLAS starts must not take the server's signals. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	tlv_blas_set_threads(wanted);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Rows (property, detail): versions and the BLAS in use. */
TLV_FUNCTION(tlv_build_info)
{
	char threads[16];
	const char *rows[][2] = {{"version", TENSORLV_VERSION},	 {"postgresql", PG_VERSION},
							 {"blas", tlv_blas_config()},	 {"blas_flavour", tlv_blas_flavour()},
							 {"blas_core", tlv_blas_core()}, {"blas_provider", tlv_blas_provider()},
							 {"blas_threads", threads},		 {"gsl", tlv_gsl_version()},
							 {"compiler", __VERSION__}};

	snprintf(threads, sizeof(threads), "%d", tlv_blas_threads());
	TlvInitRows(fcinfo);
	for (size_t i = 0; i < lengthof(rows); i++)
		TlvPutRow(fcinfo, TlvText(rows[i][0]), TlvText(rows[i][1]));
	return (Datum) 0;
}
