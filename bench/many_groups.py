"""Many groups: aggregates of tensorlv alone, beside array_append, which makes a memory context for each
of its groups, and with a model of its own for each group; twice as many groups, twice the time.  --groups=N (20 000)"""
import sys
from common import Session, machine, table

GROUPS = next((int(a.split('=')[1]) for a in sys.argv[1:] if a.startswith('--groups=')), 20_000)
EACH = 5                                        # rows of a group

s = Session(max_parallel_workers_per_gather=0, work_mem='1GB', enable_sort='off')
machine(s)
s.query("CREATE AGGREGATE appended(bigint) (SFUNC = array_append, STYPE = bigint[], INITCOND = '{}')")
WAYS = {
    'tlv_bag': 'SELECT count(a) FROM (SELECT tlv_bag_agg(x) AS a FROM small GROUP BY g) q',
    'array_append': 'SELECT count(a) FROM (SELECT appended(x) AS a FROM small GROUP BY g) q',
    'tlv_bag beside array_append': 'SELECT count(a), count(b) FROM (SELECT tlv_bag_agg(x) AS a, appended(x) AS b FROM small GROUP BY g) q',
    'tlv_statistics, one model': 'SELECT count(a) FROM (SELECT tlv_statistics(ARRAY[x, 1]::float8[], (SELECT m FROM models WHERE g = 1)) AS a '
                                 'FROM small GROUP BY g) q',
    'tlv_statistics, a model each': 'SELECT count(a) FROM (SELECT tlv_statistics(ARRAY[x, 1]::float8[], m) AS a FROM small JOIN models USING (g) '
                                    'GROUP BY g) q',
}


def cpu(groups):
    s.query(f'DROP TABLE IF EXISTS small, models; CREATE UNLOGGED TABLE small AS SELECT i % {groups} + 1 AS g, i AS x '
            f'FROM generate_series(1::bigint, {groups * EACH}) i')
    s.query(f'CREATE UNLOGGED TABLE models AS SELECT i AS g, tlv_simulate_gmm_model(2, 2, seed => i) AS m FROM generate_series(1, {groups}) i')
    s.query('VACUUM ANALYZE small, models')
    return {name: s.median(sql).cpu for name, sql in WAYS.items()}


once, twice = cpu(GROUPS), cpu(2 * GROUPS)
table(f'{GROUPS} and {2 * GROUPS} groups of {EACH} rows, CPU seconds (median of 3); array_append alone is the server\'s own',
      ['', f'{GROUPS}', f'{2 * GROUPS}', 'ratio'], [[n, once[n], twice[n], f'{twice[n] / once[n]:.1f}'] for n in WAYS])
