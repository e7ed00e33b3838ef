"""Layered sparse networks: tlv_network on random networks of Ge's thesis (2013, chapter 6), with and without flipped items; how many
units it finds, edges of weight -1, and seconds, beside scikit-learn's NMF of the same rows (as many components as there are units,
two starts of 50 steps, the better of which is judged: the largest weights of a component are its items, as many as the unit has).

Found: units whose items overlap with those of one that is there by nine tenths (of both together) or, exactly, altogether."""
import sys, time
from common import Session, np, table

import scipy.sparse
from sklearn.decomposition import NMF

seeds, peer = 2, True
for option in sys.argv[1:]:
    if option.startswith('--seeds='):
        seeds = int(option[8:])
    elif option == '--ours':
        peer = False
    else:
        sys.exit('options: --seeds=2, --ours')

# items, units, children of a unit, share of rows in which a unit is on, rows
BEDS = ((400, 100, 40, .02, 20000), (300, 150, 40, .0133, 20000))
server = Session()


def overlap(a, b):
    return len(a & b) / max(1, len(a | b))


def by_nmf(rows, n, units):
    """sets of items, the unit they are for given: the peer is told how large each is"""
    start = time.process_time()
    at = np.concatenate([np.full(len(row), i) for i, row in enumerate(rows)])
    X = scipy.sparse.csr_matrix((np.ones(len(at)), (at, np.concatenate(rows).astype(int) - 1)), shape=(len(rows), n))
    fits = [NMF(len(units), init='nndsvda' if seed == 0 else 'random', max_iter=50, random_state=seed).fit(X) for seed in range(2)]
    best = min(fits, key=lambda fit: fit.reconstruction_err_)
    cpu = time.process_time() - start
    order = np.argsort(-best.components_, axis=1) + 1
    return [max(overlap(set(map(int, o[:len(unit)])), unit) for o in order) for unit in units], cpu


rows = []
for n, m, children, density, size in BEDS:
    for flips in (0, .01):
        found, exact, extra, wrong, missed, negative, seconds = 0, 0, 0, 0, 0, 0, []
        theirs, their_exact, their_seconds = 0, 0, []
        for seed in range(1, seeds + 1):
            server.query('DROP TABLE IF EXISTS truth, bits, found')
            server.query(f'''CREATE TEMP TABLE truth AS SELECT tlv_simulate_network_model({n}, ARRAY[{m}], {children}, density => {density}, seed => {seed}) AS model''')
            server.query(f'''CREATE TABLE bits AS SELECT s.* FROM truth, tlv_simulate_network(model, {size}, flips => {flips}, seed => {seed + 100}) s''')
            _, cost = server.cost("CREATE TEMP TABLE found AS SELECT tlv_network('SELECT active FROM bits') AS model")
            seconds.append(cost.cpu)
            match = server.query('''SELECT component_a, component_b, distance FROM truth t, found f, tlv_match(t.model, f.model) WHERE distance IS NOT NULL''')
            found += sum(float(row[2]) <= .1 for row in match)
            exact += sum(float(row[2]) == 0 for row in match)
            extra += int(server.value('SELECT count(*) FROM found, tlv_components(model)')) - m
            # edges of weight -1 of units that are found
            right = {int(a): int(b) for a, b, d in match if float(d) <= .1}
            edges = [{(int(u), int(c)) for u, c in server.query(f'SELECT unit, child FROM {what}, tlv_edges(model) WHERE weight = -1')} for what in ('truth', 'found')]
            true = {(right[u], c) for u, c in edges[0] if u in right}
            ours = {(u, c) for u, c in edges[1] if u in right.values()}
            negative += len(true)
            missed += len(true - ours)
            wrong += len(ours - true)
            if peer:
                units = {}
                for u, c in server.query('SELECT unit, child FROM truth, tlv_edges(model) WHERE weight = 1'):
                    units.setdefault(int(u), set()).add(int(c))
                bits = [row[0].strip('{}').split(',') for row in server.query("SELECT active FROM bits WHERE active <> '{}'")]
                near, cpu = by_nmf(bits, n, list(units.values()))
                theirs += sum(x >= .9 for x in near)
                their_exact += sum(x == 1 for x in near)
                their_seconds.append(cpu)
        all_units = m * seeds
        rows.append([f'{n}, {m}, {children}, {density}', f'{flips}', 'tlv_network', f'{found} of {all_units}', exact, extra, f'{missed} of {negative}', wrong, f'{np.median(seconds):.1f}'])
        if peer:
            rows.append(['', '', 'NMF', f'{theirs} of {all_units}', their_exact, '', '', '', f'{np.median(their_seconds):.1f}'])
table(f'Layered networks, {BEDS[0][4]} rows, {seeds} seeds', ['items, units, children, on', 'flips', 'by', 'found', 'exactly', 'too many', 'edges -1 missed', 'wrong', 'CPU s'], rows)
