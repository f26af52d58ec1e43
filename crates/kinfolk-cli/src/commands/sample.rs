//! `kinfolk sample`: draws random rows from the tables of a network.

use std::path::{Path, PathBuf};

use kinfolk::data::{DataSetId, RelatedData};
use kinfolk::simulate::{check_rows, sample};
use serde::Serialize;

use crate::args::{CommonArgs, SampleArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::output;
use crate::rows::{cells, check_new, csv_text, make_folder};

/// Rows as cells of text.
#[derive(Serialize)]
struct Drawn<'a> {
    columns: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

pub(crate) fn run(args: &SampleArgs, common: &CommonArgs) -> Result<(), Failure> {
    let network = read_network(&args.network)?.network;
    let chosen = args.choose(&network)?;
    let rows: Vec<usize> = chosen.draws.iter().map(|(_, rows)| *rows).collect();
    check_rows(&rows, network.schema().variables().len())?;
    let folder = args.out.as_deref().filter(|out| is_folder(out));
    if let Some(folder) = folder {
        if !chosen.all {
            return Err(Failure::Call(format!(
                "--out: {} is a folder; name a file in it, or draw --data-set all",
                folder.display()
            )));
        }
        if args.group.is_some() {
            return Err(Failure::Call("--group belongs to one file for all; leave it out".to_owned()));
        }
        let files = files_in(folder, network.schema().data_sets())?;
        make_folder(folder)?;
        let files = check_new(&files, std::slice::from_ref(&args.network), args.force)?;
        let data = sample(&network, &chosen.draws, args.seed, 0);
        let mut files = files.iter().zip(all(&data));
        return files.try_for_each(|(file, data_set)| file.write(csv_text(cells(&data, [data_set], None))?));
    }
    let group = if chosen.all { Some(args.group_column(&network)?) } else { None };
    let inputs = std::slice::from_ref(&args.network);
    let file =
        args.out.as_ref().map(|out| check_new(std::slice::from_ref(out), inputs, args.force)).transpose()?;
    let file = file.and_then(|files| files.into_iter().next());
    let data = sample(&network, &chosen.draws, args.seed, 0);
    let mut rows = cells(&data, all(&data), group);
    if common.json {
        let drawn = Drawn { columns: rows.next().unwrap_or_default(), rows: rows.collect() };
        return file.map_or_else(|| output::print_json(&drawn), |file| file.write_json(&drawn));
    }
    let text = csv_text(rows)?;
    file.map_or_else(|| output::print(&text), |file| file.write(&text))
}

fn all(data: &RelatedData) -> impl Iterator<Item = DataSetId> + use<> {
    (0..data.schema().data_sets().len()).map(DataSetId::new)
}

/// A folder that is there, or a name that ends as folders do.
fn is_folder(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// One file per data set, if all their names can be names of files.
fn files_in(folder: &Path, data_sets: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let one = |name: &String| {
        let file = folder.join(format!("{name}.csv"));
        if name.is_empty() || file.parent() != Some(folder) || name.contains(['/', '\\', '\0']) {
            return Err(Failure::Call(format!(
                "no file can be named after the data set `{name}`; name a file instead of the folder"
            )));
        }
        Ok(file)
    };
    data_sets.iter().map(one).collect()
}
