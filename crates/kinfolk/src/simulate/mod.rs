//! Made-up networks and data: random structures and parameters, scenarios, sampling.
