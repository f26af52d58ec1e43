//! Optional contents of a report: the explanation of the network and the bootstrap strengths of its arcs.

use std::path::Path;

use kinfolk::data::RelatedData;
use kinfolk::explain::{ABSENT_ARCS, Explanation};
use kinfolk::remedy::Actionable;
use kinfolk::search::Stop;
use kinfolk_report::{Report, Strengths, StrengthsError};

use super::explain::explain;
use super::fill_in;
use super::found::{Found, LearnInputs};
use crate::args::{CommonArgs, Depth, ShownArgs};
use crate::failure::Failure;
use crate::inputs::read_text;
use crate::output;
use crate::progress::Watcher;
use crate::wording::Flags;

/// With more variables, absent arcs are found only on request: there are as many families to score as pairs of variables.
const LEFT_OUT_UP_TO: usize = 200;

/// The requested contents, read before the work begins.
pub(crate) struct Shown {
    depth: Depth,
    /// With the name of their file.
    strengths: Option<(String, Strengths)>,
}

impl Shown {
    pub(crate) fn read(args: &ShownArgs) -> Result<Self, Failure> {
        let strengths = args.bootstrap.as_deref().map(read_strengths).transpose()?;
        Ok(Self { depth: args.explain.unwrap_or(Depth::Brief), strengths })
    }

    /// Rejects strengths of other data before any work.
    pub(crate) fn check(&self, data: &RelatedData) -> Result<(), Failure> {
        let Some((file, strengths)) = &self.strengths else { return Ok(()) };
        let names = data.schema().names();
        strengths.check(&names, Some(&data.fingerprint())).map_err(|error| wrong_strengths(file, &error))
    }

    /// Adds the requested contents to the report of a network and its data.
    pub(crate) fn complete(
        &self,
        report: Report,
        how: &LearnInputs<'_>,
        found: &Found,
        common: &CommonArgs,
    ) -> Result<Report, Failure> {
        let report = self.with_strengths(report, common)?;
        // After an interrupted search, no further work is started.
        if self.depth == Depth::None || found.stop == Some(Stop::Interrupted) {
            return Ok(report);
        }
        match explanation(how, found, self.depth == Depth::Full, common) {
            Ok(explanation) => Ok(report.with_explanation(&explanation)),
            // The network and its page are still valid results.
            Err(error) => {
                output::note(&format!("warning: the page has no explanation: {error}"));
                Ok(report)
            }
        }
    }

    /// Adds the strengths of the arcs, if given.
    pub(crate) fn with_strengths(&self, report: Report, common: &CommonArgs) -> Result<Report, Failure> {
        let Some((file, strengths)) = &self.strengths else { return Ok(report) };
        let report = report.with_strengths(strengths).map_err(|error| wrong_strengths(file, &error))?;
        if let Some((resampled, own)) = report.other_score().filter(|_| !common.quiet) {
            output::note(&format!(
                "note: the resamples of {file} were learned with {resampled}, but this network with {own}: the strengths are those of \
                 {resampled}, as the page states; `kinfolk bootstrap --score {own}` resamples with {own}"
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

/// Explains the network within the remaining time limit.
fn explanation(
    how: &LearnInputs<'_>,
    found: &Found,
    rivals: bool,
    common: &CommonArgs,
) -> Result<Explanation, Failure> {
    let data = &found.data;
    let schema = data.schema();
    let data_sets = schema.data_sets().len();
    let score = how.score(data_sets)?;
    let search = how.search.choose(schema)?;
    let variables = schema.variables().len();
    let left_out = if variables <= LEFT_OUT_UP_TO || rivals { ABSENT_ARCS } else { 0 };
    if left_out == 0 && !common.quiet {
        output::note(&format!(
            "note: there are {variables} variables, so the page lists no arcs that the network lacks; --explain full finds them"
        ));
    }
    let explain = explain(how.score, &search.search, left_out, rivals, data_sets)?;
    let (score, seed) = (score.score.as_ref(), search.search.climb.seed);
    let prepared = fill_in(how.score, score, seed, (how.data, data))?.prepare(data, &found.dag)?;
    let mut watcher = Watcher::new(found.time_left, common.quiet);
    Ok(explain.run_prepared(&prepared, score, &found.dag, &mut |event| watcher.note(event))?)
}
