//! Scores and tables by name: defaults, valid options, and recorded settings.

use kinfolk::estimate::{TableMethod, TableSpec};
use kinfolk::score::{NamedChoice, NamedPrior, OptionError, ScoreName, ScoreSpec};
use serde_json::json;

fn named(name: &str) -> ScoreSpec {
    ScoreSpec::named(ScoreName::from_name(name).unwrap())
}

#[test]
fn every_score_is_built_under_its_name_and_records_its_options() {
    for name in ScoreName::all() {
        let built = ScoreSpec::named(name).build(4).unwrap();
        assert_eq!(built.score.name(), name.name());
        let keys: Vec<&str> = built.settings.keys().map(String::as_str).collect();
        let own: &[&str] = match name.name() {
            "bhd" => &["s", "alpha0"],
            "kin" => &["kin_grid", "pooled_half", "kin_cells"],
            "bdeu" | "bdeu-separate" | "bds" => &["iss"],
            _ => &[],
        };
        assert_eq!(keys, [own, &["structure_prior"]].concat(), "{name}");
    }
    assert_eq!(ScoreName::from_name("bde"), None);
}

#[test]
fn kin_is_the_default_and_options_of_the_prior_select_bhd() {
    let mut spec = ScoreSpec::default();
    assert_eq!(spec.score(), ScoreName::kin());
    spec.kin.pooled_half = Some(false);
    assert_eq!(spec.score(), ScoreName::kin());
    let mut spec = ScoreSpec::default();
    spec.prior.prior = Some(NamedPrior::Paper);
    assert_eq!(spec.score(), ScoreName::bhd());
    assert_eq!(spec.build(4).unwrap().settings["s"], json!(0.25));
}

#[test]
fn options_of_another_score_are_refused_by_name() {
    let mut spec = named("bic");
    spec.iss = Some(2.0);
    assert_eq!(
        spec.check().unwrap_err().to_string(),
        "iss belongs to score bdeu, bdeu-separate and bds and does not apply to bic; leave it out"
    );
    let mut spec = named("bdeu");
    spec.prior.s = Some(2.0);
    assert!(matches!(spec.check(), Err(OptionError::Foreign { option: "s", .. })));
    assert_eq!(spec.check_beside_tables(), Ok(()));
    let mut spec = named("bhd");
    (spec.prior.s, spec.prior.s_total) = (Some(1.0), Some(1.0));
    assert_eq!(spec.build(2).err(), Some(OptionError::Twice("s", "s_total")));
    (spec.prior.s_total, spec.prior.prior) = (None, Some(NamedPrior::Default));
    assert_eq!(spec.build(2).err(), Some(OptionError::BesideNamedPrior("s")));
}

#[test]
fn tables_follow_their_options_and_otherwise_the_score() {
    let mut spec = TableSpec::default();
    assert_eq!(spec.chosen(), TableMethod::Kin);
    spec.score = ScoreName::bhd();
    assert_eq!(spec.chosen(), TableMethod::Hierarchical);
    spec.iss = Some(2.0);
    assert_eq!(spec.chosen(), TableMethod::Bayes);
    assert_eq!(json!(spec.build(3).unwrap().1), json!({"method": "bayes", "iss": 2.0}));
    spec.prior.s = Some(5.0);
    assert_eq!(spec.chosen(), TableMethod::Hierarchical);
    assert!(matches!(spec.check(), Err(OptionError::Foreign { option: "iss", .. })));
    assert_eq!(TableMethod::from_name("ml"), Some(TableMethod::Mle));
    // After a search, a method takes the options of the score that belong to it.
    let mut score = named("bdeu");
    score.iss = Some(2.0);
    let after = |method| TableSpec::after_search(&score, method);
    assert_eq!(after(None).build(3).unwrap().1["method"], "hierarchical");
    assert_eq!((after(None).iss, after(Some(TableMethod::Bayes)).iss), (None, Some(2.0)));
    after(None).check().unwrap();
}
