//! Counting by bitmaps, for columns with few states.
//!
//! - `columns`: one bitmap per variable and state except the first;
//! - `masks`: the rows of every configuration of the columns that a group of families shares;
//! - `pairs`: how many rows each mask has in common with each state of an added column, by data set;
//! - `binary`: for binary variables and a single data set, counts that follow from smaller families instead;
//! - `popcount`: the kernels below all of these, compiled for several instruction sets;
//! - `words`: memory that is aligned to cache lines.
//!
//! The first state of every column and, mostly, the first configuration are never counted: they are the remainder of known totals.

mod binary;
mod columns;
mod masks;
mod pairs;
mod popcount;
mod words;

pub(in crate::counts) use binary::{BinaryCache, BinaryExtensions, Scratch};
pub(in crate::counts) use columns::Bitmaps;
pub(in crate::counts) use masks::{Masks, Parallelism};
