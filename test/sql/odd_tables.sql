-- Ordinary tables that are odd: every driver gives a model that is sound, or an error that names what cannot be meant.
\pset format unaligned
SET client_min_messages = warning;
-- What is warned of is read with tlv_warnings.
SET tensorlv.warnings = off;

-- Numbers that look random and are the same on every server: u uniform, two of them make a normal one.
CREATE FUNCTION pg_temp.uniform(g int, name text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
    SELECT (('x' || substr(md5(g || name), 1, 8))::bit(32)::bigint + 0.5) / 4294967296.0 $$;
CREATE TEMP TABLE u AS SELECT g, pg_temp.uniform(g, 'a') AS a, pg_temp.uniform(g, 'b') AS b, pg_temp.uniform(g, 'c') AS c,
    sqrt(-2 * ln(pg_temp.uniform(g, 'n'))) * cos(6.283185307 * pg_temp.uniform(g, 'n2')) AS n,
    sqrt(-2 * ln(pg_temp.uniform(g, 'm'))) * cos(6.283185307 * pg_temp.uniform(g, 'm2')) AS m FROM generate_series(1, 200) g;

CREATE TEMP TABLE odd (id serial, driver text, what text, query text, options text DEFAULT '', asked text DEFAULT 'model', warned text);

-- Vectors, for mixtures, components, dictionaries and trees alike.
CREATE TEMP TABLE vectors (what text, query text);
INSERT INTO vectors VALUES
 ('tiny', 'SELECT ARRAY[a, b, n] FROM u WHERE g <= 3'),
 ('two rows', 'SELECT ARRAY[a, b, n] FROM u WHERE g <= 2'),
 ('one constant column', 'SELECT ARRAY[a, 7, n] FROM u'),
 ('duplicated columns', 'SELECT ARRAY[a, a, n] FROM u'),
 ('duplicated rows', 'SELECT ARRAY[a, b, n] FROM u, generate_series(1, 20) WHERE g <= 5'),
 ('heavy tails', 'SELECT ARRAY[1 / (a + 1e-6), n / (b + 1e-3), m] FROM u'),
 ('mixed scale', 'SELECT ARRAY[a * 1e12, n * 1e-9, b] FROM u'),
 ('NULL cells', 'SELECT ARRAY[a, CASE WHEN g % 5 = 0 THEN NULL ELSE b END, n] FROM u'),
 ('NULL rows', 'SELECT CASE WHEN g % 3 > 0 THEN ARRAY[a, b, n] END FROM u'),
 ('one extreme value', 'SELECT ARRAY[a, b, CASE g WHEN 7 THEN 1e100 ELSE n END] FROM u'),
 ('one row in a hundred apart', 'SELECT ARRAY[a + 50 * (g % 100 = 0)::int, b, n] FROM u'),
 ('lognormal of log-scale 2', 'SELECT ARRAY[exp(2 * n), exp(2 * m)] FROM u'),
 ('whole numbers of few values', 'SELECT ARRAY[round(a * 2), round(b), round(n)] FROM u'),
 ('wider than long', 'SELECT ARRAY(SELECT sin(i * g) + n FROM generate_series(1, 60) i) FROM u WHERE g <= 30'),
 ('far from 0', 'SELECT ARRAY[1e9 + a, 1e9 + b, -1e9 + n] FROM u'),
 ('one number', 'SELECT ARRAY[n] FROM u');
INSERT INTO odd (driver, what, query, options)
    SELECT driver, what, query, options FROM vectors, (VALUES ('gmm', ''), ('gmm', ', k => 3'), ('gmm', ', covariance => ''full'', k => 2'),
        ('gmm', ', tails => ''t'', k => 2'), ('gmm', ', covariance => ''direction'', k => 2'), ('ica', ''), ('ica', ', k => 2'), ('ica', ', noise => true'),
        ('dictionary', ', atoms => 4, sparsity => 1'), ('tree', '')) d (driver, options);

-- Three views.
INSERT INTO odd (driver, what, query, options) SELECT 'multiview', what, query, options FROM (VALUES
 ('tiny', 'SELECT ARRAY[a, n], ARRAY[b], ARRAY[m, c] FROM u WHERE g <= 4'),
 ('two rows', 'SELECT ARRAY[a, n], ARRAY[b], ARRAY[m, c] FROM u WHERE g <= 2'),
 ('a constant view', 'SELECT ARRAY[a, n], ARRAY[1.0, 2], ARRAY[m, c] FROM u'),
 ('all constant', 'SELECT ARRAY[1.0], ARRAY[2.0], ARRAY[3.0] FROM u'),
 ('one view thrice', 'SELECT ARRAY[a, n], ARRAY[a, n], ARRAY[a, n] FROM u'),
 ('duplicated rows', 'SELECT ARRAY[a, n], ARRAY[b], ARRAY[m, c] FROM u, generate_series(1, 30) WHERE g <= 4'),
 ('heavy tails', 'SELECT ARRAY[1 / (a + 1e-6)], ARRAY[n / (b + 1e-3)], ARRAY[m / (c + 1e-3)] FROM u'),
 ('mixed scale', 'SELECT ARRAY[a * 1e12], ARRAY[b * 1e-9], ARRAY[c] FROM u'),
 ('NULL cells', 'SELECT ARRAY[a, CASE WHEN g % 5 > 0 THEN n END], ARRAY[b], ARRAY[m] FROM u'),
 ('NULL views', 'SELECT ARRAY[a, n], CASE WHEN g % 5 > 0 THEN ARRAY[b] END, ARRAY[m] FROM u'),
 ('one extreme value', 'SELECT ARRAY[a], ARRAY[b], ARRAY[CASE g WHEN 7 THEN 1e100 ELSE m END] FROM u'),
 ('categories', 'SELECT g % 3, g % 2, g % 5 FROM u'),
 ('one category', 'SELECT g % 3, 1, g % 5 FROM u'),
 ('categories unbalanced', 'SELECT (g > 199)::int, (g > 198)::int, (g > 197)::int FROM u'),
 ('categories of their own', 'SELECT g, g, g FROM u')) v (what, query), (VALUES (''), (', k => 2'), (', k => 3')) o (options);

-- Sequences.
INSERT INTO odd (driver, what, query, options) SELECT 'hmm', what, query, options FROM (VALUES
 ('one step', 'SELECT 1, g, 1 FROM u WHERE g <= 1'),
 ('two steps', 'SELECT 1, g, g FROM u WHERE g <= 2'),
 ('three numbers', 'SELECT 1, g, n FROM u WHERE g <= 3'),
 ('sequences of one step', 'SELECT g, 1, g % 4 FROM u'),
 ('sequences of one number', 'SELECT g, 1, n FROM u'),
 ('sequences of two steps', 'SELECT g / 2, g % 2, g % 3 FROM u'),
 ('one symbol', 'SELECT 1, g, 5 FROM u'),
 ('a constant number', 'SELECT 1, g, 5.5 FROM u'),
 ('constant but for one', 'SELECT 1, g, CASE g WHEN 50 THEN 9 ELSE 5.5 END FROM u'),
 ('all symbols differ', 'SELECT 1, g, g FROM u'),
 ('200 symbols in 2 states', 'SELECT 1, g, (a * 100)::int + 100 * (g % 40 / 20) FROM u'),
 ('heavy tails', 'SELECT 1, g, n / (b + 1e-4) FROM u'),
 ('NULL numbers', 'SELECT 1, g, CASE WHEN g % 4 > 0 THEN n END FROM u'),
 ('NULL symbols', 'SELECT 1, g, CASE WHEN g % 4 > 0 THEN g % 3 END FROM u'),
 ('mixed scale', 'SELECT 1, g, ARRAY[a * 1e12, n * 1e-9] FROM u'),
 ('one extreme value', 'SELECT 1, g, CASE g WHEN 7 THEN 1e100 ELSE n END FROM u'),
 ('one long and many short', 'SELECT CASE WHEN g < 150 THEN 0 ELSE g END, g, g % 7 % 3 FROM u'),
 ('a cycle', 'SELECT 1, g, g % 3 FROM u'),
 ('texts', 'SELECT ''s'' || g % 2, g, CASE WHEN a < .5 THEN ''up'' ELSE ''down'' END FROM u')) v (what, query), (VALUES (''), (', k => 2'), (', k => 4')) o (options);

-- Texts.
CREATE TEMP TABLE words AS SELECT g, ARRAY['cat', 'dog', 'mouse', 'bird'] AS animals, ARRAY['car', 'bus', 'road', 'train'] AS traffic FROM u;
INSERT INTO odd (driver, what, query, options) SELECT 'lda', what, query, options FROM (VALUES
 ('one document', 'SELECT to_tsvector(''simple'', ''one two two three'')'),
 ('one word', 'SELECT to_tsvector(''simple'', ''word'') FROM u'),
 ('documents of one word', 'SELECT to_tsvector(''simple'', animals[1 + g % 4]) FROM words'),
 ('documents of two words', 'SELECT to_tsvector(''simple'', CASE WHEN g % 2 = 0 THEN animals[1 + g % 3] || '' '' || animals[2 + g % 3]
    ELSE traffic[1 + g % 3] || '' '' || traffic[2 + g % 3] END) FROM words'),
 ('one document is longer', 'SELECT to_tsvector(''simple'', animals[1 + g % 4] || CASE g WHEN 9 THEN '' cat dog mouse car'' ELSE '' '' || traffic[1 + g % 3] END) FROM words'),
 ('half of them short', 'SELECT to_tsvector(''simple'', animals[1 + g % 4] || CASE WHEN g % 2 = 0 THEN '' cat dog mouse car'' ELSE '''' END) FROM words'),
 ('all the same', 'SELECT to_tsvector(''simple'', ''to be or not to be'') FROM u'),
 ('two texts many times', 'SELECT to_tsvector(''simple'', CASE WHEN g % 2 = 0 THEN ''to be or not'' ELSE ''cat dog mouse car'' END) FROM u'),
 ('all words differ', 'SELECT to_tsvector(''simple'', format(''a%s b%s c%s d%s'', g, g, g, g)) FROM u'),
 ('empty documents', 'SELECT CASE WHEN g % 2 = 0 THEN to_tsvector(''simple'', ''cat dog mouse bird'') ELSE ''''::tsvector END FROM u'),
 ('NULL documents', 'SELECT CASE WHEN g % 2 = 0 THEN to_tsvector(''simple'', ''cat dog mouse bird'') END FROM u'),
 ('one word most of the time', 'SELECT tlv_to_bag(ARRAY[1, 2 + g % 9], ARRAY[1000, 1]) FROM u'),
 ('one long document', 'SELECT tlv_to_bag(ARRAY[g % 9, 10 + g % 7], ARRAY[CASE g WHEN 1 THEN 1e6 ELSE 2 END, 2]) FROM u'),
 ('long rows, text ids', 'SELECT ''d'' || g % 20, CASE WHEN g % 2 = 0 THEN ''even'' ELSE ''odd'' END || g % 8 FROM u')) v (what, query), (VALUES (''), (', k => 2'), (', k => 5')) o (options);

-- Categories.
INSERT INTO odd (driver, what, query, options) SELECT driver, what, query, options || CASE WHEN what = 'numbers among them' THEN ', layout => ''long''' ELSE '' END FROM (VALUES
 ('two rows', 'SELECT g, v, (g + v) % 2 FROM u, generate_series(1, 5) v WHERE g <= 2'),
 ('two variables', 'SELECT g, v, (g * v + (a * 2)::int) % 3 FROM u, generate_series(1, 2) v'),
 ('duplicated variables', 'SELECT g, v, (a * 3)::int FROM u, generate_series(1, 6) v'),
 ('duplicated rows', 'SELECT g, v, (g % 3 + v) % 4 FROM u, generate_series(1, 6) v'),
 ('one constant variable', 'SELECT g, v, CASE v WHEN 1 THEN 0 ELSE (sin(g * v) > 0)::int END FROM u, generate_series(1, 6) v'),
 ('forty categories', 'SELECT g, v, (g * v * 7) % 40 FROM u, generate_series(1, 3) v'),
 ('each category once', 'SELECT g, v, g FROM u, generate_series(1, 4) v WHERE g <= 30'),
 ('nearly all the same', 'SELECT g, v, (g * v % 199 = 0)::int FROM u, generate_series(1, 6) v'),
 ('many missing', 'SELECT g, v, (sin(g * v) > 0)::int FROM u, generate_series(1, 6) v WHERE (g + v) % 5 = 0'),
 ('NULL answers', 'SELECT g, v, CASE WHEN (g + v) % 4 > 0 THEN (sin(g * v) > 0)::int END FROM u, generate_series(1, 6) v'),
 ('texts', 'SELECT ''p'' || g, ''q'' || v, CASE WHEN sin(g * v) > 0 THEN ''yes'' ELSE ''no'' END FROM u, generate_series(1, 6) v'),
 ('numbers among them', 'SELECT g, v, CASE WHEN v < 5 THEN (g * v % 3)::text END, CASE WHEN v >= 5 THEN n * v END FROM u, generate_series(1, 6) v')) v (what, query),
 (VALUES ('lca', ''), ('lca', ', k => 3'), ('gom', ''), ('gom', ', k => 3')) d (driver, options);

-- Answers of a crowd.
INSERT INTO odd (driver, what, query, options) SELECT 'crowd', what, query, '' FROM (VALUES
 ('one answer', 'SELECT 1, 1, 1'),
 ('one worker', 'SELECT g, 1, g % 3 FROM u'),
 ('two workers', 'SELECT g, w, g % 3 FROM u, generate_series(1, 2) w'),
 ('one item', 'SELECT 1, g, g % 3 FROM u'),
 ('all agree', 'SELECT g, w, g % 3 FROM u, generate_series(1, 4) w'),
 ('all say the same', 'SELECT g, w, 1 FROM u, generate_series(1, 4) w'),
 ('all answers differ', 'SELECT g, w, g * 10 + w FROM u, generate_series(1, 3) w WHERE g <= 40'),
 ('answered twice', 'SELECT g % 50, g % 4, (a * 2)::int FROM u'),
 ('two groups that never meet', 'SELECT g, w + 10 * (g % 2), g % 3 FROM u, generate_series(1, 4) w'),
 ('one answer in a hundred', 'SELECT g, w, (g % 100 = 0 AND w > 1)::int FROM u, generate_series(1, 5) w'),
 ('NULL answers', 'SELECT g, w, CASE WHEN (g + w) % 3 > 0 THEN g % 2 END FROM u, generate_series(1, 5) w'),
 ('one worker disagrees always', 'SELECT g, w, (g + (w = 3)::int) % 2 FROM u, generate_series(1, 5) w'),
 ('texts', 'SELECT ''i'' || g, ''w'' || w, CASE WHEN sin(g + w) > .9 THEN ''spam'' ELSE ''ham'' END FROM u, generate_series(1, 5) w')) v (what, query);

-- Series.
INSERT INTO odd (driver, what, query, options) SELECT 'convolution', what, query, options FROM (VALUES
 ('two steps', 'SELECT 1, g, n FROM u WHERE g <= 2'),
 ('ten steps', 'SELECT 1, g, n FROM u WHERE g <= 10'),
 ('noise', 'SELECT 1, g, n FROM u'),
 ('constant', 'SELECT 1, g, 3.0 FROM u'),
 ('one pulse', 'SELECT 1, g, (g = 50)::int::float8 FROM u'),
 ('a sine', 'SELECT 1, g, sin(g / 3.0) FROM u'),
 ('a trend', 'SELECT 1, g, g::float8 FROM u'),
 ('NULL readings', 'SELECT 1, g, CASE WHEN g % 3 > 0 THEN n END FROM u'),
 ('all NULL', 'SELECT 1, g, NULL::float8 FROM u'),
 ('heavy tails', 'SELECT 1, g, n / (b + 1e-4) FROM u'),
 ('one extreme value', 'SELECT 1, g, CASE g WHEN 7 THEN 1e100 ELSE n END FROM u'),
 ('tiny numbers', 'SELECT 1, g, n * 1e-12 FROM u'),
 ('fifty short series', 'SELECT g % 50, g, n FROM u')) v (what, query), (VALUES (', length => 8'), (', k => 2, length => 8')) o (options);

-- Sets of items.
INSERT INTO odd (driver, what, query, options) SELECT 'network', what, query, '' FROM (VALUES
 ('one set', 'SELECT 1, g FROM u WHERE g <= 5'),
 ('one item', 'SELECT g, 1 FROM u'),
 ('pairs alone', 'SELECT g, x FROM u, LATERAL (VALUES (g % 9), (g % 9 + 9)) v (x)'),
 ('no pairs', 'SELECT g, g FROM u'),
 ('all sets alike', 'SELECT g, x FROM u, generate_series(1, 6) x'),
 ('random sets', 'SELECT g, x FROM u, generate_series(1, 12) x WHERE sin(g * x * 37.7) > .3'),
 ('one item in all', 'SELECT g, x FROM u, LATERAL (SELECT 0 AS x UNION ALL SELECT 1 + g % 11) v'),
 ('duplicated rows', 'SELECT g % 20, g % 5 FROM u, generate_series(1, 3)'),
 ('NULL items', 'SELECT g % 20, CASE WHEN g % 3 > 0 THEN g % 7 END FROM u'),
 ('texts', 'SELECT ''s'' || g % 20, ''i'' || g % 7 FROM u')) v (what, query);

-- Graphs.
INSERT INTO odd (driver, what, query, options) SELECT 'mmsb', what, query, options FROM (VALUES
 ('two nodes', 'SELECT 1, 2'),
 ('a self-loop alone', 'SELECT 1, 1'),
 ('self-loops alone', 'SELECT g, g FROM u'),
 ('self-loops among edges', 'SELECT g % 20, g * g % 20 FROM u'),
 ('edges thrice', 'SELECT g % 15, g * 7 % 15 + 1 FROM u, generate_series(1, 3)'),
 ('a star', 'SELECT 0, g FROM u'),
 ('a clique', 'SELECT a.g, b.g FROM u a, u b WHERE a.g < b.g AND b.g <= 12'),
 ('a path', 'SELECT g, g + 1 FROM u'),
 ('a ring', 'SELECT g, g % 200 + 1 FROM u'),
 ('a binary tree', 'SELECT g, g / 2 FROM u WHERE g > 1'),
 ('two cliques', 'SELECT a.g, b.g FROM u a, u b WHERE a.g < b.g AND b.g <= 20 AND a.g % 2 = b.g % 2'),
 ('pairs that are not connected', 'SELECT 2 * g, 2 * g + 1 FROM u'),
 ('triangles that are not connected', 'SELECT 3 * g + i, 3 * g + (i + 1) % 3 FROM u, generate_series(0, 2) i'),
 ('a grid', 'SELECT g, g + s FROM u, (VALUES (1), (15)) v (s) WHERE s = 15 OR g % 15 > 0'),
 ('complete bipartite', 'SELECT a.g, 100 + b.g FROM u a, u b WHERE a.g <= 6 AND b.g <= 8'),
 ('weights', 'SELECT g % 20, g * 7 % 20 + 20, a * 100 FROM u'),
 ('tiny weights', 'SELECT g % 20, g * 7 % 20 + 20, a * 1e-12 FROM u'),
 ('one heavy edge', 'SELECT g % 20, g * 7 % 20 + 20, CASE g WHEN 7 THEN 1e9 ELSE 1 END FROM u'),
 ('NULL ends', 'SELECT g % 20, CASE WHEN g % 3 > 0 THEN g * 7 % 20 END FROM u'),
 ('texts', 'SELECT ''n'' || g % 20, ''n'' || g * g % 23 FROM u'),
 ('negative weights', 'SELECT g % 20, g * 7 % 20 + 20, n FROM u'),
 ('both directions', 'SELECT i, j FROM u, LATERAL (VALUES (g % 30, g * 7 % 31), (g * 7 % 31, g % 30)) v (i, j)')) v (what, query),
 (VALUES (''), (', k => 3'), (', k => 3, alpha0 => .5'), (', directed => true'),
   (', bipartite => true'), (', k => 2, bipartite => true'), (', k => 2, directed => true'), (', degree_corrected => true, k => 2')) o (options);
INSERT INTO odd (driver, what, query, options, asked) VALUES
 ('mmsb', 'NaN weights', 'SELECT g % 20, g * 7 % 20 + 20, ''NaN''::float8 FROM u', '', '22'),
 ('gmm', 'NaN', 'SELECT ARRAY[a, ''NaN''] FROM u', '', '22'),
 ('ica', 'infinity', 'SELECT ARRAY[a, b, ''Infinity''] FROM u', '', '22'),
 ('lda', 'negative counts', 'SELECT 1, g, -1 FROM u', '', '22'),
 ('hmm', 'no rows', 'SELECT 1, g, n FROM u WHERE g > 1000', '', '02000'),
 ('mmsb', 'no rows', 'SELECT g, g + 1 FROM u WHERE g > 1000', '', '02000'),
 ('lca', 'no rows', 'SELECT g, 1, 1 FROM u WHERE g > 1000', '', '02000');

-- What must be said, among other things.
UPDATE odd SET warned = v.code FROM (VALUES
 ('lda', '', 'documents of one word', 'no_structure'), ('lda', ', k => 2', 'documents of one word', 'no_structure'), ('lda', '', 'documents of two words', 'rows_skipped'),
 ('lda', '', 'two texts many times', 'k_untested'), ('multiview', ', k => 2', 'a constant view', 'fewer_components'), ('multiview', ', k => 2', 'all constant', 'fewer_components'),
 ('multiview', ', k => 3', 'heavy tails', 'fewer_components'), ('ica', ', k => 2', 'one number', 'fewer_components'), ('ica', '', 'wider than long', 'few_rows'),
 ('gmm', '', 'lognormal of log-scale 2', 'one_skewed_shape'), ('hmm', ', k => 2', '200 symbols in 2 states', 'many_parameters'), ('hmm', ', k => 4', 'two steps', 'fewer_components'),
 ('mmsb', ', k => 3', 'two nodes', 'fewer_components'), ('mmsb', ', k => 3', 'a binary tree', 'no_structure'), ('network', '', 'pairs alone', 'no_structure'),
 ('gmm', ', covariance => ''direction'', k => 2', 'far from 0', 'rows_scaled')) v (driver, options, what, code)
WHERE odd.driver = v.driver AND odd.options = v.options AND odd.what = v.what;

-- What became of each: the number of components and its warnings, or the error; unsound is what a model must never be.
CREATE TEMP TABLE outcome (id int, sqlstate text, message text, components int, codes text, unsound text);
CREATE FUNCTION pg_temp.unsound(m tlv_model) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bad text := '';
BEGIN
    IF EXISTS (SELECT FROM tlv_components(m) WHERE weight < 0 OR weight = 'NaN' OR weight = 'Infinity') THEN bad := bad || ' weights'; END IF;
    IF EXISTS (SELECT FROM tlv_warnings(m) WHERE message = '' OR hint IS NULL) THEN bad := bad || ' hints'; END IF;
    IF tlv_from_json(tlv_to_json(m)) IS NULL THEN bad := bad || ' json'; END IF;
    IF tlv_kind(m) = 'mmsb' AND EXISTS (SELECT FROM tlv_memberships(m) GROUP BY node, side HAVING abs(sum(membership) - 1) > 1e-6) THEN bad := bad || ' memberships'; END IF;
    RETURN bad;
EXCEPTION WHEN OTHERS THEN RETURN bad || ' ' || SQLERRM;
END $$;
DO $$
DECLARE o odd; m tlv_model; hint text;
BEGIN
    FOR o IN SELECT * FROM odd ORDER BY id LOOP
        BEGIN
            EXECUTE format('SELECT tlv_%s(%L%s)', o.driver, o.query, o.options) INTO m;
            INSERT INTO outcome SELECT o.id, NULL, NULL, (SELECT count(*) FROM tlv_components(m)), (SELECT string_agg(DISTINCT code, ' ') FROM tlv_warnings(m)),
                pg_temp.unsound(m);
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            INSERT INTO outcome VALUES (o.id, SQLSTATE, SQLERRM || ' / ' || hint, NULL, NULL,
                CASE WHEN SQLSTATE = 'XX000' THEN 'internal' ELSE '' END);
        END;
    END LOOP;
END $$;

-- errors that were not asked for: each says what cannot be meant, or what it takes
SELECT string_agg(DISTINCT concat(driver, options), '; ' ORDER BY concat(driver, options)) AS calls, what, sqlstate, message FROM odd JOIN outcome USING (id)
WHERE sqlstate IS NOT NULL AND sqlstate NOT LIKE asked || '%' GROUP BY what, sqlstate, message ORDER BY min(id);
-- models where an error was asked for, and models that are not sound
SELECT driver, options, what, unsound FROM odd JOIN outcome USING (id) WHERE unsound <> '' OR (asked <> 'model' AND sqlstate IS NULL);
-- warnings that are missing
SELECT driver, options, what, warned, codes FROM odd JOIN outcome USING (id) WHERE warned IS NOT NULL AND NOT coalesce(warned = ANY (string_to_array(codes, ' ')), false);
-- two topics in documents of two words; as many communities as there are nodes, never more
SELECT driver, options, what, components FROM odd JOIN outcome USING (id) WHERE (driver, what) IN (('lda', 'documents of two words'), ('lda', 'documents of one word'), ('mmsb', 'two cliques'));
SELECT driver, count(DISTINCT what) AS tables, count(*) AS fits FROM odd GROUP BY 1 ORDER BY 1;
RESET client_min_messages;

-- a variable that is there twice, also under other names of its categories, and rows that a join has repeated, are named: they appear as classes
CREATE TEMP TABLE independent AS SELECT i, ARRAY[a, b, c, d, e, f, a] AS v
  FROM (SELECT i, (abs(hashint8extended(i, 1)) % 3)::int a, (abs(hashint8extended(i, 2)) % 3)::int b, (abs(hashint8extended(i, 3)) % 3)::int c,
    (abs(hashint8extended(i, 4)) % 3)::int d, (abs(hashint8extended(i, 5)) % 3)::int e, (abs(hashint8extended(i, 6)) % 3)::int f FROM generate_series(1, 500) i) q;
SET client_min_messages = error;
SELECT what, (SELECT string_agg(code || CASE code WHEN 'equal_columns' THEN ': ' || message ELSE '' END, ', ' ORDER BY code)
    FROM tlv_warnings(m) WHERE code IN ('equal_columns', 'repeated_rows')) FROM (
  SELECT 'a column twice' AS what, tlv_lca('SELECT v FROM independent') AS m
  UNION ALL SELECT 'a column twice, renamed', tlv_lca($$SELECT chr(65 + v[1]) AS alpha, v[2] AS beta, v[3] AS gamma, v[4] AS delta, 'x' || v[1] * 7 AS copy FROM independent$$, layout => 'wide')
  UNION ALL SELECT '150 rows thrice', tlv_lca('SELECT v[1:6] FROM independent, generate_series(1, 3) WHERE i <= 150')
  UNION ALL SELECT '200 rows once to six times', tlv_lca('SELECT v[1:6] FROM independent, generate_series(1, 6) g WHERE i <= 200 AND g <= 1 + i % 6')
  UNION ALL SELECT 'rows once', tlv_lca('SELECT v[1:6] FROM independent')
  UNION ALL SELECT 'few combinations', tlv_lca('SELECT v[1:3] FROM independent')
  UNION ALL SELECT 'classes', tlv_lca($$SELECT (i % 3 = 0)::int::text AS a, ((i % 3 <> 1) <> (hashint4(i + 5) % 9 = 0))::text AS b,
    ((i % 3 = 1) <> (hashint4(i) % 10 = 0))::text AS c, ((i % 3 = 0) <> (hashint4(i + 999) % 10 = 0))::text AS d FROM generate_series(1, 400) i$$, layout => 'wide')) q;
RESET client_min_messages;
