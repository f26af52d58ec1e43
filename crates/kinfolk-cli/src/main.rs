//! The command `kinfolk`.

fn main() {}
