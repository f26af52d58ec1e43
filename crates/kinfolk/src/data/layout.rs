//! Matches the columns of all files by name and assigns their roles: variable, group, weight, subject.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::description::Note;
use super::error::{ColumnDifference, DataError};
use super::missing::split_missing_text;
use super::options::ReadOptions;
use super::table::Header;
use crate::remedy::Setting;

/// The columns to read and their positions in each file.
#[derive(Debug)]
pub(super) struct Layout {
    /// The variables in the order of the first file, then the group, weight and id columns, if any.
    pub(super) names: Vec<String>,
    /// The number of variables among the names.
    pub(super) variables: usize,
    /// For each file, the position of each name; `None` for a variable that the file lacks.
    pub(super) positions: Vec<Vec<Option<usize>>>,
    /// Notes on generated names and columns left out.
    pub(super) notes: Vec<Note>,
}

/// Matches the columns of all files by name.
pub(super) fn lay_out(headers: &[&Header], options: &ReadOptions) -> Result<Layout, DataError> {
    let places: Vec<FxHashMap<&str, usize>> = headers
        .iter()
        .map(|header| header.names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect())
        .collect();
    let mut known = BTreeSet::new();
    let everything: Vec<&str> = headers
        .iter()
        .flat_map(|header| &header.names)
        .map(String::as_str)
        .filter(|name| known.insert(*name))
        .collect();
    check_names(&everything, options)?;

    let roles =
        [(Setting::Group, &options.group), (Setting::Weight, &options.weight), (Setting::Id, &options.id)];
    for (setting, role) in roles {
        let Some(column) = role else { continue };
        if let Some(file) = places.iter().position(|places| !places.contains_key(column.as_str())) {
            return Err(DataError::RoleAbsent {
                setting,
                file: headers[file].file.clone(),
                column: column.clone(),
            });
        }
    }

    let chosen: Option<BTreeSet<&str>> =
        options.columns.as_ref().map(|columns| columns.iter().map(String::as_str).collect());
    let ignored: BTreeSet<&str> = options.ignore.iter().map(String::as_str).collect();
    let is_role = |name: &str| roles.iter().any(|(_, role)| role.as_deref() == Some(name));
    let wanted = |name: &str| {
        !is_role(name)
            && !ignored.contains(name)
            && chosen.as_ref().is_none_or(|chosen| chosen.contains(name))
    };
    let wanted: Vec<&str> = everything.into_iter().filter(|name| wanted(name)).collect();
    let (shared, partial): (Vec<&str>, Vec<&str>) =
        wanted.iter().partition(|name| places.iter().all(|places| places.contains_key(**name)));
    if wanted.is_empty() {
        return Err(DataError::NoVariable);
    }
    let fills_in = options.missing.keeps_cells() && !options.common_columns;
    let is_in_two = |name: &&str| places.iter().filter(|places| places.contains_key(*name)).count() > 1;
    if shared.is_empty() && !(fills_in && wanted.iter().any(is_in_two)) {
        return Err(DataError::NoCommonColumn);
    }
    let mut notes = Vec::new();
    if !partial.is_empty() && !fills_in {
        if !options.common_columns {
            return Err(differences(headers, &places, &partial));
        }
        notes.push(Note::ColumnsLeftOut { columns: partial.iter().map(|&name| name.to_owned()).collect() });
    }
    let read = if fills_in { wanted } else { shared };
    for header in headers {
        for name in header.unnamed.iter().filter(|name| read.contains(&name.as_str())) {
            notes.push(Note::UnnamedColumn { file: header.file.clone(), column: name.clone() });
        }
    }
    let mut names: Vec<String> = read.iter().map(|&name| name.to_owned()).collect();
    names.extend(roles.iter().flat_map(|(_, role)| role.iter().cloned()));
    let place = |places: &FxHashMap<&str, usize>, name: &String| places.get(name.as_str()).copied();
    let positions =
        places.iter().map(|places| names.iter().map(|name| place(places, name)).collect()).collect();
    Ok(Layout { variables: read.len(), positions, names, notes })
}

/// Refuses options that name a column no file has.
fn check_names(columns: &[&str], options: &ReadOptions) -> Result<(), DataError> {
    let known: BTreeSet<&str> = columns.iter().copied().collect();
    let named: [(Setting, Vec<&str>); 8] = [
        (Setting::Columns, options.columns.iter().flatten().map(String::as_str).collect()),
        (Setting::Ignore, options.ignore.iter().map(String::as_str).collect()),
        (Setting::Group, options.group.iter().map(String::as_str).collect()),
        (Setting::Weight, options.weight.iter().map(String::as_str).collect()),
        (Setting::Id, options.id.iter().map(String::as_str).collect()),
        (Setting::Levels, options.levels.iter().map(|(column, _)| column.as_str()).collect()),
        (Setting::Discretize, options.discretize.iter().filter_map(|rule| rule.target.column()).collect()),
        (Setting::Na, options.na.iter().filter_map(|entry| split_missing_text(entry).0).collect()),
    ];
    for (setting, names) in named {
        if let Some(&name) = names.iter().find(|name| !known.contains(**name)) {
            return Err(DataError::UnknownColumn {
                setting,
                column: name.to_owned(),
                columns: columns.iter().map(|&column| column.to_owned()).collect(),
                nearest: nearest(name, columns),
            });
        }
    }
    Ok(())
}

/// The differences of each file's columns from the first file's, restricted to columns that some file lacks.
fn differences(headers: &[&Header], places: &[FxHashMap<&str, usize>], partial: &[&str]) -> DataError {
    let columns = |has: usize, lacks: usize| -> Vec<String> {
        let differs = |name: &&&str| places[has].contains_key(**name) && !places[lacks].contains_key(**name);
        partial.iter().filter(differs).map(|&name| name.to_owned()).collect()
    };
    let differences = (1..headers.len()).map(|file| ColumnDifference {
        file: headers[file].file.clone(),
        missing: columns(0, file),
        extra: columns(file, 0),
    });
    DataError::ColumnsDiffer {
        first: headers[0].file.clone(),
        differences: differences.filter(|file| !(file.missing.is_empty() && file.extra.is_empty())).collect(),
    }
}

/// The column with the most similar name: at most a third of the letters differ, ignoring case, and not all.
fn nearest(name: &str, columns: &[&str]) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    let distances =
        columns.iter().map(|column| (edit_distance(&name.to_lowercase(), &column.to_lowercase()), column));
    let (distance, column) = distances.min_by_key(|&(distance, _)| distance)?;
    (distance <= limit && distance < name.chars().count()).then(|| (*column).to_owned())
}

/// The Levenshtein distance: the number of insertions, deletions and replacements.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}
