//! The option for credible intervals, of `fit`, `query` and `predict`.

use clap::Args;
use kinfolk::estimate::CredibleMass;

/// Credible intervals.
#[derive(Debug, Args)]
pub(crate) struct IntervalArgs {
    /// Also give for every probability the interval that contains it with this posterior probability, such as 0.9. For `new` it
    /// includes the spread between data sets.
    #[arg(long, value_name = "PROBABILITY", allow_negative_numbers = true, value_parser = credible_mass)]
    pub(crate) intervals: Option<CredibleMass>,
}

fn credible_mass(text: &str) -> Result<CredibleMass, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    CredibleMass::new(number).map_err(|error| error.to_string())
}
