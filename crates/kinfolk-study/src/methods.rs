//! The scores with which each replicate is learned.

use kinfolk::score::{
    Bdeu, BdeuSeparate, Bhd, Bic, Cells, Centre, ImaginarySampleSize, K2, Kin, Prior, Score, StructurePrior,
    WithStructurePrior,
};

use crate::separate_k2::K2Separate;

/// A learning method, by its name in results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LearningMethod {
    /// BHD with the paper's prior: s = 1 split over the data sets, α0 = 1 in every cell.
    BhdPaper,
    /// BHD with this s for every data set, α0 = 1 in every cell; s = 1 is kinfolk's default.
    Bhd(f64),
    /// BHD with this s split over the data sets, as in the paper, α0 = 1 in every cell.
    BhdSplit(f64),
    /// BDeu on the pooled rows with this imaginary sample size.
    Bdeu(f64),
    /// BIC on the pooled rows.
    Bic,
    /// The sum of the data sets' own BDeu scores with this imaginary sample size.
    BdeuSeparate(f64),
    /// BHD with s equal to the number of data sets, for every data set.
    BhdMany,
    /// K2 on the pooled rows: α = 1 in every cell.
    K2,
    /// The sum of the data sets' own K2 scores.
    K2Separate,
    /// The kin score with its default settings.
    Kin,
    /// The kin score without its pooled half.
    KinRelated,
    /// The kin score on joint cells, the paper's model.
    KinJoint,
    /// Another method with kin's prior on the number of parents.
    WithSize(&'static LearningMethod),
}

/// The methods of the paper's studies.
pub const PAPER: [LearningMethod; 6] = [
    LearningMethod::BhdPaper,
    LearningMethod::Bhd(1.0),
    LearningMethod::Bdeu(1.0),
    LearningMethod::Bic,
    LearningMethod::BdeuSeparate(1.0),
    LearningMethod::Kin,
];

/// The other imaginary sample sizes of the paper's first study; 1 is in [`PAPER`].
pub const SIZES: [LearningMethod; 12] = [
    LearningMethod::BhdSplit(2.0),
    LearningMethod::BhdSplit(5.0),
    LearningMethod::BhdSplit(10.0),
    LearningMethod::Bhd(2.0),
    LearningMethod::Bhd(5.0),
    LearningMethod::Bhd(10.0),
    LearningMethod::Bdeu(2.0),
    LearningMethod::Bdeu(5.0),
    LearningMethod::Bdeu(10.0),
    LearningMethod::BdeuSeparate(2.0),
    LearningMethod::BdeuSeparate(5.0),
    LearningMethod::BdeuSeparate(10.0),
];

/// The methods of the kin study.
pub const KIN: [LearningMethod; 15] = [
    LearningMethod::Kin,
    LearningMethod::KinRelated,
    LearningMethod::KinJoint,
    LearningMethod::BhdPaper,
    LearningMethod::Bhd(1.0),
    LearningMethod::Bhd(5.0),
    LearningMethod::WithSize(&LearningMethod::Bhd(5.0)),
    LearningMethod::WithSize(&LearningMethod::Bhd(10.0)),
    LearningMethod::Bdeu(1.0),
    LearningMethod::WithSize(&LearningMethod::Bdeu(1.0)),
    LearningMethod::Bic,
    LearningMethod::K2,
    LearningMethod::WithSize(&LearningMethod::K2),
    LearningMethod::BdeuSeparate(5.0),
    LearningMethod::WithSize(&LearningMethod::K2Separate),
];

impl LearningMethod {
    /// The name in results: `bhd_paper`, `bhd_s1`, `bdeu_1`, `bic`, `separate_1`, `kin`, `bhd_s5_size`.
    pub fn name(self) -> String {
        match self {
            Self::BhdPaper => "bhd_paper".to_owned(),
            Self::Bhd(s) => format!("bhd_s{s}"),
            Self::BhdSplit(s) => format!("bhd_split{s}"),
            Self::Bdeu(iss) => format!("bdeu_{iss}"),
            Self::Bic => "bic".to_owned(),
            Self::BdeuSeparate(iss) => format!("separate_{iss}"),
            Self::BhdMany => "bhd_sF".to_owned(),
            Self::K2 => "k2".to_owned(),
            Self::K2Separate => "separate_k2".to_owned(),
            Self::Kin => "kin".to_owned(),
            Self::KinRelated => "kin_related".to_owned(),
            Self::KinJoint => "kin_joint".to_owned(),
            Self::WithSize(method) => format!("{}_size", method.name()),
        }
    }

    /// The score for this many data sets.
    ///
    /// # Panics
    /// If a constant of the studies is not a valid prior.
    pub fn score(self, data_sets: usize) -> Box<dyn Score> {
        let prior = |s| Prior::new(s, Centre::PerCell(1.0)).expect("studies have possible priors");
        let size = |iss| ImaginarySampleSize::new(iss).expect("studies have possible sample sizes");
        match self {
            Self::BhdPaper => Box::new(Bhd { prior: prior(1.0 / data_sets as f64) }),
            Self::Bhd(s) => Box::new(Bhd { prior: prior(s) }),
            Self::BhdSplit(s) => Box::new(Bhd { prior: prior(s / data_sets as f64) }),
            Self::Bdeu(iss) => Box::new(Bdeu { iss: size(iss) }),
            Self::Bic => Box::new(Bic),
            Self::BdeuSeparate(iss) => Box::new(BdeuSeparate { iss: size(iss) }),
            Self::BhdMany => Box::new(Bhd { prior: prior(data_sets as f64) }),
            Self::K2 => Box::new(K2),
            Self::K2Separate => Box::new(K2Separate),
            Self::Kin => Box::new(Kin::default()),
            Self::KinRelated => Box::new(Kin { pooled_half: false, ..Kin::default() }),
            Self::KinJoint => Box::new(Kin { pooled_half: false, cells: Cells::Joint, ..Kin::default() }),
            Self::WithSize(method) => Box::new(WithStructurePrior {
                score: method.score(data_sets),
                structure_prior: StructurePrior::Size,
            }),
        }
    }
}

/// The name in results of BHD with this s, for a reading of the text: `split` over the data sets, or `s` in every one.
pub(crate) fn bhd_name(reading: &str, size: &str) -> String {
    match (reading, size) {
        ("split", "1") => LearningMethod::BhdPaper.name(),
        _ => format!("bhd_{reading}{size}"),
    }
}

/// A method's display name, from its name in results.
pub fn words(name: &str) -> String {
    if let Some(inner) = name.strip_suffix("_size") {
        return format!("{}, size prior", words(inner));
    }
    match name {
        "bhd_paper" => "BHD s = 1/F".to_owned(),
        "bic" => "pooled BIC".to_owned(),
        "k2" => "pooled K2".to_owned(),
        "separate_k2" => "separate, α = 1".to_owned(),
        "kin_related" => "kin without the pooled half".to_owned(),
        "kin_joint" => "kin on joint cells".to_owned(),
        _ => match name.split_once('_') {
            Some(("bhd", s)) => match s.strip_prefix("split") {
                Some(s) => format!("BHD s = {s}/F"),
                None => format!("BHD s = {}", s.trim_start_matches('s')),
            },
            Some(("bdeu", iss)) => format!("pooled BDeu, iss {iss}"),
            Some(("separate", iss)) => format!("separate BDeu, iss {iss}"),
            _ => name.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_name_of_its_own_in_results_and_in_words() {
        let methods = || KIN.iter().chain(&SIZES[..3]);
        let mut names: Vec<String> = methods().map(|method| method.name()).collect();
        let mut texts: Vec<String> = names.iter().map(|name| words(name)).collect();
        assert!(texts.iter().all(|text| !text.contains('_')), "{texts:?}");
        names.sort();
        names.dedup();
        texts.sort();
        texts.dedup();
        let all = methods().count();
        assert_eq!((names.len(), texts.len()), (all, all));
    }

    #[test]
    fn size_priors_are_selected_by_name_and_by_kin() {
        for method in KIN {
            let size = method.score(3).structure_prior() == StructurePrior::Size;
            assert_eq!(size, method.name().ends_with("_size") || method.name().starts_with("kin"));
        }
    }
}
