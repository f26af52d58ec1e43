//! Graphs: directed acyclic graphs, their equivalence classes, comparison, and modelstrings.
