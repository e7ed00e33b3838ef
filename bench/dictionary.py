#!/usr/bin/env python3
"""Sparse coding: atoms found and CPU seconds of tlv_dictionary by every method beside scikit-learn's dictionary learning, minibatches
and FastICA, on simulated dictionaries whose rows are the same for all; and the error of held-out digits.  An atom counts as found
where |cosine| > .95 after the best assignment.  --seeds=1,2,3; --starts=3: of ours and of every peer, of which the one of least error counts;
--whole: scikit-learn's DictionaryLearning, too, which takes minutes a start."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Session, table

import numpy as np
from scipy.optimize import linear_sum_assignment

parser = argparse.ArgumentParser()
parser.add_argument('--seeds', default='1')
parser.add_argument('--starts', type=int, default=3)
parser.add_argument('--whole', action='store_true')
OPTIONS = parser.parse_args()
SEEDS = [int(s) for s in OPTIONS.seeds.split(',')]
STARTS = OPTIONS.starts
SETTINGS = ((64, 64, 3, 6000, 0.0), (64, 128, 3, 8000, 0.05), (400, 100, 3, 4000, 0.0))


def found(truth, atoms):
    atoms = atoms / np.maximum(np.linalg.norm(atoms, axis=0), 1e-12)
    cosines = np.abs(truth.T @ atoms)
    rows, columns = linear_sum_assignment(-cosines)
    return int((cosines[rows, columns] > 0.95).sum())


def cpu(function):
    begin = time.process_time()
    return function(), time.process_time() - begin


def sparse_error(rows, atoms, sparsity):
    from sklearn.linear_model import orthogonal_mp_gram
    codes = orthogonal_mp_gram(atoms.T @ atoms, atoms.T @ rows, n_nonzero_coefs=sparsity)
    return ((rows - atoms @ codes) ** 2).sum() / (rows**2).sum()


def peers(rows, k, sparsity):
    """name, function of a seed that returns d x k atoms"""
    from sklearn.decomposition import DictionaryLearning, FastICA, MiniBatchDictionaryLearning
    yield 'scikit-learn, minibatches', lambda seed: MiniBatchDictionaryLearning(
        k, alpha=0.2, max_iter=20, batch_size=200, random_state=seed, transform_algorithm='omp').fit(rows.T).components_.T
    if OPTIONS.whole and k <= 64:
        yield 'scikit-learn, whole rows', lambda seed: DictionaryLearning(
            k, alpha=0.2, max_iter=20, random_state=seed, transform_algorithm='omp').fit(rows.T).components_.T
    if k <= rows.shape[0]:
        yield 'scikit-learn, FastICA', lambda seed: FastICA(k, random_state=seed, max_iter=500, whiten='unit-variance').fit(rows.T).mixing_


def unit(atoms):
    return atoms / np.maximum(np.linalg.norm(atoms, axis=0), 1e-12)


def setting(server, d, k, sparsity, n, noise, seed):
    name = f'{d} numbers, {k} atoms, {sparsity} a row, {n} rows, noise {noise:g}'
    server.query('DROP TABLE IF EXISTS coded, coded_truth')
    server.query(f'CREATE TABLE coded_truth AS SELECT tlv_simulate_dictionary_model({d}, {k}, {sparsity}, seed => {seed}) AS model')
    server.query(f'CREATE TABLE coded AS SELECT id, x FROM coded_truth, tlv_simulate_dictionary(model, {n}, {noise}, seed => {seed + 100})')
    truth = np.array([float(w) for (w,) in server.query('SELECT weight FROM coded_truth, tlv_atoms(model) ORDER BY atom, dimension')]).reshape(k, d).T
    rows = np.array([[float(v) for v in x.strip('{}').split(',')] for (x,) in server.query('SELECT x FROM coded ORDER BY id')]).T
    for method in ('mod', 'ica', 'graph'):
        if (method == 'ica' and k > d) or (method == 'graph' and d < 200):
            continue
        seconds = server.cost(f"CREATE TABLE made AS SELECT tlv_dictionary('SELECT x FROM coded', {k}, {sparsity}, method => '{method}', restarts => {STARTS}) AS model")[1].cpu
        atoms = np.array([float(w) for (w,) in server.query('SELECT weight FROM made, tlv_atoms(model) ORDER BY atom, dimension')]).reshape(k, d).T
        server.query('DROP TABLE made')
        yield [name, seed, f"tlv_dictionary, '{method}'", f'{found(truth, atoms)} of {k}', f'{seconds:.2f}', f'{sparse_error(rows, atoms, sparsity):.4f}']
    for peer, fit in peers(rows, k, sparsity):
        made, seconds = cpu(lambda: [unit(fit(start)) for start in range(STARTS)])
        best = min(made, key=lambda atoms: sparse_error(rows, atoms, sparsity))
        yield [name, seed, peer, f'{found(truth, best)} of {k}', f'{seconds:.2f}', f'{sparse_error(rows, best, sparsity):.4f}']


def main():
    server = Session()
    rows = []
    for seed in SEEDS:
        for s in SETTINGS:
            rows += setting(server, *s, seed)
    table(f'Simulated dictionaries, best of {STARTS} starts', ['rows', 'seed', 'method', 'atoms found', 'CPU s', 'error'], rows)


main()
