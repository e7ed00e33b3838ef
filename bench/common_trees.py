"""Shared by the benchmarks of trees: data drawn from random latent trees, splits, belief propagation, and loading of
arrays.  latent_tree draws number for number what the reference's generator does (numpy's PCG64), whose figures the
acceptance bench compares with."""
import os
from common import median, np

TMP = os.environ.get('TMPDIR', '/tmp')


# -- random trees --------------------------------------------------------------

def random_tree(rng, p, degree):
    """edges of a random tree with leaves 0 .. p-1, and its number of nodes; degree 3: binary, 4: a third of the
    edges between hidden nodes contracted"""
    edges, nodes = list({(0, p), (1, p), (2, p)}), p + 1   # a set's order, as the reference has it
    for leaf in range(3, p):
        a, b = edges.pop(rng.integers(len(edges)))
        edges += [(a, nodes), (nodes, b), (leaf, nodes)]
        nodes += 1
    for _ in range((p - 3) // 3 if degree == 4 else 0):
        inner = [e for e in edges if min(e) >= p]
        if inner:
            a, b = inner[rng.integers(len(inner))]
            edges = [(a if x == b else x, a if y == b else y) for x, y in edges if (x, y) != (a, b)]
    hidden = {x: p + i for i, x in enumerate(sorted({x for e in edges for x in e if x >= p}))}
    return [(hidden.get(a, a), hidden.get(b, b)) for a, b in edges], p + len(hidden)


def neighbours(edges):
    near = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    return near


def rooted(edges, root):
    """parents (the root's is -1) and the nodes, parents first"""
    near, parent, order = neighbours(edges), {root: -1}, [root]
    for x in order:
        for y in near[x]:
            if y != parent[x]:
                parent[y] = x
                order.append(y)
    return parent, order


def latent_tree(seed, p, n, kind, k=3, d=3, degree=4, low=.6, high=.9):
    """rows (n x p), edges, and of categories (parents, tables P(child | parent) by child, distribution of the root)"""
    rng = np.random.default_rng(seed)
    edges, nodes = random_tree(rng, p, degree)
    parent, order = rooted(edges, p)
    if kind == 'gaussian':
        z = np.zeros((n, nodes))
        z[:, p] = rng.normal(size=n)
        for y in order[1:]:
            r = rng.uniform(low, high) * rng.choice([-1, 1])
            z[:, y] = r * z[:, parent[y]] + np.sqrt(1 - r * r) * rng.normal(size=n)
        return z[:, :p], edges, None
    z, tables = np.zeros((n, nodes), int), {}
    start = rng.dirichlet(np.full(k, 10.0))
    z[:, p] = rng.choice(k, n, p=start)
    for y in order[1:]:
        m = d if y < p else k
        r = rng.uniform(low, high)
        base = np.zeros((m, k))
        base[np.arange(k) % m, np.arange(k)] = 1
        tables[y] = r * base + (1 - r) * rng.dirichlet(np.full(m, 2.0), k).T
        below, u = np.cumsum(tables[y], 0), rng.random(n)
        z[:, y] = np.minimum((u[None] > below[:, z[:, parent[y]]]).sum(0), m - 1)
    return z[:, :p], edges, (parent, tables, start)


# -- splits --------------------------------------------------------------------

def splits(edges, leaves):
    """divisions of the leaves (of two at least on both sides), as the side without the first; edges of a forest divide
    their component"""
    near, seen, found = neighbours(edges), set(), set()
    for root in near:
        if root in seen:
            continue
        parent, order = rooted(edges, root)
        seen.update(order)
        below = {x: {x} & leaves for x in order}
        for x in reversed(order[1:]):
            below[parent[x]] |= below[x]
        everyone = below[root]
        if len(everyone) < 4:
            continue
        first = min(everyone)
        for x in order[1:]:
            side = below[x] if first not in below[x] else everyone - below[x]
            if 1 < len(side) < len(everyone) - 1:
                found.add(frozenset(side))
    return found


def robinson_foulds(a, b, leaves):
    a, b = splits(a, leaves), splits(b, leaves)
    return len(a ^ b), len(a) + len(b)


def agglomerative(distances):
    """edges of scipy's average linkage"""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform
    p = len(distances)
    joined = linkage(squareform(distances, checks=False), 'average')
    return [(int(x), p + i) for i, row in enumerate(joined) for x in row[:2]]


def neighbour_joining(distances):
    """edges of the binary tree (Saitou and Nei), and the length of each"""
    p = len(distances)
    d, nodes, edges = distances.astype(float).copy(), list(range(p)), []
    for new in range(p, 2 * p - 3):
        n, r = len(nodes), d.sum(0)
        q = (n - 2) * d - r[:, None] - r
        np.fill_diagonal(q, np.inf)
        i, j = sorted(np.unravel_index(q.argmin(), q.shape))
        to_i = .5 * d[i, j] + (r[i] - r[j]) / (2 * (n - 2))
        edges += [(new, nodes[i], to_i), (new, nodes[j], d[i, j] - to_i)]
        rest = np.array([x for x in range(n) if x not in (i, j)])
        others = .5 * (d[i, rest] + d[j, rest] - d[i, j])
        d = np.block([[d[np.ix_(rest, rest)], others[:, None]], [others[None], np.zeros((1, 1))]])
        nodes = [nodes[x] for x in rest] + [new]
    half = d.sum() / 4   # three are left
    edges += [(2 * p - 3, x, d[i].sum() - half) for i, x in enumerate(nodes)]
    return [e[:2] for e in edges], [e[2] for e in edges]


def contracted(edges, lengths, cut, p):
    """edges of a tree whose edges between hidden nodes that are no longer than cut are drawn together"""
    same = {}

    def root(x):
        while x in same:
            x = same[x]
        return x
    for (a, b), length in zip(edges, lengths):
        if min(a, b) >= p and length <= cut:
            same[root(a)] = root(b)
    return [(root(a), root(b)) for a, b in edges if root(a) != root(b)]


def best_cut(truth, edges, lengths, p):
    """(different, all) splits under the cut that suits the truth best: an oracle, in the peer's favour"""
    inner = sorted(length for (a, b), length in zip(edges, lengths) if min(a, b) >= p)
    return min((robinson_foulds(truth, contracted(edges, lengths, cut, p), set(range(p))) for cut in [-np.inf] + inner),
               key=lambda r: r[0] / max(r[1], 1))


# -- belief propagation (the truth's likelihood, and the peer: EM from random tables) --------

def up(rows, parent, order, tables):
    """log-likelihood of every row but for the root's part, and messages; missing: -1"""
    n, p, k = len(rows), rows.shape[1], next(iter(tables.values())).shape[1]
    message, belief, total = {}, {x: np.ones((n, k)) for x in order if x >= p}, np.zeros(n)
    for x in reversed(order):
        if x < p:
            message[x] = np.where(rows[:, x, None] < 0, 1, tables[x][rows[:, x]])
        else:
            sums = belief[x].sum(1, keepdims=True)
            belief[x] /= sums
            total += np.log(sums[:, 0])
            if parent[x] < 0:
                break
            message[x] = belief[x] @ tables[x]
        belief[parent[x]] *= message[x]
    return total, message, belief


def likelihood(rows, parent, order, tables, start):
    """mean log-likelihood of a row"""
    total, _, belief = up(rows, parent, order, tables)
    return float((total + np.log(belief[order[0]] @ start)).mean())


def em_step(rows, parent, order, tables, start):
    """tables and distribution of the root after one step"""
    _, message, belief = up(rows, parent, order, tables)
    p, new = rows.shape[1], {}
    q = belief[order[0]] * start
    posterior = {order[0]: q / q.sum(1, keepdims=True)}
    for y in order[1:]:
        out = posterior[parent[y]] / np.maximum(message[y], 1e-300)
        if y < p:
            counts = np.zeros_like(tables[y])
            np.add.at(counts, rows[:, y], posterior[parent[y]])
        else:
            counts = tables[y] * (belief[y].T @ out)
            b = belief[y] * (out @ tables[y].T)
            posterior[y] = b / b.sum(1, keepdims=True)
        new[y] = (counts + .1) / (counts + .1).sum(0)
    return new, posterior[order[0]].mean(0)


# -- the server ------------------------------------------------------------------

def copy_arrays(s, table, blocks):
    """a table of one column v (int[] or float8[]), from two-dimensional numpy arrays without missing values, by binary
    COPY"""
    made = False
    for x in blocks:
        whole = x.dtype.kind in 'iu'
        if not made:
            s.query(f'DROP TABLE IF EXISTS {table}; CREATE UNLOGGED TABLE {table} (v {"int[]" if whole else "float8[]"})')
            made = True
        n, p = x.shape
        size = 4 if whole else 8
        kind = np.dtype([('n', '>i2'), ('length', '>i4'), ('head', '>i4', 5),
                         ('v', [('length', '>i4'), ('value', f'>{"i" if whole else "f"}{size}')], p)])
        records = np.empty(n, kind)
        records['n'], records['length'] = 1, 20 + (4 + size) * p
        records['head'] = (1, 0, 23 if whole else 701, p, 1)
        records['v']['length'], records['v']['value'] = size, x
        path = os.path.join(TMP, table + '.copy')
        with open(path, 'wb') as f:
            f.write(b'PGCOPY\n\377\r\n\0' + bytes(8))
            records.tofile(f)
            f.write(b'\xff\xff')
        s.query(f"\\copy {table} FROM '{path}' WITH (FORMAT binary)")
        os.unlink(path)
    s.query(f'VACUUM ANALYZE {table}')


def copy_rows(s, table, rows):
    """the same in text, -1: missing"""
    path = os.path.join(TMP, table + '.copy')
    with open(path, 'w') as f:
        for r in rows:
            f.write('{' + ','.join('NULL' if v < 0 else str(v) for v in r) + '}\n')
    s.query(f'DROP TABLE IF EXISTS {table}; CREATE UNLOGGED TABLE {table} (v int[])')
    s.query(f"\\copy {table} FROM '{path}'")
    os.unlink(path)
    s.query(f'VACUUM ANALYZE {table}')


def seconds_of(s, sql, repeats=3):
    """median processor seconds of the backend, finer than the clock's ticks"""
    clock = lambda: int(open(f'/proc/{s.pid}/schedstat').read().split()[0]) / 1e9
    seconds = []
    for _ in range(repeats):
        start = clock()
        s.query(sql)
        seconds.append(clock() - start)
    return median(seconds)


def distances_of(s, query, p, options=''):
    """matrix of tlv_tree_distances of the moments that a query returns"""
    rows = np.array(s.query(f'SELECT d.variable_a, d.variable_b, d.distance FROM ({query}) q(m), tlv_tree_distances(q.m{options}) d'), float)
    d = np.zeros((p, p))
    a, b = rows[:, 0].astype(int) - 1, rows[:, 1].astype(int) - 1
    d[a, b] = d[b, a] = rows[:, 2]
    return d
