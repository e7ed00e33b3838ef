"""Products of a graph's sparse rows with blocks of l vectors in single precision (tlv_csr_multiply),
one thread, against what the memory gives to a loop that reads it in order and to one that reads
cache lines at random, measured between the graphs.  Compiles sparse_products.c with
src/num and runs it; the server is only asked what the machine is.  Takes 2.5 GB of memory."""
import glob, os, subprocess, sys, tempfile
from common import Session, machine, table

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
FLAGS = ['-O2', '-ftree-vectorize', '-std=gnu11', '-I' + os.path.join(ROOT, 'include')]
LIBRARIES = '-llapacke -lopenblas -lgsl -lgslcblas -ldl -lm'.split()      # as in the Makefile

session = Session()
machine(session)
session.close()
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, 'sparse_products')
    sources = [os.path.join(ROOT, 'bench', 'sparse_products.c')] + sorted(glob.glob(os.path.join(ROOT, 'src', 'num', '*.c')))
    if subprocess.run([os.environ.get('CC', 'gcc'), *FLAGS, '-o', program, *sources, *LIBRARIES]).returncode != 0:
        sys.exit('sparse_products.c does not compile')
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f'sparse_products failed: {run.returncode}')

lines = [line.split('\t') for line in run.stdout.splitlines()]
in_order, at_random = ([float(l[i]) for l in lines if l[0] == 'memory'] for i in (1, 2))
best_in_order, best_at_random = max(in_order), max(at_random)
print(f'memory, best of {len(in_order)} times: read in order {best_in_order:.1f} GB/s (least {min(in_order):.1f}), '
      f'cache lines at random {best_at_random:.1f} GB/s (least {min(at_random):.1f})')

rows, widths = {}, []
for graph, nodes, entries, most, l, seconds in (l[1:] for l in lines if l[0] == 'product'):
    entries, l, seconds = int(entries), int(l), float(seconds)
    speed = entries * (4 * l + 4) / seconds / 1e9
    row = rows.setdefault((graph, nodes), [f'{nodes} nodes, {graph}', f'{entries / 1e6:.2f} M', most])
    row.append(f'{seconds / entries * 1e9:.2f}, {speed:.1f}, {speed / best_in_order:.2f}, {speed / best_at_random:.2f}')
    if l not in widths:
        widths.append(l)
table('tlv_csr_multiply: ns per entry, GB/s = entries (4 l + 4) bytes / time, ratio to reading in order, ratio to '
      'reading cache lines at random',
      ['', 'entries', 'max degree'] + [f'l = {l}' for l in widths], list(rows.values()))
