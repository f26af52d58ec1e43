//! Convergence diagnostics of chains: split R-hat, effective sample size, and the largest difference between arc
//! probabilities.

use super::order_mcmc::Block;

/// Only edges with a probability between this and one minus this enter R-hat and the effective sample size: the others
/// hardly vary.
const UNCERTAIN: f64 = 0.01;

/// The agreement of several chains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChainAgreement {
    /// The largest split R-hat of an arc (Gelman et al. 2013, Bayesian Data Analysis, section 11.4); 1 if no arc
    /// qualifies.
    pub(super) rhat: f64,
    /// The smallest effective sample size of an arc over all chains, by the method of batch means; infinite if no arc
    /// qualifies.
    pub(super) ess: f64,
    /// The largest difference between two chains' probabilities of an arc.
    pub(super) difference: f64,
}

/// Sweeps, mean and variance of one arc in some blocks.
struct ChainMoments {
    sweeps: f64,
    mean: f64,
    variance: f64,
}

fn moments(blocks: &[Block], arc: usize) -> ChainMoments {
    let sweeps: f64 = blocks.iter().map(|block| block.sweeps as f64).sum();
    let mean = blocks.iter().map(|block| block.sums[arc]).sum::<f64>() / sweeps;
    let square = blocks.iter().map(|block| block.squares[arc]).sum::<f64>() / sweeps;
    ChainMoments { sweeps, mean, variance: (square - mean * mean).max(0.0) }
}

/// The mean probability of every arc over all chains, then of every feature.
pub(super) fn means(chains: &[&[Block]]) -> Vec<f64> {
    let size = chains[0][0].sums.len();
    let of_arc = |arc| {
        let means = chains.iter().map(|blocks| moments(blocks, arc).mean);
        means.sum::<f64>() / chains.len() as f64
    };
    (0..size).map(of_arc).collect()
}

/// The agreement of chains over this many variables.
pub(super) fn agreement(chains: &[&[Block]], variables: usize) -> ChainAgreement {
    let mut agreement = ChainAgreement { rhat: 1.0, ess: f64::INFINITY, difference: 0.0 };
    for from in 0..variables {
        for to in (0..variables).filter(|&to| to != from) {
            let arc = from * variables + to;
            let means = || chains.iter().map(|blocks| moments(blocks, arc).mean);
            let (low, high) =
                means().fold((f64::INFINITY, 0.0_f64), |(low, high), mean| (low.min(mean), high.max(mean)));
            agreement.difference = agreement.difference.max(high - low);
            let mean = means().sum::<f64>() / chains.len() as f64;
            if (UNCERTAIN..=1.0 - UNCERTAIN).contains(&mean) {
                agreement.rhat = agreement.rhat.max(split_rhat(chains, arc));
                agreement.ess = agreement.ess.min(effective_sample_size(chains, arc));
            }
        }
    }
    agreement
}

/// The standard error of a mean over all chains: the larger of the estimates from batch means and from the chains'
/// means.
pub(super) fn standard_error(chains: &[&[Block]], index: usize) -> f64 {
    let count = chains.len() as f64;
    let of_chains: Vec<ChainMoments> = chains.iter().map(|blocks| moments(blocks, index)).collect();
    let within = of_chains.iter().map(|chain| chain.variance).sum::<f64>() / count;
    let mean = of_chains.iter().map(|chain| chain.mean).sum::<f64>() / count;
    let between =
        of_chains.iter().map(|chain| (chain.mean - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
    (within / effective_sample_size(chains, index)).max(between).sqrt()
}

/// √(V/W): W is the mean variance within half-chains, V the pooled estimate that includes the variance between them.
fn split_rhat(chains: &[&[Block]], arc: usize) -> f64 {
    let halves: Vec<ChainMoments> = chains
        .iter()
        .flat_map(|blocks| {
            let (first, second) = blocks.split_at(blocks.len() / 2);
            [first, second]
        })
        .filter(|half| !half.is_empty())
        .map(|half| moments(half, arc))
        .collect();
    let count = halves.len() as f64;
    let length = halves.iter().map(|half| half.sweeps).sum::<f64>() / count;
    let mean = halves.iter().map(|half| half.mean).sum::<f64>() / count;
    let within = halves.iter().map(|half| half.variance).sum::<f64>() / count;
    let between = halves.iter().map(|half| (half.mean - mean).powi(2)).sum::<f64>() / (count - 1.0);
    if within == 0.0 {
        return if between == 0.0 { 1.0 } else { f64::INFINITY };
    }
    (((length - 1.0) / length * within + between) / within).sqrt()
}

/// The number of independent draws whose mean would have the same variance as that of the blocks, over all chains.
fn effective_sample_size(chains: &[&[Block]], arc: usize) -> f64 {
    let of_chain = |blocks: &&[Block]| {
        let ChainMoments { sweeps, mean, variance } = moments(blocks, arc);
        if blocks.len() < 2 || variance == 0.0 {
            return 1.0;
        }
        let spread = blocks
            .iter()
            .map(|block| block.sweeps as f64 * (block.sums[arc] / block.sweeps as f64 - mean).powi(2))
            .sum::<f64>()
            / (blocks.len() as f64 - 1.0);
        if spread == 0.0 { sweeps } else { (sweeps * variance / spread).clamp(1.0, sweeps) }
    };
    chains.iter().map(of_chain).sum()
}
