//! Options that take one of the library's names.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kinfolk::score::NamedChoice;

/// Reads one of the library's names, which help pages list with what they mean.
pub(super) fn one_of<T: NamedChoice>() -> impl TypedValueParser<Value = T> {
    let names = T::all().map(|choice| PossibleValue::new(choice.name()).help(choice.about()));
    PossibleValuesParser::new(names)
        .map(|name: String| T::from_name(&name).expect("clap takes only the names that it lists"))
}
