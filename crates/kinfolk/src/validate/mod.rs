//! How good networks are on rows they have not seen.
