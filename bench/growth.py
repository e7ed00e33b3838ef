"""How the processor time of every family grows: the table is doubled three times with k and dimensions as they are, and the
dimensions (or k) are doubled twice with the rows as they are.  Printed is log2 of CPU(2n) / CPU(n): 1 is proportional growth;
means above 1.15 in the number of rows are marked.  Every size is drawn anew from the same model and fitted three times on tables
of three seeds, whose processor seconds are added: an iterative fit takes more steps on one table than on another.  Beside them
the time of reading the rows of the largest table, by the aggregate of the server that reads the same columns."""
import math, re, sys

from common import Session, machine, table

MOST = 1.15


def option(name, default):
    return next((a.split('=', 1)[1] for a in sys.argv if a.startswith(f'--{name}=')), default)


SEEDS, FIRST = int(option('seeds', 3)), int(option('seed', 61))
LINES, DOUBLINGS = option('lines', ''), int(option('doublings', 3))


class Line:
    """A fit of n rows drawn with `draw`; of `read` the rows are read; wide: (values of w, the expected exponent in w, what w is)."""

    def __init__(self, name, n, draw, fit, read, w=None, wide=None):
        self.name, self.n, self.draw, self.fit, self.read, self.w, self.wide = name, n, draw, fit, read, w, wide


ARRAY = 'SELECT sum(x[1]) FROM rows'
INTEGERS = 'SELECT sum(v[1]) FROM rows'
FAMILIES = [
    Line('tlv_lda, k = 10', 2000, 'SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(2000, {w}, seed => 5), {n}, 100, {seed})',
         "tlv_lda('SELECT bag FROM rows', k => {w})", 'SELECT sum(tlv_bag_total(bag)) FROM rows', 10, (2, 1, 'k')),
    Line('tlv_lda, k chosen', 1000, 'SELECT bag FROM tlv_simulate_lda(tlv_simulate_lda_model(1000, 10, seed => 5), {n}, 60, {seed})',
         "tlv_lda('SELECT bag FROM rows')", 'SELECT sum(tlv_bag_total(bag)) FROM rows'),
    Line('tlv_mmsb, k = 10, degree 40', 8000,
         'SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model({n}, {w}, within => 250.0 / {n} * {w} / 10, across => 15.0 / {n}, seed => {seed}), seed => {seed})',
         "tlv_mmsb('SELECT src, dst FROM rows', k => {w})", 'SELECT sum(src), sum(dst) FROM rows', 10, (2, 0, 'k')),
    Line('tlv_mmsb, k chosen', 8000,
         'SELECT src, dst FROM tlv_simulate_mmsb(tlv_simulate_mmsb_model({n}, 10, within => 250.0 / {n}, across => 15.0 / {n}, seed => {seed}), seed => {seed})',
         "tlv_mmsb('SELECT src, dst FROM rows')", 'SELECT sum(src), sum(dst) FROM rows'),
    Line('tlv_gmm, full, k = 5', 40000, 'SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model({w}, 5, seed => 5), {n}, {seed})',
         "tlv_gmm('SELECT x FROM rows', k => 5, covariance => 'full')", ARRAY, 12, (2, 2, 'dimensions')),
    Line('tlv_gmm, spherical, k = 5', 100000, 'SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model({w}, 5, seed => 5), {n}, {seed})',
         "tlv_gmm('SELECT x FROM rows', k => 5, covariance => 'spherical')", ARRAY, 32, (2, 1, 'dimensions')),
    Line('tlv_gmm, k chosen', 2500, 'SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(6, 4, seed => 5), {n}, {seed})',
         "tlv_gmm('SELECT x FROM rows')", ARRAY),
    Line('tlv_multiview, k = 4', 100000, "SELECT x1, x2, x3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model(ARRAY[{w}, {w}, {w}], 4, seed => 5), {n}, {seed})",
         "tlv_multiview('SELECT x1, x2, x3 FROM rows', 4)", 'SELECT sum(x1[1]), sum(x2[1]), sum(x3[1]) FROM rows', 8, (2, 2, 'dimensions')),
    Line('tlv_hmm, symbols, k = 4', 200, 'SELECT seq, t, symbol FROM tlv_simulate_hmm(tlv_simulate_hmm_model(30, {w}, seed => 5), {n}, 100, {seed})',
         "tlv_hmm('SELECT seq, t, symbol FROM rows', {w})", 'SELECT sum(seq), sum(t), sum(symbol) FROM rows', 4, (2, 2, 'k')),
    Line('tlv_hmm, numbers, k = 4', 200, 'SELECT seq, t, x FROM tlv_simulate_hmm(tlv_simulate_hmm_model(k => 4, dimensions => {w}, seed => 5), {n}, 100, {seed})',
         "tlv_hmm('SELECT seq, t, x FROM rows', 4)", 'SELECT sum(seq), sum(t), sum(x[1]) FROM rows', 4, (2, 1, 'dimensions')),
    Line('tlv_ica, 8 dimensions', 100000, 'SELECT x FROM tlv_simulate_ica({n}, {w}, seed => {seed})', "tlv_ica('SELECT x FROM rows')", ARRAY, 8, (2, 2, 'dimensions')),
    Line('tlv_lca, k = 4', 20000, 'SELECT v FROM tlv_simulate_lca(tlv_simulate_lca_model({w}, 4, seed => 5), {n}, {seed})',
         "tlv_lca('SELECT v FROM rows', 4)", INTEGERS, 20, (2, 1, 'variables')),
    Line('tlv_gom, k = 3', 1000, 'SELECT v FROM tlv_simulate_gom(tlv_simulate_gom_model({w}, 3, seed => 5), {n}, {seed})',
         "tlv_gom('SELECT v FROM rows', 3)", INTEGERS, 20, (2, 1, 'variables')),
    Line('tlv_tree, categories', 80000, 'SELECT v FROM tlv_simulate_tree(tlv_simulate_tree_model({w}, 2, seed => 5), {n}, {seed})',
         "tlv_tree('SELECT v FROM rows')", INTEGERS, 16, (2, 2, 'variables')),
    Line('tlv_tree, numbers', 100000, "SELECT x FROM tlv_simulate_tree(tlv_simulate_tree_model({w}, kind => 'gaussian', seed => 5), {n}, {seed})",
         "tlv_tree('SELECT x FROM rows')", ARRAY, 16, (2, 2, 'variables')),
    Line('tlv_crowd', 10000, 'SELECT item, worker, answer FROM tlv_simulate_crowd({n}, 50, 3, seed => {seed})',
         "tlv_crowd('SELECT item, worker, answer FROM rows')", 'SELECT sum(item), sum(worker), sum(answer) FROM rows'),
    Line('tlv_dictionary, 24 atoms', 10000, 'SELECT x FROM tlv_simulate_dictionary(tlv_simulate_dictionary_model(16, 24, 2, seed => 5), {n}, seed => {seed})',
         "tlv_dictionary('SELECT x FROM rows', 24, 2)", ARRAY),
    Line('tlv_convolution, 2 templates', 40000, 'SELECT series, t, reading FROM tlv_simulate_convolution(tlv_simulate_convolution_model(seed => 5), 1, {n}, {seed})',
         "tlv_convolution('SELECT series, t, reading FROM rows', 2, 16)", 'SELECT sum(series), sum(t), sum(reading) FROM rows'),
    Line('tlv_network, 20 units', 10000, "SELECT active FROM tlv_simulate_network(tlv_simulate_network_model({w}, '{{20}}', 8, seed => 5), {n}, seed => {seed})",
         "tlv_network('SELECT active FROM rows')", 'SELECT sum(active[1]) FROM rows', 200, (2, 1, 'items')),
    Line('tlv_fit_cp, k = 4', 200000, "SELECT (random() * 30)::int AS i, (random() * 30)::int AS j, (random() * 30)::int AS l, 1.0::float8 AS value FROM generate_series(1, {n}), setseed(.{seed})",
         "tlv_fit_cp((SELECT tlv_tensor_agg(i, j, l, value) FROM rows), 4)", 'SELECT sum(i), sum(j), sum(l), sum(value) FROM rows'),
]


def seconds(pid):
    return int(open(f'/proc/{pid}/schedstat').read().split()[0]) / 1e9


class Bench:
    def __init__(self):
        self.session = Session(max_parallel_workers_per_gather=0, jit='off', tensorlv__threads=1)

    def draw(self, line, n, w, seed):
        self.session.query('DROP TABLE IF EXISTS rows')
        self.session.query('CREATE UNLOGGED TABLE rows AS ' + line.draw.format(n=n, w=w, seed=seed))
        self.session.query('VACUUM ANALYZE rows')

    def cost(self, sql):
        """processor seconds of the backend, finer than the clock's ticks"""
        start = seconds(self.session.pid)
        self.session.query(sql)
        return seconds(self.session.pid) - start

    def seconds(self, line, n, w):
        spent = 0
        for seed in range(FIRST, FIRST + SEEDS):
            self.draw(line, n, w, seed)
            spent += self.cost(f'SELECT pg_column_size({line.fit.format(w=w)})')
        return spent

    def reading(self, line):
        return min(self.cost(line.read) for _ in range(3)) * SEEDS


def exponent(before, after):
    return math.log2(after / before)


def told(value, marked=False):
    return f'**{value:.2f}**' if marked else f'{value:.2f}'


def grow(bench, line):
    sizes = [line.n * 2 ** i for i in range(DOUBLINGS + 1)]
    spent = [bench.seconds(line, n, line.w) for n in sizes]
    reading = bench.reading(line)
    steps = [exponent(a, b) for a, b in zip(spent, spent[1:])]
    mean = sum(steps) / len(steps)
    row = [line.name, f'{sizes[0]:,} to {sizes[-1]:,}', spent[0], spent[-1], reading, *map(told, steps), told(mean, mean > MOST)]
    if line.wide is None:
        return row + ['']
    times, power, what = line.wide
    wide = bench.seconds(line, sizes[1], line.w * times)
    return row + [f'{what} {line.w} to {line.w * times}: {exponent(spent[1], wide):.2f} ({power})']


def main():
    bench, rows = Bench(), []
    machine(bench.session)
    for line in FAMILIES:
        if re.search(LINES, line.name):
            rows.append(grow(bench, line))
            print('  '.join(f'{c:.3f}' if isinstance(c, float) else c for c in rows[-1]), file=sys.stderr, flush=True)
    table(f'growth: log2 of the processor seconds of twice the rows and of the rows, {SEEDS} tables a size; marked above {MOST}',
          ['fit', 'rows', 'CPU s', 'largest', 'reading'] + [f'x {2 ** (i + 1)}' for i in range(DOUBLINGS)] + ['mean', 'width (expected)'], rows)


main()
