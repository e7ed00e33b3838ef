-- A query that is read cannot write: whatever its code does to transaction_read_only, the statement
-- fails and nothing is written.  Before 16 RESET bypasses the server's own check of the setting.
SET client_min_messages = warning;
CREATE TABLE ro_rows AS SELECT i AS id, ARRAY[i % 7 + 9 * (i % 2), i % 5 - 9 * (i % 2)]::float8[] AS x FROM generate_series(1, 400) i;
CREATE TABLE ro_seen (what text);

-- Every way of ending the mode, each followed by a write; true when the write went through.
CREATE FUNCTION ro_write(how text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    CASE how
        WHEN 'reset' THEN RESET transaction_read_only;
        WHEN 'set_config' THEN PERFORM set_config('transaction_read_only', NULL, false);
        WHEN 'set_config, local' THEN PERFORM set_config('transaction_read_only', NULL, true);
        WHEN 'default' THEN SET transaction_read_only TO DEFAULT;
        WHEN 'default, local' THEN SET LOCAL transaction_read_only TO DEFAULT;
        WHEN 'off' THEN SET transaction_read_only = off;
        WHEN 'transaction' THEN SET TRANSACTION READ WRITE;
        WHEN 'update' THEN UPDATE pg_settings SET setting = NULL WHERE name = 'transaction_read_only';
        WHEN 'and back' THEN RESET transaction_read_only;
        WHEN 'nested' THEN PERFORM tlv_gmm('SELECT x FROM ro_rows WHERE ro_write(''reset'')', 2);
        ELSE NULL;
    END CASE;
    INSERT INTO ro_seen VALUES (how);
    IF how = 'and back' THEN SET transaction_read_only = on; END IF;
    RETURN true;
END $$;
-- The same in a subtransaction, whose end restores the mode, and with the error caught.
CREATE FUNCTION ro_write_within(how text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        RETURN ro_write(how);
    EXCEPTION WHEN division_by_zero THEN
        RETURN false;
    END;
END $$;
CREATE FUNCTION ro_write_caught(how text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        PERFORM ro_write(how);
    EXCEPTION WHEN OTHERS THEN
        NULL;
    END;
    RETURN true;
END $$;
CREATE FUNCTION ro_constant(how text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write(how); RETURN 1; END $$;
CREATE FUNCTION ro_check(x float8[]) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN ro_write('set_config'); END $$;
CREATE DOMAIN ro_vector AS float8[] CHECK (ro_check(value));
CREATE VIEW ro_view AS SELECT x FROM ro_rows WHERE ro_write('reset');

-- Which state depends on the version of the server; the statement fails in any case.
CREATE FUNCTION ro_outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'runs';
EXCEPTION
    WHEN read_only_sql_transaction OR active_sql_transaction OR feature_not_supported THEN RETURN 'refused';
    WHEN OTHERS THEN RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

SELECT how, ro_outcome(format('SELECT tlv_gmm(%L, 2)', format('SELECT x FROM ro_rows WHERE ro_write(%L)', how))) AS plain,
       ro_outcome(format('SELECT tlv_gmm(%L, 2)', format('SELECT x FROM ro_rows WHERE ro_write_within(%L)', how))) AS in_subtransaction
FROM unnest(ARRAY['no way', 'reset', 'set_config', 'set_config, local', 'default', 'default, local', 'off', 'transaction', 'update', 'and back', 'nested']) how;
SELECT q, ro_outcome(q) AS outcome
FROM unnest(ARRAY[
    $$SELECT tlv_gmm('SELECT x::ro_vector FROM ro_rows', 2)$$,
    $$SELECT tlv_gmm('SELECT x FROM ro_view', 2)$$,
    $$SELECT tlv_gmm('SELECT x FROM ro_rows LIMIT 10 * ro_constant(''reset'')', 2)$$,
    $$SELECT tlv_gmm('SELECT x FROM ro_rows', 2, more_queries => ARRAY['SELECT x FROM ro_view'])$$,
    $$SELECT tlv_hmm('SELECT array_agg(id % 3) FROM ro_rows WHERE ro_write(''reset'') GROUP BY id / 20', 2)$$,
    $$SELECT tlv_lda('SELECT tlv_to_bag(ARRAY[id % 9, id % 5]::bigint[]) FROM ro_rows WHERE ro_write(''reset'')', 2)$$,
    $$SELECT * FROM tlv_suggest_k('SELECT tlv_to_bag(ARRAY[id % 9, id % 5]::bigint[]) FROM ro_rows WHERE ro_write(''reset'')')$$]) q;
-- an error that the query catches: the mode was not ended, and what is read is fitted
SELECT ro_outcome('SELECT tlv_gmm(''SELECT x FROM ro_rows WHERE ro_write_caught(''''reset'''')'', 2)') AS caught;
-- a cast of a type for vectors
CREATE TYPE ro_own AS (x real[]);
CREATE FUNCTION ro_numbers(own ro_own) RETURNS real[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write('reset'); RETURN own.x; END $$;
CREATE CAST (ro_own AS real[]) WITH FUNCTION ro_numbers(ro_own);
SELECT ro_outcome('SELECT tlv_gmm(''SELECT row(x::real[])::ro_own FROM ro_rows'', 2)') AS cast;
DROP TYPE ro_own CASCADE;
-- functions of a type: the cast of ids to text, and the order of steps
CREATE TYPE ro_node AS ENUM ('a', 'b', 'c', 'd', 'e', 'f');
CREATE FUNCTION ro_nodes(i int) RETURNS ro_node LANGUAGE sql STABLE AS $$ SELECT (enum_range(NULL::ro_node))[1 + i % 6] $$;
CREATE FUNCTION ro_text(n ro_node) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write('reset'); RETURN enum_out(n); END $$;
CREATE CAST (ro_node AS text) WITH FUNCTION ro_text(ro_node);
SELECT ro_outcome('SELECT tlv_mmsb(''SELECT ro_nodes(id), ro_nodes(id / 2) FROM ro_rows'', 2)') AS text_of_ids;
DROP CAST (ro_node AS text);
CREATE FUNCTION ro_equal(a ro_node, b ro_node) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write('set_config'); RETURN enum_eq(a, b); END $$;
CREATE FUNCTION ro_less(a ro_node, b ro_node) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write('set_config'); RETURN enum_lt(a, b); END $$;
CREATE FUNCTION ro_order(a ro_node, b ro_node) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ro_write('set_config'); RETURN enum_cmp(a, b); END $$;
CREATE OPERATOR === (LEFTARG = ro_node, RIGHTARG = ro_node, FUNCTION = ro_equal);
CREATE OPERATOR <<< (LEFTARG = ro_node, RIGHTARG = ro_node, FUNCTION = ro_less);
CREATE OPERATOR CLASS ro_ops DEFAULT FOR TYPE ro_node USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 ro_order(ro_node, ro_node);
SELECT ro_outcome('SELECT tlv_hmm(''SELECT id / 6, ro_nodes(id), id % 3 FROM ro_rows'', 2)') AS order_of_steps;
DROP TYPE ro_node CASCADE;
SELECT count(*) AS written FROM ro_seen;

-- What is no query of ours is as before: a function with the setting of its own, a reset.
-- From 16 on no function may have this one.
DO $do$ BEGIN
    EXECUTE 'CREATE FUNCTION ro_reads() RETURNS text LANGUAGE sql ' || CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'SET transaction_read_only = on ' ELSE '' END
        || 'AS $$ SELECT current_setting(''transaction_read_only'') $$';
END $do$;
SELECT ro_reads() = 'on' OR current_setting('server_version_num')::int >= 160000 AS reads, current_setting('transaction_read_only') AS after;
SELECT tlv_kind(tlv_gmm('SELECT x FROM ro_rows WHERE ro_reads() = ''on''', 2)), current_setting('transaction_read_only') AS after;
BEGIN READ ONLY;
SELECT tlv_kind(tlv_gmm('SELECT x FROM ro_rows', 2));
SHOW transaction_read_only;
COMMIT;
SELECT ro_write('no way');
SELECT count(*) AS written FROM ro_seen;
DROP VIEW ro_view;
DROP DOMAIN ro_vector;
DROP TABLE ro_rows, ro_seen;
DROP FUNCTION ro_write, ro_write_within, ro_write_caught, ro_constant, ro_check, ro_outcome, ro_reads;
