//! Questions to a network: probabilities given evidence, most probable explanations, prediction.
