//! One row of every subject, and rows that are copies.

use kinfolk::data::{Inspection, Missing, Note, ReadOptions, Suspicion, describe};

use crate::{cells, discretize, notes, plain, reading, refusal, rows, sources, states, texts};

fn by_subject() -> ReadOptions {
    ReadOptions { id: Some("who".to_owned()), ..plain() }
}

#[test]
fn a_subject_counts_once_in_every_data_set() {
    let files = ["who,p\n1,x\n1,y\n2,x\n1.0,z\n", "who,p\n1,x\n3,y\n3,y\n"];
    let found = reading(&files, &by_subject());
    assert_eq!(rows(&found), [2, 2]);
    assert_eq!(cells(&found, "p"), [texts(&["x", "z"]), texts(&["x", "y"])]);
    // Rows that are not drawn declare their states.
    assert_eq!(states(&found, "p"), ["x", "y", "z"]);
    let note = "7 rows of 4 subjects (column `who`): one row of each was drawn; 1 subject is in several data sets and counts \
                once in each";
    assert_eq!(notes(&found)[0], note);
}

/// 300 subjects with three rows each, of the values 0, 1 and 2.
fn three_rows_each(order: impl Iterator<Item = usize>) -> String {
    let mut text = "who,p,q\n".to_owned();
    for subject in order {
        (0..3).for_each(|visit| text += &format!("s{subject},{visit},{}\n", subject % 2));
    }
    text
}

#[test]
fn the_draw_is_uniform_and_depends_on_the_seed_and_the_subject_only() {
    let drawn = |text: &str, options: &ReadOptions| cells(&reading(&[text], options), "p")[0].clone();
    let text = three_rows_each(0..300);
    let first = drawn(&text, &by_subject());
    for value in ["0", "1", "2"] {
        // Three standard deviations of the binomial distribution are 24.5.
        let count = first.iter().filter(|drawn| *drawn == value).count();
        assert!((75..=125).contains(&count), "{value}: {count}");
    }
    assert_ne!(first, drawn(&text, &ReadOptions { id_seed: 2, ..by_subject() }));
    let mut backwards = drawn(&three_rows_each((0..300).rev()), &by_subject());
    backwards.reverse();
    assert_eq!(first, backwards);
    assert_eq!(first, drawn(&text, &ReadOptions { ignore: texts(&["q"]), ..by_subject() }));
    assert_eq!(first[..10], drawn(&three_rows_each(0..10), &by_subject()));
}

#[test]
fn incomplete_rows_are_dropped_before_the_draw() {
    let options = ReadOptions { missing: Missing::DropRows, ..by_subject() };
    let found = reading(&["who,p\na,NA\na,y\na,\nb,x\nNA,y\n"], &options);
    assert_eq!(cells(&found, "p")[0], ["y", "x"]);
    assert_eq!(found.description.data_sets[0].dropped_rows, 3);
}

#[test]
fn impossible_subjects_are_refused() {
    let text = refusal(&["who,p\na,x\nNA,y\n"], &by_subject());
    assert!(
        text.starts_with(
            "a, row 3, column `who`: the value is missing (`NA`), but id needs one in every row"
        ),
        "{text}"
    );
    let both = ReadOptions { weight: Some("n".to_owned()), ..by_subject() };
    assert!(refusal(&["who,n,p\na,1,x\n"], &both).starts_with("id and weight exclude each other"));
    let twice = ReadOptions { group: Some("who".to_owned()), ..by_subject() };
    let text = refusal(&["who,p\na,x\n"], &twice);
    assert!(text.starts_with("column `who` is given to both group and id"), "{text}");
    assert!(refusal(&["p\nx\n"], &by_subject()).starts_with("id: there is no column `who`"));
    let text = refusal(&["who,p\na,x\n", "p\nx\n"], &by_subject());
    assert!(text.starts_with("b has no column `who`, which id needs in every file"), "{text}");
}

#[test]
fn the_options_are_recorded() {
    let options = ReadOptions { id_seed: 7, ..by_subject() };
    assert_eq!(ReadOptions::from_record(&options.record()), Ok(options.clone()));
    let mut later = plain();
    assert_eq!(later.complete(&options, &|_| false), ["id", "id_seed"]);
    assert_eq!(later, options);
}

fn describing(text: &str, options: &ReadOptions) -> Inspection {
    describe(sources(&[text]), options).expect("it never refuses these")
}

#[test]
fn a_description_advises_to_name_the_subjects() {
    for name in ["nr", "id", "Patient.ID", "subject", "PersonNo"] {
        let text = three_rows_each(0..60).replace('s', "");
        let text = format!("{name},p,q\n{}", text.split_once('\n').unwrap().1);
        let found = describing(&text, &plain());
        let expected = Suspicion::Subjects { column: name.to_owned(), subjects: 60 };
        assert_eq!(found.suspicions, [expected], "{name}");
        assert_eq!(found.advised.id.as_deref(), Some(name));
        assert!(found.advised.discretize.is_empty() && found.advised.ignore.is_empty());
    }
    // A place is not a subject, nor is a column in which no value repeats.
    for header in ["city,p,q", "hospital_id,p,q"] {
        let text = format!("{header}\n{}", three_rows_each(0..60).split_once('\n').unwrap().1);
        assert_eq!(describing(&text, &plain()).advised.id, None);
    }
    let once: Vec<String> = (0..60).map(|row| format!("{row},{}\n", row % 3)).collect();
    let once = once.concat();
    assert_eq!(describing(&format!("id,p\n{once}"), &plain()).advised.id, None);
}

/// Rows of four numbers with many values each, from a generator with a seed; every row is written so many times.
fn measured(copies: usize) -> String {
    let mut state = 12_345_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 200
    };
    let rows = (0..100).map(|_| format!("{},{},{},{}\n", next(), next(), next(), next()).repeat(copies));
    format!("height,weight,pulse,age\n{}", rows.collect::<String>())
}

#[test]
fn copies_are_noticed_by_the_numbers_behind_the_bins() {
    let options = discretize(&["all=quantile:2"]);
    let copies = |reading: &kinfolk::data::Reading| {
        reading.description.notes.iter().find(|note| matches!(note, Note::Copies { .. })).cloned()
    };
    assert_eq!(copies(&reading(&[&measured(1)], &options)), None);
    let Some(note @ Note::Copies { rows: 100, pairs, .. }) = copies(&reading(&[&measured(2)], &options))
    else {
        panic!("the copies are noticed")
    };
    assert!(pairs >= 100 && note.is_warning());
    // Weights say that the copies are meant.
    let weighted = format!("n,{}", measured(1).replace('\n', "\n2,"));
    let weighted = weighted.trim_end_matches("2,");
    let options = ReadOptions { weight: Some("n".to_owned()), ..options };
    assert_eq!(copies(&reading(&[weighted], &options)), None);
}

#[test]
fn columns_that_depend_on_each_other_are_not_taken_for_copies() {
    // Weight is a function of height, so that every agreement in one is an agreement in both.
    let text = measured(1);
    let rows = text.lines().skip(1).map(|row| row.split_once(',').unwrap().0.parse::<u32>().unwrap() % 20);
    let text: Vec<String> = rows.map(|height| format!("{height},{}\n", 3 * height)).collect();
    let text = text.concat();
    let found = reading(&[&format!("height,weight\n{text}")], &discretize(&["all=quantile:2"]));
    assert!(
        !found.description.notes.iter().any(|note| matches!(note, Note::Copies { .. })),
        "{:?}",
        notes(&found)
    );
}
