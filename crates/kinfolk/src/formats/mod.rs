//! Networks in files: the own lossless one, and those of other programs.

mod network_file;

pub use network_file::{FORMAT, NetworkFile, NetworkFileError, Provenance};
