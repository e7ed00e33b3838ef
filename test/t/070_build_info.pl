# What is linked and what a backend becomes: BLAS and its threads, memory of long roll-ups,
# plans of the driver's passes, how often a fit is evaluated.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $db = new_database('tlv_build_info');
my %info = map { /^(.*?)\|(.*)$/s ? ($1 => $2) : () } split /\n/, query($db, 'SELECT * FROM tlv_build_info()');
like($info{version} // '', qr/^\d+\.\d+\.\d+$/, 'version');
is($info{version}, query($db, "SELECT extversion FROM pg_extension WHERE extname = 'tensorlv'"), 'library and extension are of one version');
like($info{blas} // '', qr/OpenBLAS/, 'BLAS is OpenBLAS');
like($info{blas_provider} // '', qr/openblas/i, 'cblas comes from OpenBLAS');
unlike($info{blas_provider} // '', qr/gsl/i, 'not from GSL\'s reference code');
is($info{blas_threads}, '1', 'one thread');
like($info{blas_flavour} // '', qr/^(serial|pthread|openmp)$/, 'its flavour');
like($info{gsl} // '', qr/^\d+\.\d+/, 'GSL version');
is(query($db, 'SELECT count(*) FROM tlv_build_info() WHERE property IS NULL OR detail IS NULL OR detail = \'\''), '0', 'every row says something');

# a server of this machine whose processes can be looked at
my $here = ($ENV{PGHOST} // '') =~ m{^/} && -d '/proc/self/task';
query($db, <<'SQL');
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(2000, 10, alpha0 => 1), 3000, 100);
ANALYZE docs;
CREATE FUNCTION status(field text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (regexp_match(pg_read_file('/proc/self/status'), field || ':\s+(\d+)'))[1]::bigint
$$;
CREATE FUNCTION libraries() RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  SELECT DISTINCT substr(line, strpos(line, '/')) FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), '\n') line WHERE line LIKE '%/lib%.so%'
$$;
SQL
SKIP: {
    skip 'the server\'s processes cannot be seen', 12 unless $here && run_sql($db, "SELECT status('Threads')")->{status} == 0;
    is(query($db, "SELECT tlv_lda('SELECT bag FROM docs', 10) IS NOT NULL;\nSELECT status('Threads')"), "t\n1", 'one thread in a backend after a fit');
    is(query($db, "SET tensorlv.threads = 2;\nSELECT tlv_fit_mmsb(tlv_graph_agg(i, (i * i + 7 * i) % 3001), 3, alpha0 => 0.2) IS NOT NULL FROM generate_series(1, 30000) i;\nSELECT status('Threads')"),
        "t\n1", 'one again after a fit on two');
    is(query($db, "SELECT tlv_count_moments(bag) IS NOT NULL FROM docs;\nSELECT count(*) FROM libraries() l WHERE l LIKE '%libopenblas%'"), "t\n1", 'one OpenBLAS is loaded');
    is(query($db, "SELECT tlv_term_id('x') IS NOT NULL;\nSELECT count(*) FROM libraries() l WHERE l ~ 'lib(atlas|mkl|blis)|/blas/libblas|/lapack/liblapack\\.so'"), "t\n0", 'and no other BLAS');
    # what the module calls of the system: nothing that opens, connects, starts or shares
    my $module = (split /\n/, query($db, "SELECT tlv_term_id('x') IS NOT NULL;\nSELECT (regexp_match(pg_read_file('/proc/self/maps'), '/\\S*/tensorlv\\.so'))[1]"))[-1];
  SKIP: {
        skip 'there is no nm', 2 unless $module =~ m{/tensorlv\.so$} && qx(nm --version 2>/dev/null);
        my @calls = map { /\bU (\w+)/ ? $1 : () } qx(nm -D --undefined-only '$module');
        cmp_ok(scalar @calls, '>', 50, 'the module calls others');
        my $files = qr/f?open(?:at|64|dir)?|creat|unlink|rename|write|mmap(?:64)?/;
        my $others = qr/socket|connect|bind|listen|send\w*|v?fork|clone|exec\w+|popen|system|posix_spawn\w*|dlopen|shm\w*/;
        my @strange = grep { /^(?:$files|$others)$/ } @calls;
        is("@strange", '', 'but nothing that opens a file or a connection, starts a process or shares memory');
    }
    # signals reach the backend, not a thread of a library
    is(query($db, "SELECT tlv_build_info() IS NOT NULL LIMIT 1;\nSELECT pg_sleep(0) IS NOT NULL, status('Threads')"), "t\nt|1", 'loading starts no threads');

    # 3 MB a value, 300 times: what is detoasted for each must not stay
    my $growth = query($db, <<'SQL');
SELECT count(*) FROM tlv_topics((SELECT tlv_simulate_lda_model(5, 1)));
CREATE TABLE stored AS SELECT g, tlv_count_moments(bag) AS m FROM (SELECT doc % 4 AS g, bag FROM docs WHERE doc <= 80) d GROUP BY g;
CREATE TABLE summaries AS SELECT g, tlv_count_summary(tlv_to_bag(ARRAY[i, i + 1, i + 2]::bigint[])) AS m FROM generate_series(1, 2) g, generate_series(1, 100000) i GROUP BY g;
SELECT pg_column_size(m) > 3000000 FROM summaries LIMIT 1;
SELECT tlv_rollup(m) IS NOT NULL FROM summaries;
\set before `echo 0`
SELECT status('VmHWM') AS before \gset
SELECT tlv_rollup(m) IS NOT NULL FROM summaries, generate_series(1, 150);
SELECT tlv_rollup(m) IS NOT NULL FROM (SELECT i % 20 AS g, m FROM summaries, generate_series(1, 150) i) q GROUP BY g LIMIT 1;
SELECT 'growth', status('VmHWM') - :before;
SQL
    my ($kilobytes) = $growth =~ /^growth\|(\d+)$/m;
    # 300 values would be 1 GB
    cmp_ok($kilobytes // 1e9, '<', 300_000, "memory of a roll-up of 300 large values grows by $kilobytes kB");

    # a constant of 3 MB stored out of line is read once per group, not once per row
    my $constant = query($db, <<'SQL');
CREATE TABLE constants AS SELECT tlv_find_subspace(tlv_count_summary(bag), 100) AS s FROM docs;
SELECT tlv_count_moments(bag, s) IS NOT NULL FROM docs, constants WHERE doc <= 200;
SELECT status('VmHWM') AS before \gset
SELECT tlv_count_moments(bag, s) IS NOT NULL FROM docs, constants;
SELECT 'growth', status('VmHWM') - :before;
SQL
    ($kilobytes) = $constant =~ /^growth\|(\d+)$/m;
    cmp_ok($kilobytes // 1e9, '<', 20_000, "memory of 3000 rows with a large constant grows by $kilobytes kB");

    # fits in one session leave nothing behind
    my $fits = query($db, <<'SQL');
SELECT count(tlv_lda('SELECT bag FROM docs WHERE doc <= 500', 5, seed => i)) FROM generate_series(1, 30) i;
SELECT status('VmRSS') AS before \gset
SELECT count(m) FROM (SELECT tlv_lda('SELECT bag FROM docs WHERE doc <= 500', 5, seed => i) AS m FROM generate_series(1, 40) i OFFSET 0) q;
SELECT 'growth', status('VmRSS') - :before;
SQL
    ($kilobytes) = $fits =~ /^growth\|(-?\d+)$/m;
    cmp_ok($kilobytes // 1e9, '<', 20_000, "memory after 40 more fits grows by $kilobytes kB");

    # errors within fits leave nothing behind either
    my $errors = query($db, <<'SQL');
CREATE FUNCTION fails(times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int := 0;
BEGIN
  FOR i IN 1 .. times LOOP
    BEGIN
      PERFORM tlv_lda('SELECT CASE doc WHEN 400 THEN ''{1:1.5,2:2}'' ELSE bag END FROM docs WHERE doc <= 400', 5);
    EXCEPTION WHEN data_exception THEN n := n + 1;
    END;
  END LOOP;
  RETURN n;
END $$;
SELECT fails(5);
SELECT status('VmRSS') AS before \gset
SELECT fails(200);
SELECT 'growth', status('VmRSS') - :before;
SQL
    like($errors, qr/^200$/m, 'every fit with bad data fails');
    ($kilobytes) = $errors =~ /^growth\|(-?\d+)$/m;
    cmp_ok($kilobytes // 1e9, '<', 30_000, "memory after 200 failing fits grows by $kilobytes kB");
}

# the driver's passes are planned in parallel
SKIP: {
    my $explained = run_sql($db, <<'SQL');
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_nested_statements = on;
SET auto_explain.log_level = notice;
SET auto_explain.log_analyze = on;
SET auto_explain.log_timing = off;
SET auto_explain.log_verbose = on;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT tlv_lda('SELECT bag FROM docs', 5, refine => 'gibbs', iterations => 1) IS NOT NULL;
SQL
    skip 'auto_explain is missing', 8 if $explained->{errors} =~ /could not access file "auto_explain"/;
    my @plans = split /(?=NOTICE:  \w+: duration|NOTICE:  duration)/, $explained->{errors};
    for my $pass (qw(tlv_count_summary tlv_count_products tlv_count_moments tlv_statistics_typed)) {
        my @of = grep { /Output: [^\n]*\b$pass\(/ } @plans;
        ok(@of > 0, "the driver runs $pass");
        is(scalar(grep { !/Finalize Aggregate.*Gather.*Partial Aggregate/s } @of), 0, "$pass: every pass in parallel") or diag($of[0]);
    }
}

# a fit in FROM, used by two columns, is evaluated once
{
    my $result = run_sql($db, "SET client_min_messages = debug1;\nSELECT count(*)
        FROM (SELECT topic, alpha, weight FROM tlv_topics((SELECT tlv_lda('SELECT bag FROM docs WHERE doc <= 300', 3, refine => 'none')))) t;\n");
    my @first = $result->{errors} =~ /pass 1:/g;
    is(scalar @first, 1, 'a fit in a subquery is evaluated once') if $result->{errors} =~ /pass/;
    $result = run_sql($db, "SET client_min_messages = debug1;\nWITH m AS MATERIALIZED (SELECT tlv_lda('SELECT bag FROM docs WHERE doc <= 300', 3,
        refine => 'none') AS model) SELECT (SELECT count(*) FROM tlv_topics(model)), (SELECT count(*) FROM tlv_topic_items(model, 2)) FROM m;\n");
    @first = $result->{errors} =~ /pass 1:/g;
    is(scalar @first, 1, 'a materialized fit is evaluated once');
    is($result->{out}, '3|6', 'and read twice');
    # volatile: not evaluated twice by pulling it up either
    $result = run_sql($db, "SET client_min_messages = debug1;\nSELECT (SELECT count(*) FROM tlv_topics(model)),
        (SELECT count(*) FROM tlv_topic_items(model, 2)) FROM (SELECT tlv_lda('SELECT bag FROM docs WHERE doc <= 300', 3,
        refine => 'none') AS model) m;\n");
    @first = $result->{errors} =~ /pass 1:/g;
    is(scalar @first, 1, 'a fit in FROM is evaluated once');
}

# GSL must not end the process: arguments at which it complains
is(query($db, 'SELECT count(m) FROM unnest(ARRAY[1e-300, 1e-12, 1e9]) c, LATERAL (SELECT tlv_simulate_lda_model(5, 3, concentration => c, alpha0 => c) AS m) q'), '3', 'extreme Dirichlet parameters');
is(query($db, "SELECT count(*) FROM (SELECT tlv_topic_model('{1,2}', '{1,2}', '{1,1}', ARRAY[1e-4, 1e8]) AS m) q, tlv_simulate_lda(m, 10, 5)"), '10', 'documents of extreme parameters');
is(query($db, "SELECT (tlv_infer(m, '{1:1000000,2:1}'))[1] BETWEEN 0 AND 1, tlv_statistics(bag, m, 'stepwise') IS NOT NULL,
    tlv_statistics(bag, m) IS NOT NULL FROM (SELECT tlv_topic_model('{1,2}', '{1,2}', '{1,1}', ARRAY[1e-4, 1e8]) AS m OFFSET 0) q,
    (VALUES ('{1:1000000,2:1}'::tlv_bag)) v(bag) GROUP BY m"), 't|t|t', 'inference and statistics of extreme parameters');

drop_database($db);
done_testing();
