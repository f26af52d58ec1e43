//! Keywords for the settings and remedies that the library's errors name.

use kinfolk::remedy::{Remedy, Setting, Verb, Wording, list_settings};

/// The wording of the Python package.
pub(crate) struct Keywords;

impl Wording for Keywords {
    fn setting(&self, setting: Setting) -> &'static str {
        match setting {
            Setting::Group => "groups",
            Setting::Weight => "weights",
            Setting::Id => "id",
            Setting::Columns => "columns",
            Setting::Ignore => "ignore",
            Setting::Levels => "levels",
            Setting::Discretize => "discretize",
            Setting::Delimiter => "delimiter",
            Setting::Na => "na",
            Setting::DropRows => "missing=\"drop-rows\"",
            Setting::MaxParents => "max_parents",
            Setting::KinGrid => "kin_grid",
            Setting::ImaginarySampleSize => "iss",
        }
    }

    fn option(&self, name: &str, value: &str) -> String {
        match value {
            "" => name.to_owned(),
            number if number.parse::<f64>().is_ok() => format!("{name}={number}"),
            word => format!("{name}=\"{word}\""),
        }
    }

    fn verb(&self, verb: Verb) -> &'static str {
        match verb {
            Verb::Bootstrap => "kinfolk.bootstrap",
            Verb::Explain => "kinfolk.explain",
        }
    }

    fn remedy(&self, remedy: &Remedy) -> String {
        let text = match remedy {
            Remedy::Advice(text) => text,
            Remedy::GiveData => "give at least one table or file",
            Remedy::SetDelimiter => "give delimiter if cells are split wrongly",
            Remedy::KeepCommonColumns => "keep only the shared ones with common_columns",
            Remedy::ChooseColumns => "choose with columns or ignore",
            Remedy::Check(settings) => return format!("check {}", list_settings(settings, self)),
            Remedy::CheckColumn(setting) => {
                return format!("check that {} names the right column", self.setting(*setting));
            }
            Remedy::Unset(setting) => return format!("leave out {}", self.setting(*setting)),
            Remedy::TakeColumnOutOf(setting) => {
                return format!("leave the column out of {}", self.setting(*setting));
            }
            Remedy::TreatMissingValues => {
                "learning needs missing=\"impute\" (or \"drop-rows\", or \"level\"), or ignore for those columns"
            }
            Remedy::ImputeMissing => "have them filled in while learning with missing=\"impute\"",
            Remedy::ImputeColumns => "have the others filled in while learning with missing=\"impute\"",
            Remedy::ImputeFiles => "fill the values in first with kinfolk.impute",
            Remedy::DropIncompleteRows => "keep the complete rows with missing=\"drop-rows\"",
            Remedy::MissingAsState => "make missing a state with missing=\"level\"",
            Remedy::IgnoreColumnsSuchAs(column) => {
                return format!("leave columns out, such as ignore=[{column:?}]");
            }
            Remedy::IgnoreEmptiestColumns => "leave the emptiest columns out with ignore",
            Remedy::IgnoreColumn(column) => return format!("ignore=[{column:?}]"),
            Remedy::IgnoreColumns(columns) => return format!("ignore={columns:?}"),
            Remedy::DiscretizeColumn(column) => {
                return format!("discretize={{{column:?}: \"quantile:4\"}}");
            }
            Remedy::CountAsMissing(_) => "name it with na if it means missing",
            Remedy::AddMissingText(_) => "add it to na if it means missing",
            Remedy::MissingInColumn { column, text } => return format!("na={{{column:?}: [{text:?}]}}"),
            Remedy::UseAsWeights(column) => return format!("weights={column:?}"),
            Remedy::NameSubjects => "name the column of the subjects with id, to draw one row of each",
            Remedy::UseAsId(column) => return format!("id={column:?}"),
            Remedy::ChangeMissingTexts => "change na",
            Remedy::DeclareState { .. } => "declare it with levels",
            Remedy::DeclareLevels(_) => "declare them with levels",
            Remedy::DeclareAllLevels => "declare the states of every column with levels",
            Remedy::RaiseMaxStates => "allow them with max_states",
            Remedy::UnseenAsMissing => "treat them as missing with unseen=\"missing\"",
            Remedy::Describe => "kinfolk.describe lists them",
            Remedy::RaiseMemoryLimit => "raise memory",
            Remedy::RaiseReadLimit(_) => {
                "read it into a data frame first, to which no limit of files applies"
            }
            Remedy::LowerMaxParents => "lower max_parents",
            Remedy::RaiseMaxParents => "raise max_parents",
            Remedy::RaiseMostCells => "raise the limit (most_cells)",
            Remedy::MakeNetworkFile => {
                "the save of what kinfolk.fit gives, or kinfolk.learn(…).fit(), writes them"
            }
            Remedy::FitTables => "make them with kinfolk.fit",
            Remedy::UseAsStructure(which) => {
                return format!("where a structure is enough, it stands for {which}");
            }
            Remedy::NameFormat => "if the file is of another format, name it with format",
            Remedy::ChooseFolds => "folds takes a number from 2 to the number of rows",
            Remedy::HoldOutRows => "use scheme=\"folds\"",
            Remedy::HoldOutDataSets => "leave out whole data sets (scheme=\"data-sets\")",
            Remedy::ResampleRows => "resample rows (by=\"rows\")",
            Remedy::ResampleDataSets => "draw whole data sets (by=\"data-sets\")",
            Remedy::KeepAllDataSets => "leave out leave_one_out",
            Remedy::SetReplicates(number) => {
                return format!("{number} is a common choice (replicates={number})");
            }
            Remedy::GiveBootstrapResult => "give what kinfolk.bootstrap returns",
            Remedy::AllowMoreTime => "bootstrap again with more time (time_limit)",
            Remedy::ResumeBootstrap => "continue with resume",
        };
        text.to_owned()
    }
}
