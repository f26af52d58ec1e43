//! One Bayesian network from several related data sets.
//!
//! Each data set has its own parameters, drawn around a common centre; a variational fit finds that centre, and the Bayesian
//! hierarchical Dirichlet (BHD) score that follows is maximised by hill-climbing to find the one structure they share.
//!
//! The modules follow the flow of the data, and each may use only those above it:
//!
//! - [`remedy`]: what a user can do about an error, for each front end to put into words;
//! - [`data`]: files become related data sets of small integers;
//! - [`graph`]: acyclic graphs, their equivalence classes, comparison, modelstrings;
//! - [`counts`]: families become tables of counts, behind the [`counts::Tally`] seam;
//! - [`special`]: gamma functions and sums of rising factorials;
//! - [`variational`]: BHD's fit of one table's common centre;
//! - [`laplace`]: kin's evidence of one table, the centre integrated out;
//! - [`score`]: BHD and its rivals;
//! - [`search`]: hill-climbing under constraints;
//! - [`posterior`]: probabilities of arcs and edges given the data;
//! - [`estimate`]: probability tables for every data set, pooled as far as the data justify;
//! - [`formats`]: networks in files, our own and those of other programs;
//! - [`infer`]: questions to a network, prediction;
//! - [`simulate`]: made-up networks and data;
//! - [`validate`]: how good networks are on rows they have not seen;
//! - [`learned`]: what was found, as plain structs with names, for every view to be written from;
//! - [`explain`]: why a network is what it is: arcs by data set, whether to pool, odd ones out;
//! - [`files`]: files replaced as a whole, and locks against a second run;
//! - [`bootstrap`]: how sure its arcs are: resampled data, data sets left out;
//! - [`example`]: the paper's numerical example, built in.
//!
//! ```
//! use std::ops::ControlFlow;
//! use kinfolk::{counts::MemoryTally, example, graph::{Dag, modelstring}, score::{Bhd, Scorer}};
//! use kinfolk::search::{Constraints, HillClimb};
//!
//! let data = example::data();
//! let tally = MemoryTally::new(&data);
//! let score = Bhd { prior: example::prior() };
//! let mut scorer = Scorer::new(&tally, &score);
//! let climb = HillClimb::new(Constraints::none(data.schema()))
//!     .run(&mut scorer, Dag::empty(5), &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(modelstring::format(&climb.dag, &data.schema().names()), example::NETWORK);
//! # Ok::<(), kinfolk::score::ScoreError>(())
//! ```

pub mod remedy;

pub mod data;

pub mod graph;

pub mod counts;

pub mod special;

pub mod variational;

pub mod laplace;

pub mod score;

pub mod search;

pub mod posterior;

pub mod estimate;

pub mod formats;

pub mod infer;

pub mod simulate;

pub mod validate;

pub mod learned;

pub mod explain;

pub mod files;

pub mod bootstrap;

pub mod example;
