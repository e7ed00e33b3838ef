"""Shared by the benchmarks in Python: a session of psql, what its statements cost, tables.

scripts/bench starts the server and sets PGHOST; nothing else runs there, so that the
processor time of parallel workers is what the postmaster gained from children that ended.

Peers run on one thread each, as our fits do: set here, before numpy is loaded."""
import os, pickle, subprocess, sys, threading, time, warnings
from statistics import median

os.environ.update({name: '1' for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMBA_NUM_THREADS')})

try:
    import numpy as np, scipy, sklearn   # noqa: F401 (a message for all of them at once)
except ImportError as missing:
    sys.exit(f'{missing}: apt-get install python3-numpy python3-scipy python3-sklearn')

if 'PGHOST' not in os.environ:
    sys.exit('run it as: scripts/bench ' + os.path.basename(sys.argv[0]).removesuffix('.py'))

TICK = os.sysconf('SC_CLK_TCK')


def stat(pid):
    """(own, ended children's) processor seconds and parent of a process"""
    f = open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()
    return (int(f[11]) + int(f[12])) / TICK, (int(f[13]) + int(f[14])) / TICK, int(f[1])


def memory(pid):
    """MB of a process: private (RssAnon) and resident, shared buffers it touched included"""
    try:
        v = dict(l.split(':', 1) for l in open(f'/proc/{pid}/status') if l.startswith(('RssAnon', 'VmRSS')))
        return (int(v['RssAnon'].split()[0]) / 1024, int(v['VmRSS'].split()[0]) / 1024)
    except (OSError, KeyError):
        return (0, 0)


def proportional(pid):
    """MB of a process, its share of what it shares included (Pss)"""
    try:
        for line in open(f'/proc/{pid}/smaps_rollup'):
            if line.startswith('Pss:'):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


class Cost:
    wall = cpu = leader_cpu = 0.0
    leader_mb = leader_rss = worker_mb = private_mb = total_mb = 0.0   # peaks; total: all processes, shared pages once
    workers = 0

    def __repr__(self):
        return f'{self.cpu:.2f} CPU s'


class Session:
    """One psql and the backend behind it."""

    def __init__(self, **settings):
        self.psql = subprocess.Popen(['psql', '-XqAt', '-F', '\t', '-v', 'ON_ERROR_STOP=1'],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = int(self.query('SELECT pg_backend_pid()')[0][0])
        self.postmaster = stat(self.pid)[2]
        self.set(client_min_messages='warning', **settings)

    def set(self, **settings):
        for name, value in settings.items():
            self.query(f"SET {name.replace('__', '.')} = '{value}'")

    def close(self):
        """ends the session, and waits for it: its time must not be counted as another's"""
        self.psql.stdin.close()
        self.psql.wait()
        while os.path.exists(f'/proc/{self.pid}'):
            time.sleep(0.02)

    def query(self, sql):
        end = '\n' if sql.startswith('\\') else ';\n'
        self.psql.stdin.write(sql.rstrip().rstrip(';') + end + '\\echo ===\n')
        self.psql.stdin.flush()
        rows = []
        for line in self.psql.stdout:
            if line == '===\n':
                return rows
            rows.append(line.rstrip('\n').split('\t'))
        sys.exit('the statement failed: ' + sql[:300])

    def value(self, sql):
        return self.query(sql)[0][0]

    def _sample(self, cost, stop, full):
        children = f'/proc/{self.postmaster}/task/{self.postmaster}/children'
        turn = 0
        while not stop.wait(0.02 if turn < 100 else 0.1):
            turn += 1
            workers = []
            for pid in open(children).read().split():
                try:
                    if b'parallel worker' in open(f'/proc/{pid}/cmdline', 'rb').read():
                        workers.append(pid)
                except OSError:
                    pass
            own, rss = memory(self.pid)
            theirs = [memory(pid)[0] for pid in workers]
            cost.leader_mb = max(cost.leader_mb, own)
            cost.leader_rss = max(cost.leader_rss, rss)
            cost.worker_mb = max([cost.worker_mb] + theirs)
            cost.private_mb = max(cost.private_mb, own + sum(theirs))
            cost.workers = max(cost.workers, len(workers))
            if full and turn % 5 == 0:
                cost.total_mb = max(cost.total_mb, sum(proportional(p) for p in [self.pid] + workers))

    def cost(self, sql, full=False):
        """(rows, Cost) of a statement"""
        cost, stop = Cost(), threading.Event()
        sampler = threading.Thread(target=self._sample, args=(cost, stop, full))
        own, children, _ = stat(self.pid)
        children = stat(self.postmaster)[1]
        start = time.time()
        sampler.start()
        try:
            rows = self.query(sql)
            cost.wall = time.time() - start
        finally:
            stop.set()
            sampler.join()
        cost.total_mb = max(cost.total_mb, cost.private_mb)   # sampled less often
        time.sleep(0.05)   # the postmaster reaps the workers
        cost.leader_cpu = stat(self.pid)[0] - own
        cost.cpu = cost.leader_cpu + stat(self.postmaster)[1] - children
        return rows, cost

    def median(self, sql, repeats=3):
        """median processor and wall seconds of a statement, after it warmed up"""
        costs = [self.cost(sql)[1] for _ in range(repeats)]
        result = costs[0]
        result.cpu, result.wall = median(c.cpu for c in costs), median(c.wall for c in costs)
        return result

    def nodes(self, sql):
        """names of the plan's nodes, outermost first"""
        lines = [r[0] for r in self.query('EXPLAIN (COSTS off) ' + sql)]
        names = [l.split('->')[-1].strip().split(' on ')[0] for i, l in enumerate(lines)
                 if i == 0 or '->' in l and 'InitPlan' not in lines[i - 1]]
        planned = [l.strip() for l in lines if 'Workers Planned' in l]
        return ' > '.join(names) + (f' ({planned[0]})' if planned else ' (serial)')

    def copy(self, table, columns, arrays):
        """creates a table of int columns and fills it, by binary COPY"""
        kind = np.dtype([('n', '>i2')] + [(f'{x}{i}', '>i4') for i in range(len(arrays)) for x in ('length', 'value')])
        records = np.empty(len(arrays[0]), kind)
        records['n'] = len(arrays)
        for i, values in enumerate(arrays):
            records[f'length{i}'], records[f'value{i}'] = 4, values
        path = os.path.join(os.environ.get('TMPDIR', '/tmp'), table + '.copy')
        with open(path, 'wb') as f:
            f.write(b'PGCOPY\n\377\r\n\0' + bytes(8) + records.tobytes() + b'\xff\xff')
        self.query(f"DROP TABLE IF EXISTS {table}; CREATE UNLOGGED TABLE {table} "
                   f"({', '.join(c + ' int' for c in columns.split())})")
        self.query(f"\\copy {table} FROM '{path}' WITH (FORMAT binary)\n")
        os.unlink(path)
        self.query(f'VACUUM ANALYZE {table}')


def in_child(function, *arguments):
    """what a function of a peer returns, run in a process of its own; None, with a message, where its package is missing"""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            warnings.simplefilter('ignore')   # of parts of the packages that are not used here
            answer = function(*arguments)
        except ImportError as missing:
            answer = str(missing)
        with os.fdopen(write, 'wb') as f:
            pickle.dump(answer, f)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as f:
        text = f.read()
    os.waitpid(pid, 0)
    answer = pickle.loads(text) if text else 'it failed'
    if isinstance(answer, str):
        print(f'{function.__name__}: skipped: {answer}', flush=True)
        return None
    return answer


def table(title, head, rows):
    """A table on standard output."""
    cells = [[('' if c is None else f'{c:.4g}' if isinstance(c, float) else str(c)) for c in r] for r in [head] + rows]
    widths = [max(len(r[i]) for r in cells) for i in range(len(head))]
    print('\n' + title)
    for number, r in enumerate(cells):
        print('  ' + '  '.join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths))).rstrip())
        if number == 0:
            print('  ' + '  '.join('-' * w for w in widths))
    sys.stdout.flush()


def machine(session):
    name = next((l.split(':')[1].strip() for l in open('/proc/cpuinfo') if l.startswith('model name')), 'unknown')
    info = dict(session.query('SELECT * FROM tlv_build_info()'))
    print(f"{name}, {os.cpu_count()} cores; PostgreSQL {session.value('SHOW server_version')}; tensorlv {info['version']}, "
          f"{info['blas'].split(' DYNAMIC')[0]} {info['blas_core']}, {info['blas_threads']} thread; {time.strftime('%d %B %Y')}")


# -- models ------------------------------------------------------------------

def topics_of(session, model, n_items, seen=None):
    """Topics of a query that returns a model: V x k.  Items that no training document holds
    get in every topic that topic's smallest probability, as Dirichlet smoothing gives them."""
    rows = np.array(session.query(f'SELECT t.topic, t.item, t.probability FROM ({model}) AS q(model), '
                                  'tlv_topic_items(q.model) AS t'), float)
    B = np.zeros((n_items, int(rows[:, 0].max())))
    B[rows[:, 1].astype(int), rows[:, 0].astype(int) - 1] = rows[:, 2]
    if seen is not None and not seen.all():
        for j in range(B.shape[1]):
            B[~seen, j] = B[B[:, j] > 0, j].min()
        B /= B.sum(0)
    return B


def with_corpus(B, C, smoothing=.1):
    """Topics mixed with the corpus: a model from moments has no rare items."""
    return (1 - smoothing) * B + smoothing * (np.asarray(C.sum(0)).ravel() / C.sum())[:, None]


def split_tokens(C, seed=7, whole_words=False):
    """Document completion: every token of a document (or every word of it, with all its tokens) is observed or scored, by a fair coin."""
    rng = np.random.default_rng(seed)
    C = C.tocsr().astype(int)
    observed = C.copy()
    observed.data = C.data * rng.integers(0, 2, len(C.data)) if whole_words else rng.binomial(C.data, 0.5)
    scored = C.copy()
    scored.data = C.data - observed.data
    observed.eliminate_zeros()
    scored.eliminate_zeros()
    return observed, scored


def perplexity(B, alpha, T, steps=100, new_words=False):
    """Of held-out documents T by completion, for any method: memberships by a fixed point from
    the observed tokens, the others scored (new_words: those of words that were not observed); the evaluator behind the peers' published numbers."""
    import scipy.sparse as sp
    observed, scored = split_tokens(T, whole_words=new_words)
    B = np.maximum(B, 1e-12)
    B = B / B.sum(0)
    n, k = T.shape[0], B.shape[1]
    theta = np.full((n, k), 1 / k)
    o, s = observed.tocoo(), scored.tocoo()
    gather = sp.csr_matrix((np.ones(o.nnz), (o.row, np.arange(o.nnz))), shape=(n, o.nnz))
    for _ in range(steps):
        P = theta[o.row] * B[o.col]
        P *= (o.data / P.sum(1))[:, None]
        new = alpha + gather @ P
        new /= new.sum(1, keepdims=True)
        moved = np.abs(new - theta).max()
        theta = new
        if moved < 1e-4:
            break
    return float(np.exp(-(s.data * np.log((theta[s.row] * B[s.col]).sum(1))).sum() / s.data.sum()))
