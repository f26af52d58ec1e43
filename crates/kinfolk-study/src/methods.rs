//! The scores that each replicate is learned with.

use kinfolk::dirichlet::{Centre, Prior};
use kinfolk::score::{Bdeu, BdeuSeparate, Bhd, Bic, ImaginarySampleSize, Score};

/// A way to learn, by the name that results carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// BHD with the paper's prior: s = 1 split over the data sets, α0 = 1 in every cell.
    BhdPaper,
    /// BHD with this s for every data set, α0 = 1 in every cell; s = 1 is our default.
    Bhd(f64),
    /// BDeu on the pooled rows with this imaginary sample size.
    Bdeu(f64),
    /// BIC on the pooled rows.
    Bic,
    /// BDeu of each data set by itself with this imaginary sample size, added up.
    BdeuSeparate(f64),
}

/// What every replicate of the paper's studies is learned with.
pub const PAPER: [Method; 5] =
    [Method::BhdPaper, Method::Bhd(1.0), Method::Bdeu(1.0), Method::Bic, Method::BdeuSeparate(1.0)];

/// The other imaginary sample sizes of the paper's first study; 1 is in [`PAPER`].
pub const SIZES: [Method; 9] = [
    Method::Bhd(2.0),
    Method::Bhd(5.0),
    Method::Bhd(10.0),
    Method::Bdeu(2.0),
    Method::Bdeu(5.0),
    Method::Bdeu(10.0),
    Method::BdeuSeparate(2.0),
    Method::BdeuSeparate(5.0),
    Method::BdeuSeparate(10.0),
];

impl Method {
    /// The name in results: `bhd_paper`, `bhd_s1`, `bdeu_1`, `bic`, `separate_1`.
    pub fn name(self) -> String {
        match self {
            Self::BhdPaper => "bhd_paper".to_owned(),
            Self::Bhd(s) => format!("bhd_s{s}"),
            Self::Bdeu(iss) => format!("bdeu_{iss}"),
            Self::Bic => "bic".to_owned(),
            Self::BdeuSeparate(iss) => format!("separate_{iss}"),
        }
    }

    /// The score for this many data sets.
    ///
    /// # Panics
    /// If a constant of the studies is no possible prior.
    pub fn score(self, data_sets: usize) -> Box<dyn Score> {
        let prior = |s| Prior::new(s, Centre::PerCell(1.0)).expect("studies have possible priors");
        let size = |iss| ImaginarySampleSize::new(iss).expect("studies have possible sample sizes");
        match self {
            Self::BhdPaper => Box::new(Bhd { prior: prior(1.0 / data_sets as f64) }),
            Self::Bhd(s) => Box::new(Bhd { prior: prior(s) }),
            Self::Bdeu(iss) => Box::new(Bdeu { iss: size(iss) }),
            Self::Bic => Box::new(Bic),
            Self::BdeuSeparate(iss) => Box::new(BdeuSeparate { iss: size(iss) }),
        }
    }
}
