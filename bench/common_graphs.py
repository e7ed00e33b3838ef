"""Shared by the benchmarks of communities: graphs of the reference's generators and of
TLV_SHARED_DATA as tables, memberships of a fit as a matrix, scores, peers."""
import gzip, os, re, subprocess, sys, time
from common import np
import scipy.sparse as sp

PEERS = os.environ.get('TLV_PEERS', '../shared/bench-peers')
GENERATORS = os.environ.get('TLV_GENERATORS', os.path.join(PEERS, '..', 'reference', 'prototypes'))
SHARED = os.environ.get('TLV_SHARED_DATA', '')


def generators():
    if not os.path.exists(os.path.join(GENERATORS, 'generators.py')):
        sys.exit(f'skipped: no generators.py in {GENERATORS} (set TLV_GENERATORS)')
    sys.path.insert(0, GENERATORS)
    import generators as module
    return module


def option(name, default):
    """the value of --name=value, of the type of the default: a list of numbers, a number or a word"""
    for text in (a.split('=', 1)[1] for a in sys.argv[1:] if a.startswith(f'--{name}=')):
        return [int(x) for x in text.split(',')] if isinstance(default, list) else type(default)(text)
    return default


# -- graphs ------------------------------------------------------------------

class Graph:
    """A simple undirected graph: nodes 0 .. n-1, adjacency matrix G, true memberships Pi (n x k, or none)."""

    def __init__(self, name, G, Pi, labels=None):
        self.name, self.G, self.Pi = name, G.tocsr(), Pi
        self.n, self.k = G.shape[0], Pi.shape[1]
        self.labels = Pi.argmax(1) if labels is None else labels
        upper = sp.triu(G, 1).tocoo()
        self.src, self.dst = upper.row, upper.col

    def load(self, s, table='edges'):
        s.copy(table, 'src dst', [self.src, self.dst])
        if self.Pi is not None:
            vectors(s, 'truth', self.Pi)


def shared_file(folder, name):
    return gzip.open(os.path.join(SHARED, folder, name), 'rt')


def read_table(folder, name, columns):
    return np.loadtxt(shared_file(folder, name), delimiter=',', skiprows=1, dtype=int, usecols=columns)


def real_graph(folder, largest_component=False):
    """a graph of TLV_SHARED_DATA: directions, repeated edges and self-loops left out"""
    edges = read_table(folder, 'edges.csv.gz', (0, 1))
    overlapping = os.path.exists(os.path.join(SHARED, folder, 'memberships.csv.gz'))
    truth = read_table(folder, 'memberships.csv.gz' if overlapping else 'labels.csv.gz', (0, 1))
    nodes, index = np.unique(truth[:, 0], return_inverse=True)
    groups, group = np.unique(truth[:, 1], return_inverse=True)
    Pi = np.zeros((len(nodes), len(groups)))
    Pi[index, group] = 1
    Pi /= Pi.sum(1, keepdims=True)
    edges = np.searchsorted(nodes, edges[edges[:, 0] != edges[:, 1]])
    G = sp.coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(len(nodes),) * 2)
    G = ((G + G.T) > 0).astype(float).tocsr()
    if largest_component:
        from scipy.sparse.csgraph import connected_components
        component = connected_components(G)[1]
        inside = component == np.bincount(component).argmax()
        G, Pi = G[inside][:, inside], Pi[inside]
    return Graph(folder, G, Pi)


def partition_graph(name, edges, labels):
    """without directions, loops and repetitions; nodes without edges left out"""
    edges = np.asarray([(a, b) for a, b in edges if a != b])
    nodes, index = np.unique(edges, return_inverse=True)
    a, b = index.reshape(-1, 2).T
    G = sp.coo_matrix((np.ones(len(a)), (a, b)), shape=(len(nodes),) * 2)
    G = ((G + G.T) > 0).astype(float).tocsr()
    of_node = np.array([labels[v] for v in nodes]) if labels else np.zeros(len(nodes), int)
    groups, group = np.unique(of_node, return_inverse=True)
    return Graph(name, G, np.eye(len(groups))[group])


def packages():
    """package -> package named in its Depends, alternatives and versions left out; the archive's section of each"""
    text = subprocess.run(['apt-cache', 'dumpavail'], capture_output=True, text=True).stdout
    found = {}
    for stanza in text.split('\n\n'):
        fields = dict(re.findall(r'^(Package|Depends|Section): (.*)$', stanza, re.M))
        if 'Package' in fields:
            found.setdefault(fields['Package'], fields)
    edges = [(p, q) for p, fields in found.items() for q in re.findall(r'(?:^|[,|])\s*([^\s,|(:]+)', fields.get('Depends', ''))
             if q in found]
    if not edges:
        return None
    return partition_graph('packages', edges, {p: fields.get('Section', 'none') for p, fields in found.items()})


def graph_of(name):
    if name == 'packages':
        return packages()
    if not os.path.exists(os.path.join(SHARED, name)):
        return None
    if any(os.path.exists(os.path.join(SHARED, name, f)) for f in ('labels.csv.gz', 'memberships.csv.gz')):
        graph = real_graph(name, name == 'polblogs')
        connected = np.asarray(graph.G.sum(1)).ravel() > 0
        return Graph(name, graph.G[connected][:, connected], graph.Pi[connected])
    return partition_graph(name, read_table(name, 'edges.csv.gz', (0, 1)).tolist(), None)


# -- memberships in and out of the server --------------------------------------

def vectors(s, table, M):
    """a table (node, memberships) of a matrix"""
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), table + '.txt')
    with open(path, 'w') as f:
        for node, row in enumerate(M):
            f.write(f'{node}\t{{{",".join(map(repr, row.tolist()))}}}\n')
    s.query(f'DROP TABLE IF EXISTS {table}; CREATE TEMP TABLE {table} (node bigint, memberships float8[])')
    s.query(f"\\copy {table} FROM '{path}'")
    os.unlink(path)


def fit(s, k, options='', table='edges'):
    """memberships into the table estimate; cost and diagnostics.  A node without edges belongs to all communities alike."""
    s.query('DROP TABLE IF EXISTS fitted, estimate')
    cost = s.cost(f"CREATE TEMP TABLE fitted AS SELECT tlv_mmsb('SELECT src, dst FROM {table}', {k}{options}) AS model")[1]
    s.query(f'CREATE TEMP TABLE estimate AS SELECT t.node, coalesce(v.memberships, array_fill({1 / k}::float8, ARRAY[{k}])) AS memberships '
            'FROM truth t LEFT JOIN (SELECT node, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL) AS memberships '
            'FROM fitted, tlv_memberships(model, 0) GROUP BY node) v USING (node)')
    return cost, {name: float(score) for name, score in s.query("SELECT concat_ws('_', measure, component), score FROM fitted, tlv_diagnostics(model)")}


def matrix(s, table='estimate'):
    return np.array([[float(x) for x in r[0][1:-1].split(',')]
                     for r in s.query(f'SELECT memberships FROM {table} ORDER BY node')])


PAIRS = '(SELECT tlv_membership_pairs(t.memberships, e.memberships) AS pairs FROM truth t JOIN estimate e USING (node)) q'


def half_l1(s):
    """of the tables truth and estimate: mean over the nodes of half the L1 distance"""
    return float(s.value(f"SELECT score FROM {PAIRS}, tlv_scores(pairs) WHERE measure = 'membership_l1'"))


def error_and_recovery(s):
    """the thesis' error, over all significant pairs, and its recovery ratio"""
    return [float(s.value(f"SELECT score FROM {PAIRS}, tlv_scores(pairs) WHERE measure = '{measure}'")) for measure in ('membership_error', 'recovery_ratio')]


def f1(s, of_truth=0.2, of_estimate=0.2):
    """best-match F1 of the communities' members, those whose membership is at least a threshold"""
    members = 'ARRAY(SELECT c FROM unnest({}.memberships) WITH ORDINALITY u(p, c) WHERE p >= {})'
    return float(s.value(f"SELECT tlv_cover_f1({members.format('t', of_truth)}, {members.format('e', of_estimate)}) "
                         'FROM truth t JOIN estimate e USING (node)'))


def accuracy(Pi, M):
    """share of nodes whose largest membership is the true one, under the assignment of least L1 distance"""
    from scipy.optimize import linear_sum_assignment
    k = max(Pi.shape[1], M.shape[1])
    A, B = (np.pad(X, ((0, 0), (0, k - X.shape[1]))) for X in (Pi, M))
    cost = np.array([np.abs(A[:, [j]] - B).sum(0) for j in range(k)])
    order = linear_sum_assignment(cost)[1]
    return float((A.argmax(1) == B[:, order].argmax(1)).mean())


def nmi(a, b):
    from sklearn.metrics import normalized_mutual_info_score
    return float(normalized_mutual_info_score(a, b))


# -- peers ---------------------------------------------------------------------

def leiden(g):
    """igraph, modularity"""
    import igraph, random
    random.seed(0)
    before = seconds()
    h = igraph.Graph(n=g.n, edges=np.c_[g.src, g.dst])
    built = seconds()
    labels = h.community_leiden(objective_function='modularity', n_iterations=-1).membership
    return np.asarray(labels), seconds() - built, built - before


def leiden_quick(nodes, edges):
    """the same with two iterations, igraph's default, and the memory of the process"""
    import igraph, random, resource
    random.seed(0)
    before = seconds()
    h = igraph.Graph(n=nodes, edges=edges)
    built = seconds()
    labels = h.community_leiden(objective_function='modularity', n_iterations=2).membership
    return labels, seconds() - built, built - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def infomap(g):
    import igraph, random
    random.seed(0)
    before = seconds()
    h = igraph.Graph(n=g.n, edges=np.c_[g.src, g.dst])
    built = seconds()
    labels = h.community_infomap(trials=10).membership
    return np.asarray(labels), seconds() - built, built - before


def block_model(g):
    """graph-tool, degree-corrected, the number of blocks given"""
    import graph_tool.all as gt
    gt.seed_rng(42)
    before = seconds()
    h = gt.Graph(directed=False)
    h.add_vertex(g.n)
    h.add_edge_list(np.c_[g.src, g.dst])
    built = seconds()
    state = gt.minimize_blockmodel_dl(h, state_args=dict(deg_corr=True), multilevel_mcmc_args=dict(B_min=g.k, B_max=g.k))
    return np.array(state.get_blocks().a), seconds() - built, built - before


def spectral(g):
    """scikit-learn's spectral clustering"""
    from sklearn.cluster import SpectralClustering
    before = seconds()
    labels = SpectralClustering(g.k, affinity='precomputed', assign_labels='kmeans', random_state=0).fit(g.G).labels_
    return labels, seconds() - before, 0.


def regularised_spectral(g):
    """k-means of the eigenvectors' directions, of the Laplacian with the mean degree added to every degree"""
    import scipy.sparse.linalg as sla
    from sklearn.cluster import KMeans
    np.random.seed(0)
    before = seconds()
    degree = np.asarray(g.G.sum(1)).ravel()
    scale = sp.diags(1 / np.sqrt(degree + degree.mean()))
    vectors = sla.eigsh(scale @ g.G @ scale, g.k, which='LA')[1]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return KMeans(g.k, n_init=5, random_state=0).fit_predict(vectors), seconds() - before, 0.


def factors(g):
    """memberships by non-negative factors of the adjacency matrix, a Poisson model of edges: shares of each node's row"""
    from sklearn.decomposition import NMF
    before = seconds()
    W = NMF(g.k, init='nndsvda', beta_loss='kullback-leibler', solver='mu', max_iter=200, random_state=0).fit_transform(g.G)
    W += 1e-12
    return W / W.sum(1, keepdims=True), seconds() - before, 0.


def spectral_sides(A, k):
    """partitions of the sources and of the targets of a dense directed graph by its regularised singular vectors"""
    from sklearn.cluster import KMeans
    mean = A.sum() / len(A)
    left, _, right = np.linalg.svd(A / np.sqrt(np.outer(A.sum(1) + mean, A.sum(0) + mean)))
    sides = [V / np.linalg.norm(V, axis=1, keepdims=True) for V in (left[:, :k], right[:k].T)]
    return [KMeans(k, n_init=20, random_state=0).fit_predict(V) for V in sides]


def seconds():
    return time.process_time()


def hard(labels):
    """memberships of a partition"""
    found, index = np.unique(labels, return_inverse=True)
    return np.eye(len(found))[index]
