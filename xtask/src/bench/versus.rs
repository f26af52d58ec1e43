//! BDeu searches of the same rows by kinfolk and other programs, measured in turns.

use std::error::Error;
use std::ops::ControlFlow;

use kinfolk::counts::{Batch, Family};
use kinfolk::data::RelatedData;
use kinfolk::graph::Dag;
use kinfolk::score::{Bdeu, Scorer};

use super::data::{Labels, Recipe, write_csv};
use super::peers::{Peer, PeerAnswer, Worker};
use super::statistics::{median, median_ratio, seconds_per_call};
use super::{Bench, say};
use crate::search::{Run, search_out_of_optima, tally};

/// The relative tolerance for two scores of the same network.
const SAME_SCORE: f64 = 1e-6;

/// Additional draws of the smallest problem.
const MORE_DRAWS: usize = 12;

/// Measurements end when the peers have taken this many seconds, or after this multiple of the usual number.
const ENOUGH_SECONDS: f64 = 3.0;
const MORE_OFTEN: usize = 3;

/// `--escapes` of the search that the goals refer to.
pub(crate) const ESCAPES: usize = 20;

/// One problem and the results of all programs.
pub(crate) struct PeerComparison {
    pub(crate) name: String,
    pub(crate) recipe: Recipe,
    /// Whether all variables have two states.
    pub(crate) binary: bool,
    /// The number of measurements of our median; a slow peer may have fewer.
    pub(crate) repeats: usize,
    /// Our CPU seconds.
    pub(crate) cpu: f64,
    pub(crate) run: Run,
    /// Our search with escapes.
    pub(crate) further: Run,
    pub(crate) rivals: Vec<Rival>,
}

/// A peer's results.
pub(crate) struct Rival {
    pub(crate) peer: Peer,
    /// `None` if it was skipped.
    pub(crate) measured: Option<Measured>,
}

/// The measurements of a peer.
pub(crate) struct Measured {
    /// CPU seconds.
    pub(crate) cpu: f64,
    /// The number of measurements of this median.
    pub(crate) repeats: usize,
    /// Its time divided by that of our plain search and of our search with escapes.
    ratios: [f64; 2],
    /// Its own score of the network it found, if that is comparable.
    pub(crate) own_score: Option<f64>,
    /// Our score of the network it found.
    pub(crate) our_score: f64,
    pub(crate) arcs: usize,
}

impl PeerComparison {
    /// The peer's measurements, if there are any.
    pub(crate) fn by(&self, peer: Peer) -> Option<&Measured> {
        self.rivals.iter().find(|rival| rival.peer == peer)?.measured.as_ref()
    }

    /// The speed-up over a peer.
    pub(crate) fn ratio(&self, peer: Peer) -> Option<f64> {
        self.by(peer).map(|measured| measured.ratios[0])
    }

    /// The largest relative difference between a peer's total and ours of the same network.
    pub(crate) fn disagreement(&self) -> f64 {
        let measured = self.rivals.iter().filter_map(|rival| rival.measured.as_ref());
        let differences =
            measured.filter_map(|m| m.own_score.map(|own| ((own - m.our_score) / m.our_score).abs()));
        differences.fold(0.0, f64::max)
    }

    /// Whether both programs define the score in the same way.
    pub(crate) fn agree(&self) -> bool {
        self.disagreement() <= SAME_SCORE
    }

    /// The difference between the score of our network and that of a peer's; zero if they differ only by rounding.
    pub(crate) fn lead(&self, run: &Run, peer: Peer) -> Option<f64> {
        let lead = run.score - self.by(peer)?.our_score;
        Some(if lead.abs() <= 1e-9 * run.score.abs() { 0.0 } else { lead })
    }

    /// The speed-up of our search with escapes.
    pub(crate) fn ratio_further(&self, peer: Peer) -> Option<f64> {
        self.by(peer).map(|measured| measured.ratios[1])
    }
}

/// The time of a peer per row and pair of variables, to predict the next search.
struct Pace {
    peer: Peer,
    per_unit: f64,
}

pub(crate) fn measure(bench: &Bench) -> Result<Vec<PeerComparison>, Box<dyn Error>> {
    let mut sets = vec![("mixed".to_owned(), Recipe::mixed())];
    for rows in [10_000, 100_000] {
        for variables in [50, 100, 200] {
            sets.push((
                format!("syn{variables} {}", if rows == 10_000 { "1e4" } else { "1e5" }),
                Recipe::binary(variables, 1, rows),
            ));
        }
    }
    let mut paces = [Peer::Pybnesian, Peer::Pyagrum].map(|peer| Pace { peer, per_unit: 0.0 });
    sets.into_iter().map(|(name, recipe)| compare(bench, name, recipe, &mut paces)).collect()
}

/// Further draws of the smallest problem: which program scores higher on a single one is a matter of chance.
pub(crate) fn measure_more(bench: &Bench) -> Result<Vec<PeerComparison>, Box<dyn Error>> {
    let mut paces = [Pace { peer: Peer::Pybnesian, per_unit: 0.0 }];
    let draws = (1..=MORE_DRAWS).map(|draw| Recipe { draw, ..Recipe::binary(50, 1, 10_000) });
    draws
        .map(|recipe| compare(bench, format!("syn50 1e4, draw {}", recipe.draw), recipe, &mut paces))
        .collect()
}

fn compare(
    bench: &Bench,
    name: String,
    recipe: Recipe,
    paces: &mut [Pace],
) -> Result<PeerComparison, Box<dyn Error>> {
    say(&format!("{name}: BDeu, all programs"));
    let data = recipe.make();
    let file = bench.folder.join(format!("{}.csv", name.replace(' ', "_")));
    write_csv(&data, Labels::Letters, &file)?;
    let units = (recipe.variables * recipe.variables * recipe.rows()) as f64;
    let mut workers: Vec<Option<Worker>> = Vec::new();
    for pace in paces.iter() {
        let bearable = pace.per_unit * units <= bench.patience;
        workers.push(if bearable { Some(bench.peers.start(pace.peer, &file)?) } else { None });
    }
    let score = Bdeu::default();
    let (mut ours, mut theirs) = ([Vec::new(), Vec::new()], vec![Vec::new(); workers.len()]);
    let mut answers: Vec<Option<PeerAnswer>> = workers.iter().map(|_| None).collect();
    // A plain climb and one with escapes.
    let escapes = [0, ESCAPES];
    let ours_of = |escapes| search_out_of_optima(&data, &score, &bench.one_thread, escapes);
    let mut runs = [ours_of(escapes[0])?, ours_of(escapes[1])?];
    // Short searches vary more and are measured more often.
    let is_enough = |ours: usize, theirs: &[Vec<f64>]| {
        let spent: f64 = theirs.iter().flatten().sum();
        let nobody = theirs.iter().all(Vec::is_empty);
        let is_long = spent >= ENOUGH_SECONDS || nobody;
        ours >= bench.repeats && (is_long || ours >= MORE_OFTEN * bench.repeats)
    };
    while !is_enough(ours[0].len(), &theirs) {
        for ((escapes, run), times) in escapes.into_iter().zip(&mut runs).zip(&mut ours) {
            times.push(seconds_per_call(|| -> Result<(), Box<dyn Error>> {
                *run = ours_of(escapes)?;
                Ok(())
            })?);
        }
        for ((worker, times), answer) in workers.iter_mut().zip(&mut theirs).zip(&mut answers) {
            // Skip peers that have used their time.
            let spent: f64 = times.iter().sum();
            if let Some(worker) = worker.as_mut().filter(|_| spent < bench.patience / 2.0) {
                let given = worker.work()?;
                times.push(given.cpu);
                *answer = Some(given);
            }
        }
    }
    let mut rivals = Vec::new();
    for ((pace, times), answer) in paces.iter_mut().zip(theirs).zip(answers) {
        let measured = match answer {
            Some(answer) => {
                let ratios = ours.each_ref().map(|ours| median_ratio(&times, ours));
                let (repeats, cpu) = (times.len(), median(times));
                pace.per_unit = cpu / units;
                Some(Measured {
                    cpu,
                    repeats,
                    ratios,
                    own_score: answer.score,
                    our_score: score_of(&data, score, &answer.arcs)?,
                    arcs: answer.arcs.len(),
                })
            }
            None => None,
        };
        rivals.push(Rival { peer: pace.peer, measured });
    }
    let binary = recipe.states == (2, 2);
    let repeats = ours[0].len();
    let [cpu, cpu_further] = ours.map(median);
    let [run, further] = runs;
    let further = Run { cpu: cpu_further, ..further };
    Ok(PeerComparison { name, recipe, binary, repeats, cpu, run, further, rivals })
}

/// Our score of the network of a peer.
fn score_of(data: &RelatedData, score: Bdeu, arcs: &[(String, String)]) -> Result<f64, Box<dyn Error>> {
    let schema = data.schema();
    let find = |name: &str| schema.find(name).ok_or_else(|| format!("no variable is called {name}"));
    let arcs =
        arcs.iter().map(|(from, to)| Ok((find(from)?, find(to)?))).collect::<Result<Vec<_>, String>>()?;
    let dag = Dag::from_arcs(schema.variables().len(), arcs)?;
    let tally = tally(data, &score);
    let families: Vec<Family> = dag.nodes().map(|node| Family::of(&dag, node)).collect();
    let known =
        Scorer::new(&tally, &score).scores(&Batch::of(&families), &mut |_| ControlFlow::Continue(()))?;
    Ok(known.iter().map(|family| family.total).sum())
}
