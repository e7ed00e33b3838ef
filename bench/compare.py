"""Two builds of the extension side by side, run by scripts/bench-compare: the same statements on
two servers in turn, each time in a new backend: processor seconds (least of the runs) and peak private memory of the
backend.  With --instructions also what valgrind counts of each statement, once: seconds depend by up to a third on where
a server's memory lies, and these do not."""
import os, re, subprocess, sys

os.environ.setdefault('PGHOST', os.environ.get('TLV_AFTER_HOST', ''))
from common import Session, table, machine

RUNS = next((int(a[7:]) for a in sys.argv if a.startswith('--runs=')), 5)
INSTRUCTIONS = '--instructions' in sys.argv
ONLY = next((a[7:].split(',') for a in sys.argv if a.startswith('--only=')), None)

# name: (tables, statements to be timed).  No parallel workers: their time depends on chance.
FAMILIES = {
    'topics': ("""
        CREATE TABLE docs AS SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(2000, 20), 40000, 100);
        CREATE TABLE pairs AS SELECT d.doc, i.item, i.weight FROM (SELECT doc, bag FROM
            tlv_simulate_lda(tlv_simulate_lda_model(2000, 20), 20000, 100)) d, tlv_bag_items(d.bag) i;
        CREATE TABLE fitted AS SELECT tlv_lda('SELECT bag FROM docs', k => 20, refine => 'none') AS model;
        CREATE TABLE subspaces AS SELECT tlv_find_subspace(tlv_count_summary(bag), 20) AS s FROM docs;""", {
        'tlv_lda': "SELECT pg_column_size(tlv_lda('SELECT bag FROM docs', k => 20))",
        'k chosen': "SELECT pg_column_size(tlv_lda('SELECT bag FROM docs', refine => 'none'))",
        'from pairs': "SELECT pg_column_size(tlv_lda('SELECT doc, item, weight FROM pairs', k => 20, refine => 'none'))",
        'products': "SELECT pg_column_size(tlv_count_products(bag, s)) FROM docs, subspaces",
        'statistics': "SELECT pg_column_size(tlv_statistics(bag, model)) FROM docs, fitted",
        'tlv_infer': "SELECT sum((tlv_infer((SELECT model FROM fitted), bag))[1]) FROM docs",
    }),
    'communities': ("""
        CREATE TABLE edges AS SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model(40000, 10, within => .02, across => .0015));
        CREATE TABLE graphs AS SELECT tlv_graph_agg(src, dst) AS g FROM edges;""", {
        'tlv_graph': "SELECT pg_column_size(tlv_graph_agg(src, dst)) FROM edges",
        'tlv_fit_mmsb': "SELECT pg_column_size(tlv_fit_mmsb(g, 10)) FROM graphs",
        'mixed': "SELECT pg_column_size(tlv_fit_mmsb(g, 10, alpha0 => 1)) FROM graphs",
        'tlv_mmsb': "SELECT pg_column_size(tlv_mmsb('SELECT src, dst FROM edges', k => 10))",
    }),
    'mixtures': ("""
        CREATE TABLE points AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(20, 10), 400000);
        CREATE TABLE few AS SELECT x FROM points LIMIT 20000;
        CREATE TABLE views AS SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model('{8,8,8}', 5), 200000);
        CREATE TABLE mixed AS SELECT x FROM tlv_simulate_ica(300000, 10);
        CREATE TABLE mixture AS SELECT tlv_gmm('SELECT x FROM points', k => 10) AS model;""", {
        'tlv_dense_moments 3': "SELECT pg_column_size(tlv_dense_moments(x, 3)) FROM points",
        # Over seeds, since steps to one optimum or another differ more than revisions.
        'tlv_gmm': "SELECT sum(pg_column_size(tlv_gmm('SELECT x FROM points', k => 10, seed => s))) FROM generate_series(1, 5) s",
        'diagonal': "SELECT pg_column_size(tlv_gmm('SELECT x FROM few', k => 10, covariance => 'diagonal'))",
        'k chosen': "SELECT sum(pg_column_size(tlv_gmm('SELECT x FROM few', seed => s))) FROM generate_series(1, 8) s",
        'tlv_multiview': "SELECT pg_column_size(tlv_multiview('SELECT x1, x2, x3 FROM views', 5, refine => 'em'))",
        'tlv_ica': "SELECT pg_column_size(tlv_ica('SELECT x FROM mixed'))",
        'tlv_infer': "SELECT sum((tlv_infer((SELECT model FROM mixture), x))[1]) FROM points",
    }),
    'sequences': ("""
        CREATE TABLE symbols AS SELECT array_agg(symbol ORDER BY t) AS s FROM tlv_simulate_hmm(tlv_simulate_hmm_model(50, 5), 8000, 200) GROUP BY seq;
        CREATE TABLE steps AS SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(50, 5), 4000, 200);
        CREATE TABLE chain AS SELECT tlv_hmm('SELECT s FROM symbols', 5, iterations => 3) AS model;""", {
        'tlv_sequence_moments': "SELECT pg_column_size(tlv_sequence_moments(s)) FROM symbols",
        'tlv_hmm': "SELECT pg_column_size(tlv_hmm('SELECT s FROM symbols', 5, iterations => 20))",
        'from steps': "SELECT pg_column_size(tlv_hmm('SELECT seq, t, symbol FROM steps', 5, iterations => 20))",
        'tlv_viterbi': "SELECT sum(cardinality(tlv_viterbi((SELECT model FROM chain), s))) FROM symbols",
    }),
    'trees': ("""
        CREATE TABLE answers AS SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model(60, 3), 150000);
        CREATE TABLE numbers AS SELECT x FROM tlv_simulate_tree(tlv_simulate_tree_model(60, kind => 'gaussian'), 150000);""", {
        'tlv_category_moments': "SELECT pg_column_size(tlv_category_moments(v)) FROM answers",
        'tlv_tree': "SELECT pg_column_size(tlv_tree('SELECT v FROM answers', 3))",
        'gaussian': "SELECT pg_column_size(tlv_tree('SELECT x FROM numbers'))",
    }),
}


def asked(family, name):
    return ONLY is None or family in ONLY or name in ONLY


def seconds(pid):
    """processor time of a process, finer than the clock's ticks"""
    return int(open(f'/proc/{pid}/schedstat').read().split()[0]) / 1e9


def session(host):
    os.environ['PGHOST'] = host
    return Session(max_parallel_workers_per_gather=0, jit='off')


def seconds_of(host, sql):
    """of a statement in a backend of its own: where memory lies decides up to a fifth of the time, and is drawn again"""
    s = session(host)
    s.query('SELECT count(*) FROM tlv_kinds()')
    start = seconds(s.pid)
    s.query(sql)
    spent = seconds(s.pid) - start
    s.close()
    return spent


def peak(host, sql):
    """private memory of a backend that does nothing else, at its most: the kernel's own mark"""
    s = session(host)
    s.query(sql)
    with open(f'/proc/{s.pid}/clear_refs', 'w') as marks:
        marks.write('5')
    s.query(sql)
    v = dict(line.split(':', 1) for line in open(f'/proc/{s.pid}/status') if line.startswith(('VmHWM', 'Rss')))
    kb = {name: int(value.split()[0]) for name, value in v.items()}
    s.close()
    return (kb['VmHWM'] - kb['RssFile'] - kb['RssShmem']) / 1024


def instructions(data, sql):
    """millions that a backend takes for a statement, which runs without a server; valgrind knows no AVX-512"""
    command = ['env', '-u', 'OPENBLAS_CORETYPE', 'TMPDIR=/tmp', 'valgrind', '--tool=cachegrind', '--cache-sim=no', '--cachegrind-out-file=/dev/null',
               f"{os.environ['TLV_BINDIR']}/postgres", '--single', '-j', '-D', data, 'postgres']
    if os.getuid() == 0:
        command = ['runuser', '-u', 'postgres', '--'] + command
    told = subprocess.run(command, input=f'SET max_parallel_workers_per_gather = 0; SET jit = off; {sql};', cwd='/', capture_output=True, text=True).stderr
    return int(re.search(r'I +refs: +([0-9,]+)', told).group(1).replace(',', '')) / 1e6


def compare_instructions(hosts):
    """of the statements that have been timed; the servers end"""
    data = {}
    for which, host in hosts.items():
        s = session(host)
        data[which] = s.query('SHOW data_directory')[0][0]
        s.close()
    for d in data.values():
        stop = [f"{os.environ['TLV_BINDIR']}/pg_ctl", '-D', d, '-m', 'fast', '-w', '-s', 'stop']
        subprocess.run((['runuser', '-u', 'postgres', '--'] if os.getuid() == 0 else []) + stop, cwd='/', check=True)
    none = {which: instructions(d, 'SELECT 1') for which, d in data.items()}
    rows = []
    for family, (_, statements) in FAMILIES.items():
        for name, sql in statements.items():
            if not asked(family, name):
                continue
            took = {which: instructions(d, sql) - none[which] for which, d in data.items()}
            rows.append((f'{family}: {name}', *(f'{m:.0f}' for m in took.values()), f"{took['after'] / took['before']:.3f}"))
            print('.', end='', flush=True)
    print()
    table('instructions', ['statement', '10^6 before', 'after', 'ratio'], rows)


def main():
    hosts = {'before': os.environ['PGHOST'], 'after': os.environ['TLV_AFTER_HOST']}
    sessions = {which: session(host) for which, host in hosts.items()}
    for s in sessions.values():
        s.query('CREATE EXTENSION tensorlv')
    machine(sessions['after'])
    print(f"before: {os.environ.get('TLV_BEFORE_NAME')}; least of {RUNS} runs in turn, each in a backend of its own")
    rows, slower = [], 0
    for family, (tables, statements) in FAMILIES.items():
        if not any(asked(family, name) for name in statements):
            continue
        for s in sessions.values():
            for statement in tables.split(';'):
                if statement.strip():
                    s.query(statement)
            s.query('VACUUM ANALYZE')
        for name, sql in statements.items():
            if not asked(family, name):
                continue
            cpu = {which: [] for which in hosts}
            for run in range(RUNS):
                for which in sorted(hosts, reverse=run % 2 == 1):
                    cpu[which].append(seconds_of(hosts[which], sql))
            mb = {which: peak(host, sql) for which, host in hosts.items()}
            least = {which: min(c) for which, c in cpu.items()}
            ratio = least['after'] / max(least['before'], 1e-9)
            slower += ratio > 1.03
            rows.append((f'{family}: {name}', f"{least['before']:.3f}", f"{least['after']:.3f}", f'{ratio:.3f}',
                         f"{mb['before']:.1f}", f"{mb['after']:.1f}"))
            print('.', end='', flush=True)
    print()
    table('before and after', ['statement', 'CPU s before', 'after', 'ratio', 'MB before', 'after'], rows)
    print(f'{slower} of {len(rows)} statements are more than 3 % slower')
    if INSTRUCTIONS:
        compare_instructions(hosts)


main()
