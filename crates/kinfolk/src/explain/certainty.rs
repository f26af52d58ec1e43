//! The exact posterior probabilities of the arcs of an explained network, if there are few variables.

use super::{Explain, ExplainObserver};
use crate::graph::Dag;
use crate::posterior::{
    EXACT_UP_TO, NetworkPosterior, PosteriorError, PosteriorEvent, PosteriorMethod, PosteriorOptions,
    arc_posterior,
};
use crate::score::{Halt, Progress, ScoreError, Scorer};
use crate::search::Event;

impl Explain {
    /// The exact posterior of the network under the score and the constraints, or why there is none. Markov chains must
    /// be requested separately: their running time is not known in advance.
    pub(super) fn certainty(
        &self,
        scorer: &mut Scorer<'_>,
        dag: &Dag,
        halted: &mut Option<Halt>,
        observe: ExplainObserver<'_>,
    ) -> Result<(Option<NetworkPosterior>, Option<String>), ScoreError> {
        let variables = dag.len();
        if !self.posterior {
            return Ok((None, None));
        }
        if variables > EXACT_UP_TO {
            let why = format!(
                "there are {variables} variables, and exact probabilities are computed for up to {EXACT_UP_TO}; \
                 request a posterior by Markov chains instead"
            );
            return Ok((None, Some(why)));
        }
        if halted.is_some() {
            return Ok((None, Some("the computation was stopped before".to_owned())));
        }
        let mut options = PosteriorOptions::new(self.search.constraints.clone());
        options.method = PosteriorMethod::Exact;
        let mut relay = |event: PosteriorEvent<'_>| {
            let progress = match event {
                PosteriorEvent::Scoring(progress) => progress,
                _ => Progress { done: 0, of: 0 },
            };
            observe(&Event::Scoring(progress))
        };
        match arc_posterior(scorer, &options, &mut relay) {
            Ok(found) => {
                let schema = scorer.schema();
                Ok((Some(NetworkPosterior::new(scorer, schema, &found, dag, self.left_out)), None))
            }
            Err(PosteriorError::Score(ScoreError::Halted(halt))) => {
                *halted = Some(halt);
                Ok((None, Some("the computation was stopped before".to_owned())))
            }
            Err(PosteriorError::Score(error)) => Err(error),
            Err(other) => Ok((None, Some(other.to_string()))),
        }
    }
}
