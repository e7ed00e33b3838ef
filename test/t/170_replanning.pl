# What a query can do between the moment at which a driver reads its text and the last of its passes: functions that
# change settings, roles and schemas while they are planned or run, members of the extension's schema that add
# functions and operators of its names, casts, other servers.  Every driver of the catalogue takes part.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/lib';
use TlvTest;

my $log = server_log_size();
my $db = new_database('tlv_replanning');
query($db, 'DROP ROLE IF EXISTS regress_tlv_member; DROP ROLE IF EXISTS regress_tlv_other;
    CREATE ROLE regress_tlv_member; CREATE ROLE regress_tlv_other; GRANT ALL ON SCHEMA public TO regress_tlv_member;');

# ---- rows of every form, and in another schema tables of the same names with bytes of another type ----

query($db, <<'SQL');
CREATE SCHEMA good;
CREATE SCHEMA evil;
SET search_path = good, public;
CREATE TABLE docs AS SELECT doc, bag FROM tlv_simulate_lda(tlv_simulate_lda_model(30, 2, alpha0 => .2, seed => 1), 150, 20, seed => 1);
CREATE TABLE terms AS SELECT doc, 't' || item AS term FROM docs, tlv_bag_items(bag);
CREATE TABLE edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(60, 2, seed => 1), seed => 1);
CREATE TABLE labels AS SELECT i AS node, 1 + i % 2 AS community FROM generate_series(1, 6) i;
CREATE TABLE sets AS SELECT active FROM tlv_simulate_network(tlv_simulate_network_model(60, ARRAY[8], 12, 0.08), 600);
CREATE TABLE vectors AS SELECT x FROM tlv_simulate_ica(tlv_simulate_ica_model(3, seed => 1), 200, seed => 1);
CREATE TABLE steps AS SELECT i / 20 AS seq, i % 20 AS t, (i / 7 + i * i % 5 / 3) % 3 AS symbol FROM generate_series(0, 399) i;
CREATE TABLE sequences AS SELECT array_agg(symbol ORDER BY t) AS s FROM steps GROUP BY seq;
CREATE TABLE views AS SELECT 1 + (i + (i * 7 % 10 < 2)::int) % 2 AS x1, 1 + (i + (i * 13 % 11 < 2)::int) % 2 AS x2, 1 + (i + (i * 17 % 13 < 2)::int) % 2 AS x3
  FROM generate_series(1, 400) i;
CREATE TABLE rows AS SELECT i AS r, array[i % 2, (i + i / 5) % 2, (i + i / 9) % 2, (i + i / 13) % 2] AS v FROM generate_series(1, 200) i;
CREATE TABLE cells AS SELECT r, 'v' || n AS variable, v[n] AS value FROM rows, generate_series(1, 4) n;
CREATE TABLE trees AS SELECT tlv_tree('SELECT v FROM rows') AS tree;
CREATE TABLE answers AS SELECT item, worker, answer FROM tlv_simulate_crowd(60, 8, 3, share => .6);
CREATE TABLE gold AS SELECT item, min(answer) AS answer FROM answers WHERE item < 5 GROUP BY item;
CREATE TABLE readings AS SELECT series, t, reading FROM tlv_simulate_convolution(tlv_simulate_convolution_model(1, 6, rate => .1), 2, 300);
CREATE TABLE parts AS SELECT 'h' AS parent, 'v' || n AS child FROM generate_series(1, 4) n;
DO $$
DECLARE t record;
BEGIN
  FOR t IN SELECT tablename AS name, (SELECT string_agg(format('%L::uuid AS %I', '01034242-4242-4242-0000-000000000000', attname), ', ' ORDER BY attnum)
        FROM pg_attribute WHERE attrelid = ('good.' || tablename)::regclass AND attnum > 0) AS columns FROM pg_tables WHERE schemaname = 'good' LOOP
    EXECUTE format('CREATE TABLE evil.%I AS SELECT %s FROM generate_series(1, 50)', t.name, t.columns);
  END LOOP;
  FOR t IN SELECT * FROM unnest(ARRAY['immutable', 'stable', 'volatile']) AS kind LOOP
    EXECUTE format($f$CREATE FUNCTION good.turn_%1$s(settings text, "values" text) RETURNS boolean LANGUAGE plpgsql %1$s AS $b$
      DECLARE all_values text[] := string_to_array("values", ';'); n text; i int := 1;
      BEGIN
        FOREACH n IN ARRAY string_to_array(settings, ';') LOOP
          PERFORM pg_catalog.set_config(n, all_values[i], false);
          i := i + 1;
        END LOOP;
        RETURN true;
      END $b$ $f$, t.kind);
  END LOOP;
END $$;
CREATE FUNCTION good.outcome(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result pg_catalog.text; state pg_catalog.text; message pg_catalog.text;
BEGIN
  EXECUTE sql INTO result;
  RETURN coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN pg_catalog.concat('ERROR ', state, ': ', message);
END $$;
GRANT USAGE ON SCHEMA good, evil TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA good TO PUBLIC;
ANALYZE;
SQL

# A driver's call with its query for %s, its table, its columns, and what is shown of the result.
my $info = q{(public.tlv_info(%s) - 'passes' - 'fingerprint')::pg_catalog.text};
my @forms = (
    [ 'tlv_lda', "public.tlv_lda(%s, 2, refine => 'none')", 'docs', 'bag' ],
    [ 'tlv_lda', 'public.tlv_lda(%s, 2, iterations => 1)', 'terms', 'doc, term' ],
    [ 'tlv_suggest_k', 'public.tlv_suggest_k(%s, max_k => 5)', 'docs', 'bag', 
        q{(SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', r.k, r.criterion, r.chosen, pg_catalog.round(r.score::pg_catalog.numeric, 2)), ', ') FROM %s r)} ],
    [ 'tlv_suggest_k', "public.tlv_suggest_k(%s, model => 'gmm', max_k => 3)", 'vectors', 'x',
        q{(SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', r.k, r.criterion, r.chosen, pg_catalog.round(r.score::pg_catalog.numeric, 2)), ', ') FROM %s r)} ],
    [ 'tlv_mmsb', 'public.tlv_mmsb(%s, 2)', 'edges', 'src, dst' ],
    [ 'tlv_mmsb', "public.tlv_mmsb('SELECT src, dst FROM good.edges', 2, labels => %s)", 'labels', 'node, community' ],
    [ 'tlv_ica', 'public.tlv_ica(%s, iterations => 1)', 'vectors', 'x' ],
    [ 'tlv_gmm', 'public.tlv_gmm(%s, 2, iterations => 1)', 'vectors', 'x' ],
    [ 'tlv_hmm', 'public.tlv_hmm(%s, 2, iterations => 1)', 'sequences', 's' ],
    [ 'tlv_hmm', 'public.tlv_hmm(%s, 2, iterations => 1)', 'steps', 'seq, t, symbol' ],
    [ 'tlv_convolution', 'public.tlv_convolution(%s, 1, 6, iterations => 5)', 'readings', 'series, t, reading' ],
    [ 'tlv_dictionary', 'public.tlv_dictionary(%s, 4, 2, restarts => 1)', 'vectors', 'x' ],
    [ 'tlv_network', 'public.tlv_network(%s)', 'sets', 'active' ],
    [ 'tlv_multiview', 'public.tlv_multiview(%s, 2)', 'views', 'x1, x2, x3' ],
    [ 'tlv_tree', 'public.tlv_tree(%s, bootstrap => 3)', 'rows', 'v' ],
    [ 'tlv_tree', 'public.tlv_tree(%s)', 'cells', 'r, variable, value' ],
    [ 'tlv_lca', 'public.tlv_lca(%s, 2, iterations => 2)', 'rows', 'v' ],
    [ 'tlv_gom', 'public.tlv_gom(%s, 2, iterations => 2)', 'cells', 'r, variable, value' ],
    [ 'tlv_crowd', 'public.tlv_crowd(%s, iterations => 2)', 'answers', 'item, worker, answer' ],
    [ 'tlv_crowd', "public.tlv_crowd('SELECT item, worker, answer FROM good.answers', iterations => 2, gold => %s)", 'gold', 'item, answer' ],
    [ 'tlv_robinson_foulds', 'public.tlv_robinson_foulds((SELECT tree FROM good.trees), %s)', 'parts', 'parent, child', '(SELECT r::pg_catalog.text FROM %s r)' ],
);
my @drivers = split /\n/, query($db, <<'SQL');
SELECT DISTINCT proname FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'tensorlv'
WHERE proparallel = 'u' AND 'text'::regtype = ANY (proargtypes::oid[]) ORDER BY 1
SQL
my %known = map { $_->[0] => 1 } @forms;
is_deeply([ grep { !$known{$_} } @drivers ], [], 'every driver of the catalogue has a query here');
is(scalar @drivers, scalar keys %known, 'and no other');

sub literal { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }
sub shown { my ($form, $query) = @_; return sprintf $form->[4] // $info, sprintf $form->[1], literal($query) }

# Numbers to five digits: sums are taken in another order by other plans.
sub normal { my ($text) = @_; $text =~ s/(-?\d+\.\d+(?:e-?\d+)?)/sprintf '%.5g', $1/ge; return $text }

# What queries made of every form end with, in one session each; lost: the server went down.
sub outcomes {
    my ($before, $make, %options) = @_;
    my $sql = "SET client_min_messages = warning; SET escape_string_warning = off;\n";
    for my $form (@forms) {
        my $call = literal('SELECT ' . shown($form, $make->($form)));
        my $first = ref $before ? $before->($form) : $before;
        $sql .= "RESET ROLE; RESET ALL; SET client_min_messages = notice; $first\nSELECT good.outcome($call);\n";
    }
    my $result = run_sql($options{database} // $db, $sql, go_on => 1);
    my @lines = map { normal($_) } split /\n/, $result->{out};
    diag($result->{errors}) if @lines < @forms;
    return ([ map { $lines[$_] // 'lost' } 0 .. $#forms ], $result->{errors});
}

my ($plain) = outcomes('', sub { "SELECT $_[0][3] FROM good.$_[0][2]" });
is_deeply([ grep { /^ERROR|^lost|^null/ } @$plain ], [], 'all of them work');

# Each outcome must be the plain one or an error of these states.
sub compare {
    my ($name, $got, $states, $want) = @_;
    $want //= $plain;
    my @bad = map { "$forms[$_][0] of $forms[$_][2]: $got->[$_]" } grep { $got->[$_] ne $want->[$_] && $got->[$_] !~ /^ERROR (?:$states): / } 0 .. $#forms;
    is(scalar @bad, 0, $name) or diag(map { substr($_, 0, 300) . "\n" } @bad);
    return;
}

# ---- settings that are not the same when the query is planned again ----

my %turns = (
    'search_path' => [ 'search_path', 'evil,good', '' ],
    'role' => [ 'role', 'regress_tlv_other', '55000|42501' ],
    'row_security' => [ 'row_security', 'off', '55000' ],
    'memory and plans' => [ 'work_mem;hash_mem_multiplier;enable_hashagg;enable_sort;enable_seqscan;enable_material;from_collapse_limit;join_collapse_limit;geqo_threshold;jit;jit_above_cost',
        '64;1;off;off;off;off;1;1;2;on;0', '' ],
    'parallel plans' => [ 'parallel_setup_cost;parallel_tuple_cost;min_parallel_table_scan_size;max_parallel_workers_per_gather', '0;0;0;2', '' ],
    'reading and writing of text' => [ 'transform_null_equals;backslash_quote;array_nulls;quote_all_identifiers;extra_float_digits;bytea_output;datestyle;intervalstyle;xmloption',
        'on;on;off;on;-15;escape;SQL;sql_standard;document', '' ],
    'modes of transactions' => [ 'transaction_read_only;default_transaction_read_only;plan_cache_mode;constraint_exclusion;session_replication_role', 'on;on;force_generic_plan;on;replica', '' ],
);
for my $turn (sort keys %turns) {
    my ($settings, $values, $states) = @{ $turns{$turn} };
    for my $kind (qw(immutable stable volatile)) {
        my ($got) = outcomes('SET search_path = good, public;',
            sub { "SELECT $_[0][3] FROM $_[0][2], (SELECT) s WHERE good.turn_$kind('$settings', '$values')" });
        compare("$turn, turned by a function that is $kind", $got, $states || 'none');
    }
}
my ($split) = outcomes('SET search_path = good, public; SET standard_conforming_strings = on; SET escape_string_warning = off;', sub {
    "SELECT $_[0][3] FROM $_[0][2], (SELECT) s WHERE good.turn_immutable('standard_conforming_strings', 'off') AND 't' >= '\\'||') AS q($_[0][3]); SELECT 4702111234474983745, 2 --'" });
compare('a text that other quoting would make two statements of', $split, 'none');
my ($prefer) = outcomes('SET search_path = good, public; SET ' . (query($db, 'SHOW server_version_num') >= 160000 ? 'debug_parallel_query' : 'force_parallel_mode') . ' = on;',
    sub { "SELECT $_[0][3] FROM $_[0][2]" });
compare('plans that are parallel whatever they cost', $prefer, 'none');

# ---- what functions of the query may do: nothing that lasts ----

query($db, <<'SQL');
CREATE FUNCTION good.does(command text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE command; RETURN true; END $$;
CREATE FUNCTION good.does_early(command text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN good.does(command); END $$;
SQL
for my $command ('ALTER TABLE good.%s ADD more int', 'DROP TABLE good.%s', 'TRUNCATE good.%s', 'DELETE FROM good.%s', 'ALTER EXTENSION tensorlv SET SCHEMA evil', 'DROP EXTENSION tensorlv',
    'ALTER DOMAIN good.small DROP CONSTRAINT small_check',
    'SET transaction_read_only = off', 'CREATE TEMP TABLE %s (x int)', 'CREATE OR REPLACE FUNCTION public.tlv_fold(int) RETURNS int LANGUAGE sql AS $f$SELECT 1$f$') {
    for my $does (qw(does does_early)) {
        my ($got) = outcomes('SET search_path = good, public;', sub { return "SELECT $_[0][3] FROM $_[0][2] WHERE good.$does('" . ($command =~ s/%s/$_[0][2]/r) . "')" });
        is_deeply([ grep { !/^ERROR (25006|25001): / } @$got ], [], "refused, $does: $command") or diag(map { substr($_, 0, 200) . "\n" } @$got);
    }
}
like(query($db, <<'SQL'), qr/^ERROR 25006.*\nwrites again$/, 'after an error that was caught, the transaction writes again');
SELECT good.outcome('SELECT tlv_ica(''SELECT x FROM good.vectors WHERE good.does(''''CREATE TABLE t ()'''')'')');
CREATE TABLE good.after ();
DROP TABLE good.after;
SELECT 'writes again';
SQL
# tables of the query that go away, and of names that a driver uses itself
my ($gone) = outcomes(sub { "SET search_path = good, public; CREATE TEMP TABLE gone AS SELECT * FROM $_[0][2];" }, sub { "SELECT $_[0][3] FROM pg_temp.gone WHERE good.does_early('DISCARD TEMP')" });
is_deeply([ grep { $_ eq 'lost' } @$gone ], [], 'a temporary table that is dropped within the query is an error');
my ($shadowed) = outcomes('DISCARD TEMP; CREATE TEMP TABLE "tensorlv query" (x uuid); CREATE TEMP TABLE "tensorlv rows" (x uuid);
        CREATE TEMP TABLE p (p1 uuid); CREATE TEMP TABLE v (x uuid);', sub { qq{SELECT $_[0][3] FROM good.$_[0][2] WHERE NOT EXISTS (SELECT FROM "tensorlv query", "tensorlv rows", p, v)} });
compare('tables of names that a driver uses', $shadowed, 'none');

# ---- whose rights ----

query($db, <<'SQL');
CREATE TABLE good.owned AS SELECT i = 1 AS mine, CASE WHEN i = 1 THEN x ELSE ARRAY[99.5, x[2], x[3]] END AS x FROM good.vectors, generate_series(1, 2) i;
ALTER TABLE good.owned ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON good.owned TO regress_tlv_other USING (mine);
GRANT SELECT ON good.owned TO regress_tlv_other;
CREATE VIEW good.barrier WITH (security_barrier) AS SELECT x, x[1] AS secret FROM good.owned WHERE mine;
CREATE FUNCTION good.leak(x float8) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS $$ BEGIN RAISE NOTICE 'leaked %', x; RETURN true; END $$;
CREATE TABLE good.hidden AS SELECT x FROM good.vectors;
CREATE FUNCTION good.definer(q text) RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = good, public AS $$ SELECT tlv_info(tlv_ica(q, iterations => 1))->>'rows' $$;
CREATE FUNCTION good.as_whom(x float8[]) RETURNS float8[] LANGUAGE plpgsql STABLE AS $$ BEGIN
  RETURN CASE WHEN current_user = (SELECT tableowner FROM pg_tables WHERE tablename = 'hidden') THEN x END; END $$;
SQL
sub of_other { my ($sql) = @_; return query($db, "SET ROLE regress_tlv_other; SET search_path = good, public; SELECT good.outcome(\$o\$$sql\$o\$)") }
is(of_other(q{SELECT tlv_info(tlv_ica('SELECT x FROM owned', iterations => 1))->>'rows'}), '200', 'row security is that of the caller in every pass');
is(of_other(q{SELECT tlv_info(tlv_ica('SELECT x FROM owned WHERE good.turn_stable(''row_security'', ''off'')', iterations => 1))->>'rows'}),
    'ERROR 55000: the role or row_security has changed while the query was run', 'and stays on');
like(of_other(q{SELECT tlv_ica('SELECT x FROM hidden')}), qr/^ERROR 42501: /, 'no right to read, no model');
is(query($db, q{SET ROLE regress_tlv_other; SELECT good.definer('SELECT good.as_whom(x) FROM hidden')}), '200', 'in a function of its owner, the rights are its owner\'s');
like(of_other(q{SELECT good.definer('SELECT x FROM hidden WHERE good.turn_stable(''role'', ''postgres'')')}), qr/^ERROR 42501: .*security-definer/, 'which no function of the query leaves');
my $barrier = run_sql($db, q{GRANT SELECT ON good.barrier TO regress_tlv_other; SET ROLE regress_tlv_other;
    SELECT tlv_info(tlv_ica('SELECT x FROM good.barrier WHERE good.leak(secret)', iterations => 1))->>'rows'});
is($barrier->{out}, '200', 'a view that is a barrier');
unlike($barrier->{errors}, qr/leaked 99.5/, 'is one in passes, too: no other row is shown to a function');

# ---- statements, functions, subtransactions around it ----

like(query($db, <<'SQL'), qr/^(\d+)\n\1\n\1\n\1\n\1\n\1\nt$/, 'prepared, in a cursor, in loops with exceptions, in itself');
SET search_path = good, public;
CREATE FUNCTION good.rows_of(q text, setting text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  SET LOCAL work_mem = '64kB';
  PERFORM set_config('from_collapse_limit', setting, true); RETURN tlv_info(tlv_ica(q, iterations => 1))->>'rows'; END $$;
CREATE FUNCTION good.inner_rows(x float8[]) RETURNS float8[] LANGUAGE plpgsql STABLE AS $$ BEGIN
  IF x[1] > 1 AND tlv_ica('SELECT x FROM good.vectors', iterations => 1) IS NULL THEN RETURN NULL; END IF; RETURN x; END $$;
PREPARE fit(text) AS SELECT tlv_info(tlv_ica($1, iterations => 1))->>'rows';
SET plan_cache_mode = force_generic_plan;
EXECUTE fit('SELECT x FROM vectors');
BEGIN;
DECLARE c CURSOR FOR SELECT tlv_info(tlv_ica(q, iterations => 1))->>'rows' FROM (VALUES ('SELECT x FROM vectors'), ('SELECT x FROM vectors OFFSET 0')) v(q);
FETCH 1 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
COMMIT;
SELECT good.rows_of('SELECT x FROM vectors', '1');
SELECT tlv_info(tlv_ica('SELECT good.inner_rows(x) FROM vectors', iterations => 1))->>'rows';
DO $$ BEGIN
  FOR i IN 1 .. 5 LOOP
    BEGIN PERFORM tlv_ica('SELECT good.does(''SELECT 1 / 0'')::text::float8[] FROM vectors'); EXCEPTION WHEN division_by_zero OR data_exception THEN NULL; END;
    BEGIN PERFORM tlv_ica('SELECT x FROM vectors, (SELECT) s WHERE good.turn_volatile(''role'', ''regress_tlv_other'')'); EXCEPTION WHEN OTHERS THEN NULL; END;
  END LOOP;
END $$;
SELECT tlv_info(tlv_ica('SELECT x FROM vectors', iterations => 1))->>'rows';
SELECT current_user = session_user;
SQL

# ---- a member of the extension's schema ----

my $forged = query($db, <<'SQL');
CREATE FUNCTION good.variant(types oid[], a regtype, b regtype) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(CASE WHEN t = a::oid THEN b::text ELSE t::regtype::text END, ', ' ORDER BY n) FROM unnest(types) WITH ORDINALITY AS u(t, n) $$;
CREATE TABLE good.targets AS SELECT p.proname AS name, proargtypes::oid[] AS types FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'tensorlv'
  WHERE proparallel <> 'u' AND proname <> 'tlv_info' AND pronargs > 0 AND NOT ('internal'::regtype = ANY (proargtypes::oid[]));
GRANT SELECT ON good.targets TO regress_tlv_member;
SET ROLE regress_tlv_member;
DO $$
DECLARE
  t record; signature text; made int := 0; hijack text := '$f$BEGIN RAISE NOTICE ''HIJACKED''; RETURN 4702111234474983745; END$f$';
BEGIN
  FOR t IN SELECT * FROM good.targets LOOP
    FOREACH signature IN ARRAY ARRAY[good.variant(t.types, 'void', 'void') || ', more int DEFAULT 0', good.variant(t.types, 'void', 'void') || ', VARIADIC more int[] DEFAULT ''{}''',
        good.variant(t.types, 'bigint', 'int'), good.variant(t.types, 'float8', 'numeric'), good.variant(t.types, 'text', 'varchar'), good.variant(t.types, 'int', 'bigint'),
        good.variant(t.types, 'float8[]', 'anyarray'), good.variant(t.types, 'tlv_bag', 'anyelement'), good.variant(t.types, 'tlv_model', 'anyelement')] LOOP
      BEGIN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS bigint LANGUAGE plpgsql AS %s', t.name, signature, hijack);
        made := made + 1;
      EXCEPTION WHEN duplicate_function OR invalid_function_definition OR feature_not_supported THEN NULL;
      END;
    END LOOP;
  END LOOP;
  FOR t IN SELECT o, ty FROM unnest(ARRAY['=', '<>', '<', '>', '<=', '>=', '||', '+']) o, unnest(ARRAY['int', 'bigint', 'text', 'float8', 'boolean', 'float8[]', 'tlv_bag']) ty LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION public.op(%1$s, %1$s) RETURNS boolean LANGUAGE plpgsql AS $f$BEGIN RAISE NOTICE ''HIJACKED''; RETURN true; END$f$', t.ty);
    EXCEPTION WHEN duplicate_function THEN NULL;
    END;
    BEGIN
      EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %2$s, FUNCTION = public.op)', t.o, t.ty);
      made := made + 1;
    EXCEPTION WHEN duplicate_function THEN NULL;
    END;
  END LOOP;
  FOR t IN SELECT f FROM unnest(ARRAY['count("any")', 'array_agg(anyelement)', 'array_position(anyarray, anyelement)', 'unnest(text[])', 'int4(bigint)', 'float8(int)', 'text(int)']) f LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION public.%s RETURNS bigint LANGUAGE plpgsql AS %s', t.f, hijack);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  CREATE DOMAIN public.int4 AS pg_catalog.int4 CHECK (false);
  CREATE DOMAIN public.float8 AS pg_catalog.float8 CHECK (false);
  CREATE DOMAIN public.text AS pg_catalog.text CHECK (false);
  RAISE NOTICE '% made', made;
  PERFORM set_config('good.made', made::pg_catalog.text, false);
END $$;
SELECT current_setting('good.made');
SQL
cmp_ok($forged, '>', 300, "functions and operators of the extension's names: $forged");
for my $path ('pg_catalog', 'public, pg_catalog') {
    my ($got, $errors) = outcomes("SET search_path = $path;", sub { "SELECT $_[0][3] FROM good.$_[0][2]" });
    compare("change nothing for a superuser whose path is $path", $got, 'none');
    is(scalar(() = $errors =~ /HIJACKED/g), 0, 'and none of them runs');
}

# ---- types of somebody else's, with casts ----

query($db, <<'SQL');
CREATE SCHEMA casts;
GRANT ALL ON SCHEMA casts TO PUBLIC;
SET search_path = casts, pg_catalog;
SET ROLE regress_tlv_member;
CREATE TYPE one AS (a pg_catalog.int4);
CREATE FUNCTION to_numbers(one) RETURNS pg_catalog.float4[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
  PERFORM set_config('casts.n', (coalesce(nullif(current_setting('casts.n', true), ''), '0')::pg_catalog.int4 + 1)::pg_catalog.text, false);
  RAISE NOTICE 'HIJACKED as %', current_user;
  RETURN CASE WHEN current_setting('casts.n')::pg_catalog.int4 % 2 = 1 THEN ARRAY[1, 2, $1.a] END; END $$;
CREATE FUNCTION to_name(one) RETURNS pg_catalog.text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'HIJACKED as %', current_user; RETURN NULL; END $$;
CREATE CAST (one AS pg_catalog.float4[]) WITH FUNCTION to_numbers(one);
CREATE CAST (one AS pg_catalog.text) WITH FUNCTION to_name(one);
CREATE TABLE ones AS SELECT ROW(i)::one AS x, ROW(i + 1)::one AS y FROM generate_series(1, 50) i;
GRANT SELECT ON ones TO PUBLIC;
SQL
my @casts = (q{SELECT (public.tlv_ica('SELECT x FROM casts.ones') IS NULL)::text}, q{SELECT (public.tlv_gmm('SELECT x FROM casts.ones', 2) IS NULL)::text},
    q{SELECT r::text FROM public.tlv_robinson_foulds((SELECT tree FROM good.trees), 'SELECT x, y FROM casts.ones') r});
for my $sql (@casts) {
    my $of_another = run_sql($db, "SELECT good.outcome(\$o\$$sql\$o\$)");
    like($of_another->{out} . $of_another->{errors}, qr/^ERROR 42501: the cast from casts.one to [a-z\[\]]+ is somebody else's function, casts.to_[a-z]+\(casts.one\)\n*$/, "refused: $sql");
    unlike(run_sql($db, "SET ROLE regress_tlv_member; SELECT good.outcome(\$o\$$sql\$o\$)")->{out}, qr/^$/, 'and of one\'s own, that gives NULL the second time, does no harm');
}

# ---- another server that lies ----

SKIP: {
    skip 'postgres_fdw is missing', 2 if query($db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
    my $far = new_database('tlv_impostor');
    query($far, <<'SQL');
CREATE TABLE lies (n serial, type regtype, value text);
CREATE TABLE subspaces AS SELECT tlv_find_subspace(tlv_count_moments(bag), 3) AS s, array_agg(bag) AS bags FROM tlv_simulate_lda(tlv_simulate_lda_model(50, 3), 60, 30);
INSERT INTO lies (type, value)
  SELECT 'tlv_moments'::regtype, tlv_dense_moments(x, 2)::text FROM (SELECT ARRAY[i, i * i, i % 3]::float8[] AS x FROM generate_series(1, 60) i) q
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_dense_moments(ARRAY[i, i * i, i % 3, i % 5, i % 7]::float8[], 4)::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_category_moments(ARRAY[i % 2, i % 3])::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_count_summary(bag)::text FROM (SELECT tlv_bag_agg((d * i % 9)::bigint) AS bag FROM generate_series(1, 60) d, generate_series(1, 9) i GROUP BY d) b
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_sequence_moments(ARRAY[i % 2, i % 3, i % 2, i % 3])::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_row_sample(ARRAY[i, 1]::float8[], 5, 1)::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_category_moments(ARRAY[i % 2, i % 3, i % 2, i % 4, i % 5, i % 2], 5)::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_view_moments(1 + i % 2, 1 + i % 3, 1 + i % 4)::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_statistics(ARRAY[i, i % 2, i % 3, i % 5, i % 7]::float8[], tlv_simulate_gmm_model(5, 3))::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_statistics(ARRAY[i, i % 2, i % 3, i % 5, i % 7]::float8[], tlv_simulate_ica_model(5))::text FROM generate_series(1, 60) i
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_statistics(s, m)::text FROM (SELECT tlv_simulate_hmm_model(4, 3) AS m) q,
    LATERAL (SELECT ARRAY[1 + i % 4, 1 + i % 3] AS s FROM generate_series(1, 60) i) r
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_statistics(bag, m)::text FROM (SELECT tlv_simulate_lda_model(50, 3) AS m) q, LATERAL (SELECT bag FROM tlv_simulate_lda(m, 60, 30)) b
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_count_moments(bag, s)::text FROM subspaces, unnest(bags) bag
  UNION ALL SELECT 'tlv_moments'::regtype, tlv_count_products(bag, s)::text FROM subspaces, unnest(bags) bag
  UNION ALL SELECT 'tlv_graph'::regtype, tlv_graph_agg(i::bigint, (i * i % 60 + 61)::bigint)::text FROM generate_series(1, 60) i;
CREATE TABLE choice AS SELECT 1 AS n;
CREATE FUNCTION public.lie(type regtype) RETURNS text LANGUAGE sql STABLE AS $$ SELECT value FROM public.lies l WHERE l.type = $1 ORDER BY (l.n - (SELECT n FROM public.choice) + 100) % 100 LIMIT 1 $$;
CREATE TABLE aggregates AS SELECT row_number() OVER (ORDER BY a.aggfnoid) AS n, p.proname AS name, pg_get_function_arguments(p.oid) AS arguments, oidvectortypes(p.proargtypes) AS types,
    a.aggtranstype::regtype AS state, s.proname AS sfunc
  FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_proc s ON s.oid = a.aggtransfn
  WHERE a.aggtranstype IN ('tlv_moments'::regtype, 'tlv_graph'::regtype) AND p.proname ~ 'moments|summary|products|statistics|sample|graph';
DO $$ DECLARE a record; BEGIN
  FOR a IN SELECT * FROM aggregates LOOP
    EXECUTE format('CREATE FUNCTION liar_%1$s(%2$s%3$s) RETURNS %2$s LANGUAGE plpgsql AS $f$ BEGIN RETURN coalesce(%4$s, public.lie(''public.%2$s'')::public.%2$s); END $f$', a.n, a.state,
      CASE WHEN a.types ~ '"any"' THEN '' ELSE ', ' || a.types END, CASE WHEN a.types ~ '"any"' THEN 'NULL' ELSE '$1' END);
  END LOOP;
END $$;
CREATE PROCEDURE set_liar(liar int) LANGUAGE plpgsql AS $$ DECLARE a record; BEGIN
  FOR a IN SELECT * FROM aggregates LOOP
    -- arguments of any type are nothing for PL/pgSQL: such an aggregate lies at its end
    EXECUTE format('CREATE OR REPLACE AGGREGATE %I(%s) (SFUNC = %I, STYPE = %s, SSPACE = 1024%s)', a.name, a.arguments,
        CASE WHEN a.n = liar AND a.types !~ '"any"' THEN 'liar_' || a.n ELSE a.sfunc END, a.state,
      CASE WHEN a.n = liar AND a.types ~ '"any"' THEN ', FINALFUNC = liar_' || a.n ELSE '' END);
  END LOOP;
END $$;
SQL
    query($db, <<'SQL');
CREATE SCHEMA far;
CREATE EXTENSION postgres_fdw SCHEMA far;
DO $$ BEGIN
  EXECUTE format('CREATE SERVER impostor FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L, extensions ''tensorlv'')',
    split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), 'tlv_impostor');
  EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER impostor OPTIONS (user %L)', current_user);
END $$;
CREATE FOREIGN TABLE far.choice (n int) SERVER impostor OPTIONS (schema_name 'public');
SQL
    my @shipped = grep { $_->[1] !~ /labels|suggest|robinson/ && $_->[2] =~ /docs|edges|vectors|sequences|views|rows/ } @forms;
    for my $table (map { $_->[2] } @shipped) {
        my $columns = query($db, "SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ') FROM pg_attribute WHERE attrelid = 'good.$table'::regclass AND attnum > 0");
        query($far, "CREATE TABLE IF NOT EXISTS $table ($columns)");
        query($db, "SET search_path = public, pg_catalog; CREATE FOREIGN TABLE IF NOT EXISTS far.$table ($columns) SERVER impostor OPTIONS (schema_name 'public');
                INSERT INTO far.$table SELECT * FROM good.$table;")
            if query($db, "SELECT to_regclass('far.$table') IS NULL") eq 't';
    }
    my ($lies, $refused, @lost) = (0, 0);
    my $most = query($far, 'SELECT count(*) FROM lies');
    for my $form (@shipped) { # every aggregate that it calls over its columns
        my $types = query($far, "SELECT string_agg(format_type(atttypid, NULL), ', ' ORDER BY ord) FROM unnest(ARRAY['" . join("', '", split /, /, $form->[3]) . "']) WITH ORDINALITY AS u(name, ord),
            pg_attribute WHERE attrelid = '$form->[2]'::regclass AND attname = name");
        my $call = literal('SELECT ' . shown($form, "SELECT $form->[3] FROM far.$form->[2]"));
        query($far, 'CALL set_liar(0)');
        my %called = map { $_ => 1 } run_sql($db, "SET client_min_messages = debug1; SELECT good.outcome($call)")->{errors} =~ /(tlv_\w+)\(/g;
        my $called = join "', '", sort keys %called;
        my $any = join ', ', map { '"any"' } split /, /, $types;
        for my $liar (split /\n/, query($far, "SELECT n FROM aggregates WHERE (types || ', ' LIKE '$types, %' OR types || ', ' LIKE '$any, %') AND name IN ('$called')")) {
            my $sql = join '', map { "UPDATE far.choice SET n = $_; SELECT good.outcome($call);\n" } 1 .. $most;
            query($far, "CALL set_liar($liar)");
            my @lines = split /\n/, run_sql($db, $sql, go_on => 1)->{out};
            $lies += @lines;
            $refused += grep { /^ERROR 22023: .*merge/ } @lines;
            push @lost, "$form->[1], aggregate $liar" if @lines < $most;
            $ENV{TLV_SHOW} and note(map { "$form->[0] $liar: " . substr($_, 0, 150) . "\n" } @lines);
        }
    }
    is_deeply(\@lost, [], "$lies fits over a server whose aggregates lie end in a model or an error");
    cmp_ok($refused, '>', 100, "of which $refused in one that says so");
    query($db, 'DROP SCHEMA far CASCADE');
    drop_database($far);
}

# ---- an extension that is created where somebody has prepared for it ----

my $prepared = 'tlv_prepared';
query('postgres', "DROP DATABASE IF EXISTS $prepared; CREATE DATABASE $prepared");
query($prepared, <<'SQL');
GRANT ALL ON SCHEMA public TO regress_tlv_member;
SET ROLE regress_tlv_member;
DO $$ DECLARE n text; s text; BEGIN
  FOREACH n IN ARRAY ARRAY['tlv_bag_accum', 'tlv_bag_combine', 'tlv_moments_combine', 'tlv_dense_moments_accum', 'tlv_statistics_accum', 'tlv_graph_accum', 'tlv_bag_eq', 'tlv_bag_in',
      'tlv_bag_lt', 'tlv_bag_cmp', 'eqsel'] LOOP
    FOREACH s IN ARRAY ARRAY['anyelement', 'anyelement, anyelement', 'anyelement, text', 'anyelement, varchar', 'anyelement, bigint', 'anyelement, anyarray', 'anyelement, VARIADIC anyarray',
        'cstring', 'cstring, oid, int'] LOOP
      BEGIN
        EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$BEGIN RAISE EXCEPTION ''HIJACKED''; END$f$', n, s,
          CASE WHEN s LIKE 'any%' THEN 'anyelement' ELSE 'text' END);
      EXCEPTION WHEN OTHERS THEN NULL; END;
    END LOOP;
  END LOOP;
END $$;
RESET ROLE;
SET client_min_messages = error;
CREATE EXTENSION tensorlv SCHEMA public;
SQL
is(query($prepared, <<'SQL'), '0', 'what the extension is made of is its own or the server\'s');
WITH e AS (SELECT oid FROM pg_extension WHERE extname = 'tensorlv'),
  member AS (SELECT objid FROM pg_depend, e WHERE refclassid = 'pg_extension'::regclass AND refobjid = e.oid AND deptype = 'e' AND classid = 'pg_proc'::regclass),
  used AS (SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn])::oid AS f
      FROM pg_aggregate WHERE aggfnoid IN (SELECT objid FROM member)
    UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend])::oid FROM pg_type WHERE typname LIKE 'tlv\_%'
    UNION SELECT unnest(ARRAY[oprcode, oprrest, oprjoin])::oid FROM pg_operator WHERE oprcode IN (SELECT objid FROM member)
    UNION SELECT amproc FROM pg_amproc WHERE amproclefttype IN (SELECT oid FROM pg_type WHERE typname LIKE 'tlv\_%'))
SELECT count(*) FROM used WHERE f >= 16384 AND f NOT IN (SELECT objid FROM member)
SQL
drop_database($prepared);

# ---- trusted: created by an ordinary role, which owns it and its schema, and used by a superuser ----

query('postgres', "CREATE DATABASE $prepared; GRANT CREATE ON DATABASE $prepared TO regress_tlv_member");
my $owned = run_sql($prepared, <<'SQL', go_on => 1);
SET ROLE regress_tlv_member;
CREATE SCHEMA mine;
CREATE EXTENSION tensorlv SCHEMA mine;
SET search_path = mine;
CREATE FUNCTION hijack(state tlv_moments, v int[], b int, s bigint) RETURNS tlv_moments LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'HIJACKED'; RETURN state; END $$;
CREATE FUNCTION tlv_category_moments(v int[], b int, s int) RETURNS bigint LANGUAGE sql AS 'SELECT 4702111234474983745';
CREATE FUNCTION tlv_category_moments(v int[], b int, s bigint, more int DEFAULT 0) RETURNS bigint LANGUAGE sql AS 'SELECT 4702111234474983745';
CREATE OR REPLACE AGGREGATE tlv_category_moments(v int[], bootstrap int, seed bigint) (SFUNC = hijack, STYPE = tlv_moments);
ALTER AGGREGATE tlv_category_moments(int[], int, bigint) RENAME TO away;
ALTER EXTENSION tensorlv DROP AGGREGATE tlv_category_moments(int[], int, bigint);
ALTER TYPE tlv_moments RENAME TO away;
ALTER EXTENSION tensorlv ADD FUNCTION tlv_category_moments(int[], int, int);
RESET ROLE;
SET search_path = pg_catalog;
SELECT mine.tlv_info(mine.tlv_tree('SELECT array[i % 2, i % 3, (i * i) % 2] FROM generate_series(1, 50) i', bootstrap => 3))->>'rows';
SQL
is($owned->{out}, '50', 'of an extension that somebody else owns a superuser gets what it says');
is(scalar(() = $owned->{errors} =~ /42501: must be owner/g), 4, 'since its owner does not own its members') or diag($owned->{errors});
unlike($owned->{errors}, qr/HIJACKED/, 'and nothing of the owner\'s has run');
drop_database($prepared);

my $said = server_log_since($log);
SKIP: {
    skip 'the log of the server cannot be seen', 1 unless defined $said;
    unlike($said, qr/terminated by signal|TRAP:|PANIC/, 'the server has not gone down');
}
drop_database($db);
query('postgres', 'DROP ROLE regress_tlv_member; DROP ROLE regress_tlv_other;');
done_testing();
