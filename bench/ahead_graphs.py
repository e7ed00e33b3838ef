"""Graphs with planted groups, without k: NMI with the groups and CPU s beside Leiden (leidenalg's modularity, of directed edges and of
weights where there are such, until nothing is better) and Infomap (igraph, 10 trials, of large graphs one), the making of their graph
included.  Random graphs of independent edges, and graphs of Lancichinetti, Fortunato and Radicchi (2008) by their mixing, whose groups
follow from the seed."""
from common import in_child, np, table
from common_ahead import add, cell, cpu_cell, mean, other, seconds_of, seeds, wanted
from common_graphs import nmi, seconds

ENOUGH, TIMES, MORE = .02, 1.5, .02   # of NMI; of Leiden's time, and seconds beside
LARGE = 20_000   # edges: Infomap once
INSIDE = lambda k, across: np.full((k, k), across) + np.eye(k) * (1 - across)
RING = np.array([[1. if b == (a + 1) % 4 else .1 for b in range(4)] for a in range(4)])
# name, nodes (of either side), rates between groups (or a function that draws them), mean degree
PLANTED = (('planted, 3 of 50', 50, INSIDE(3, .1), 10), ('planted, 4 of 200', 200, INSIDE(4, .15), 12), ('planted, 8 of 1,000', 1000, INSIDE(8, .06), 12),
           ('planted, 16 of 5,000', 5000, INSIDE(16, .02), 12))
DIRECTED = (('denser inside', 400, INSIDE(5, .15), 12), ('weaker', 400, INSIDE(5, .3), 12), ('a ring of four', 400, RING, 12),
            ('senders, receivers', 300, np.array([[1, 1, .1], [.1, .1, .1], [.1, 1, 1]]), 14), ('rates at random', 500, lambda rng: rng.gamma(.5, 1, (5, 5)), 12),
            ('denser inside', 2000, INSIDE(10, .05), 12))
BIPARTITE = (('denser inside', (300, 200), INSIDE(4, .1), 8), ('two and three groups', (600, 100), np.array([[1, .1, .1], [.1, 1, 1]]), 10),
             ('rates at random', (400, 300), lambda rng: rng.gamma(.5, 1, (4, 4)), 10), ('denser inside', (2500, 2000), INSIDE(8, .03), 10))
# weights in thousandths, of edges inside a group and across
WEIGHTS = {'counts': lambda rng, inside: 1000 * (1 + rng.poisson(np.where(inside, 3, .7))), 'strengths': lambda rng, inside: 1 + 1000 * rng.lognormal(np.where(inside, .7, 0.), .8),
           'weights of no group': lambda rng, inside: 1 + 1000 * rng.lognormal(0, 1, len(inside))}
WEIGHTED = tuple((kind, n, INSIDE(k, across), 12, weights) for kind, weights in WEIGHTS.items() for n, k, across in ((200, 4, .3), (2000, 10, .1)))
LFR = tuple((f'LFR, mixing {mu:g}', n, mu) for n, mu in ((1000, .2), (1000, .3), (1000, .4), (1000, .5), (1000, .6), (250, .3), (5000, .4)))


def draw(rng, sizes, rates, degree, one_set):
    """(sources, targets) of independent edges, and the groups of both sides"""
    P = rates(rng) if callable(rates) else rates
    z = [rng.integers(0, P.shape[s], sizes[s]) for s in (0, 1)]
    if one_set:
        z[1] = z[0]
    A = rng.random(sizes) < np.minimum(P[z[0]][:, z[1]] * degree / sizes[1] / P[z[0]][:, z[1]].mean(), 1)
    if one_set:
        np.fill_diagonal(A, False)
    return np.nonzero(A), z


def undirected(rng, n, rates, degree):
    (a, b), z = draw(rng, (n, n), rates, degree, True)
    return (a[a < b], b[a < b]), z


def power(rng, n, exponent, least, most):
    """integers of a power law between least and most"""
    u, e = rng.random(n), 1 - exponent
    return ((least ** e + u * ((most + 1) ** e - least ** e)) ** (1 / e)).astype(int)


def matched(rng, stubs):
    """pairs of stubs at random"""
    order = rng.permutation(stubs)
    return order[:len(order) // 2 * 2].reshape(-1, 2)


def lfr(rng, n, mu, least=8, most=50, smallest=20):
    """edges and groups: degrees of exponent 2.5, sizes of exponent 1.5, a part mu of every node's edges outside; loops, repeated edges and
    outer edges that happen to be inside are left out"""
    degree = power(rng, n, 2.5, least, min(most, n // 8))
    sizes = []
    while sum(sizes) < n:
        sizes.append(int(power(rng, 1, 1.5, smallest, n // 8)[0]))
    sizes[-1] -= sum(sizes) - n
    if sizes[-1] < smallest:
        sizes[-2:] = [sum(sizes[-2:])] if len(sizes) > 1 else sizes
    places = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))   # of the nodes by falling degree, the first that has room for it
    inner, z = np.round((1 - mu) * degree).astype(int), np.empty(n, int)
    order, free = np.argsort(-degree), list(places)
    for node in order:
        at = next((i for i, c in enumerate(free) if sizes[c] > inner[node]), 0)
        z[node] = free.pop(at)
    pairs = [matched(rng, np.repeat(np.flatnonzero(z == c), inner[z == c])) for c in range(len(sizes))]
    outer = matched(rng, np.repeat(np.arange(n), degree - inner))
    pairs.append(outer[z[outer[:, 0]] != z[outer[:, 1]]])
    pairs = np.sort(np.vstack(pairs), 1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return (pairs[:, 0], pairs[:, 1]), [z, z]


def agreement(edges, z, labels, one_set):
    """NMI with the groups, of the nodes that have edges; the mean of both sides where they have labels of their own"""
    if one_set:
        seen = [np.unique(np.r_[edges[0], edges[1]])] * 2
    else:
        seen = [np.unique(edges[side]) for side in (0, 1)]
    return float(np.mean([nmi(z[side][seen[side]], labels[side][seen[side]]) for side in (0, 1)]))


def ours(s, edges, z, kind, weights):
    """NMI, the number of groups, CPU seconds"""
    one_set = kind != 'bipartite'
    s.copy('edges', 'src dst weight', [edges[0], edges[1], np.ones(len(edges[0]), int) if weights is None else weights])
    query = 'SELECT src, dst FROM edges' if weights is None else 'SELECT src, dst, weight * 1e-3::float8 FROM edges'
    option = {'directed': ', directed => true', 'bipartite': ', bipartite => true'}.get(kind, '')
    cpu = seconds_of(s, f"DROP TABLE IF EXISTS found; CREATE TEMP TABLE found AS SELECT tlv_mmsb('{query}'{option}) AS m")
    labels = [np.full(len(side), -1) for side in z]
    for side, node, community in s.query('SELECT DISTINCT ON (side, node) side, node, community FROM found, tlv_memberships(m) '
                                         'WHERE community IS NOT NULL ORDER BY side, node, membership DESC'):
        for i, of in ((0, 'source'), (1, 'target')):
            if side in (of, 'both'):
                labels[i][int(node)] = int(community)
    if one_set:   # a node without an edge that goes out, or in
        labels = [np.where(labels[i] < 0, labels[1 - i], labels[i]) for i in (0, 1)]
    return agreement(edges, z, labels, one_set), int(s.value('SELECT count(*) FROM found, tlv_components(m)')), cpu


def graph_of(edges, z, kind, weights):
    """igraph's graph; the nodes of the second side of a bipartite one behind those of the first"""
    import igraph
    n = len(z[0])
    g = igraph.Graph(n=n + (len(z[1]) if kind == 'bipartite' else 0), edges=np.c_[edges[0], edges[1] + (n if kind == 'bipartite' else 0)],
                     directed=kind != 'undirected' and kind != 'weighted')
    if weights is not None:
        g.es['weight'] = (weights * 1e-3).tolist()
    return g


def partition_scores(edges, z, kind, labels, cpu):
    n = len(z[0])
    sides = [labels[:n], labels[n:] if kind == 'bipartite' else labels]
    return agreement(edges, z, sides, kind != 'bipartite'), labels.max() + 1, cpu


def leiden(edges, z, kind, weights):
    import leidenalg
    before = seconds()
    g = graph_of(edges, z, kind, weights)
    found = leidenalg.find_partition(g, leidenalg.ModularityVertexPartition, weights='weight' if weights is not None else None, seed=1, n_iterations=-1)
    cpu = seconds() - before
    return partition_scores(edges, z, kind, np.array(found.membership), cpu)


def infomap(edges, z, kind, weights):
    import random
    random.seed(1)
    before = seconds()
    g = graph_of(edges, z, kind, weights)
    found = g.community_infomap(edge_weights='weight' if weights is not None else None, trials=1 if len(edges[0]) > LARGE else 10)
    cpu = seconds() - before
    return partition_scores(edges, z, kind, np.array(found.membership), cpu)


def cases():
    """(kind, name, nodes, function of the generator of random numbers: edges, groups, weights)"""
    for name, n, rates, degree in PLANTED:
        yield 'undirected', name, n, lambda rng, n=n, r=rates, d=degree: (*undirected(rng, n, r, d), None)
    for name, n, mu in LFR:
        yield 'undirected', name, n, lambda rng, n=n, mu=mu: (*lfr(rng, n, mu), None)
    for name, n, rates, degree, weigh in WEIGHTED:
        def weighted(rng, n=n, r=rates, d=degree, weigh=weigh):
            edges, z = undirected(rng, n, r, d)
            return edges, z, weigh(rng, z[0][edges[0]] == z[0][edges[1]]).astype(int)
        yield 'weighted', name, n, weighted
    for kind, lines in (('directed', DIRECTED), ('bipartite', BIPARTITE)):
        for name, n, rates, degree in lines:
            yield kind, name, n, lambda rng, n=n, r=rates, d=degree, kind=kind: (*draw(rng, n if isinstance(n, tuple) else (n, n), r, d, kind == 'directed'), None)


def graphs(s):
    rows, count = [], len(seeds(10))
    for kind, name, n, make in cases():
        if not wanted(f'{kind} {name} {n}'):
            continue
        found = {'ours': [], 'leiden': [], 'infomap': []}
        for seed in seeds(10):
            edges, z, weights = make(np.random.default_rng(seed))
            found['ours'].append(ours(s, edges, z, kind, weights))
            for peer in (leiden, infomap):
                answer = in_child(peer, edges, z, kind, weights)
                if answer:
                    found[peer.__name__].append(answer)
        score, cpu = ({who: mean([f[i] for f in answers]) for who, answers in found.items()} for i in (0, 2))
        groups = [f'{min(k)} to {max(k)}' if k else '' for k in ([f[1] for f in found[who]] for who in ('ours', 'leiden', 'infomap'))]
        add(rows, [kind, name, n, len(edges[0]), cell(score['ours'], [score['leiden'], score['infomap']], ENOUGH), groups[0],
                   cpu_cell(cpu['ours'], cpu['leiden'], TIMES, MORE), other(score['leiden']), groups[1], other(cpu['leiden']),
                   other(score['infomap']), groups[2], other(cpu['infomap'])])
    table(f'tlv_mmsb, all defaults: mean NMI of {count} graphs a line, groups, CPU s; bar: the best NMI, {TIMES} times the CPU s of Leiden or {MORE} s more',
          ['', '', 'nodes', 'edges', 'NMI', 'groups', 'CPU s', 'Leiden', '', '', 'Infomap', '', ''], rows)
