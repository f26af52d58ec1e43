//! Searches by name: their settings, invalid options, and the advantage of the default over the plain climb.

use std::ops::ControlFlow;

use crate::climbing::{plain, run};
use crate::random::random_data;
use crate::related::read_related;
use kinfolk::counts::{Family, MemoryTally};
use kinfolk::data::{Column, RelatedData, Schema, Variable};
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Bhd, Halt, Kin, NamedChoice, Score, Scorer};
use kinfolk::search::{
    Algorithm, Constraints, Event, ExactError, ExactUse, HillClimb, Rules, Search, SearchMethod, SearchSpec,
    SearchSpecError, Stop, optimum,
};
use kinfolk::simulate::{Design, Level, Parameters, Scenario, simulate};

/// The search of a method, changed by `refine`.
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

/// Rows of binary variables, one after the other, in data sets of equal size.
fn binary(variables: usize, data_sets: usize, rows: &[u32]) -> RelatedData {
    let variable = |index: usize| Variable {
        name: format!("V{index}"),
        states: vec!["no".to_owned(), "yes".to_owned()],
        constant: false,
    };
    let names = (0..data_sets).map(|number| format!("s{number}")).collect();
    let schema = Schema::new((0..variables).map(variable).collect(), names);
    let total = rows.len() / variables;
    let columns = (0..variables).map(|index| {
        let mut column = Column::for_states(2, total);
        rows.iter().skip(index).step_by(variables).for_each(|&state| column.push(state));
        column
    });
    let starts = (0..=data_sets).map(|number| number * total / data_sets).collect();
    RelatedData::new(schema, columns.collect(), starts, None)
}

fn total(data: &RelatedData, score: &dyn Score, dag: &Dag) -> f64 {
    let tally = MemoryTally::new(data);
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(dag, node)).collect();
    Scorer::new(&tally, score).explain(&families).unwrap().iter().map(|score| score.total).sum()
}

#[test]
fn every_method_has_its_own_escapes_lists_pairs_restarts_and_proof() {
    let data = read_related("valleys");
    let auto = HillClimb {
        escapes: 20,
        most_pairs: 100_000,
        restarts: 10,
        perturb: 4,
        algorithm: Algorithm::Orders,
        exact: ExactUse::IfFew,
        ..plain(&data)
    };
    let list = HillClimb { tabu: 10, ..plain(&data) };
    let order = HillClimb { exact: ExactUse::Never, ..auto.clone() };
    let exact = HillClimb { escapes: 20, exact: ExactUse::Always, ..plain(&data) };
    let own = [
        (SearchMethod::Auto, auto),
        (SearchMethod::Climb, plain(&data)),
        (SearchMethod::Tabu, list),
        (SearchMethod::Order, order),
        (SearchMethod::Exact, exact),
        (SearchMethod::Pc, HillClimb { algorithm: Algorithm::Pc, ..plain(&data) }),
    ];
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
    // An order search continues until its time limit.
    assert_eq!(
        search(&data, SearchMethod::Order, |spec| spec.time_limit = Some(1.0)).climb.restarts,
        usize::MAX
    );
}

#[test]
fn large_networks_get_fewer_restarts_with_larger_perturbations() {
    for (variables, expected) in
        [(12, (10, 4)), (13, (10, 10)), (60, (10, 10)), (100, (6, 10)), (601, (0, 10))]
    {
        let data = random_data(&vec![2; variables], &[5], false, 1);
        let HillClimb { restarts, perturb, algorithm, .. } = search(&data, SearchMethod::Auto, |_| ()).climb;
        assert_eq!((restarts, perturb), expected, "{variables}");
        assert_eq!(algorithm == Algorithm::Orders, variables <= 12, "{variables}");
        let none = search(&data, SearchMethod::Auto, |spec| spec.restarts = Some(0)).climb;
        assert_eq!(none.algorithm, Algorithm::Climb);
    }
}

#[test]
fn few_variables_get_the_exact_optimum_and_more_do_not() {
    for seed in 0..20 {
        let data = random_data(&[2, 3, 2, 2, 3, 2], &[30, 40], false, seed);
        for score in [&Kin::default() as &dyn Score, &Bhd::default(), &Bdeu::default()] {
            let tally = MemoryTally::new(&data);
            let constraints = Constraints::none(data.schema());
            let best =
                optimum(&mut Scorer::new(&tally, score), &constraints, &mut |_| ControlFlow::Continue(()));
            for method in [SearchMethod::Auto, SearchMethod::Exact] {
                let found = run(&data, score, &search(&data, method, |_| ()).climb);
                assert!(found.optimal);
                assert!((found.score - best.as_ref().unwrap().score).abs() < 1e-9);
                assert!((total(&data, score, &found.dag) - found.score).abs() < 1e-9);
            }
        }
    }
    let nine = random_data(&[2; 9], &[20], false, 1);
    assert!(!run(&nine, &Bdeu::default(), &search(&nine, SearchMethod::Auto, |_| ()).climb).optimal);
    let many = random_data(&[2; 31], &[5], false, 1);
    let refused = prepared(&many, SearchMethod::Exact, |_| ()).unwrap_err();
    assert!(matches!(refused, SearchSpecError::Exact(ExactError::TooManyVariables { variables: 31, .. })));
}

#[test]
fn an_exact_search_that_is_stopped_returns_the_network_of_the_climb() {
    let data = random_data(&[2, 3, 2, 2, 3, 2], &[30, 40], false, 3);
    let search = search(&data, SearchMethod::Exact, |_| ());
    let (tally, score) = (MemoryTally::new(&data), Kin::default());
    let mut observe = |event: &Event<'_>| match event {
        Event::Exact(_) => ControlFlow::Break(Halt::TimeLimit),
        _ => ControlFlow::Continue(()),
    };
    let found =
        search.climb.run(&mut Scorer::new(&tally, &score), search.start.clone(), &mut observe).unwrap();
    let climb = run(&data, &score, &HillClimb { exact: ExactUse::Never, ..search.climb });
    assert_eq!((found.stop, found.optimal), (Stop::TimeLimit, false));
    assert_eq!((found.dag, found.score), (climb.dag, climb.score));
}

#[test]
fn parents_that_gain_only_together_are_found_as_a_pair() {
    // In both data sets, the last variable is the exclusive or of the first two: it is independent of each of them alone.
    let rows: Vec<u32> = (0..400)
        .flat_map(|row| {
            let (a, b) = (row % 2, row / 2 % 2);
            [a, b, row / 4 % 2, a ^ b]
        })
        .collect();
    let data = binary(4, 2, &rows);
    let escapes = HillClimb { escapes: 20, ..plain(&data) };
    let pairs = HillClimb { most_pairs: 100, ..escapes.clone() };
    for score in [&Kin::default() as &dyn Score, &Bhd::default(), &Bdeu::default()] {
        assert_eq!(run(&data, score, &escapes).dag.arc_count(), 0);
        let found = run(&data, score, &pairs);
        assert_eq!((found.dag.arc_count(), found.stop), (2, Stop::Optimum));
        // More pairs than allowed, or room for one parent only: none are tried.
        let few = HillClimb { most_pairs: 11, ..pairs.clone() };
        assert_eq!(run(&data, score, &few).dag.arc_count(), 0);
        let rules = Rules { max_parents: Some(1), ..Rules::default() };
        let narrow =
            HillClimb { constraints: Constraints::new(data.schema(), &rules).unwrap(), ..pairs.clone() };
        assert_eq!(run(&data, score, &narrow).dag.arc_count(), 0);
    }
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
    assert_eq!(
        refused(SearchMethod::Pc, |spec| spec.max_steps = Some(5)),
        SearchSpecError::NotOfPc { option: "max_steps" }
    );
    assert_eq!(refused(SearchMethod::Tabu, |spec| spec.tabu = Some(0)), SearchSpecError::EmptyTabuList);
    assert_eq!(
        refused(climb, |spec| (spec.restarts, spec.perturb) = (Some(1), Some(0))),
        SearchSpecError::NothingPerturbed
    );
    assert_eq!(
        refused(climb, |spec| spec.time_limit = Some(-1.0)).to_string(),
        "time_limit takes a non-negative number of seconds, not -1"
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
