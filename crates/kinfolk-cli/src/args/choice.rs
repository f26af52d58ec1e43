//! A parser for options whose values are named choices of the library.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kinfolk::score::NamedChoice;

/// Parses a named choice; help pages list the names with their descriptions.
pub(super) fn one_of<T: NamedChoice>() -> impl TypedValueParser<Value = T> {
    let names = T::all().map(|choice| PossibleValue::new(choice.name()).help(choice.about()));
    PossibleValuesParser::new(names)
        .map(|name: String| T::from_name(&name).expect("clap takes only the names that it lists"))
}
