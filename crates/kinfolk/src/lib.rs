//! Learns one Bayesian network from several related data sets.
//!
//! Each data set has its own parameters, drawn around a common centre. The scores `kin` and BHD (Bayesian hierarchical
//! Dirichlet) measure how well a structure explains all data sets under this model; a search finds the structure that
//! maximises the score.
//!
//! The functions at the root are all that most programs need: [`read_csv`], [`learn`] (or [`learn_observed`], with progress),
//! [`score_structure`], [`fit_tables`], [`query`], [`explain_structure`] and [`arc_posterior`]. [`LearnOptions`] holds the score,
//! the search and the tables; `crates/kinfolk/examples` has a program for each.
//!
//! ```
//! use kinfolk::{LearnOptions, ReadOptions};
//!
//! # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
//! let files = ["s1", "s2", "s3"].map(|clinic| format!("examples/clinics/{clinic}.csv"));
//! let data = kinfolk::read_csv(files, &ReadOptions::default())?.data;
//! let learned = kinfolk::learn(&data, &LearnOptions::default())?;
//! assert_eq!(learned.structure, "[V02][V06][V03|V06][V04|V02:V06][V01|V02:V03][V05|V03:V04]");
//!
//! let network = kinfolk::fit_tables(&data, &learned.dag, &LearnOptions::default())?;
//! let answer = kinfolk::query(&network, "V06", &[("V03", "a")])?;
//! for (data_set, probabilities) in &answer.data_sets.0 {
//!     println!("{data_set}: {probabilities:?}"); // each clinic, pooled, and a new clinic
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules follow the flow of the data, and each may use only those above it:
//!
//! - [`remedy`]: typed remedies for errors, which each front end words in its own terms;
//! - [`choice`]: choices that users make by name;
//! - [`data`]: reads files into related data sets of small integers;
//! - [`graph`]: acyclic graphs, their equivalence classes, comparison, modelstrings;
//! - [`counts`]: counts families into tables, behind the trait [`counts::Tally`];
//! - [`score`]: kin, BHD and the scores of other programs, with their priors;
//! - [`search`]: hill-climbing under constraints;
//! - [`posterior`]: probabilities of arcs and edges given the data;
//! - [`estimate`]: probability tables for every data set, pooled as far as the data justify;
//! - [`formats`]: network files, kinfolk's own and those of other programs;
//! - [`infer`]: exact queries, most probable explanations, prediction;
//! - [`simulate`]: random networks and data from a seed;
//! - [`intervals`]: credible intervals of queries and predictions, from drawn tables;
//! - [`impute`]: fills in missing values of files from a network;
//! - [`learned`]: results as plain structs with names, shared by all front ends;
//! - [`missing`]: learning from data with missing values;
//! - [`review`]: warnings about a learned network;
//! - [`validate`]: held-out likelihood and prediction;
//! - [`explain`]: evidence for arcs by data set, whether to pool, data sets that deviate;
//! - [`bootstrap`]: stability of arcs under resampling and without each data set;
//! - [`example`]: the paper's numerical example, built in.
//!
//! The modules `special`, `variational`, `laplace`, `files` and `verbs` are public for this project's own packages and tests only:
//! they are hidden here and may change at any time.

pub mod remedy;

pub mod choice;

pub mod data;

pub mod graph;

pub mod counts;

#[doc(hidden)]
pub mod special;

#[doc(hidden)]
pub mod variational;

#[doc(hidden)]
pub mod laplace;

pub mod score;

pub mod search;

#[doc(hidden)]
pub mod files;

pub mod posterior;

pub mod estimate;

pub mod formats;

pub mod infer;

pub mod simulate;

pub mod intervals;

pub mod impute;

pub mod learned;

pub mod missing;

pub mod review;

pub mod validate;

pub mod explain;

pub mod bootstrap;

#[doc(hidden)]
pub mod verbs;

pub mod example;

pub use data::{ReadOptions, RelatedData};
pub use estimate::{Network, TableSpec};
pub use graph::Dag;
pub use learned::Learned;
pub use score::ScoreSpec;
pub use search::SearchSpec;
#[doc(inline)]
pub use verbs::{
    LearnError, LearnOptions, arc_posterior, explain_structure, fit_tables, learn, learn_observed, query,
    read_csv, score_structure,
};
