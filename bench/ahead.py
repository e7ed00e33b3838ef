"""Beside the peers, on data made from packages and seeds: ours and theirs by default settings, one thread each, alternating,
processor seconds of the backend and of the peer's process.  Where ours is behind by more than the tolerance of its column, the cell
is marked **: of quality behind the best peer, of time above the bar that the heading names.  Peers that are not installed are skipped
aloud (PYTHONPATH=DIR after pip install --target=DIR igraph leidenalg hmmlearn tomotopy python-picard).
--part=measurements,graphs,chains,topics,components,questionnaires (all)   --seeds=N of every line   --first=7001: the first of them
--lines=REGEX: only these lines, but for questionnaires   --verbose: every line at once, too"""
import importlib
from common import Session, machine
from common_ahead import OPTIONS

PARTS = 'measurements,graphs,chains,topics,components,questionnaires'

session = Session(max_parallel_workers_per_gather=0)
machine(session)
session.query("SELECT tlv_gmm('SELECT array[random(), random()] FROM generate_series(1, 100)', 2)")   # loads the library
for part in OPTIONS.get('part', PARTS).split(','):
    getattr(importlib.import_module(f'ahead_{part}'), part)(session)
