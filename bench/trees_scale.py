"""Trees of the size of MIMIC2 (30 000 rows of 1083 binary variables) and CMS (1.6 M rows of 168 variables of up to 31
states), simulated: moments against a scan of the arrays, structure, parameters, 2 workers; growth with rows, variables
and states.
--part=mimic,cms,growth   --quick: 400 000 rows of CMS"""
import sys
from common import Session, machine, np, table
from common_trees import copy_arrays, random_tree, robinson_foulds, rooted, seconds_of

OPTIONS = dict((a.lstrip('-').split('=', 1) + [''])[:2] for a in sys.argv[1:])
BLOCK = 100000


def random_model(seed, p, k, states, low=.6, high=.9):
    """edges, and what draw() wants: the generator of common_trees with a number of states for every variable"""
    rng = np.random.default_rng(seed)
    edges, _ = random_tree(rng, p, 4)
    parent, order = rooted(edges, p)
    tables = {}
    for y in order[1:]:
        m, r = states[y] if y < p else k, rng.uniform(low, high)
        base = np.zeros((m, k))
        base[np.arange(k) % m, np.arange(k)] = 1
        tables[y] = r * base + (1 - r) * rng.dirichlet(np.full(m, 2.0), k).T
    return edges, (parent, order, tables, rng.dirichlet(np.full(k, 10.0)), p, rng)


def draw(model, n):
    """n rows"""
    parent, order, tables, start, p, rng = model
    z, x = {order[0]: rng.choice(len(start), n, p=start).astype(np.int8)}, np.empty((n, p), np.int32)
    for y in order[1:]:
        below, u, above = np.cumsum(tables[y], 0), rng.random(n, np.float32), z[parent[y]]
        value = np.empty(n, np.int8)
        for state in range(below.shape[1]):
            at = above == state
            value[at] = np.minimum(np.searchsorted(below[:, state], u[at]), len(below) - 1)
        if y < p:
            x[:, y] = value
        else:
            z[y] = value
    return x


def load(s, name, model, n):
    copy_arrays(s, name, (draw(model, min(BLOCK, n - i)) for i in range(0, n, BLOCK)))
    s.query(f'SELECT count(v) FROM {name}')


def workers(s, n):
    s.set(max_parallel_workers_per_gather=n, min_parallel_table_scan_size=0, parallel_setup_cost=0 if n else 1000,
          parallel_tuple_cost=0 if n else .1)


def distance(s, query, edges, p):
    """Robinson-Foulds"""
    found = s.query(f'SELECT e.parent, e.child FROM ({query}) q(model), tlv_tree_edges(q.model) e WHERE e.parent IS NOT NULL')
    number = lambda x: int(x[1:]) - 1 if x[0] == 'v' else p + int(x[1:])
    a, b = robinson_foulds(edges, [(number(a), number(b)) for a, b in found], set(range(p)))
    return f'{a} of {b}'


def size(s, title, name, edges, p, asked_moments=None, asked_structure=None, asked_all=None):
    rows = []

    def line(what, cost, base=None, asked=None, extra=''):
        rows.append([what, f'{cost.wall:.2f}', f'{cost.cpu:.2f}', base and f'{cost.cpu / base:.2f}', asked, cost.leader_mb, extra])

    workers(s, 0)
    scan = s.median(f'SELECT sum(cardinality(v)) FROM {name}')
    line('scan: sum(cardinality(v))', scan, scan.cpu)
    values = s.cost(f'SELECT sum((SELECT sum(x) FROM unnest(v) x)) FROM {name}')[1]
    line('every element: sum of unnest(v)', values, scan.cpu)
    one = s.median(f'CREATE TEMP TABLE m AS SELECT tlv_category_moments(v) AS m FROM {name}; DROP TABLE m')
    line('tlv_category_moments', one, scan.cpu, asked_moments)
    workers(s, 2)
    plan = s.nodes(f'SELECT tlv_category_moments(v) FROM {name}')
    scan2 = s.median(f'SELECT sum(cardinality(v)) FROM {name}')
    line('scan, 2 workers', scan2, scan.cpu, extra=f'speed-up {scan.wall / scan2.wall:.1f}')
    two = s.median(f'CREATE TEMP TABLE m AS SELECT tlv_category_moments(v) AS m FROM {name}; DROP TABLE m')
    line('tlv_category_moments, 2 workers', two, scan.cpu, extra=f'speed-up {one.wall / two.wall:.1f}')
    workers(s, 0)
    s.query(f'CREATE TEMP TABLE m AS SELECT tlv_category_moments(v) AS m FROM {name}')
    cost = s.cost('CREATE TEMP TABLE f AS SELECT tlv_fit_tree(m, 2) AS model FROM m')[1]
    line('tlv_fit_tree(m, 2): structure', cost, None, asked_structure, 'RF ' + distance(s, 'SELECT model FROM f', edges, p))
    for method in 'nj', 'clrg', 'chow-liu':
        cost = s.cost(f"CREATE TEMP TABLE g AS SELECT tlv_fit_tree(m, 2, structure => '{method}') AS model FROM m")[1]
        line(f'the same, {method}', cost, None, asked_structure, 'RF ' + distance(s, 'SELECT model FROM g', edges, p) if method != 'chow-liu' else '')
        s.query('DROP TABLE g')
    cost = s.cost(f'CREATE TEMP TABLE t AS SELECT tlv_statistics(v, model) AS s FROM {name}, f')[1]
    line('tlv_statistics: triples', cost, scan.cpu)
    cost = s.cost('CREATE TEMP TABLE u AS SELECT tlv_update(model, s) AS model FROM f, t')[1]
    line('tlv_update: parameters', cost)
    cost = s.cost(f'CREATE TEMP TABLE e AS SELECT tlv_statistics(v, model) AS s FROM {name}, u')[1]
    line('tlv_statistics: one step of EM', cost, scan.cpu)
    s.query('DROP TABLE m, f, t, u, e')
    for n in 0, 2:
        workers(s, n)
        cost = s.cost(f"CREATE TEMP TABLE w AS SELECT tlv_tree('SELECT v FROM {name}', 2) AS model")[1]
        d = dict(s.query("SELECT concat_ws('_', measure, component), score FROM w, tlv_diagnostics(model)"))
        line('tlv_tree' + (', 2 workers' if n else ''), cost, None, asked_all,
             f"{d['refinement_steps']} steps, {d['passes']} passes, {float(d['log_likelihood_per_row']):.3f}; "
             'RF ' + distance(s, 'SELECT model FROM w', edges, p))
        s.query('DROP TABLE w')
    print('\nplan: ' + plan)
    table(title, ['', 'wall s', 'CPU s', '/ scan', 'asked', 'private MB', ''], rows)


def mimic(s):
    edges, model = random_model(1, 1083, 2, [2] * 1083)
    load(s, 'mimic', model, 30000)
    size(s, 'MIMIC2 size: 30 000 rows, 1083 binary variables', 'mimic', edges, 1083, '3', '20', '60')
    s.query('DROP TABLE mimic')


def cms(s):
    n = 400000 if 'quick' in OPTIONS else 1600000
    states = np.random.default_rng(2).integers(2, 32, 168)
    edges, model = random_model(1, 168, 2, states)
    load(s, 'cms', model, n)
    size(s, f'CMS size: {n} rows, 168 variables of 2 to 31 states', 'cms', edges, 168)
    s.query('DROP TABLE cms')


def exponent(x, y):
    return f'{np.polyfit(np.log(x), np.log(y), 1)[0]:.2f}'


def growth(s):
    workers(s, 0)
    titles = ['moments', 'structure', 'tlv_tree']
    # rows, variables, states: one grows; tables of triples are kept nowhere
    series = [('rows', [(n, 200, 4) for n in (12500, 25000, 50000, 100000)]), ('variables', [(10000, p, 2) for p in (200, 400, 800, 1600)]),
              ('states', [(25000, 120, d) for d in (2, 4, 8, 16, 31)])]
    rows, slopes = [], []
    for what, points in series:
        costs = []
        for n, p, d in points:
            edges, model = random_model(1, p, 2, [d] * p)
            load(s, 'g', model, n)
            make = lambda sql: seconds_of(s, f'DROP TABLE IF EXISTS o; CREATE TEMP TABLE o AS {sql}')
            measured = [make('SELECT tlv_category_moments(v) AS m FROM g')]
            s.query('DROP TABLE IF EXISTS k; CREATE TEMP TABLE k AS SELECT m FROM o')
            measured.append(make('SELECT tlv_fit_tree(m, 2) AS model FROM k'))
            measured.append(make("SELECT tlv_tree('SELECT v FROM g', 2, iterations => 5)"))
            costs.append(measured)
            rows.append([f'{n} rows, {p} variables, {d} states'] + [f'{c:.3f}' for c in measured])
        x = [point[('rows', 'variables', 'states').index(what)] for point in points]
        slopes.append([what] + [exponent(x, np.array(costs)[:, i]) for i in range(3)])
    table('Growth, CPU seconds (tlv_tree: 5 steps of EM)', [''] + titles, rows)
    table('Exponents', [''] + titles, slopes)


def main():
    s = Session()
    machine(s)
    wanted = OPTIONS.get('part', 'mimic,cms,growth').split(',')
    for name, part in ('mimic', mimic), ('cms', cms), ('growth', growth):
        if name in wanted:
            part(s)
    s.close()


if __name__ == '__main__':
    main()
