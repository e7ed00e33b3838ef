/*
 * tuning.h - numbers that decide the communities of a graph and what is said of them.  Numbers that
 * bound work are in operations of the inner loop unless said otherwise; "edge ends" of an
 * undirected graph are two an edge.
 */
#ifndef TENSORLV_MMSB_TUNING_H
#define TENSORLV_MMSB_TUNING_H

#include "tensorlv/num/tuned.h"

/* ---- How many communities there are ---- */
/*
 * Nats an edge. Communities of the moves that gain more over one community are not compared with
 * the spectrum's.
 */
#define DECISIVE_GAIN TLV_TUNED(DECISIVE_GAIN, 0.1)

/* Directions. Tested first are these and 3/2 of the communities of the moves. */
#define FIRST_DIRECTIONS TLV_TUNED(FIRST_DIRECTIONS, 5)

/*
 * Edge ends. A larger graph has no second opinion: not the spectrum's beyond TLV_TESTED_RANK
 * communities, not that of weights, and no random groups of tied sides.
 */
#define LARGE_ENDS TLV_TUNED(LARGE_ENDS, 200000)

/* Communities. As few as these, seen by the spectrum alone, must not be less likely than one. */
#define FEW_DIRECTIONS TLV_TUNED(FEW_DIRECTIONS, 3)

/* Proportion of the nodes. A graph with a smaller core is a tree. */
#define TREE_CORE TLV_TUNED(TREE_CORE, 0.1)

/* Modularity below which a tree is not divided. */
#define LEAST_MODULARITY TLV_TUNED(LEAST_MODULARITY, 0.3)

/* ---- Moves (propose.c) ---- */
/* Ratio of two neighbouring resolutions. */
#define RESOLUTION_FACTOR TLV_TUNED(RESOLUTION_FACTOR, 1.6)

/* Resolutions. Most that are tried towards a given number of communities. */
#define MOST_FINER TLV_TUNED(MOST_FINER, 60)

/* Rounds over all levels at the best resolution. */
#define BEST_ROUNDS TLV_TUNED(BEST_ROUNDS, 2)

/* Rounds over all levels of a weak graph, at every resolution, and of weights. */
#define WEAK_ROUNDS TLV_TUNED(WEAK_ROUNDS, 10)

/*
 * Resolutions. Most that are tried after the first one towards its own rates, and below the best
 * one.
 */
#define MOST_COARSER TLV_TUNED(MOST_COARSER, 8)

/* Relative difference below which two resolutions are the same. */
#define SAME_RESOLUTION TLV_TUNED(SAME_RESOLUTION, 0.02)

/* Communities. Of at most this number pairs are joined one by one while the likelihood rises. */
#define FEW_JOINED TLV_TUNED(FEW_JOINED, 10)

/*
 * Random orders of the nodes in a row without a larger likelihood that end the search of a small
 * graph.
 */
#define ORDERS_IN_VAIN TLV_TUNED(ORDERS_IN_VAIN, 6)

/* Edge ends of all these orders together. */
#define ORDERS_ENDS TLV_TUNED(ORDERS_ENDS, 40000)

/* Resolutions in a row without a larger likelihood that end the search for finer communities. */
#define FINER_IN_VAIN TLV_TUNED(FINER_IN_VAIN, 3)

/*
 * What rates of every pair of communities must explain, relative to one rate between all, for
 * finer communities to be taken.
 */
#define OWN_RATES TLV_TUNED(OWN_RATES, 1.1)

/* ---- Directions of the spectrum (rank.c) ---- */
/* Folds of the edges, in each of which one part is set aside. */
#define COMMUNITY_FOLDS TLV_TUNED(COMMUNITY_FOLDS, 5)

/* Parts of the edges. */
#define COMMUNITY_PARTS TLV_TUNED(COMMUNITY_PARTS, 10)

/* Edges. Of fewer every part is set aside once, and the folds are pooled. */
#define FEW_EDGES TLV_TUNED(FEW_EDGES, 2000)

/* Standard errors from which on the mean over folds that are not pooled is significant. */
#define SIGNIFICANT_Z TLV_TUNED(SIGNIFICANT_Z, 2.0)

/* Iterations of the subspace, and of that of the moments of a large graph. */
#define COMMUNITY_STEPS TLV_TUNED(COMMUNITY_STEPS, 16)

/* Relative change of an eigenvalue at which it has converged. */
#define COMMUNITY_RANK_TOLERANCE TLV_TUNED(COMMUNITY_RANK_TOLERANCE, 1e-2)

/* Work. Above it only RANK_FOLDS folds are made. */
#define RANK_WORK TLV_TUNED(RANK_WORK, 1e9)

/* ---- Mean field of the block model (blocks.c) ---- */
/* Steps from each initialisation, and from labels that the moves propose. */
#define FIRST_STEPS TLV_TUNED(FIRST_STEPS, 5)

/* Most steps from the best initialisation. */
#define LAST_STEPS TLV_TUNED(LAST_STEPS, 50)

/* The same of a large graph. */
#define LARGE_LAST_STEPS TLV_TUNED(LARGE_LAST_STEPS, 10)

/* Work of a step above which a graph is large, and its initialisations are compared as they are. */
#define LARGE_STEP TLV_TUNED(LARGE_STEP, 5e7)

/* Relative change of the evidence at which steps have converged. */
#define STEPS_TOLERANCE TLV_TUNED(STEPS_TOLERANCE, 1e-4)

/* Least squared coefficient of variation of the prior of rates. */
#define LEAST_VARIATION TLV_TUNED(LEAST_VARIATION, 1e-3)

/*
 * Work of a step of the subspace above which clusters of directions are no initialisation where
 * the moves choose k.
 */
#define DIRECTIONS_WORK TLV_TUNED(DIRECTIONS_WORK, 3.5e6)

/* ---- Weights (follow.c, groups.c) ---- */
/* Groups that are drawn at random where k is not given. */
#define RANDOM_GROUPS TLV_TUNED(RANDOM_GROUPS, 12)

/* Partitions that are drawn of each number of groups. */
#define RANDOM_DRAWS TLV_TUNED(RANDOM_DRAWS, 2)

/* Most rounds of joins and moves. */
#define GROUP_ROUNDS TLV_TUNED(GROUP_ROUNDS, 5)

/* Most sweeps over the nodes, with weak or fitted priors, or of tied sides. */
#define GROUP_SWEEPS TLV_TUNED(GROUP_SWEEPS, 15)

/* Evaluations of pairs of groups, at which a search ends. */
#define GROUP_EVALUATIONS TLV_TUNED(GROUP_EVALUATIONS, 10000000)

/* ---- Tied sides (tied.c) ---- */
/* Random partitions that are tried. */
#define TIED_DRAWS TLV_TUNED(TIED_DRAWS, 3)

/* ---- Mixed memberships ---- */
/* Variational steps. */
#define MIXED_MOST_STEPS TLV_TUNED(MIXED_MOST_STEPS, 10)

/* Variational steps of a large graph. */
#define MIXED_LEAST_STEPS TLV_TUNED(MIXED_LEAST_STEPS, 3)

/* Work of all steps (edge ends x communities), of which there are fewer beyond. */
#define MIXED_MOST_WORK TLV_TUNED(MIXED_MOST_WORK, 3e9)

/*
 * Relative change at which steps have converged: of the bound, and of an eigenvalue of the moments
 * of a large graph.
 */
#define MIXED_TOLERANCE TLV_TUNED(MIXED_TOLERANCE, 1e-3)

/* Membership of a node in its cluster, where clusters are the initialisation. */
#define CLUSTER_SHARE TLV_TUNED(CLUSTER_SHARE, 0.7)

/* Initialisations of these clusters. */
#define CLUSTER_STARTS TLV_TUNED(CLUSTER_STARTS, 5)

/* Most steps of k-means. */
#define CLUSTER_STEPS TLV_TUNED(CLUSTER_STEPS, 20)

/*
 * Distance of the model's rates from those that its memberships imply, above which the
 * connectivity is estimated again.
 */
#define MOST_DISTANCE TLV_TUNED(MOST_DISTANCE, 0.25)

/* Proportion of the edges between communities below which it is, too. */
#define LEAST_OFF TLV_TUNED(LEAST_OFF, 0.6)

/* Least alpha0 of a step. */
#define TLV_LEAST_ALPHA0 TLV_TUNED(TLV_LEAST_ALPHA0, 0.01)

/* Dirichlet parameter below which a membership is 0: exp(digamma(.)) of it is below 1e-11. */
#define TLV_LEAST_PARAMETER TLV_TUNED(TLV_LEAST_PARAMETER, 0.04)

/* Least entry of the connectivity, relative to the largest. */
#define CONNECTIVITY_FLOOR TLV_TUNED(CONNECTIVITY_FLOOR, 1e-3)

/* Least ratio of singular values at which the connectivity is inverted. */
#define INVERTIBLE TLV_TUNED(INVERTIBLE, 1e-4)

/* Membership below which a community is not stored for a node. */
#define TLV_LEAST_SHARE TLV_TUNED(TLV_LEAST_SHARE, 1e-4)

/* The same of posteriors of at most a hundred communities. */
#define LEAST_POSTERIOR TLV_TUNED(LEAST_POSTERIOR, 0.01)

/* Sum of the weights that the tensor implies, above which communities of noise are left out. */
#define IMPLAUSIBLE_WEIGHT TLV_TUNED(IMPLAUSIBLE_WEIGHT, 1.5)

/* Iterations of the subspace of the moments. */
#define STARS_STEPS TLV_TUNED(STARS_STEPS, 60)

/* Relative change of an eigenvalue at which it has converged. */
#define STARS_TOLERANCE TLV_TUNED(STARS_TOLERANCE, 1e-5)

/* Work (edge ends x k) above which a graph is large, and that initialisations by clusters share. */
#define LARGE_STARS_WORK TLV_TUNED(LARGE_STARS_WORK, 2e8)

/* Work of the decomposition, which has fewer steps and one initialisation beyond. */
#define DECOMPOSE_WORK TLV_TUNED(DECOMPOSE_WORK, 6e11)

/* ---- Errors and warnings ---- */
/* Graphs that are drawn from the model for its standard errors. */
#define DRAWN_GRAPHS TLV_TUNED(DRAWN_GRAPHS, 20)

/*
 * Variance over mean of degrees within communities, above which a warning asks for degree
 * correction.
 */
#define UNEQUAL_DEGREES TLV_TUNED(UNEQUAL_DEGREES, 2.0)

/* Joined pairs of neighbours from which on closure is judged. */
#define LEAST_CLOSED TLV_TUNED(LEAST_CLOSED, 200)

/* Ratio of joined neighbours to those expected, above which a warning says so. */
#define MOST_CLOSURE TLV_TUNED(MOST_CLOSURE, 1.6)

#endif /* TENSORLV_MMSB_TUNING_H */
