//! Cases small enough for a pencil, and those at the limits.

use kinfolk::data::{Schema, Variable, VariableId};
use kinfolk::estimate::{Network, Relative, Table};
use kinfolk::graph::Dag;
use kinfolk::infer::{Given, InferError, Inference, Limits};
use kinfolk::remedy::{Actionable, Remedy};

fn id(index: usize) -> VariableId {
    VariableId::new(index)
}

/// Variables of two states, `no` and `yes`, with P(yes | configuration) for each.
fn binary(arcs: &[(usize, usize)], yes: &[&[f64]]) -> Network {
    let variables = (0..yes.len()).map(|index| Variable {
        name: format!("V{index}"),
        states: vec!["no".to_owned(), "yes".to_owned()],
        constant: false,
    });
    let schema = Schema::new(variables.collect(), vec!["all".to_owned()]);
    let dag = Dag::from_arcs(yes.len(), arcs.iter().map(|&(from, to)| (id(from), id(to)))).unwrap();
    let table = |yes: &&[f64]| Table::new(2, yes.iter().flat_map(|p| [1.0 - p, *p]).collect());
    Network::single(schema, dag, yes.iter().map(table).collect()).unwrap()
}

/// Rain and a sprinkler wet the grass.
fn grass() -> Network {
    binary(&[(0, 1), (0, 2), (1, 2)], &[&[0.2], &[0.4, 0.01], &[0.0, 0.9, 0.8, 0.99]])
}

#[test]
fn wet_grass_means_rain_with_probability_36() {
    let network = grass();
    let inference = Inference::new(&network, Relative::New);
    let mut given = Given::nothing(&network);
    given.observe(&network, id(2), 1).unwrap();
    // P(wet) = 0.8·0.4·0.9 + 0.2·(0.99·0.8 + 0.01·0.99), of which the second term has rain.
    let (dry, rain) = (0.8 * 0.4 * 0.9, 0.2 * (0.99 * 0.8 + 0.01 * 0.99));
    let posterior = inference.posterior(id(0), &given).unwrap();
    assert!((posterior[1] - rain / (dry + rain)).abs() < 1e-15);
    assert!((posterior[1] - 0.357_687_6).abs() < 1e-7);
    assert!((inference.log_probability(&given).unwrap() - (dry + rain).ln()).abs() < 1e-15);
    let explanation = inference.explanation(&given).unwrap();
    assert_eq!(explanation.states, [0, 1, 1]);
    assert!((explanation.log_probability - dry.ln()).abs() < 1e-15);
}

#[test]
fn interventions_carry_no_information_on_causes_and_observations_do() {
    let network = grass();
    let inference = Inference::new(&network, Relative::New);
    let (mut set, mut observed) = (Given::nothing(&network), Given::nothing(&network));
    set.set(&network, id(1), 1).unwrap();
    observed.observe(&network, id(1), 1).unwrap();
    assert!((inference.posterior(id(0), &set).unwrap()[1] - 0.2).abs() < 1e-15);
    let expected = 0.2 * 0.01 / (0.2 * 0.01 + 0.8 * 0.4);
    assert!((inference.posterior(id(0), &observed).unwrap()[1] - expected).abs() < 1e-15);
    assert_eq!(inference.log_probability(&set), Ok(0.0));
    assert!((inference.posterior(id(2), &set).unwrap()[1] - (0.8 * 0.9 + 0.2 * 0.99)).abs() < 1e-15);
}

#[test]
fn a_given_target_is_certain_and_nothing_is_given_twice() {
    let network = grass();
    let inference = Inference::new(&network, Relative::New);
    let mut given = Given::nothing(&network);
    given.observe(&network, id(2), 1).unwrap();
    assert_eq!(inference.posterior(id(2), &given).unwrap(), [0.0, 1.0]);
    let joint = inference.joint(&[id(2), id(0)], &given).unwrap();
    assert_eq!(joint.probabilities[..2], [0.0, 0.0]);
    assert!((joint.probabilities[2..].iter().sum::<f64>() - 1.0).abs() < 1e-15);
    let twice = given.set(&network, id(2), 1).unwrap_err();
    assert_eq!(twice, InferError::GivenTwice { variable: "V2".to_owned() });
}

#[test]
fn impossible_evidence_is_refused_by_name() {
    let network = grass();
    let inference = Inference::new(&network, Relative::New);
    let mut given = Given::nothing(&network);
    for (variable, state) in [(0, 0), (1, 0), (2, 1)] {
        given.observe(&network, id(variable), state).unwrap();
    }
    let refused = inference.log_probability(&given).unwrap_err();
    assert_eq!(refused, InferError::Impossible { relative: "new".to_owned() });
    assert!(refused.to_string().contains("probability 0"), "{refused}");
    let row = [Some(0), Some(0), Some(1)];
    assert_eq!(inference.log_likelihood(&row), Ok(f64::NEG_INFINITY));
}

/// A class with many observed features, half of them evidence for it and half against, strong enough that the product of either half
/// is below the smallest float.
#[test]
fn evidence_below_the_smallest_float_is_not_impossible() {
    let features = 2000;
    let arcs: Vec<(usize, usize)> = (1..=features).map(|feature| (0, feature)).collect();
    let (for_it, against): (&[f64], &[f64]) = (&[1e-6, 0.5], &[0.5, 1e-6]);
    let class: &[f64] = &[0.3];
    let tables: Vec<&[f64]> = [class]
        .into_iter()
        .chain((0..features).map(|i| if i < features / 2 { for_it } else { against }))
        .collect();
    let network = binary(&arcs, &tables);
    let inference = Inference::new(&network, Relative::New);
    let mut given = Given::nothing(&network);
    (1..=features).for_each(|feature| given.observe(&network, id(feature), 1).unwrap());
    let posterior = inference.posterior(id(0), &given).unwrap();
    assert!((posterior[1] - 0.3).abs() < 1e-9, "{posterior:?}");
    let expected = (features / 2) as f64 * (1e-6_f64.ln() + 0.5_f64.ln());
    assert!((inference.log_probability(&given).unwrap() - expected).abs() < 1e-7);
}

#[test]
fn equally_probable_explanations_take_the_first_states() {
    let half: &[f64] = &[0.5];
    let same: &[f64] = &[0.3, 0.7];
    let network = binary(&[(0, 1), (1, 2)], &[half, same, same]);
    let explanation = Inference::new(&network, Relative::New).explanation(&Given::nothing(&network)).unwrap();
    assert_eq!(explanation.states, [0, 0, 0]);
}

/// Every pair of 40 causes has an effect that was seen: the causes are one clique of 2^40 cells.
#[test]
fn tables_that_would_be_too_large_are_refused_with_their_size() {
    let causes = 40;
    let pairs: Vec<(usize, usize)> = (0..causes).flat_map(|a| (a + 1..causes).map(move |b| (a, b))).collect();
    let arcs: Vec<(usize, usize)> = pairs
        .iter()
        .enumerate()
        .flat_map(|(effect, &(a, b))| [(a, causes + effect), (b, causes + effect)])
        .collect();
    let (cause, effect): (&[f64], &[f64]) = (&[0.5], &[0.1, 0.2, 0.3, 0.4]);
    let tables: Vec<&[f64]> = (0..causes).map(|_| cause).chain(pairs.iter().map(|_| effect)).collect();
    let network = binary(&arcs, &tables);
    let inference = Inference::new(&network, Relative::New);
    // Without evidence the effects are barren, and nothing is large.
    assert!(inference.posterior(id(0), &Given::nothing(&network)).is_ok());
    let mut given = Given::nothing(&network);
    (causes..causes + pairs.len()).for_each(|effect| given.observe(&network, id(effect), 1).unwrap());
    let refused = inference.posterior(id(0), &given).unwrap_err();
    let InferError::TooLarge { size, most_cells } = refused.clone() else { panic!("{refused}") };
    assert_eq!((size.width, size.largest, most_cells), (causes - 1, 2_f64.powi(40), 134_217_728.0));
    assert!(refused.to_string().contains("1.100e12 (induced width 39)"), "{refused}");
    assert_eq!(refused.remedies().last(), Some(&Remedy::RaiseMostCells));
    let strict = Inference::new(&network, Relative::New).with_limits(Limits { most_cells: 1.0 });
    assert!(strict.posterior(id(0), &Given::nothing(&network)).is_err());
}
