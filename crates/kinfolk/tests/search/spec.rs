//! The searches by name: what each of them is, what it refuses, and that the default finds more than the plain climb.

use crate::climbing::{plain, run};
use crate::related::read_related;
use kinfolk::counts::{Family, MemoryTally};
use kinfolk::data::RelatedData;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Kin, NamedChoice, Score, Scorer};
use kinfolk::search::{HillClimb, Search, SearchMethod, SearchSpec, SearchSpecError};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};

/// The search of a method, with what `refine` changes of it.
fn search(data: &RelatedData, method: SearchMethod, refine: impl Fn(&mut SearchSpec)) -> Search {
    prepared(data, method, refine).unwrap()
}

fn prepared(
    data: &RelatedData,
    method: SearchMethod,
    refine: impl Fn(&mut SearchSpec),
) -> Result<Search, SearchSpecError> {
    let mut spec = SearchSpec::default();
    spec.method = method;
    refine(&mut spec);
    spec.prepare(data.schema())
}

fn total(data: &RelatedData, score: &dyn Score, dag: &Dag) -> f64 {
    let tally = MemoryTally::new(data);
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    Scorer::new(&tally, score).explain(&families).unwrap().iter().map(|score| score.total).sum()
}

#[test]
fn the_default_makes_twenty_escapes_the_climb_none_and_tabu_search_a_list_of_ten() {
    let data = read_related("valleys");
    let twenty = HillClimb { escapes: 20, ..plain(&data) };
    let list = HillClimb { tabu: 10, ..plain(&data) };
    let own = [(SearchMethod::Auto, twenty), (SearchMethod::Climb, plain(&data)), (SearchMethod::Tabu, list)];
    assert_eq!(SearchSpec::default().method, SearchMethod::Auto);
    for (method, expected) in &own {
        let found = search(&data, *method, |_| ());
        assert_eq!(found.method, *method);
        for score in [&Kin::default() as &dyn Score, &Bhd::default(), &Bdeu::default()] {
            assert_eq!(run(&data, score, &found.climb), run(&data, score, expected), "{method}");
        }
    }
    // Options win over the method's own settings.
    let refined = search(&data, SearchMethod::Tabu, |spec| {
        (spec.tabu, spec.escapes, spec.restarts, spec.perturb) = (Some(3), Some(4), Some(5), Some(6));
    });
    let HillClimb { tabu, escapes, restarts, perturb, .. } = refined.climb;
    assert_eq!((tabu, escapes, restarts, perturb), (3, 4, 5, 6));
    assert_eq!(search(&data, SearchMethod::Auto, |spec| spec.tabu = Some(7)).climb.escapes, 20);
    assert_eq!(search(&data, SearchMethod::Auto, |spec| spec.escapes = Some(0)).climb.escapes, 0);
}

#[test]
fn names_lead_back_to_their_searches() {
    for method in SearchMethod::all() {
        assert_eq!(SearchMethod::from_name(method.name()), Some(method));
        assert_eq!(serde_json::json!(method), method.name());
    }
    assert_eq!(SearchMethod::from_name("greedy"), None);
}

#[test]
fn contradictions_are_refused_and_zero_is_none() {
    let data = read_related("clinics");
    let climb = SearchMethod::Climb;
    let refused = |method, refine: fn(&mut SearchSpec)| prepared(&data, method, refine).unwrap_err();
    assert_eq!(
        refused(climb, |spec| spec.escapes = Some(5)),
        SearchSpecError::NotOfClimb { option: "escapes" }
    );
    assert_eq!(refused(climb, |spec| spec.tabu = Some(1)), SearchSpecError::NotOfClimb { option: "tabu" });
    assert_eq!(refused(SearchMethod::Tabu, |spec| spec.tabu = Some(0)), SearchSpecError::EmptyTabuList);
    assert_eq!(
        refused(climb, |spec| (spec.restarts, spec.perturb) = (Some(1), Some(0))),
        SearchSpecError::NothingPerturbed
    );
    assert_eq!(
        refused(climb, |spec| spec.time_limit = Some(-1.0)).to_string(),
        "time_limit takes a number of seconds from 0 on, not -1"
    );
    assert!(prepared(&data, climb, |spec| (spec.escapes, spec.tabu) = (Some(0), Some(0))).is_ok());
}

#[test]
fn the_default_reaches_the_score_of_the_truth_where_the_climb_does_not() {
    let design = Design {
        nodes: 20,
        arcs: 30,
        max_parents: Some(4),
        states: vec![2, 3],
        rows: vec![200; 10],
        parameters: Parameters::Hier,
        level: Level::Joint,
        s: 10.0,
        alpha0: 1.0,
        scenario: Scenario::A,
    };
    let made = simulate(&design, 3, 0).unwrap();
    let score = Kin::default();
    let truth = total(&made.data, &score, made.truth.dag());
    let [auto, climb] = [SearchMethod::Auto, SearchMethod::Climb].map(|method| {
        let found = run(&made.data, &score, &search(&made.data, method, |_| ()).climb);
        total(&made.data, &score, &found.dag)
    });
    assert!(auto >= truth, "{auto} {truth}");
    assert!(climb < truth, "{climb} {truth}");
}
