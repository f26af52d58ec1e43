//! A parser for options whose values are named choices of the library.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kinfolk::score::NamedChoice;

/// The choices, as help pages list them.
pub(super) fn listed<T: NamedChoice>() -> impl Iterator<Item = PossibleValue> {
    T::all().map(|choice| PossibleValue::new(choice.name()).help(choice.about()).aliases(choice.aliases()))
}

/// Parses a named choice; help pages list the names with their descriptions.
pub(super) fn one_of<T: NamedChoice>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(listed::<T>())
        .map(|name: String| T::from_name(&name).expect("clap takes only the names that it lists"))
}
