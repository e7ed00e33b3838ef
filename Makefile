# tensorlv - latent variable models by tensor and moment methods
#
#   make                 the extension, for the server of PG_CONFIG
#   make install         into that server's directories (or below DESTDIR)
#   make installcheck    regression and TAP tests, against the server of PGHOST, PGPORT, PGUSER
#   make check-num       unit tests of the plain C library, no server needed
#   make check-asan      the same under AddressSanitizer and UBSan, and a bounded fuzz run
#   make fuzz            the fuzz run alone, FUZZ_RUNS executions per harness
#   make fuzz-sql        FUZZ_CALLS hostile calls of every function, against that server
#   make check-largest   the largest models of every kind in every function, against that server
#   make check-valgrind  the regression tests with the server under valgrind
#   scripts/check [BASE] what a commit needs, in two minutes: the linters and the tests of what differs from main
#   scripts/check-kernels  tests and fits under other kernels of OpenBLAS, clones and threads
#   make check-interrupts  the longest stretch of every phase without a look at interrupts
#   make lint            formatting, static analysis, floors, shell scripts
#   make deb             Debian packages of every server version that the machine knows, in build/deb
#   make site            the pages as a static site, in build/site
#   make help            these lines
#
# scripts/test and scripts/demo do everything on a bare machine.

EXTENSION  = tensorlv
# The version stands in the control file and nowhere else.
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" tensorlv.control)

MODULE_big = tensorlv

NUM_SOURCES   := $(sort $(wildcard src/num/*/*.c))
MODEL_SOURCES := $(sort $(wildcard src/model/*/*.c src/model/*/*/*.c))
PG_SOURCES    := $(sort $(wildcard src/pg/*/*.c src/pg/*/*/*.c))
LIBRARY_SOURCES := $(NUM_SOURCES) $(MODEL_SOURCES)
PG_OBJECTS := $(PG_SOURCES:.c=.o)
OBJS        = $(LIBRARY_SOURCES:.c=.o) $(PG_OBJECTS)
OUR_HEADERS := $(wildcard include/tensorlv/*/*.h include/tensorlv/*/*.def \
                 src/num/*/*.h src/model/*/*.h src/model/*/*/*.h src/pg/*/*.h) build/page_assets.h
PAGE_ASSETS := $(addprefix src/model/page/,page.css page.js topics.js communities.js profiles.js chain.js \
                 tree.js matrix.js crowd.js)

# The install script is put together from parts: those that others stand on
# first, then every other part of sql/ by name.
SQL_FIRST  = types bags moments decompose topics
SQL_FOUND := $(filter-out sql/tensorlv--%,$(sort $(wildcard sql/*.sql)))
SQL_PARTS := $(filter $(SQL_FOUND),$(SQL_FIRST:%=sql/%.sql))
SQL_PARTS += $(filter-out $(SQL_PARTS),$(SQL_FOUND))

DATA       = $(wildcard sql/tensorlv--*--*.sql)
DATA_built = build/tensorlv--$(EXTVERSION).sql
EXTRA_CLEAN = build

# ---------------------------------------------------------------------------
# Flags.  WERROR= (empty) turns warnings of an unknown compiler into warnings.

WERROR       ?= -Werror
# TLV_DEFINES: what a build for tests has otherwise, as TLV_FRAME_MAX_BYTES.
DEFINES       = -DTENSORLV_VERSION='"$(EXTVERSION)"' $(TLV_DEFINES)
# No multiplication is merged with an addition: every clone rounds as every other one does.
ROUNDING      = -ffp-contract=off
# OpenBLAS before GSL: the other order takes cblas_* from GSL's reference code.
LIBRARIES     = -llapacke -lopenblas -lgsl -lgslcblas -lpthread -ldl -lm
WARNINGS      = -Wall -Wextra $(WERROR) -Wno-unused-parameter
LIBRARY_FLAGS = -std=gnu11 -ftree-vectorize $(ROUNDING) -fvisibility=hidden $(WARNINGS) -DTLV_ASSERTIONS

# TLV_TUNING=yes: the numbers of every tuning.h are read from the environment (tensorlv/num/tuned.h).
ifneq ($(strip $(TLV_TUNING)),)
DEFINES  += -DTLV_TUNING
WARNINGS += -Wno-sign-compare
endif

PG_CPPFLAGS = -Iinclude -Ibuild $(DEFINES)
# C99 declarations are welcome; the server's flags on 13 to 18 warn of them.
PG_CFLAGS   = -std=gnu11 -O2 -ftree-vectorize $(ROUNDING) -fvisibility=hidden $(WARNINGS) \
              -Wno-declaration-after-statement
SHLIB_LINK  = $(LIBRARIES)
ifeq ($(shell uname -s),Linux)
SHLIB_LINK += -Wl,--version-script=build/exports.list
endif

# No bitcode: the hot loops are cloned per instruction set, which it would lose.
override with_llvm := no

# ---------------------------------------------------------------------------
# Tests that need a server

REGRESS      = $(sort $(notdir $(basename $(wildcard test/sql/*.sql))))
# expected/ lies at the top level; test/expected leads pg_regress there.
REGRESS_OPTS = --inputdir=test --outputdir=build/regress --load-extension=tensorlv
TAP_TESTS_FILES = $(sort $(wildcard test/t/*.pl))
PROVE_TESTS  = $(TAP_TESTS_FILES)
NO_INSTALLCHECK = 1

PG_CONFIG ?= pg_config

# Goals that know nothing of a server work without one.
SERVERLESS = check-asan check-asan-tests fuzz lint help clean-build deb site
# TLV_SHARED_OBJECTS=yes: the unit tests take the objects of the extension, both with assertions, so that the library is
# compiled once (scripts/test).
ifeq ($(TLV_SHARED_OBJECTS),)
SERVERLESS += check-num
else
TLV_ASSERTIONS = yes
endif
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(SERVERLESS),$(MAKECMDGOALS)),all),)
ifeq ($(shell command -v $(PG_CONFIG)),)
$(error $(PG_CONFIG) not found. Install the server headers (Debian: apt-get install postgresql-server-dev-all) or give PG_CONFIG=/path/to/pg_config)
endif
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq ($(wildcard $(PGXS)),)
$(error $(PGXS) is missing. Install the server headers (Debian: apt-get install postgresql-server-dev-$(shell $(PG_CONFIG) --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')))
endif
# Invariants of floors 1 and 2 are asserted where the server's are (tensorlv/num/assert.h).
TLV_ASSERTIONS ?= $(shell cat "`$(PG_CONFIG) --includedir-server`"/pg_config*.h 2>/dev/null | \
                    sed -n 's/^.define USE_ASSERT_CHECKING 1$$/yes/p')
ifneq ($(strip $(TLV_ASSERTIONS)),)
PG_CPPFLAGS += -DTLV_ASSERTIONS
endif
include $(PGXS)
else
all:
CC = gcc
endif

# Headers of the server compare signed with unsigned in inline functions.
# Only from 16 on do they mark functions for SQL as visible; so what src/pg
# shows is settled by the linker, the same on every version.
$(PG_OBJECTS): override CFLAGS += -Wno-sign-compare -Wno-missing-field-initializers \
                                  -fvisibility=default -Isrc/pg
$(OBJS): $(OUR_HEADERS) tensorlv.control | prerequisites

.PHONY: prerequisites unit-prerequisites
prerequisites:
	@CC='$(CC)' scripts/check-prerequisites $(LIBRARIES)
unit-prerequisites:
	@CC='$(CC)' scripts/check-prerequisites -lcmocka $(LIBRARIES)

# The scripts and the style of the pages of models (tlv_html), as C strings.  Where they are unchanged the file keeps its
# time, so that nothing is compiled again.
build/page_assets.h: src/model/page/assets.awk $(PAGE_ASSETS) Makefile
	@mkdir -p $(@D)
	@awk -f $(filter-out Makefile,$^) > $@.$$$$ && { cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@; }

# The list of the parts changes when one of them disappears.
.PHONY: sql-parts
sql-parts:
build/sql-parts: sql-parts
	@mkdir -p build
	@echo '$(SQL_PARTS)' | cmp -s - $@ || echo '$(SQL_PARTS)' > $@

build/tensorlv--$(EXTVERSION).sql: $(SQL_PARTS) sql/expand.awk sql/type.sql.in build/sql-parts tensorlv.control Makefile
	{ printf '%s\n' '\echo Use "CREATE EXTENSION tensorlv" to load this file. \quit'; \
	  for part in $(SQL_PARTS); do printf '\n'; awk -f sql/expand.awk "$$part" || exit 1; done; } > $@.new
	mv $@.new $@

# Visible: the functions for SQL (those with a pg_finfo_ companion) and the
# entry points of a loadable module.  Nothing else.
tensorlv.so tensorlv.dylib: build/exports.list
build/exports.list: $(PG_OBJECTS)
	@mkdir -p build
	@{ echo '{ global: Pg_magic_func; _PG_init;'; \
	   nm -g $(PG_OBJECTS) | sed -n 's/^[0-9a-f]* T \(pg_finfo_\(.*\)\)$$/\1; \2;/p' | sort; \
	   echo 'local: *; };'; } > $@.new
	@mv $@.new $@

# The extension as a processor without AVX-512 (avx2), or without AVX2, too (none), runs it:
# the same objects, with other clones of the hot loops chosen (scripts/check-kernels).
CLONES_avx2 = FEATURE_AVX2
CLONES_none = 0
build/clones/%/tensorlv.so: test/kernels/processor.c $(OBJS) build/exports.list
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_SL) '-DTLV_CPU_FEATURES=$(CLONES_$*)' -shared -o $@ $< $(OBJS) $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

.PHONY: installcheck installcheck-regress run-pg-regress installcheck-tap
installcheck:
	@status=0; \
	$(MAKE) --no-print-directory installcheck-regress || status=1; \
	$(MAKE) --no-print-directory installcheck-tap || status=1; \
	exit $$status

# The files are dealt out to REGRESS_JOBS runs of pg_regress, each in a database of its own.
REGRESS_JOBS ?= $(shell n=`nproc 2>/dev/null || echo 2`; [ $$n -lt 4 ] || n=4; echo $$n)

installcheck-regress:
ifneq ($(strip $(REGRESS)),)
	@scripts/run-regress $(REGRESS_JOBS) '$(MAKE) --no-print-directory run-pg-regress' $(REGRESS)
endif

run-pg-regress: # REGRESS=... PART=n
	$(pg_regress_installcheck) $(REGRESS_OPTS) --outputdir=build/regress/$(PART) --dbname=$(CONTRIB_TESTDB)_$(PART) $(REGRESS)

installcheck-tap:
ifneq ($(strip $(PROVE_TESTS)),)
	@PATH="$(bindir):$$PATH" scripts/run-tap $(PROVE_TESTS)
endif

# Hostile calls of every function (test/t/140_hostile_calls.pl) and hostile queries (145): more than the tests make, or as
# many as there are in FUZZ_SQL_SECONDS, from another seed every time unless FUZZ_SEED says which.
FUZZ_CALLS       ?= 100000
FUZZ_SQL_SECONDS ?= 0
FUZZ_SEED        ?= $(shell date +%s)

.PHONY: fuzz-sql
fuzz-sql:
	@PATH="$(bindir):$$PATH" TLV_CALLS=$(FUZZ_CALLS) TLV_CALL_SECONDS=$(FUZZ_SQL_SECONDS) \
		TLV_CALL_SEED=$(FUZZ_SEED) TAP_VERBOSE=1 scripts/run-tap test/t/140_hostile_calls.pl test/t/145_hostile_queries.pl

# Models of every kind, of these megabytes, in every function that takes one; prints the worst ten.
LARGEST ?= 10,64

.PHONY: check-largest
check-largest:
	@PATH="$(bindir):$$PATH" TLV_LARGEST=$(LARGEST) TAP_VERBOSE=1 scripts/run-tap test/t/240_largest_values.pl

# ---------------------------------------------------------------------------
# The plain C library, without a server.  One rule set per way of compiling:
# build/num (as shipped), build/asan (gcc, sanitizers), build/fuzz (clang); all
# with assertions.

UNIT_SOURCES := $(sort $(wildcard test/unit/*/test_*.c))
FUZZ_SOURCES := $(sort $(wildcard test/fuzz/fuzz_*.c))
USE_SOURCES  := $(sort $(wildcard test/fuzz/uses/*.c))
SEED_SOURCES := test/fuzz/make_corpus.c $(sort $(wildcard test/fuzz/seeds/*.c))
TEST_HEADERS := $(wildcard test/unit/*.h test/fuzz/*.h)
TEST_FLAGS    = -Iinclude -Isrc -Itest/unit -Itest/fuzz $(DEFINES)
# The time of a unit test is spent in the library: to optimise the test itself takes longer than it runs.
UNIT_FLAGS    = $(TEST_FLAGS) -O0
# gold links a test in half the time of the usual linker.
UNIT_LINKER  := $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold)

CLANG       ?= clang
NUM_CC       = $(CC)
NUM_FLAGS    = $(LIBRARY_FLAGS) -O2 -g
ASAN_CC      = $(CC)
# Loops full of checks are not vectorised, and a report needs lines only: a fifth of the compiler's time.
CHECKED_FLAGS = $(LIBRARY_FLAGS) -g1 -fno-omit-frame-pointer -fno-tree-vectorize -fno-tree-slp-vectorize \
               -fno-sanitize-recover=all
# Without null and object-size: the sanitizer of addresses finds accesses through null pointers and beyond objects itself,
# and a second check of each takes a fifth of the compiler's time.
SANITIZERS    = -fsanitize=address,undefined -fno-sanitize=null,object-size
# -O2 would shorten the unit tests by a twelfth, and lengthen compilation by five times what that saves.
ASAN_FLAGS   = $(CHECKED_FLAGS) -O1 $(SANITIZERS)
FUZZ_CC      = $(or $(CLANG),clang)
FUZZ_LEVEL   = -O1
FUZZ_FLAGS   = $(CHECKED_FLAGS) $(FUZZ_LEVEL) $(SANITIZERS) -fsanitize=fuzzer-no-link

define LIBRARY_RULES
$(1)_OBJECTS ?= $$(LIBRARY_SOURCES:src/%.c=build/$(1)/%.o)
build/$(1)/%.o: src/%.c $$(OUR_HEADERS) tensorlv.control | prerequisites
	@mkdir -p $$(@D)
	$$($(2)_CC) $$($(2)_FLAGS) -Iinclude -Ibuild $$(DEFINES) -c -o $$@ $$<
build/$(1)/libtensorlv.a: $$($(1)_OBJECTS)
	@mkdir -p $$(@D)
	@rm -f $$@
	ar qcs $$@ $$^
endef
ifneq ($(TLV_SHARED_OBJECTS),)
num_OBJECTS = $(LIBRARY_SOURCES:.c=.o)
endif
$(eval $(call LIBRARY_RULES,num,NUM))
$(eval $(call LIBRARY_RULES,asan,ASAN))
$(eval $(call LIBRARY_RULES,fuzz,FUZZ))

build/num/test/%: test/unit/%.c build/num/libtensorlv.a $(OUR_HEADERS) $(TEST_HEADERS) | unit-prerequisites
	@mkdir -p $(@D)
	$(NUM_CC) $(NUM_FLAGS) $(UNIT_FLAGS) $(UNIT_LINKER) -o $@ $< build/num/libtensorlv.a -lcmocka $(LIBRARIES)
# Tests are checked for addresses alone; the library is checked for undefined behaviour, too.
build/asan/test/%: test/unit/%.c build/asan/libtensorlv.a $(OUR_HEADERS) $(TEST_HEADERS) | unit-prerequisites
	@mkdir -p $(@D)
	$(ASAN_CC) $(ASAN_FLAGS) $(UNIT_FLAGS) -fno-sanitize=undefined -c -o $@.o $<
	$(ASAN_CC) $(ASAN_FLAGS) -o $@ $@.o build/asan/libtensorlv.a -lcmocka $(LIBRARIES)
build/fuzz/fuzz_%: test/fuzz/fuzz_%.c build/fuzz/libtensorlv.a $(OUR_HEADERS) $(TEST_HEADERS)
	$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer $(TEST_FLAGS) -o $@ $(filter %.c,$^) build/fuzz/libtensorlv.a $(LIBRARIES)
build/fuzz/fuzz_frame: $(USE_SOURCES)

# Seeds of the harnesses, one of every kind at least; with the library of the unit tests, which is optimised: models are fitted.
build/fuzz/make_corpus: $(SEED_SOURCES) build/asan/libtensorlv.a $(OUR_HEADERS) $(TEST_HEADERS)
	@mkdir -p $(@D)
	$(ASAN_CC) $(ASAN_FLAGS) $(TEST_FLAGS) -o $@ $(SEED_SOURCES) build/asan/libtensorlv.a $(LIBRARIES)
build/fuzz/corpus.made: build/fuzz/make_corpus
	@rm -rf build/fuzz/corpus
	ASAN_OPTIONS=detect_leaks=0 build/fuzz/make_corpus build/fuzz/corpus
	@touch $@

NUM_TESTS  = $(UNIT_SOURCES:test/unit/%.c=build/num/test/%)
ASAN_TESTS = $(UNIT_SOURCES:test/unit/%.c=build/asan/test/%)
FUZZERS    = $(FUZZ_SOURCES:test/fuzz/%.c=build/fuzz/%)

# Executions per harness; FUZZ_SECONDS bounds all harnesses together, 0 does not.
FUZZ_RUNS    ?= 1000000
FUZZ_SECONDS ?= 0
UNIT_JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: help check-num check-asan check-asan-tests fuzz check-valgrind check-interrupts lint deb site clean-build
check-num: $(NUM_TESTS)
	@scripts/run-unit check-num $(UNIT_JOBS) $(NUM_TESTS)

# Fuzzers that run for some seconds are not optimised: they reach two thirds of the inputs, and the compiler takes a quarter of its time.
check-asan check-asan-tests: FUZZ_LEVEL = -O0
check-asan-tests: $(ASAN_TESTS) $(FUZZERS) build/fuzz/make_corpus
	@scripts/run-unit check-asan $(UNIT_JOBS) $(ASAN_TESTS)

# Seeds are made after the tests: what ends their maker does not hide what the tests say.
check-asan: $(ASAN_TESTS) $(FUZZERS) build/fuzz/make_corpus
	@status=0; \
	$(MAKE) --no-print-directory check-asan-tests || status=1; \
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=40 || status=1; \
	exit $$status

fuzz: $(FUZZERS) build/fuzz/corpus.made
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/run-fuzz $(FUZZ_RUNS) $(UNIT_JOBS) $(FUZZERS)

check-valgrind:
	@scripts/check-valgrind

check-interrupts:
	@scripts/check-interrupts

# The comment at the head of this file.
help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

lint: build/page_assets.h
	@scripts/lint

deb:
	@scripts/deb

site:
	@scripts/site

clean-build:
	rm -rf build
