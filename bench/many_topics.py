"""Many topics of the newsgroups (looked for in TLV_SHARED_DATA; else the Associated Press): processor seconds, peak private memory and
perplexity of a tenth of the documents held out, by the number of topics, which starts were tried, and how the time grows.
--k=25,50,100,200,300,500; --quick: 25, 50 and 100; --methods=default,anchors,tensor: the start by itself (the only one unless said otherwise), or either; --seed=N."""
import gzip, os, sys
from common import Session, machine, np, table

QUICK = '--quick' in sys.argv
TOPICS = [int(k) for k in next((a.split('=')[1] for a in sys.argv if a.startswith('--k=')), '25,50,100' if QUICK else '25,50,100,200,300,500').split(',')]
METHODS = next((a.split('=')[1] for a in sys.argv if a.startswith('--methods=')), 'default').split(',')
SEED = next((a.split('=')[1] for a in sys.argv if a.startswith('--seed=')), '1')
FOLDER = os.path.join(os.environ.get('TLV_SHARED_DATA', ''), 'newsgroups20-train')
if not os.path.exists(FOLDER):
    FOLDER = 'examples/ap'

s = Session()
machine(s)
d = np.loadtxt(gzip.open(os.path.join(FOLDER, 'doc_word.csv.gz'), 'rt'), delimiter=',', skiprows=1, dtype=int)
s.copy('counts', 'doc item n', [d[:, 0], d[:, 1], d[:, 2]])
s.query('CREATE TABLE words AS SELECT item FROM counts GROUP BY item HAVING count(*) BETWEEN 20 AND (SELECT count(DISTINCT doc) / 10 FROM counts)')
s.query('CREATE TABLE bags AS SELECT doc, tlv_bag_agg(item, n) AS bag FROM counts JOIN words USING (item) GROUP BY doc')
s.query('ANALYZE bags')
size = s.query('SELECT count(*), (SELECT count(*) FROM words) FROM bags')[0]
s.close()

lines = []
for k, method in ((k, method) for k in TOPICS for method in METHODS):
    option = '' if method == 'default' else f", method => '{method}'"
    s = Session(max_parallel_workers_per_gather=0, tensorlv__work_mem='256MB')
    cost = s.cost(f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT bag FROM bags WHERE tlv_fold(bag, 10) <> 0', k => {k}, seed => {SEED}{option}) AS model")[1]
    tried = s.query("SELECT count(*) FROM m, tlv_diagnostics(model) WHERE measure LIKE 'held_out_perplexity%'")[0][0] != '0'
    anchors = s.value("SELECT tlv_info(model)->'arrays' ? 'anchors' FROM m") == 't'
    perplexity = float(s.value('SELECT tlv_perplexity(bag, model) FROM m, bags WHERE tlv_fold(bag, 10) = 0'))
    s.close()
    lines.append([k, cost.cpu, f'{cost.private_mb:.0f}', f'{perplexity:.0f}', ('the better of both, ' if tried else '') + ('anchors' if anchors else 'tensor')])
table(f'{os.path.basename(FOLDER)}: {size[0]} documents, {size[1]} items', ['k', 'CPU s', 'peak MB', 'perplexity', 'start'], lines)
if len(lines) > 1 and len(METHODS) == 1:
    x, y = np.log([line[0] for line in lines]), np.log([line[1] for line in lines])
    print(f'Time grows with k to the power {np.polyfit(x, y, 1)[0]:.2f}.')
