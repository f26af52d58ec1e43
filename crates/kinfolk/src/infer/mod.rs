//! Questions to a network: probabilities given evidence, most probable explanations, prediction.
//!
//! Everything is exact, by variable elimination on the logarithms of the tables, so that no evidence is too improbable to be
//! told from the impossible. Koller and Friedman (2009), *Probabilistic Graphical Models*, chapters 9 and 13, is the reference.

mod answer;
mod elimination;
mod error;
mod explanation;
mod factor;
mod given;
mod inference;
mod metrics;
mod names;
mod order;
mod predict;
mod predictions;

pub use answer::{Answer, JointRow, Named, NamedExplanation, Question, TargetAnswer};
pub use error::{InferError, Limits, Size};
pub use explanation::Explanation;
pub use given::Given;
pub use inference::{Inference, Joint};
pub use metrics::{Bin, Calibration, Evaluation, Metrics, most_probable};
pub use names::{find_relative, find_state, find_variable};
pub use predict::Predictor;
pub use predictions::{AllMetrics, Prediction, Predictions, predict};
