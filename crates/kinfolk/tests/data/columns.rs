//! Columns: matched, chosen and refused by name.

use kinfolk::data::ReadOptions;

use crate::{cells, declare, discretize, notes, plain, reading, refusal, texts};

#[test]
fn columns_are_matched_by_name_in_the_order_of_the_first_file() {
    let reading = reading(&["q,p\n1,a\n", "p,q\nb,2\n"], &plain());
    assert_eq!(reading.data.schema().names(), ["q", "p"]);
    assert_eq!(cells(&reading, "p"), [texts(&["a"]), texts(&["b"])]);
}

#[test]
fn differing_columns_are_refused_or_left_out() {
    let files = ["p,q\n1,2\n", "p,r\n1,2\n", "q,p\n1,2\n"];
    assert_eq!(
        refusal(&files, &plain()),
        "the files do not have the same columns; compared with a:\n  b lacks `q`; has the extra `r`\n\
         keep only the shared ones, choose columns, or fill the others in while learning"
    );
    let reading = reading(&files, &ReadOptions { common_columns: true, ..plain() });
    assert_eq!(reading.data.schema().names(), ["p"]);
    assert!(notes(&reading).contains(&"left out because not every file has them: `q`, `r`".to_owned()));
    let ignore = ReadOptions { ignore: texts(&["q", "r"]), ..plain() };
    assert_eq!(self::reading(&files, &ignore).data.schema().names(), ["p"]);
    let text = refusal(&["p\n1\n", "q\n1\n"], &ReadOptions { common_columns: true, ..plain() });
    assert!(text.starts_with("the files share no column"), "{text}");
}

#[test]
fn columns_are_chosen_or_ignored_by_name() {
    let file = ["p,q,r\n1,2,3\n"];
    let chosen = ReadOptions { columns: Some(texts(&["r", "p"])), ..plain() };
    assert_eq!(reading(&file, &chosen).data.schema().names(), ["p", "r"]);
    let ignored = ReadOptions { ignore: texts(&["q"]), ..plain() };
    assert_eq!(reading(&file, &ignored).data.schema().names(), ["p", "r"]);
    let both = ReadOptions { columns: Some(texts(&["p"])), ignore: texts(&["p"]), ..plain() };
    assert_eq!(refusal(&file, &both), "column `p` is named by both columns and ignore; leave one out");
    let none = ReadOptions { ignore: texts(&["p", "q"]), group: Some("r".to_owned()), ..plain() };
    assert!(refusal(&file, &none).starts_with("no column is left to be a variable"));
}

#[test]
fn an_unknown_column_is_refused_with_the_existing_columns() {
    let file = ["colour,size\n1,2\n"];
    let name = || Some("Color".to_owned());
    let ending = ": there is no column `Color` (did you mean `colour`?); the columns are `colour`, `size`";
    for (setting, options) in [
        ("columns", ReadOptions { columns: Some(texts(&["Color"])), ..plain() }),
        ("ignore", ReadOptions { ignore: texts(&["Color"]), ..plain() }),
        ("group", ReadOptions { group: name(), ..plain() }),
        ("weight", ReadOptions { weight: name(), ..plain() }),
        ("levels", declare("Color", &["x"])),
        ("discretize", discretize(&["Color=quantile:2"])),
    ] {
        assert_eq!(refusal(&file, &options), format!("{setting}{ending}"));
    }
    let far = ReadOptions { ignore: texts(&["weight"]), ..plain() };
    assert_eq!(refusal(&file, &far), "ignore: there is no column `weight`; the columns are `colour`, `size`");
}
