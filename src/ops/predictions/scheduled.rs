//! Runs that no caller asked for: Live, in a conversation of their own.

use super::ask::{self, PredictionRequest, StartedBy};
use super::conversation::ConversationRef;
use super::executions;
use super::nested::CallPath;
use super::run;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::NullSink;
use crate::domain::error::Result;
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ExecutionId;
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
    let chat = conversation.chat_id();
    let asked = PredictionRequest {
        flow: flow.clone(),
        question,
        chat_type: ChatType::Scheduled,
        side: CanvasSide::Live,
    };
    let within =
        ask::Within { conversation, name: None, path: CallPath::default(), started_by: StartedBy::Schedule };
    let answered = ask::prepare_nested(app, asked, Some(within), cancel)
        .and_then(|entry| run::run(app, &entry, cancel, &mut NullSink).map(drop));
    // A run that failed has a record too, and its conversation is nobody else's.
    let found = executions::find_newest(app, &flow, (chat, &chat.to_string()), |run| Some(run.id));
    (found.unwrap_or_default(), answered)
}
