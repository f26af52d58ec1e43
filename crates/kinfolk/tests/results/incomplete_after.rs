//! Everything after learning on incomplete data: scores, tables, explanations, held-out rows, resamples.

use std::ops::ControlFlow;

use kinfolk::bootstrap::{Bootstrap, By};
use kinfolk::data::{DataSetId, RelatedData};
use kinfolk::estimate::{Method, Relative};
use kinfolk::infer::Inference;
use kinfolk::score::{ImaginarySampleSize, Kin, PriorSpec};
use kinfolk::search::{Constraints, HillClimb, Search};
use kinfolk::validate::{Scheme, Structures, Validate};
use kinfolk::{Dag, LearnOptions, explain_structure, fit_tables, learn, score_structure};

use crate::incomplete::{cells, relatives, with_gaps};

fn validate(data: &RelatedData, dag: &Dag, target: Option<usize>) -> kinfolk::validate::Validation {
    let kin = Kin::default();
    let validate = Validate {
        scheme: Scheme::Folds(4),
        structures: Structures::Given(dag),
        prior: PriorSpec::default().build(3).unwrap(),
        kin: Some(&kin),
        iss: Some(ImaginarySampleSize::default()),
        tune: false,
        target: target.map(kinfolk::data::VariableId::new),
        seed: 1,
        memory: None,
    };
    validate.run(data, &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn complete_data_with_empty_masks_give_the_same_results_to_the_bit() {
    let (data, dag) = relatives(60);
    let masked = data.clone().with_missing(vec![None; 5]);
    let options = LearnOptions::default();
    assert_eq!(fit_tables(&masked, &dag, &options), fit_tables(&data, &dag, &options));
    assert_eq!(score_structure(&masked, &dag, &options), score_structure(&data, &dag, &options));
    let explained = explain_structure(&data, &dag, &options).unwrap();
    assert_eq!(explain_structure(&masked, &dag, &options).unwrap(), explained);
    assert_eq!(explained.filled_in, None);
    assert_eq!(validate(&masked, &dag, Some(0)), validate(&data, &dag, Some(0)));
}

#[test]
fn scores_tables_and_explanations_are_near_those_of_the_data_before_cells_were_removed() {
    let (data, dag) = relatives(400);
    let gaps = with_gaps(&data, 0.1, 7);
    let options = LearnOptions::default();
    let (whole, filled) = (score_structure(&data, &dag, &options), score_structure(&gaps, &dag, &options));
    let (whole, filled) = (whole.unwrap(), filled.unwrap());
    assert!(
        (whole.score - filled.score).abs() < 0.02 * whole.score.abs(),
        "{} {}",
        whole.score,
        filled.score
    );
    let said = filled.filled_in.unwrap();
    assert_eq!((said.versions, said.rounds.len()), (5, 0));
    assert!((said.share - 0.1).abs() < 0.02);
    let (tables, near) =
        (fit_tables(&gaps, &dag, &options).unwrap(), fit_tables(&data, &dag, &options).unwrap());
    for id in data.schema().ids() {
        let pairs = tables.table_of(id, Relative::Pooled).values().iter();
        for (a, b) in pairs.zip(near.table_of(id, Relative::Pooled).values()) {
            assert!((a - b).abs() < 0.15, "{a} {b}");
        }
    }
    let explained = explain_structure(&gaps, &dag, &options).unwrap();
    let before = explain_structure(&data, &dag, &options).unwrap();
    assert_eq!(explained.filled_in, Some(said));
    assert_eq!(explained.pooling.choice, before.pooling.choice);
    assert_eq!(explained.data_sets.len(), 3);
    assert_eq!(explained.similarity.unwrap().total.len(), 3);
    assert!((explained.score - filled.score).abs() < 1e-6 * filled.score.abs());
    for (arc, judged) in explained.arcs.iter().filter(|arc| arc.present).zip(&filled.arcs) {
        assert_eq!((&arc.from, &arc.to), (&judged.from, &judged.to));
        assert!((arc.total - judged.gain.unwrap()).abs() < 1e-6 * filled.score.abs());
        assert_eq!(arc.given_others.0.len(), 3);
    }
}

#[test]
fn held_out_rows_count_with_the_log_likelihood_of_what_was_observed() {
    let (data, dag) = relatives(80);
    let gaps = with_gaps(&data, 0.2, 3);
    let validation = validate(&gaps, &dag, Some(2));
    assert_eq!(validation.filled_in.as_ref().unwrap().columns.len(), 15);
    assert_eq!(validation.methods[0].all.rows, 240);
    // A row with fewer values has a larger probability: the observed values of all rows together, less than the complete ones.
    let complete = validate(&data, &dag, Some(2));
    for (observed, whole) in validation.methods.iter().zip(&complete.methods) {
        let (observed, whole) = (observed.all.log_likelihood.unwrap(), whole.all.log_likelihood.unwrap());
        assert!(observed > whole && observed < 0.0, "{observed} {whole}");
        // Four fifths of the cells are left.
        assert!((observed / whole - 0.8).abs() < 0.1, "{observed} {whole}");
    }
    let loss = validation.methods[0].target.unwrap().log_loss.unwrap();
    assert!(loss > 0.0 && loss < complete.methods[0].target.unwrap().log_loss.unwrap() + 0.2, "{loss}");
    assert_eq!(validation, validate(&gaps, &dag, Some(2)));
}

#[test]
fn the_log_likelihood_of_an_incomplete_row_is_that_of_its_observed_values() {
    let (data, dag) = relatives(60);
    let gaps = with_gaps(&data, 0.4, 5);
    let network = fit_tables(&gaps, &dag, &LearnOptions::default()).unwrap();
    let inference = Inference::new(&network, Relative::DataSet(DataSetId::new(0)));
    for row in 0..20 {
        let observed = cells(&gaps, row);
        let all = inference.log_likelihood(&cells(&data, row)).unwrap();
        assert!(inference.log_likelihood(&observed).unwrap() >= all - 1e-12);
    }
}

#[test]
fn structures_are_learned_from_incomplete_training_rows() {
    let (data, dag) = relatives(60);
    let gaps = with_gaps(&data, 0.2, 3);
    let (kin, constraints) = (Kin::default(), Constraints::none(data.schema()));
    let search = Search::plain(constraints, Dag::empty(5));
    for structures in [Structures::Shared(&kin, &search), Structures::Own(&search)] {
        let settings = Validate {
            scheme: Scheme::DataSets,
            structures,
            prior: PriorSpec::default().build(3).unwrap(),
            kin: Some(&kin),
            iss: Some(ImaginarySampleSize::default()),
            tune: false,
            target: None,
            seed: 1,
            memory: None,
        };
        let validation = settings.run(&gaps, &|_| ControlFlow::Continue(())).unwrap();
        assert_eq!(validation.folds_done, 3);
        assert!(validation.structures.iter().all(|split| split.hierarchical.contains('|')));
    }
    assert_eq!(dag.len(), 5);
}

#[test]
fn every_resample_of_incomplete_data_is_filled_in_anew() {
    let (data, dag) = relatives(80);
    let gaps = with_gaps(&data, 0.15, 3);
    let kin = Kin::default();
    for by in [By::HalfRows, By::Rows, By::DataSets] {
        let bootstrap = Bootstrap {
            score: &kin,
            climb: HillClimb::new(Constraints::none(data.schema())),
            start: Dag::empty(5),
            keep_scores: None,
            by,
            replicates: 6,
            leave_one_out: Some(true),
            seed: 2,
            memory: None,
            tables: Method::Kin(kin.clone()),
        };
        let found = bootstrap.run(&gaps, &[], &|_| ControlFlow::Continue(())).unwrap();
        assert_eq!((found.replicates, found.leave_one_out.as_ref().unwrap().len()), (6, 3));
        assert!(found.filled_in.is_some() && !found.arcs.is_empty());
        assert_eq!(found, bootstrap.run(&gaps, &[], &|_| ControlFlow::Continue(())).unwrap());
    }
    assert_eq!(dag.len(), learn(&gaps, &LearnOptions::default()).unwrap().dag.len());
}
