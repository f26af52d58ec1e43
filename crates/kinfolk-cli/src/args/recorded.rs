//! Takes the settings of a network file as defaults of options that are not given, and reports the settings taken.

use clap::Args;
use kinfolk::formats::{Recorded, Taken};
use kinfolk::remedy::Wording;

use super::{CommonArgs, DataArgs, MethodArgs, ScoreArgs};
use crate::failure::Failure;
use crate::output;
use crate::wording::Flags;

/// Whether settings are taken from a network file.
#[derive(Debug, Args)]
pub(crate) struct RecordedArgs {
    /// Take no settings from the network file. By default, options of the data, the score and the tables that are not given have the
    /// values that the file records.
    #[arg(long)]
    pub(crate) no_recorded: bool,
}

impl RecordedArgs {
    /// Completes the options of the data and the score by the settings of the file; a note lists them.
    pub(crate) fn adopt(
        &self,
        file: &str,
        recorded: &Recorded,
        data: &mut DataArgs,
        score: &mut ScoreArgs,
        common: &CommonArgs,
    ) -> Result<(), Failure> {
        if self.no_recorded {
            return Ok(());
        }
        data.recorded = recorded.clone();
        score.recorded = recorded.clone();
        let mut taken = data.completed()?.1;
        taken.extend(score.completed()?.1);
        say(file, &taken, common);
        Ok(())
    }

    /// The same for the options of the data and the tables.
    pub(crate) fn adopt_tables(
        &self,
        file: &str,
        recorded: &Recorded,
        data: &mut DataArgs,
        tables: &mut MethodArgs,
        common: &CommonArgs,
    ) -> Result<(), Failure> {
        if self.no_recorded {
            return Ok(());
        }
        data.recorded = recorded.clone();
        tables.recorded = recorded.clone();
        let mut taken = data.completed()?.1;
        taken.extend(tables.completed()?.1);
        say(file, &taken, common);
        Ok(())
    }
}

/// A note on the settings taken from the file.
fn say(file: &str, taken: &[Taken], common: &CommonArgs) {
    if taken.is_empty() || common.quiet {
        return;
    }
    let options: Vec<String> = taken.iter().map(|taken| Flags.option(taken.option, &taken.value)).collect();
    output::note(&format!(
        "note: as {file} records: {}; options on the command line take precedence, --no-recorded takes nothing from the file",
        options.join(", ")
    ));
}
