//! A flow that asks another flow of its workspace: within the service, and in a conversation of the other flow's own.

use super::ask::{self, PredictionRequest, PredictionRun};
use super::conversation::ConversationRef;
use super::run;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{FlowCall, NullSink};
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::{Question, RunOutput};
use crate::store::tables::FLOWS;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most flows that wait for one another: one that was asked, and those it asked in turn (manual 14.4).
const FLOWS_DEEP_MAX: usize = 5;
/// Most flows that are asked for one question, all tools of all of them together (manual 14.4).
const FLOWS_ASKED_MAX: usize = 100;

/// The flows a question came through, and how many were asked on its behalf.
#[derive(Debug, Clone, Default)]
pub(super) struct CallPath {
    /// Flows that wait for this one, outermost first.
    waiting: Vec<FlowId>,
    /// Shared by everything one request of a caller sets off.
    asked_count: Arc<AtomicUsize>,
}

impl CallPath {
    /// True when another flow asks.
    pub(super) fn is_nested(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The way on from `from` to `to`.
    pub(super) fn extend(&self, from: FlowId, to: FlowId) -> Result<Self> {
        let mut waiting = self.waiting.clone();
        waiting.push(from);
        if waiting.contains(&to) {
            return Err(Error::RunFailed(
                "The flow waits for this answer itself: flows cannot ask one another in a circle.".into(),
            ));
        }
        if waiting.len() >= FLOWS_DEEP_MAX {
            return Err(Error::RunFailed(format!(
                "No more than {FLOWS_DEEP_MAX} flows can wait for one another."
            )));
        }
        if self.asked_count.fetch_add(1, Ordering::Relaxed) >= FLOWS_ASKED_MAX {
            return Err(Error::RunFailed(format!(
                "No more than {FLOWS_ASKED_MAX} flows can be asked for one question."
            )));
        }
        Ok(Self { waiting, asked_count: self.asked_count.clone() })
    }
}

/// Asks the flow. Only flows of the asking flow's workspace are there, and a flow that is bound to a key wants it.
///
/// # Errors
/// Why there is no answer.
pub(super) fn ask_flow(
    app: &App,
    from: &PredictionRun,
    wanted: &FlowCall<'_>,
    cancel: &CancelToken,
) -> Result<RunOutput> {
    let flow = app.store.read(|tx| FLOWS.get(tx, &from.flow.workspace, wanted.flow))?;
    let flow = Arc::new(flow.ok_or_else(|| Error::no_flow(wanted.flow))?);
    ask::admit_key(app, &flow, wanted.key)?;
    let way = from.call_path.extend(from.flow.id, flow.id)?;
    let question = Question {
        text: wanted.question.to_owned(),
        overrides: wanted.overrides.clone(),
        ..Question::default()
    };
    // The same id names another conversation of another flow, so what is asked later in this one goes on in that one.
    let chat =
        if wanted.afresh { ConversationRef::random() } else { ConversationRef::Existing(from.ids.chat) };
    let ask = PredictionRequest { flow, question, chat_type: from.chat_type, side: CanvasSide::Live };
    let within =
        ask::Within { conversation: chat, name: None, path: way, started_by: ask::StartedBy::Question };
    let entry = ask::prepare_nested(app, ask, Some(within), cancel)?;
    Ok(run::run(app, &entry, cancel, &mut NullSink)?.output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_has_an_end_and_no_circle() {
        let flows: Vec<FlowId> = (0..=FLOWS_DEEP_MAX).map(|_| FlowId::random()).collect();
        let mut way = CallPath::default();
        assert!(way.extend(flows[0], flows[0]).is_err());
        for pair in flows.windows(2).take(FLOWS_DEEP_MAX - 1) {
            way = way.extend(pair[0], pair[1]).unwrap();
            assert!(way.extend(pair[1], flows[0]).unwrap_err().to_string().contains("circle"));
        }
        assert!(way.extend(flows[FLOWS_DEEP_MAX - 1], FlowId::random()).is_err());
    }

    #[test]
    fn everything_one_question_sets_off_counts_together() {
        let (from, way) = (FlowId::random(), CallPath::default());
        for _ in 0..FLOWS_ASKED_MAX {
            way.clone().extend(from, FlowId::random()).unwrap();
        }
        assert!(way.extend(from, FlowId::random()).is_err());
    }
}
