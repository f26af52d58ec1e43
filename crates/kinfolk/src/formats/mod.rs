//! Networks in files: the own lossless one, and those of other programs.
