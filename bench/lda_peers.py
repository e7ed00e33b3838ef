"""Latent Dirichlet allocation on synthetic documents whose topics are known, against tomotopy (pip install tomotopy) and
the Python peers of the same machine.  Wants the scripts of the peers (TLV_PEERS).
--peers: the slow ones too; --small: without the large set; --runs=1: of each, ours and theirs (2), the least CPU seconds count."""
import json, os, subprocess, sys
from common import Session, machine, np, perplexity, table, topics_of
from common_topics import tomotopy_topics

PEERS = os.environ.get('TLV_PEERS', '../shared/bench-peers')
if not os.path.exists(os.path.join(PEERS, 'lda.py')):
    sys.exit(f'skipped: the scripts of the peers are not in {PEERS} (set TLV_PEERS)')
# The peers' helpers have the name of ours.
import importlib.util
spec = importlib.util.spec_from_file_location('peers_common', os.path.join(PEERS, 'common.py'))
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)

SLOW, SMALL = '--peers' in sys.argv, '--small' in sys.argv
RUNS = next((int(a[7:]) for a in sys.argv if a.startswith('--runs=')), 2)
ASKED = {('small', 'refined'): 'CPU <= 1.5, L1 <= .140, ppl <= 846', ('large', 'moments'): 'CPU <= 12, L1 <= .260, 0 lost',
         ('large', 'refined'): 'CPU <= 40, L1 <= .240, ppl <= 6520'}
RUN = {'small': ['nmf', 'sk-online:10'] + (['nmf-kl', 'sk-batch:10'] if SLOW else []),
       'large': ['nmf', 'sk-online:1'] if SLOW else []}
NAMES = {'nmf': 'scikit-learn NMF Frobenius', 'nmf-kl': 'scikit-learn NMF KL', 'sk-online:10': 'scikit-learn LDA on-line, 10',
         'sk-online:1': 'scikit-learn LDA on-line, 1', 'sk-batch:10': 'scikit-learn LDA batch, 10'}
# the large set has as many sweeps as MADlib's, under the eta of its documents
TOMOTOPY = {'small': {}, 'large': {'sweeps': (50, 150), 'etas': (0.1,)}}
REPORTED = {  # measured earlier on the same machine, from other programs
    'small': [['MADlib sampler in PostgreSQL 15, 200 sweeps', 27.4, 115, .142, .149, 0, 846],
              ['R lda collapsed Gibbs, 200 sweeps', 11.2, 116, .145, .154, 0, 847],
              ['scikit-learn NMF Frobenius', 1.0, 170, .170, .184, 0, 851],
              ['scikit-learn LDA on-line, 10', 13.7, 149, .373, 1.51, 2, 888],
              ['SpectralLDA (tensor)', 4.1, 2373, .472, .711, 0, 913]],
    'large': [['MADlib sampler in PostgreSQL 15, 150 sweeps', 302., 208, .339, 1.65, 2, 6636],
              ['R lda collapsed Gibbs, 100 sweeps', 119., 740, .357, 1.64, 2, 6662],
              ['scikit-learn NMF Frobenius', 29.7, 821, .374, 1.73, 1, 6779],
              ['scikit-learn LDA on-line, 5', 172., 625, 1.15, 1.73, 35, 8538]]}

for number, config in enumerate(['small'] if SMALL else ['small', 'large']):
    C, T, A, k, a0 = peers.corpus(config)
    rows = C.tocoo()
    loader = Session()
    if number == 0:
        machine(loader)
    loader.copy(config, 'doc item n', [rows.row, rows.col, rows.data])
    loader.close()
    seen = np.asarray(C.sum(0)).ravel() > 0
    lines = []
    for name, options in (('moments', f", alpha0 => {a0 * k}, refine => 'none'"), ('refined', '')):
        answers, costs = [], []
        for turn in range(RUNS):
            s = Session(max_parallel_workers_per_gather=0)   # one process, as the peers
            sql = f"CREATE TEMP TABLE m AS SELECT tlv_lda('SELECT doc, item, n FROM {config}', k => {k}{options}) AS model"
            costs.append(s.cost(sql)[1])
            answers.append(topics_of(s, 'SELECT model FROM m', C.shape[1], seen))
            diagnostics = dict(s.query("SELECT concat_ws('_', measure, component), score FROM m, tlv_diagnostics(model)"))
            s.close()
        score = peers.score_topics(A, answers[0], C, T, a0)
        label = 'tensorlv, alpha0 known, no refinement' if name == 'moments' else 'tensorlv, all defaults (refined)'
        best = min(costs, key=lambda c: c.cpu)
        lines.append([label, best.cpu, round(best.leader_mb), score['l1_mean'], score['l1_max'], score['lost'], f"{score['ppl']:.1f}",
                      'same' if all(np.array_equal(answers[0], a) for a in answers) else 'DIFFERENT', ASKED.get((config, name), '')])
        print(f"{config}, {name}: CPU s {', '.join(f'{c.cpu:.2f}' for c in costs)}; wall s "
              f"{', '.join(f'{c.wall:.1f}' for c in costs)}; resident with shared buffers {best.leader_rss:.0f} MB; alpha0 "
              f"{float(diagnostics['alpha0']):.3f}, residual {float(diagnostics['residual']):.3f}, passes "
              f"{diagnostics.get('passes')}, refinement steps {diagnostics.get('refinement_steps', 0)}", flush=True)
    ours = lines[:2]
    for algorithm in RUN[config]:
        runs = [subprocess.run(['/usr/bin/python3', 'lda.py', config, algorithm], cwd=PEERS, capture_output=True, text=True) for _ in range(RUNS)]
        if any(done.returncode for done in runs):
            print(f'{algorithm}: {runs[0].stderr[-300:]}')
            continue
        r = min((json.loads(done.stdout) for done in runs), key=lambda r: r['cpu'])
        lines.append([NAMES[algorithm], r['cpu'], r['peak_mb'], r['l1_mean'], r['l1_max'], r['lost'], f"{r['ppl']:.1f}"])
    for name, B, cpu in tomotopy_topics(C, k, a0, runs=RUNS, **TOMOTOPY[config]):
        score = peers.score_topics(A, B, C, T, a0)
        lines.append([name, cpu, '', score['l1_mean'], score['l1_max'], score['lost'], f"{score['ppl']:.1f}"])
    lines += [[r[0] + ', reported'] + r[1:] for r in REPORTED[config] if r[0] not in {NAMES.get(a) for a in RUN[config]}]
    lines += [['true topics', '', '', 0, 0, 0, f'{perplexity(A, a0, T):.1f}']]
    table(f'{config}: {C.shape[0]} documents, {C.shape[1]} items, {k} topics, {int(C.sum())} tokens, {C.nnz} rows',
          ['', 'CPU s', 'peak MB', 'L1 mean', 'L1 max', 'lost', 'perplexity', f'{RUNS} runs', 'asked for'],
          [r + [''] * (9 - len(r)) for r in lines])
    print('  CPU seconds of tensorlv refined against: ' + ', '.join(
        f'{r[0]} {r[1] / ours[1][1]:.1f} x' for r in lines[2:-1]))
print(f'All on one thread, the least CPU seconds of {RUNS} runs; reported: single runs, earlier.  L1: distance of every true topic to its match, '
      '0 .. 2; lost: above 1.  tensorlv counts from the table of triples, the peers from a matrix in memory, tomotopy from documents that it holds.  '
      'Peak MB: private memory of the backend, which holds the bags; of the peers, the process.')
