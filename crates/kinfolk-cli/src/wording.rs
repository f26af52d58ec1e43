//! Flags for the settings and remedies that the library's errors name.

use kinfolk::remedy::{ReadLimit, Remedy, Setting, Verb, Wording, list_settings};

/// The wording of the command line.
pub(crate) struct Flags;

impl Wording for Flags {
    fn setting(&self, setting: Setting) -> &'static str {
        match setting {
            Setting::Group => "--group",
            Setting::Weight => "--weight",
            Setting::Id => "--id",
            Setting::Columns => "--columns",
            Setting::Ignore => "--ignore",
            Setting::Levels => "--levels",
            Setting::Discretize => "--discretize",
            Setting::Delimiter => "--delimiter",
            Setting::Na => "--na",
            Setting::DropRows => "--missing drop-rows",
            Setting::MaxParents => "--max-parents",
            Setting::KinGrid => "--kin-grid",
            Setting::ImaginarySampleSize => "--iss",
        }
    }

    fn option(&self, name: &str, value: &str) -> String {
        // The only option that is negated on the command line.
        let name = if name == "pooled_half" { "no-pooled-half".to_owned() } else { name.replace('_', "-") };
        format!("--{name} {value}").trim_end().to_owned()
    }

    fn verb(&self, verb: Verb) -> &'static str {
        match verb {
            Verb::Bootstrap => "`kinfolk bootstrap`",
            Verb::Explain => "`kinfolk explain`",
        }
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        let text = match remedy {
            Remedy::Advice(text) => text,
            Remedy::GiveData => "give at least one file, or - for standard input",
            Remedy::SetDelimiter => "set --delimiter if cells are split at the wrong character",
            Remedy::KeepCommonColumns => "use only the shared columns with --common-columns",
            Remedy::ChooseColumns => "choose with --columns or --ignore",
            Remedy::Check(settings) => return format!("check {}", list_settings(settings, self)),
            Remedy::CheckColumn(setting) => {
                return format!("check that {} names the right column", self.setting(*setting));
            }
            Remedy::Unset(setting) => return format!("leave out {}", self.setting(*setting)),
            Remedy::TakeColumnOutOf(setting) => {
                return format!("leave the column out of {}", self.setting(*setting));
            }
            Remedy::TreatMissingValues => {
                "learning needs --missing impute (or drop-rows, or level), or --ignore for those columns"
            }
            Remedy::ImputeMissing => "have them filled in while learning with --missing impute",
            Remedy::ImputeColumns => "have the others filled in while learning with --missing impute",
            Remedy::ImputeFiles => {
                "fill the values in first: `kinfolk impute FILES --network FILE --out FOLDER`"
            }
            Remedy::DropIncompleteRows => "keep the complete rows with --missing drop-rows",
            Remedy::MissingAsState => "make missing a state with --missing level",
            Remedy::IgnoreColumnsSuchAs(column) => {
                return format!("leave columns out, such as --ignore {}", quote(column));
            }
            Remedy::IgnoreEmptiestColumns => "leave the emptiest columns out with --ignore",
            Remedy::IgnoreColumn(column) => return format!("--ignore {}", quote(column)),
            Remedy::IgnoreColumns(columns) => return format!("--ignore {}", quote(&columns.join(","))),
            Remedy::DiscretizeColumn(column) => {
                return format!("--discretize {}", quote(&format!("{column}=quantile:4")));
            }
            Remedy::CountAsMissing(_) => "name it with --na if it means missing",
            Remedy::AddMissingText(_) => "add it to --na if it means missing",
            Remedy::MissingInColumn { column, text } => {
                return format!("--na {}", quote(&list_item(&format!("{column}={text}"))));
            }
            Remedy::UseAsWeights(column) => return format!("--weight {}", quote(column)),
            Remedy::NameSubjects => "name the column of the subjects with --id, to draw one row of each",
            Remedy::UseAsId(column) => return format!("--id {}", quote(column)),
            Remedy::ChangeMissingTexts => "change --na",
            Remedy::DeclareState { .. } => "declare it with --levels",
            Remedy::DeclareLevels(_) => "declare them with --levels",
            Remedy::DeclareAllLevels => "declare the states of every column with --levels",
            Remedy::RaiseMaxStates => "allow them with --max-states",
            Remedy::UnseenAsMissing => "treat them as missing with --unseen missing",
            Remedy::Describe => "`kinfolk describe` lists them",
            Remedy::RaiseMemoryLimit => "raise --memory",
            Remedy::RaiseReadLimit(limit) => {
                let unit = if *limit == ReadLimit::Columns { "N" } else { "MB" };
                return format!("raise the limit with --limits {}={unit}", limit.name());
            }
            Remedy::LowerMaxParents => "lower --max-parents",
            Remedy::RaiseMaxParents => "raise --max-parents",
            Remedy::RaiseMostCells => "raise the limit (--most-cells)",
            Remedy::MakeNetworkFile => {
                "`kinfolk learn … --out FILE` and `kinfolk fit … --out FILE` write them"
            }
            Remedy::FitTables => "make them with `kinfolk fit … --structure FILE --out NETWORK`",
            Remedy::UseAsStructure(which) => {
                return format!(
                    "commands that need only a structure accept it as --structure FILE, for {which}"
                );
            }
            Remedy::NameFormat => "if the file is of another format, name it with --from",
            Remedy::ChooseFolds => "--folds takes a number from 2 to the number of rows",
            Remedy::HoldOutRows => "use --scheme folds",
            Remedy::HoldOutDataSets => "leave out whole data sets (--scheme data-sets)",
            Remedy::ResampleRows => "resample rows (--by rows)",
            Remedy::ResampleDataSets => "draw whole data sets (--by data-sets)",
            Remedy::KeepAllDataSets => "leave out --leave-one-out",
            Remedy::SetReplicates(number) => return format!("{number} is a common choice (-R {number})"),
            Remedy::GiveBootstrapResult => {
                "name a file that `kinfolk bootstrap` has written with its own --out"
            }
            Remedy::AllowMoreTime => "bootstrap again with more time (--time-limit)",
            Remedy::ResumeBootstrap => "continue with --resume",
        };
        text.to_owned()
    }
}

/// An element of a comma-separated list, quoted as in CSV if necessary.
pub(crate) fn list_item(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

/// A name quoted for a shell if necessary.
pub(crate) fn quote(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | ',' | '+');
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_shell_needs_it() {
        for (name, typed) in [("age", "age"), ("the age", "'the age'"), ("", "''"), ("it's", r"'it'\''s'")] {
            assert_eq!(Flags.remedy(&Remedy::IgnoreColumn(name.to_owned())), format!("--ignore {typed}"));
        }
        let bins = Flags.remedy(&Remedy::DiscretizeColumn("age".to_owned()));
        assert_eq!(bins, "--discretize 'age=quantile:4'");
    }

    #[test]
    fn lists_of_settings_and_numbers_are_written_out() {
        let settings = vec![Setting::Columns, Setting::Ignore, Setting::Group];
        assert_eq!(Flags.remedy(&Remedy::Check(settings)), "check --columns, --ignore and --group");
        assert_eq!(Flags.remedy(&Remedy::SetReplicates(200)), "200 is a common choice (-R 200)");
    }
}
