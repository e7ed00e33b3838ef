"""Shared by the benchmark of answers: statements that may be refused, and the data sets without structure and with little of it."""
from common import np
from common_graphs import sp
from common_mixtures import load_vectors
from common_trees import copy_arrays

HELPER = '''CREATE FUNCTION pg_temp.answer(statement text) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE found text;
BEGIN
    EXECUTE statement INTO found;
    RETURN coalesce(found, 'nothing');
EXCEPTION WHEN OTHERS OR query_canceled THEN
    RETURN 'refused: ' || replace(SQLERRM, E'\\n', ' ');
END $body$'''


def answer(s, statement):
    """(first column of the first row as text, or 'refused: ' and the message; CPU seconds)"""
    rows, cost = s.cost(f'SELECT pg_temp.answer($statement${statement}$statement$)')
    return rows[0][0], cost.cpu


def of_model(call, expression):
    """a statement that fits once: the expression is of the model m"""
    return f'WITH fitted AS MATERIALIZED (SELECT {call} AS m) SELECT {expression} FROM fitted'


def number(accessor):
    return f'(SELECT count(*) FROM {accessor}(m))'


WARNED = "EXISTS (SELECT FROM tlv_warnings(m) WHERE code <> 'variances_at_floor')"   # which says nothing of structure
CODES = "(SELECT coalesce(string_agg(DISTINCT code, ', '), 'no warning') FROM tlv_warnings(m))"
NO_STRUCTURE = "CASE WHEN EXISTS (SELECT FROM tlv_warnings(m) WHERE code = 'no_structure') THEN 1 ELSE 2 END"
UNWARNED = f'CASE WHEN {WARNED} THEN 1 ELSE 2 END'   # 2: structure claimed where there is none


# -- data sets: every one of a seed, in the table d ---------------------------------

def documents(k, documents_, length, items=300, alpha0=1., concentration=.5):
    def make(s, seed):
        s.query('DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT bag FROM tlv_simulate_lda('
                f'tlv_simulate_lda_model({items}, {k}, {alpha0}, {concentration}, seed => {seed}), {documents_}, {length}, {seed})')
    return make


def edges_of(s, G):
    upper = sp.triu(G, 1).tocoo()
    s.copy('d', 'src dst', [upper.row, upper.col])


def random_graph(n, degree, exponent=None):
    """edges of independent chance; exponent: of degrees that differ by node"""
    def make(s, seed):
        rng = np.random.default_rng(seed)
        weight = np.ones(n) if exponent is None else np.minimum((1 - rng.random(n)) ** (-1 / (exponent - 1)), np.sqrt(n))
        expected = degree * n * np.outer(weight, weight) / weight.sum() ** 2
        edges_of(s, sp.csr_matrix(np.triu(rng.random((n, n)) < expected, 1).astype(float)))
    return make


def block_graph(n, k, within, across):
    def make(s, seed):
        s.query(f'DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT src, dst FROM tlv_simulate_mmsb('
                f'tlv_simulate_mmsb_model({n}, {k}, 0, {within}, {across}, seed => {seed}), {seed})')
    return make


def vectors(draw):
    def make(s, seed):
        load_vectors(s, 'd', draw(np.random.default_rng(seed)))
    return make


def correlated(rng, n, d):
    """a Gaussian of random covariance"""
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d))


def directions(rng, n, d, kappa):
    """unit vectors of one von Mises-Fisher distribution (kappa = 0: uniform), by rejection (Wood 1994)"""
    b = (d - 1) / (2 * kappa + np.sqrt(4 * kappa ** 2 + (d - 1) ** 2))
    x0 = (1 - b) / (1 + b)
    c = kappa * x0 + (d - 1) * np.log(1 - x0 ** 2)
    along = np.empty(0)
    while len(along) < n:
        z = rng.beta((d - 1) / 2, (d - 1) / 2, 2 * n)
        w = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        along = np.append(along, w[kappa * w + (d - 1) * np.log(1 - x0 * w) - c >= np.log(rng.random(2 * n))])
    across = rng.normal(size=(n, d - 1))
    across *= np.sqrt(1 - along[:n] ** 2)[:, None] / np.linalg.norm(across, axis=1)[:, None]
    return np.column_stack([along[:n], across])


def student(rng, n, d, freedom=4):
    return correlated(rng, n, d) / np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom)


def clusters(rng, n, d, k, separation, freedom=None):
    means = rng.normal(size=(k, d)) * separation / np.sqrt(2 * d)
    noise = rng.normal(size=(n, d))
    if freedom:
        noise /= np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom)
    return means[rng.integers(0, k, n)] + noise


def mixture(n, d, k, separation):
    def make(s, seed):
        s.query('DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT x FROM tlv_simulate_gmm('
                f'tlv_simulate_gmm_model({d}, {k}, {separation}, seed => {seed}), {n}, {seed})')
    return make


def groups(n, d, k, distance, freedom=None):
    """k groups of unit variance whose nearest two means are at that distance; freedom: t distributed"""
    def draw(rng):
        means = rng.normal(size=(k, d))
        least = min(np.linalg.norm(means[i] - means[j]) for i in range(k) for j in range(i))
        noise = rng.normal(size=(n, d))
        if freedom:
            noise /= np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom)
        return means[rng.choice(k, n, p=rng.dirichlet(np.full(k, 10)))] * distance / least + noise
    return vectors(draw)


def symbols(sequences, length, m=8):
    """independent draws from random frequencies"""
    def make(s, seed):
        rng = np.random.default_rng(seed)
        copy_arrays(s, 'd', [rng.choice(m, (sequences, length), p=rng.dirichlet(np.ones(m))) + 1])
    return make


def chain(sequences, length, k, symbols_=None, dimensions=None, stay=.7):
    what = f'symbols => {symbols_}' if symbols_ else f'dimensions => {dimensions}'

    def make(s, seed):
        s.query(f'DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT seq, t, {"symbol" if symbols_ else "x"} FROM tlv_simulate_hmm('
                f'tlv_simulate_hmm_model({what}, k => {k}, stay => {stay}, seed => {seed}), {sequences}, {length}, {seed})')
    return make


def steps(sequences, length, d=3):
    """independent Gaussian vectors"""
    def make(s, seed):
        load_vectors(s, 'rows', correlated(np.random.default_rng(seed), sequences * length, d), step=True)
        s.query(f'DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT t / {length} AS seq, t % {length} AS t, x FROM rows')
    return make


def views(n, categories=None, k=1):
    """k = 1: independent; else of k classes"""
    of = f"categories => '{{{','.join(map(str, categories))}}}'" if categories else "dimensions => '{4,4,4}'"
    columns = 'category1, category2, category3' if categories else 'x1, x2, x3'

    def make(s, seed):
        s.query(f'DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT {columns} FROM tlv_simulate_multiview('
                f'tlv_simulate_multiview_model({of}, k => {k}, seed => {seed}), {n}, {seed})')
    return make


def variables(draw):
    def make(s, seed):
        copy_arrays(s, 'd', [draw(np.random.default_rng(seed))])
    return make


def members(rows, p, categories, k=1, concentration=1., mixed=False):
    """k = 1: independent variables; else of k classes, or mixed memberships in them"""
    kind, alpha = ('gom', 'alpha => .2, ') if mixed else ('lca', '')

    def make(s, seed):
        s.query(f'DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT v FROM tlv_simulate_{kind}(tlv_simulate_{kind}_model('
                f'{p}, {k}, categories => {categories}, {alpha}concentration => {concentration}, seed => {seed}), {rows}, {seed})')
    return make


def asked(items, workers, k, each, knowing=0.):
    """workers with habits of their own, each item asked so often; what share of the answers they know"""
    def make(s, seed):
        s.query('DROP TABLE IF EXISTS d; CREATE TEMP TABLE d AS SELECT item, worker, answer FROM tlv_simulate_crowd('
                f'{items}, {workers}, {k}, share => {each / workers}, low => {knowing}, high => {knowing}, seed => {seed})')
    return make


def tree(p, n, seed_of_rows=1000):
    def make(s, seed):
        s.query('DROP TABLE IF EXISTS truth, d')
        s.query(f'CREATE TEMP TABLE truth AS SELECT tlv_simulate_tree_model({p}, states => 2, low => .6, seed => {seed}) AS m')
        s.query(f'CREATE TEMP TABLE d AS SELECT v FROM truth, tlv_simulate_tree(m, {n}, {seed + seed_of_rows})')
    return make


# -- what is fitted to them: model, data, their maker, the call, what is found ---------

LEFT_OUT = {'topics': "tlv_lda('SELECT bag FROM d')", 'communities': "tlv_mmsb('SELECT src, dst FROM d')", 'mixtures': "tlv_gmm('SELECT x FROM d')",
            'full': "tlv_gmm('SELECT x FROM d', covariance => 'full')", 't': "tlv_gmm('SELECT x FROM d', tails => 't')",
            'symbols': "tlv_hmm('SELECT seq, t, symbol FROM d')", 'steps': "tlv_hmm('SELECT seq, t, x FROM d')", 'arrays': "tlv_hmm('SELECT v FROM d')",
            'views': "tlv_multiview('SELECT x1, x2, x3 FROM d')", 'categories': "tlv_multiview('SELECT category1, category2, category3 FROM d')",
            'ica': "tlv_ica('SELECT x FROM d')", 'lca': "tlv_lca('SELECT v FROM d')", 'gom': "tlv_gom('SELECT v FROM d')",
            'crowd': "tlv_crowd('SELECT item, worker, answer FROM d')"}
SUGGESTED = "SELECT k FROM tlv_suggest_k('SELECT bag FROM d') WHERE chosen"
PARTS_OF = {'symbols': 'tlv_states', 'steps': 'tlv_states', 'arrays': 'tlv_states'}   # of other models: tlv_components
COMPONENTS, STATES = number('tlv_components'), number('tlv_states')
CLASSES = CATEGORIES = COMPONENTS
EDGES = '(SELECT count(*) + 1 FROM tlv_tree_edges(m) WHERE parent IS NOT NULL)'
SOURCES = "(SELECT count(DISTINCT component) + 1 FROM tlv_mixing(m))"


def noise_lines():
    """(model, data, maker, statement whose number above 1 is a false discovery)"""
    unigrams, er, power = documents(1, 1000, 60), random_graph(400, 6), random_graph(600, 8, 2.5)
    gauss, t4 = vectors(lambda rng: correlated(rng, 2000, 5)), vectors(lambda rng: student(rng, 2000, 3))
    uniform, lognormal = vectors(lambda rng: rng.random((2000, 3))), vectors(lambda rng: np.exp(rng.normal(size=(2000, 2))))
    yield 'topics, k left out', 'unigrams, 1000 x 60 words', unigrams, of_model(LEFT_OUT['topics'], number('tlv_topics'))
    yield 'tlv_suggest_k', 'the same', unigrams, SUGGESTED
    yield 'topics, k = 3: no warning', 'the same', unigrams, of_model("tlv_lda('SELECT bag FROM d', k => 3)", UNWARNED)
    yield 'communities, k left out', 'random graph, 400 nodes, degree 6', er, of_model(LEFT_OUT['communities'], number('tlv_communities'))
    yield 'communities, k left out', 'degrees of a power law, 600 nodes', power, of_model(LEFT_OUT['communities'], number('tlv_communities'))
    yield 'mixtures, all defaults', 'a correlated Gaussian, 2000 x 5', gauss, of_model(LEFT_OUT['mixtures'], COMPONENTS)
    for name, data, options in (('random graph', er, ''), ('degrees of a power law', power, ''), ('random graph', er, ', alpha0 => 1')):
        yield f'communities, k = 3{options}: no warning', name, data, of_model(f"tlv_mmsb('SELECT src, dst FROM d', k => 3{options})", UNWARNED)
    for options in ('', ", covariance => 'full'"):
        yield f'mixtures, k = 3{options}: no warning', 'the same', gauss, of_model(f"tlv_gmm('SELECT x FROM d', k => 3{options})", UNWARNED)
    for n, d in ((200, 3), (2000, 3), (2000, 20), (500, 50)):
        for kind, kappa in (('all directions alike', 0), ('one direction', 2)):
            sphere = vectors(lambda rng, n=n, d=d, kappa=kappa: directions(rng, n, d, kappa))
            for k in (2, 5):
                yield f'directions, k = {k}: no no_structure', f'{kind}, {n} x {d}', sphere, \
                    of_model(f"tlv_gmm('SELECT x FROM d', k => {k}, covariance => 'direction')", NO_STRUCTURE)
    yield 'mixtures, full', 'the same', gauss, of_model(LEFT_OUT['full'], COMPONENTS)
    yield "mixtures, tails => 't'", 't(4), 2000 x 3', t4, of_model(LEFT_OUT['t'], COMPONENTS)
    for name, data in (('t(4)', t4), ('uniform', uniform), ('lognormal', lognormal)):
        yield 'mixtures, all defaults: no warning', f'{name}, 2000 rows', data, of_model(LEFT_OUT['mixtures'], f'CASE WHEN {WARNED} THEN 1 ELSE {COMPONENTS} END')
    iid, normal = symbols(100, 100), steps(100, 50)
    yield 'hmm of symbols, k left out', 'independent, 100 x 100', iid, of_model(LEFT_OUT['arrays'], STATES)
    yield 'hmm of symbols, k = 2: no warning', 'the same', iid, of_model("tlv_hmm('SELECT v FROM d', k => 2)", UNWARNED)
    yield 'hmm of vectors, k left out', 'independent, 100 x 50', normal, of_model(LEFT_OUT['steps'], STATES)
    yield 'hmm of vectors, k = 2: no warning', 'the same', normal, of_model("tlv_hmm('SELECT seq, t, x FROM d', k => 2)", UNWARNED)
    apart, answers = views(1000), views(2000, (4, 4, 4))
    yield 'multi-view, k left out', 'independent views, 1000 x 4 + 4 + 4', apart, of_model(LEFT_OUT['views'], CLASSES)
    yield 'multi-view, k = 2: no warning', 'the same', apart, of_model("tlv_multiview('SELECT x1, x2, x3 FROM d', k => 2)", UNWARNED)
    yield 'multi-view, k left out', 'independent categories, 2000 x 3', answers, of_model(LEFT_OUT['categories'], CATEGORIES)
    yield 'ica', 'a correlated Gaussian, 2000 x 5', gauss, of_model(LEFT_OUT['ica'], f'CASE WHEN {WARNED} THEN 1 ELSE {SOURCES} END')
    few, many, pairs = members(500, 12, 3), members(2000, 6, 4), members(100, 8, 2)
    for name, data in (('500 x 12 of 3', few), ('2000 x 6 of 4', many), ('100 x 8 of 2', pairs)):
        yield 'latent classes, k left out', f'independent, {name}', data, of_model(LEFT_OUT['lca'], COMPONENTS)
        yield 'mixed membership, k left out', 'the same', data, of_model(LEFT_OUT['gom'], COMPONENTS)
    yield 'latent classes, k = 3: no warning', 'independent, 500 x 12 of 3', few, of_model("tlv_lca('SELECT v FROM d', k => 3)", UNWARNED)
    yield 'mixed membership, k = 3: no warning', 'the same', few, of_model("tlv_gom('SELECT v FROM d', k => 3)", UNWARNED)
    for items, workers, k, each in ((300, 20, 2, 5), (300, 20, 4, 5), (1000, 100, 3, 3)):
        yield 'crowd: no warning', f'{workers} workers who guess, {items} items, {k} answers, {each} an item', \
            asked(items, workers, k, each), of_model(LEFT_OUT['crowd'], UNWARNED)
    bits, reals = variables(lambda rng: rng.integers(0, 2, (500, 12))), variables(lambda rng: rng.normal(size=(500, 12)))
    yield 'trees: any edge', 'independent, 500 x 12 binary', bits, of_model("tlv_tree('SELECT v FROM d', states => 2)", EDGES)
    yield 'trees: any edge', 'independent Gaussians, 500 x 12', reals, of_model("tlv_tree('SELECT v FROM d')", EDGES)


def weak_lines():
    """(model, data, maker, statement, what it should say)"""
    yield 'topics', 'k = 6, 600 x 60 words', documents(6, 600, 60, concentration=.1), of_model(LEFT_OUT['topics'], number('tlv_topics')), 6
    yield 'tlv_suggest_k', 'the same', documents(6, 600, 60, concentration=.1), SUGGESTED, 6
    yield 'communities', 'k = 4, 400 nodes, .09 and .02', block_graph(400, 4, .09, .02), of_model(LEFT_OUT['communities'], number('tlv_communities')), 4
    yield 'communities', 'k = 5, 1000 nodes, .04 and .006', block_graph(1000, 5, .04, .006), of_model(LEFT_OUT['communities'], number('tlv_communities')), 5
    for separation in (8, 4):
        yield 'mixtures, all defaults', f'k = 3, {separation} apart, 1000 x 3', \
            vectors(lambda rng, x=separation: clusters(rng, 1000, 3, 3, x)), of_model(LEFT_OUT['mixtures'], COMPONENTS), 3
    heavy = vectors(lambda rng: clusters(rng, 1500, 3, 3, 12, 4))
    yield "mixtures, tails => 't'", 'k = 3, 12 apart, noise t(4), 1500 x 3', heavy, of_model(LEFT_OUT['t'], COMPONENTS), 3
    yield 'mixtures, all defaults', 'the same', heavy, of_model(LEFT_OUT['mixtures'], COMPONENTS), 3
    yield 'hmm of symbols', 'k = 3, 8 symbols, 100 x 100', chain(100, 100, 3, symbols_=8), of_model(LEFT_OUT['symbols'], STATES), 3
    yield 'hmm of vectors', 'k = 3, 4 dimensions, 50 x 50', chain(50, 50, 3, dimensions=4), of_model(LEFT_OUT['steps'], STATES), 3
    yield 'multi-view', 'k = 3, 1000 x 4 + 4 + 4', views(1000, k=3), of_model(LEFT_OUT['views'], CLASSES), 3
    yield 'multi-view', 'k = 3, 6 categories, 8000 x 3', views(8000, (6, 6, 6), 3), \
        of_model(LEFT_OUT['categories'], CATEGORIES), 3
    yield 'latent classes', 'k = 3, 500 x 12 of 3', members(500, 12, 3, 3), of_model(LEFT_OUT['lca'], COMPONENTS), 3
    yield 'latent classes', 'k = 3, 1000 x 10 of 2', members(1000, 10, 2, 3), of_model(LEFT_OUT['lca'], COMPONENTS), 3
    yield 'mixed membership', 'k = 3, 500 x 30 of 4', members(500, 30, 4, 3, .5, True), of_model(LEFT_OUT['gom'], COMPONENTS), 3
    yield 'crowd: no warning', '20 workers who know a third, 300 items, 3 answers, 5 an item', asked(300, 20, 3, 5, .33), of_model(LEFT_OUT['crowd'], UNWARNED), 2
    yield 'trees: wrong splits', '12 binary variables, 2000 rows', tree(12, 2000), \
        "SELECT r.different FROM truth, tlv_robinson_foulds(tlv_tree('SELECT v FROM d', states => 2), truth.m) r", 0
