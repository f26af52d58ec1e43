"""Data and graphs of other packages: tables and columns in, frames, graphs and files out."""
