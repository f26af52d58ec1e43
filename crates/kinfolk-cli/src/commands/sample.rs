//! `kinfolk sample`: draws random rows from the tables of a network.

use std::io;
use std::path::{Path, PathBuf};

use kinfolk::data::{DataSetId, RelatedData};
use kinfolk::formats::LazyList;
use kinfolk::simulate::{check_rows, sample};
use serde::Serialize;

use crate::args::{CommonArgs, SampleArgs};
use crate::failure::Failure;
use crate::inputs::read_network;
use crate::out_file::PreparedFile;
use crate::output;
use crate::rows::{cells, check_new, make_folder, write_csv};

/// Rows as cells of text, created while they are written.
#[derive(Serialize)]
struct SampledRows<'a, R: Serialize> {
    columns: Vec<&'a str>,
    rows: R,
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
        let files = files.iter().zip(all(&data));
        let written: Vec<_> = files
            .map(|(file, data_set)| file.prepare(|out| write_csv(out, cells(&data, [data_set], None))))
            .collect::<Result<_, _>>()?;
        return written.into_iter().try_for_each(PreparedFile::commit);
    }
    let group = if chosen.all { Some(args.group_column(&network)?) } else { None };
    let inputs = std::slice::from_ref(&args.network);
    let file =
        args.out.as_ref().map(|out| check_new(std::slice::from_ref(out), inputs, args.force)).transpose()?;
    let file = file.and_then(|files| files.into_iter().next());
    let data = sample(&network, &chosen.draws, args.seed, 0);
    let rows = || cells(&data, all(&data), group);
    if common.json {
        let columns = rows().next().unwrap_or_default();
        let drawn = SampledRows { columns, rows: LazyList(|| rows().skip(1)) };
        return file.map_or_else(|| output::print_json(&drawn), |file| file.write_json(&drawn));
    }
    file.map_or_else(|| write_csv(io::stdout().lock(), rows()), |file| file.write_csv(rows()))
}

fn all(data: &RelatedData) -> impl Iterator<Item = DataSetId> + use<> {
    (0..data.schema().data_sets().len()).map(DataSetId::new)
}

/// Whether the path is an existing folder, or is written like one.
fn is_folder(out: &Path) -> bool {
    out.is_dir() || out.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// One file per data set, if all names are valid file names.
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
