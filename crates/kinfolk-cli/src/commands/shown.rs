//! Optional contents of a report: the explanation of the network and the bootstrap strengths of its arcs.

use std::path::Path;

use kinfolk::counts::MemoryTally;
use kinfolk::data::RelatedData;
use kinfolk::explain::Explanation;
use kinfolk::remedy::Actionable;
use kinfolk::search::Stop;
use kinfolk_report::{Report, Strengths, StrengthsError};

use super::explain::explain;
use super::found::{Found, How};
use crate::args::{CommonArgs, Depth, ShownArgs};
use crate::failure::Failure;
use crate::inputs::read_text;
use crate::output;
use crate::progress::Watcher;
use crate::wording::Flags;

/// How many of the arcs that a network has not are shown on its page.
const LEFT_OUT: usize = 10;

/// What was asked for, read before the work begins.
pub(crate) struct Shown {
    depth: Depth,
    /// With the file they came from.
    strengths: Option<(String, Strengths)>,
}

impl Shown {
    pub(crate) fn read(args: &ShownArgs) -> Result<Self, Failure> {
        let strengths = args.bootstrap.as_deref().map(read_strengths).transpose()?;
        Ok(Self { depth: args.explain.unwrap_or(Depth::Brief), strengths })
    }

    /// Refuses strengths of other data: this is known before any work.
    pub(crate) fn check(&self, data: &RelatedData) -> Result<(), Failure> {
        let Some((file, strengths)) = &self.strengths else { return Ok(()) };
        let names = data.schema().names();
        strengths.check(&names, Some(&data.fingerprint())).map_err(|error| wrong_strengths(file, &error))
    }

    /// Adds to the report of a network and its data what was asked for.
    pub(crate) fn complete(
        &self,
        report: Report,
        how: &How<'_>,
        found: &Found,
        common: &CommonArgs,
    ) -> Result<Report, Failure> {
        let report = self.with_strengths(report, common)?;
        // Who interrupts a search does not wait for what comes after it.
        if self.depth == Depth::None || found.stop == Some(Stop::Interrupted) {
            return Ok(report);
        }
        match explanation(how, found, self.depth == Depth::Full, common) {
            Ok(explanation) => Ok(report.with_explanation(&explanation)),
            // The network is still a result, and so is its page.
            Err(error) => {
                output::note(&format!("warning: the page has no explanation: {error}"));
                Ok(report)
            }
        }
    }

    /// Adds what is known of the arcs' strengths.
    pub(crate) fn with_strengths(&self, report: Report, common: &CommonArgs) -> Result<Report, Failure> {
        let Some((file, strengths)) = &self.strengths else { return Ok(report) };
        let report = report.with_strengths(strengths).map_err(|error| wrong_strengths(file, &error))?;
        if let Some((resampled, own)) = report.other_score().filter(|_| !common.quiet) {
            output::note(&format!(
                "note: the resamples of {file} were learned with {resampled} and this network is by {own}: the strengths say how sure \
                 the arcs of {resampled} are, and the page says so too; `kinfolk bootstrap --score {own}` resamples with {own}"
            ));
        }
        Ok(report)
    }
}

fn wrong_strengths(file: &str, error: &StrengthsError) -> Failure {
    Failure::Call(format!("--bootstrap: {file} {}", error.message(&Flags)))
}

fn read_strengths(file: &Path) -> Result<(String, Strengths), Failure> {
    let name = file.display().to_string();
    let strengths =
        Strengths::from_json(&read_text(file)?).map_err(|error| wrong_strengths(&name, &error))?;
    Ok((name, strengths))
}

/// Explains the network that was found, within what is left of the time limit.
fn explanation(
    how: &How<'_>,
    found: &Found,
    rivals: bool,
    common: &CommonArgs,
) -> Result<Explanation, Failure> {
    let data = &found.data;
    let schema = data.schema();
    let data_sets = schema.data_sets().len();
    let score = how.score(data_sets)?;
    let search = how.search.choose(schema)?;
    let explain = explain(how.score, &search.search, LEFT_OUT, rivals, data_sets)?;
    let tally = MemoryTally::new(data).with_memory(how.data.memory_bytes());
    let mut watcher = Watcher::new(found.time_left, common.quiet);
    Ok(explain.run(&tally, score.score.as_ref(), &found.dag, &mut |event| watcher.note(event))?)
}
