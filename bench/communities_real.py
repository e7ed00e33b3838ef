"""Communities of real graphs, beside Leiden, Infomap, regularised spectral clustering and degree-corrected block models: NMI with
known labels, log-likelihood of edges set aside, CPU seconds.  Graphs of TLV_SHARED_DATA, and the dependencies between the packages
that this machine's package lists name (apt-cache dumpavail), whose labels are the archive's sections.
--graphs=karate,packages: only these; --seed=7: of the first edges set aside; --quick: no Infomap and no block model of large graphs.

Edges set aside: a tenth, of graphs of fewer than 20,000 edges the mean of eight such splits; what is fitted to the others is scored by one evaluator, a degree-corrected block model of the method's
partition with one edge added to what every pair of groups has and is expected to have; nats for every edge set aside whose nodes
have others, above what the degrees alone give.  Wherever a peer needs k, it is told that of the labels (k), or ours (chosen)."""
import sys
from common import Session, in_child, machine, np, table
from common_graphs import Graph, block_model, graph_of, leiden, nmi, option, regularised_spectral, seconds, sp

ONLY = option('graphs', '')
SEED = option('seed', 7)
QUICK = '--quick' in sys.argv
LARGE = 50_000   # edges
SMALL = 20_000   # of which edges set aside once say little

NAMES = ['karate', 'football', 'polblogs', 'email-eu-core', 'dolphins', 'lesmis', 'packages', 'email-enron']


# -- edges set aside -----------------------------------------------------------

def split(graph, seed):
    """the graph without a tenth of its edges, and these"""
    aside = np.random.default_rng(seed).random(len(graph.src)) < 0.1
    G = sp.coo_matrix((np.ones((~aside).sum()), (graph.src[~aside], graph.dst[~aside])), shape=graph.G.shape)
    return Graph(graph.name, G + G.T, graph.Pi), np.c_[graph.src, graph.dst][aside]


def held_out(graph, labels, edges):
    degree = np.asarray(graph.G.sum(1)).ravel()
    edges = edges[(degree[edges] > 0).all(1)]
    labels = np.unique(labels, return_inverse=True)[1]
    k, total = labels.max() + 1, degree.sum()
    member = sp.csr_matrix((np.ones(graph.n), (np.arange(graph.n), labels)), shape=(graph.n, k))
    E = (member.T @ graph.G @ member).toarray()
    ends = np.bincount(labels, degree)
    X = np.outer(ends, ends) / total
    rate = (E + 1) / (X + 1)
    rate /= (rate * X).sum() / total
    return float(np.log(rate[labels[edges[:, 0]], labels[edges[:, 1]]]).mean())


# -- methods: labels and CPU seconds of a graph, for k -----------------------------

def ours(s, graph, options):
    s.copy('edges', 'src dst', [graph.src, graph.dst])
    s.query('DROP TABLE IF EXISTS fitted')
    cost = s.cost(f"CREATE TEMP TABLE fitted AS SELECT tlv_mmsb('SELECT src, dst FROM edges'{options}) AS model")[1]
    labels = np.zeros(graph.n, int)
    for node, community in s.query('SELECT DISTINCT ON (node) node, community FROM fitted, tlv_memberships(model) '
                                   'WHERE community IS NOT NULL ORDER BY node, membership DESC'):
        labels[int(node)] = int(community)
    return labels, cost.cpu


def infomap(g):
    """igraph, 10 trials; of large graphs one"""
    import igraph, random
    random.seed(0)
    h = igraph.Graph(n=g.n, edges=np.c_[g.src, g.dst])
    before = seconds()
    labels = h.community_infomap(trials=1 if len(g.src) > LARGE else 10).membership
    return np.asarray(labels), seconds() - before, 0.


def with_k(graph, k):
    """for peers that take k from the graph"""
    told = Graph(graph.name, graph.G, graph.Pi)
    told.k = k
    return told


def methods(s, k):
    def peer(function, told=None):
        def run(graph):
            answer = in_child(function, with_k(graph, told or graph.k))
            return answer and answer[:2]
        return run
    known = [('tensorlv, k given', lambda g: ours(s, g, f', {k}')), ('regularised spectral, k given', peer(regularised_spectral, k)),
             ('graph-tool, degree-corrected, k given', peer(block_model, k))] if k else []
    return [('tensorlv, all defaults', lambda g: ours(s, g, '')), ('igraph Leiden', peer(leiden)), ('igraph Infomap', peer(infomap))] + known


def compare(s, graph):
    labelled = graph.Pi.shape[1] > 1
    splits = [split(graph, SEED + i) for i in range(8 if len(graph.src) < SMALL else 1)]
    rows = []
    for label, method in methods(s, graph.k if labelled else 0):
        if QUICK and len(graph.src) > LARGE and ('Infomap' in label or 'graph-tool' in label):
            continue
        whole, parts = method(graph), [method(train) for train, _ in splits]
        if whole and all(parts):
            nats = [held_out(train, part[0], aside) for part, (train, aside) in zip(parts, splits)]
            rows.append([label, len(set(whole[0])), f'{nmi(graph.labels, whole[0]):.3f}' if labelled else None,
                         f'{np.mean(nats):.3f}', f'{whole[1]:.2f}'])
    table(f'{graph.name}: {graph.n} nodes, {len(graph.src)} edges' + (f', {graph.k} groups' if labelled else ''),
          ['', 'k', 'NMI', 'nats / edge set aside', 'CPU s'], rows)


session = Session(tensorlv__work_mem='2GB')
machine(session)
for name in ONLY.split(',') if ONLY else NAMES:
    graph = graph_of(name)
    if graph is None:
        print(f'{name}: skipped, not on this machine')
    else:
        compare(session, graph)
session.close()
