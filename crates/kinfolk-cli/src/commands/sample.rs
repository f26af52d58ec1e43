//! `kinfolk sample`: rows drawn from the tables of a network.

use std::path::{Path, PathBuf};

use kinfolk::data::{DataSetId, RelatedData};
use kinfolk::simulate::{check_rows, sample};
use serde_json::json;

use crate::args::{CommonArgs, SampleArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::output;
use crate::rows::{NewFiles, cells, csv_text, make_folder};

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
        let files = NewFiles::check(&files, std::slice::from_ref(&args.network), args.force)?;
        let data = sample(&network, &chosen.draws, args.seed, 0);
        let texts: Result<Vec<String>, Failure> =
            all(&data).map(|data_set| csv_text(cells(&data, [data_set], None))).collect();
        return files.write(&texts?);
    }
    let group = if chosen.all { Some(args.group_column(&network)?) } else { None };
    let inputs = std::slice::from_ref(&args.network);
    let files: Option<NewFiles> = args
        .out
        .as_ref()
        .map(|out| NewFiles::check(std::slice::from_ref(out), inputs, args.force))
        .transpose()?;
    let data = sample(&network, &chosen.draws, args.seed, 0);
    let mut rows = cells(&data, all(&data), group);
    let text = if common.json {
        let columns = rows.next();
        output::json_text(&json!({ "columns": columns, "rows": rows.collect::<Vec<_>>() }))?
    } else {
        csv_text(rows)?
    };
    match files {
        Some(files) => files.write(&[text]),
        None => output::print(&text),
    }
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
                "no file can be called after the data set `{name}`; name a file instead of the folder"
            )));
        }
        Ok(file)
    };
    data_sets.iter().map(one).collect()
}
