//! Exact inference: posterior probabilities, most probable explanations and prediction.
//!
//! All methods use variable elimination in log space, so that improbable evidence does not underflow to probability zero.
//!
//! - `given`: observed and set variables; `names`: queries by name; `inference`: the entry point; `answer`, `explanation`: its results.
//! - `factor`, `elimination`, `order`: products and sums of tables, the elimination, and the order that keeps tables small.
//! - `predict`, `predictions`, `metrics`: a target's distribution for many rows, and how good it is; `completion`: draws of missing values.
//! - `error`: why a query cannot be answered.
//!
//! Reference: Koller and Friedman (2009), *Probabilistic Graphical Models*, chapters 9 and 13.

mod answer;
mod completion;
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
pub use completion::{Completer, Completion};
pub use error::{InferError, Limits, Size};
pub use explanation::MostProbableExplanation;
pub use given::Given;
pub(crate) use inference::DrawnTables;
pub use inference::{Inference, Joint};
pub use metrics::{Calibration, CalibrationBin, Evaluation, Metrics, most_probable};
pub use names::{find_relative, find_state, find_variable};
pub use predict::Predictor;
pub use predictions::{AllMetrics, Prediction, Predictions, predict};
