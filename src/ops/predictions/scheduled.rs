//! Runs that no caller asked for: Live, in a conversation of their own.

use super::ask::{self, PredictionRequest, StartedBy};
use super::conversation::ConversationRef;
use super::nested::CallPath;
use super::run;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::NullSink;
use crate::domain::error::Result;
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::{ChatType, Question};
use std::sync::Arc;

/// Runs the flow as its schedule says: the record of the run, where one was begun, and what the run failed with.
pub(in crate::ops) fn run_scheduled(
    app: &App,
    flow: Arc<Flow>,
    question: Question,
    cancel: &CancelToken,
) -> (Option<ExecutionId>, Result<()>) {
    let conversation = ConversationRef::random();
    let asked = PredictionRequest {
        flow,
        question,
        chat_type: ChatType::Scheduled,
        side: CanvasSide::Live,
        asker: Asker::ANYBODY,
    };
    let within =
        ask::Within { conversation, name: None, path: CallPath::default(), started_by: StartedBy::Schedule };
    match ask::prepare_nested(app, asked, Some(within), cancel) {
        Ok(entry) => {
            let answered = run::run(app, &entry, cancel, &mut NullSink).map(drop);
            // A run that failed has a record too, unless it never began.
            (entry.execution.get().copied(), answered)
        }
        Err(fault) => (None, Err(fault)),
    }
}
