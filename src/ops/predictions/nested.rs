//! A flow that asks another flow of its workspace: within the service, and in a conversation of the other flow's own.

use super::ask::{self, PredictionRequest, PredictionRun};
use super::conversation::ConversationRef;
use super::run;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{AskedFlow, FlowCall, StreamClosed, TokenSink};
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::{Question, RunOutput};
use crate::domain::predictions::run_event::RunEvent;
use crate::engine::agentflow::{AgentOutcome, RunSink};
use crate::limits::NESTING_MAX;
use crate::llm::{ReplyStream, StreamEnd};
use crate::ops::flows::live::harnesses;
use crate::store::tables::FLOWS;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most flows that are asked for one question, all tools of all of them together (manual 14.4).
const FLOWS_ASKED_MAX: usize = 100;

/// The flows a question came through, and how many were asked on its behalf.
#[derive(Debug, Clone, Default)]
pub(super) struct CallPath {
    /// Flows that wait for this one, outermost first.
    waiting: Vec<FlowId>,
    /// How many flows, and iterations around the steps that asked, this one stands inside of.
    depth: usize,
    /// Shared by everything one request of a caller sets off.
    asked_count: Arc<AtomicUsize>,
}

impl CallPath {
    /// True when another flow asks.
    pub(super) fn is_nested(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// How many flows, and iterations around the steps that asked, this one stands inside of.
    pub(super) const fn depth(&self) -> usize {
        self.depth
    }

    /// The way on from `from`, in which so many iterations stand around the step that asks, to `to`.
    pub(super) fn extend(&self, from: FlowId, to: FlowId, iterations: usize) -> Result<Self> {
        let mut waiting = self.waiting.clone();
        waiting.push(from);
        if waiting.contains(&to) {
            return Err(Error::RunFailed(
                "The flow waits for this answer itself: flows cannot ask one another in a circle.".into(),
            ));
        }
        let depth = self.depth + iterations + 1;
        if depth > NESTING_MAX {
            return Err(Error::RunFailed(format!(
                "Flows that ask one another and iterations stand at most {NESTING_MAX} deep inside of one another."
            )));
        }
        if self.asked_count.fetch_add(1, Ordering::Relaxed) >= FLOWS_ASKED_MAX {
            return Err(Error::RunFailed(format!(
                "No more than {FLOWS_ASKED_MAX} flows can be asked for one question."
            )));
        }
        Ok(Self { waiting, depth, asked_count: self.asked_count.clone() })
    }

    /// What came of a run on this way. One that waits for a person fails where another flow waits for it: the question of a
    /// flow is no conversation in which somebody could answer, and what is asked would be taken for what was to be found out.
    pub(super) fn require_answer(&self, flow: &Flow, outcome: AgentOutcome) -> Result<AgentOutcome> {
        if self.is_nested() && !outcome.pauses.is_empty() {
            return Err(Error::RunFailed(format!(
                "The flow '{}' asks a person, and nobody can answer it there: it was asked by another flow.",
                flow.name
            )));
        }
        Ok(outcome)
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
    sink: &mut dyn TokenSink,
) -> Result<RunOutput> {
    let flow = Arc::new(find_asked(app, &from.flow.workspace, wanted.flow)?);
    let mut asker = Asker { key: None, is_test: from.open.asker().is_test };
    if let AskedFlow::Id(_) = wanted.flow {
        ask::admit_key(app, &flow, wanted.key)?;
        asker.key = flow.settings.api_key;
    }
    let way = from.call_path.extend(from.flow.id, flow.id, wanted.iterations)?;
    let question = Question {
        text: wanted.question.to_owned(),
        overrides: wanted.overrides.clone(),
        ..Question::default()
    };
    // The same id names another conversation of another flow, so what is asked later in this one goes on in that one.
    let chat =
        if wanted.afresh { ConversationRef::random() } else { ConversationRef::Existing(from.ids.chat) };
    let ask = PredictionRequest { flow, question, chat_type: from.chat_type, side: CanvasSide::Live, asker };
    let within =
        ask::Within { conversation: chat, name: None, path: way, started_by: ask::StartedBy::Question };
    let entry = ask::prepare_nested(app, ask, Some(within), cancel)?;
    match run::run(app, &entry, cancel, &mut PartSink(sink)) {
        Ok(answer) => Ok(answer.output),
        // What its specialists did until it was stopped is told with the asking run.
        Err(fault) => match entry.stopped_team.get() {
            Some(team) => Ok(RunOutput { team: Some(team.clone()), ..RunOutput::default() }),
            None => Err(fault),
        },
    }
}

/// The flow that is asked, of this workspace.
///
/// # Errors
/// 404 when it is not there.
pub(super) fn find_asked(app: &App, workspace: &WorkspaceId, asked: AskedFlow<'_>) -> Result<Flow> {
    app.store.read(|tx| match asked {
        AskedFlow::Id(id) => FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id)),
        AskedFlow::Harness(name) => harnesses::find(tx, workspace, name),
    })
}

/// Where the answer of a flow goes that another one asks: what it does else is its own affair, unless it is a team.
struct PartSink<'a>(&'a mut dyn TokenSink);

impl TokenSink for PartSink<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.0.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.0.thinking(text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        self.0.follow(streaming)
    }
}

impl RunSink for PartSink<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        match event {
            RunEvent::Team(event) => self.0.team(event),
            _ => Ok(()),
        }
    }

    fn tells_end(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way of so many flows that ask one another.
    fn way(flows: &[FlowId]) -> Result<CallPath> {
        flows.windows(2).try_fold(CallPath::default(), |way, pair| way.extend(pair[0], pair[1], 0))
    }

    #[test]
    fn a_way_has_an_end_and_no_circle() {
        let flows: Vec<FlowId> = (0..NESTING_MAX + 2).map(|_| FlowId::random()).collect();
        assert!(CallPath::default().extend(flows[0], flows[0], 0).is_err());
        for count in 2..NESTING_MAX + 2 {
            let told = way(&flows[..count]).unwrap().extend(flows[count - 1], flows[0], 0).unwrap_err();
            assert!(told.to_string().contains("circle"), "{told}");
        }
        assert!(way(&flows).unwrap_err().to_string().contains("8 deep"));
    }

    #[test]
    fn iterations_around_a_step_that_asks_count_as_flows_do() {
        let flows: Vec<FlowId> = (0..3).map(|_| FlowId::random()).collect();
        let inside = CallPath::default().extend(flows[0], flows[1], 3).unwrap();
        assert_eq!(inside.depth(), 4);
        assert!(inside.extend(flows[1], flows[2], 3).is_ok());
        assert!(inside.extend(flows[1], flows[2], 4).is_err());
    }

    #[test]
    fn everything_one_question_sets_off_counts_together() {
        let (from, way) = (FlowId::random(), CallPath::default());
        for _ in 0..FLOWS_ASKED_MAX {
            way.clone().extend(from, FlowId::random(), 0).unwrap();
        }
        assert!(way.extend(from, FlowId::random(), 0).is_err());
    }
}
