//! Choices that users make by name: the names and descriptions that the command line and Python offer and results record.

/// A choice that users make by name.
pub trait NamedChoice: Copy + PartialEq + Send + Sync + 'static {
    /// All choices, in the order in which help pages list them.
    fn all() -> impl Iterator<Item = Self>;

    /// Its name in options and results.
    fn name(self) -> &'static str;

    /// One line for help pages.
    fn about(self) -> &'static str;

    /// Further names that options accept.
    fn aliases(self) -> &'static [&'static str] {
        &[]
    }

    /// The choice of this name or alias, if there is one.
    fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|choice| choice.name() == name || choice.aliases().contains(&name))
    }
}

/// Implements [`NamedChoice`] from the name and the description of every variant.
macro_rules! named_choice {
    ($kind:ty { $($variant:ident: $name:literal, $about:literal;)+ }) => {
        impl $crate::choice::NamedChoice for $kind {
            fn all() -> impl Iterator<Item = Self> {
                [$(Self::$variant),+].into_iter()
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)+
                }
            }
        }
    };
}
pub(crate) use named_choice;
