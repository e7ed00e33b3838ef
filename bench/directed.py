"""Directed and bipartite graphs with planted groups, without k: NMI with the groups beside Leiden (modularity, of directed edges where it takes them)
and Infomap, which run where leidenalg and igraph are installed.  Random graphs of independent edges, whose groups and rates follow from the seed.
--seeds=N graphs a line (10), --first=N the first seed (1001; those that the rules were found on: 1 to 400)."""
from common import Session, in_child, machine, np, table
from common_graphs import nmi, option, seconds

SEEDS, FIRST = option('seeds', 10), option('first', 1001)
INSIDE = lambda k, across: np.full((k, k), across) + np.eye(k) * (1 - across)
RING = np.array([[1. if b == (a + 1) % 4 else .1 for b in range(4)] for a in range(4)])
# name, nodes (of either side), rates between groups (or a function that draws them), mean degree
DIRECTED = (('denser inside', 400, INSIDE(5, .15), 12), ('weaker', 400, INSIDE(5, .3), 12), ('a ring of four', 400, RING, 12),
            ('senders, receivers', 300, np.array([[1, 1, .1], [.1, .1, .1], [.1, 1, 1]]), 14), ('rates at random', 500, lambda rng: rng.gamma(.5, 1, (5, 5)), 12))
BIPARTITE = (('denser inside', (300, 200), INSIDE(4, .1), 8), ('two and three groups', (600, 100), np.array([[1, .1, .1], [.1, 1, 1]]), 10),
             ('rates at random', (400, 300), lambda rng: rng.gamma(.5, 1, (4, 4)), 10))


def draw(rng, sizes, rates, degree, one_set):
    P = rates(rng) if callable(rates) else rates
    z = [rng.integers(0, P.shape[s], sizes[s]) for s in (0, 1)]
    if one_set:
        z[1] = z[0]
    A = rng.random(sizes) < np.minimum(P[z[0]][:, z[1]] * degree / sizes[1] / P[z[0]][:, z[1]].mean(), 1)
    if one_set:
        np.fill_diagonal(A, False)
    return np.nonzero(A), z


def ours(s, edges, z, one_set):
    """NMI, the number of groups, CPU seconds"""
    s.copy('edges', 'src dst', [edges[0], edges[1]])
    option = 'directed => true' if one_set else 'bipartite => true'
    cost = s.cost(f"DROP TABLE IF EXISTS found; CREATE TEMP TABLE found AS SELECT tlv_mmsb('SELECT src, dst FROM edges', {option}) AS m")[1].cpu
    sides = s.query("SELECT side, array_agg(node), array_agg(community) FROM (SELECT DISTINCT ON (side, node) side, node, community FROM found, tlv_memberships(m) "
                    "WHERE community IS NOT NULL ORDER BY side, node, membership DESC) q GROUP BY side ORDER BY side")
    scores = []
    for side, nodes, communities in sides:
        nodes, communities = (np.array(x.strip('{}').split(','), int) for x in (nodes, communities))
        scores.append(nmi(z[side == 'target'][nodes], communities))
    return np.mean(scores), int(s.value('SELECT count(*) FROM found, tlv_components(m)')), cost


def leiden(edges, z, one_set):
    import igraph, leidenalg
    n, before = len(z[0]), seconds()
    g = igraph.Graph(n=n if one_set else n + len(z[1]), edges=np.c_[edges[0], edges[1] + (0 if one_set else n)], directed=one_set)
    labels = np.array(leidenalg.find_partition(g, leidenalg.ModularityVertexPartition, seed=1, n_iterations=-1).membership)
    score = nmi(z[0], labels) if one_set else np.mean([nmi(z[0], labels[:n]), nmi(z[1], labels[n:])])
    return score, labels.max() + 1, seconds() - before


def infomap(edges, z, one_set):
    import igraph, random
    random.seed(1)
    n, before = len(z[0]), seconds()
    g = igraph.Graph(n=n if one_set else n + len(z[1]), edges=np.c_[edges[0], edges[1] + (0 if one_set else n)], directed=one_set)
    labels = np.array(g.community_infomap(trials=10).membership)
    score = nmi(z[0], labels) if one_set else np.mean([nmi(z[0], labels[:n]), nmi(z[1], labels[n:])])
    return score, labels.max() + 1, seconds() - before


def main():
    s = Session()
    machine(s)
    for kind, lines in (('directed', DIRECTED), ('bipartite', BIPARTITE)):
        rows = []
        for name, n, rates, degree in lines:
            found = {'ours': [], 'leiden': [], 'infomap': []}
            for seed in range(FIRST, FIRST + SEEDS):
                edges, z = draw(np.random.default_rng(seed), n if isinstance(n, tuple) else (n, n), rates, degree, kind == 'directed')
                found['ours'].append(ours(s, edges, z, kind == 'directed'))
                for peer in (leiden, infomap):
                    answer = in_child(peer, edges, z, kind == 'directed')
                    if answer:
                        found[peer.__name__].append(answer)
            row = [name, n, f'{degree}']
            for who in found:
                scores, groups, cpu = zip(*found[who]) if found[who] else ((), (), ())
                row += [f'{np.mean(scores):.3f}', f'{min(groups)} to {max(groups)}', f'{np.mean(cpu):.2f}'] if scores else ['', '', '']
            rows.append(row)
        table(f'{kind}, {SEEDS} graphs a line from seed {FIRST}: NMI, groups, CPU s',
              ['groups', 'nodes', 'degree', 'tensorlv', '', '', 'Leiden', '', '', 'Infomap', '', ''], rows)


main()
