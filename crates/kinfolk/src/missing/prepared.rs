//! Prepares data for the steps after learning: complete data are used as they are, incomplete data are completed for one structure.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::versions::with_memory;
use super::{Completed, LearnIncomplete, MeanScore, MissingError, draw_for};
use crate::counts::MemoryTally;
use crate::data::{Missing, RelatedData};
use crate::estimate::{EstimateError, Method, Network, TableSpec, estimate};
use crate::graph::Dag;
use crate::learned::{FilledIn, Judged, Scored, judge, score_structure};
use crate::score::{Halt, OptionError, Score, ScoreError, ScoreSpec, Scorer};
use crate::search::{Event, Search, SearchSpec, Stop};

/// How missing cells are filled in for a given structure.
#[derive(Debug, Clone, PartialEq)]
pub struct FillIn {
    /// The tables from which missing cells are drawn.
    pub tables: Method,
    /// Whether cells are drawn from the pooled table, or from that of each data set.
    pub pooled: bool,
    /// The seed of the draws.
    pub seed: u64,
    /// The most bytes for counting one family.
    pub memory: Option<usize>,
}

impl FillIn {
    /// Filling in for a score: by the tables that belong to it.
    pub fn for_score(
        spec: &ScoreSpec,
        score: &dyn Score,
        data_sets: usize,
        seed: u64,
        memory: Option<usize>,
    ) -> Result<Self, OptionError> {
        let tables = TableSpec::after_search(spec, None).build(data_sets)?.0;
        Ok(Self { tables, pooled: score.is_pooled(), seed, memory })
    }

    /// Filling in by the tables of a method, those of each data set, with the default seed of searches.
    pub fn by(tables: Method, memory: Option<usize>) -> Self {
        Self { tables, pooled: false, seed: SearchSpec::default().seed, memory }
    }

    /// Fills in the missing cells of incomplete data with the structure fixed: rounds of draws and tables alone.
    ///
    /// # Panics
    /// If the data are complete, or the structure has another number of nodes than the data have variables.
    pub fn complete(&self, data: &RelatedData, dag: &Dag) -> Result<Completed, MissingError> {
        draw_for(self, data, dag)
    }

    /// Searches for the structure of a score: on complete data as they are, on incomplete data by structural EM.
    pub fn learn(
        &self,
        data: &RelatedData,
        score: &dyn Score,
        search: &Search,
        observe: &mut dyn FnMut(&Event<'_>) -> ControlFlow<Halt>,
    ) -> Result<FoundStructure, MissingError> {
        if !data.is_complete() {
            let (tables, seed, memory) = (self.tables.clone(), self.seed, self.memory);
            let treatment = Missing::Impute;
            let found = LearnIncomplete { score, tables, search, treatment, seed, memory };
            let learned = found.run(data, Map::new(), observe)?.learned;
            return Ok(FoundStructure { dag: learned.dag, stop: learned.stop });
        }
        let prepared = Prepared { data, completed: None, memory: self.memory };
        let climb = prepared.with_scorer_of(score, search.keep_scores, |scorer| {
            search.climb.run(scorer, search.start.clone(), observe)
        })?;
        Ok(FoundStructure { dag: climb.dag, stop: climb.stop })
    }

    /// The data as everything after learning counts them. Complete data are used as they are.
    pub fn prepare<'a>(&self, data: &'a RelatedData, dag: &Dag) -> Result<Prepared<'a>, MissingError> {
        let completed = if data.is_complete() { None } else { Some(self.complete(data, dag)?) };
        Ok(Prepared { data, completed, memory: self.memory })
    }
}

/// A structure that a search found, and why it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundStructure {
    /// The structure.
    pub dag: Dag,
    /// Why the search ended.
    pub stop: Stop,
}

/// Complete data, or incomplete data completed for one structure.
#[derive(Debug, Clone)]
pub struct Prepared<'a> {
    data: &'a RelatedData,
    completed: Option<Completed>,
    memory: Option<usize>,
}

impl Prepared<'_> {
    /// What was filled in; `None` for complete data.
    pub fn filled_in(&self) -> Option<&FilledIn> {
        self.completed.as_ref().map(Completed::filled_in)
    }

    /// The tables of a structure: of the data, or the mean over the versions of the completed data.
    pub fn tables(&self, dag: &Dag, method: &Method) -> Result<Network, EstimateError> {
        match &self.completed {
            Some(completed) => completed.tables(dag, method, self.memory),
            None => estimate(&with_memory(MemoryTally::new(self.data), self.memory), dag, method.clone()),
        }
    }

    /// Works with a scorer: of the data, or of the mean score over the versions of the completed data.
    pub fn with_scorer<T>(&self, score: &dyn Score, work: impl FnOnce(&mut Scorer<'_>) -> T) -> T {
        self.with_scorer_of(score, None, work)
    }

    fn with_scorer_of<T>(
        &self,
        score: &dyn Score,
        keep_scores: Option<usize>,
        work: impl FnOnce(&mut Scorer<'_>) -> T,
    ) -> T {
        let limited = |scorer: Scorer<'_>| match keep_scores {
            Some(most) => work(&mut scorer.keep_at_most(most)),
            None => work(&mut { scorer }),
        };
        if let Some(completed) = &self.completed {
            let tally = completed.tally(score.is_pooled(), self.memory);
            let mean = MeanScore { score, versions: completed.versions() };
            return limited(Scorer::new(&tally, &mean));
        }
        let tally = MemoryTally::by_data_set_or_pooled(self.data, score.is_pooled());
        limited(Scorer::new(&with_memory(tally, self.memory), score))
    }

    /// Scores a structure node by node.
    pub fn score(
        &self,
        score: &dyn Score,
        dag: &Dag,
        settings: Map<String, Value>,
    ) -> Result<Scored, ScoreError> {
        let mut scored = self
            .with_scorer(score, |scorer| score_structure(scorer, dag, settings)?.with_given_others(scorer))?;
        scored.filled_in = self.filled_in().cloned();
        Ok(scored)
    }

    /// Scores a structure with the same details as a search.
    pub fn judge(
        &self,
        score: &dyn Score,
        dag: &Dag,
        settings: Map<String, Value>,
    ) -> Result<Judged, ScoreError> {
        let mut judged = self.with_scorer(score, |scorer| judge(scorer, dag, settings))?;
        judged.filled_in = self.filled_in().cloned();
        Ok(judged)
    }

    /// The completed data; `None` for complete data.
    pub fn completed(&self) -> Option<&Completed> {
        self.completed.as_ref()
    }

    /// The data as they were given.
    pub fn data(&self) -> &RelatedData {
        self.data
    }

    /// The most bytes for counting one family.
    pub fn memory(&self) -> Option<usize> {
        self.memory
    }
}
