//! `kinfolk impute`: files with their missing values filled in, from end to end.

use std::fs;

use crate::workbench::{Workbench, assert_close, assert_says, keys};

/// Two data sets by maximum likelihood: P(y=2 | x=u) is ½ in a and 1 in b, P(y=2 | x=v) is 0 in a and ½ in b.
fn bench() -> Workbench {
    let bench = Workbench::new()
        .write("a.csv", "x,y\nu,1\nu,2\nv,1\nv,1\n")
        .write("b.csv", "x,y\nu,2\nv,1\nv,2\nv,1\nv,2\n");
    bench.text("fit a.csv b.csv --structure [x][y|x] --method mle --out net.json");
    fs::create_dir(bench.path("new")).unwrap();
    bench.write("new/a.csv", "id;y;x\n7;NA;v\n8;2;u\n9; ;u\n").write("new/b.tsv", "x\ty\nu\t?\n")
}

#[test]
fn values_come_from_the_tables_of_their_data_set_and_other_cells_keep_their_text() {
    let bench = bench();
    let found = bench.json("impute new/a.csv new/b.tsv --network net.json --most-probable --out done");
    assert_eq!(
        keys(&found),
        [
            "folder",
            "files",
            "values",
            "seed",
            "versions",
            "rows_read",
            "rows_filled",
            "values_filled",
            "rows_impossible",
            "columns",
            "unknown_data_sets",
            "absent_columns",
            "unseen"
        ]
    );
    assert_eq!((&found["rows_read"], &found["values_filled"]), (&4.into(), &3.into()));
    assert_close(&found["columns"][0]["mean_largest_probability"], 0.75, 1e-12);
    assert_eq!(bench.read("done/a.csv"), "id,y,x\n7,1,v\n8,2,u\n9,1,u\n");
    assert_eq!(bench.read("done/b.csv"), "x,y\nu,2\n");
    assert_eq!(
        bench.read("done/imputed.csv"),
        "version,file,row,data_set,tables,column,value,probability\n\
         1,new/a.csv,2,a,a,y,1,1\n1,new/a.csv,4,a,a,y,1,0.5\n1,new/b.tsv,2,b,b,y,2,1\n"
    );
    assert_eq!(bench.read("new/a.csv"), "id;y;x\n7;NA;v\n8;2;u\n9; ;u\n", "inputs are not changed");
}

#[test]
fn rows_are_grouped_by_the_column_that_the_network_records() {
    let all = "site,x,y\na,u,1\na,u,2\na,v,1\na,v,1\nb,u,2\nb,v,1\nb,v,2\nb,v,1\nb,v,2\n";
    let bench = Workbench::new().write("all.csv", all).write("new.csv", "site,x,y\na,v,\nb,u,\n");
    bench.text("fit all.csv --group site --structure [x][y|x] --method mle --out net.json");
    let said = bench.run("impute new.csv --network net.json --most-probable --out done");
    assert_says(&said.err, &["--group site, as the network records"]);
    assert_eq!(bench.read("done/new.csv"), "site,x,y\na,v,1\nb,u,2\n");
}

#[test]
fn versions_are_reproducible_draws_for_any_number_of_threads() {
    let rows: String = (0..400).map(|_| "u,\n").collect();
    let bench = bench().write("a2.csv", format!("x,y\n{rows}"));
    let call = "impute a2.csv --network net.json --data-set a --versions 3";
    bench.text(&format!("{call} --out one --threads 1"));
    bench.text(&format!("{call} --out two --threads 2"));
    bench.text(&format!("{call} --out three --seed 5"));
    let [first, second, third] =
        [1, 2, 3].map(|version| bench.read(&format!("one/version-{version}/a2.csv")));
    assert!(first != second && second != third);
    assert_eq!(bench.read("one/imputed.csv"), bench.read("two/imputed.csv"));
    assert_eq!(first, bench.read("two/version-1/a2.csv"));
    assert_ne!(first, bench.read("three/version-1/a2.csv"));
    // P(y = 2) is ½: within five standard deviations of 400 draws.
    let twos = first.lines().filter(|line| *line == "u,2").count();
    assert!(twos.abs_diff(200) < 50, "{twos}");
}

#[test]
fn absent_columns_are_added_and_impossible_rows_stay_incomplete() {
    let bench = bench().write("c.csv", "y\n1\n").write("levels.csv", "x,y,z\nv,2,p\nu,2,p\nv,1,q\n");
    let said = bench.run("impute c.csv --network net.json --out done");
    assert_says(&said.err, &["not in the network: `c`", "c.csv has no column `x`: added"]);
    assert!(bench.read("done/c.csv").starts_with("y,x\n1,"));
    bench.text("fit levels.csv --structure [z][x|z][y|x:z] --method mle --out three.json");
    // In levels.csv, y = 1 comes with x = v and z = q only.
    let bench = bench.write("d.csv", "x,y,z\nu,1,\nu,2,\n");
    let said = bench.run("impute d.csv --network three.json --data-set pooled --out some --json");
    assert_says(&said.err, &["1 row with observed values that have probability 0 together: left incomplete"]);
    assert_eq!(bench.read("some/d.csv"), "x,y,z\nu,1,\nu,2,p\n");
    assert_eq!(said.json()["rows_impossible"], 1);
}

#[test]
fn discretised_columns_keep_their_numbers_unless_states_are_requested() {
    let bench = Workbench::new().write("n.csv", "age,z\n1,a\n2,a\n8,b\n9,b\n");
    bench.text("fit n.csv --structure [age][z|age] --discretize age=cuts:5 --method mle --out net.json");
    let bench = bench.write("n2.csv", "age,z\n3,\n,b\n");
    bench.text("impute n2.csv --network net.json --data-set n --out plain");
    assert_eq!(bench.read("plain/n2.csv"), "age,z\n3,a\n>5,b\n");
    bench.text("impute n2.csv --network net.json --data-set n --states --out states");
    assert_eq!(bench.read("states/n2.csv"), "age,z\n<=5,a\n>5,b\n");
}

#[test]
fn folders_with_content_and_contradictions_are_refused_and_nothing_is_left() {
    let bench = bench().write("bad.csv", "x,y\nw,1\n");
    fs::create_dir(bench.path("full")).unwrap();
    let bench = bench.write("full/mine.txt", "precious");
    for (call, parts) in [
        (
            "impute a.csv --network net.json --out full",
            &["full exists and is not empty", "name a new folder"][..],
        ),
        ("impute a.csv --network net.json --out net.json", &["net.json is a file"]),
        ("impute a.csv --network net.json --out no/where", &["does not exist"]),
        (
            "impute a.csv --network net.json --most-probable --versions 2 --out done",
            &["leave out --versions"],
        ),
        (
            "impute bad.csv --network net.json --out done",
            &["bad.csv, row 2, column `x`: `w`", "--unseen missing"],
        ),
        ("impute a.csv --network net.json --versions 0 --out done", &["--versions"]),
    ] {
        assert_says(&bench.refusal(call), parts);
    }
    assert!(!bench.path("done").exists());
    assert_eq!(fs::read_dir(bench.path("full")).unwrap().count(), 1);
}
