//! What is kept of a question and its answer (manual 3.4).

use super::ask::PredictionRun;
use crate::app::App;
use crate::domain::conversations::conversation::Message;
use crate::domain::conversations::receipt::Receipt;
use crate::domain::error::Result;
use crate::domain::predictions::consumption::QuestionEnd;
use crate::domain::predictions::prediction::{MessageRole, RunOutput};
use crate::store::queries::messages::MessageBatch;
use serde_json::{Map, Value};

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerEnd {
    Complete,
    /// Its caller left or the service stopped (manual 2.9).
    Truncated,
}

/// What a person is asked to decide.
fn action_of(outcome: &RunOutput) -> Option<Map<String, Value>> {
    let of_steps = || outcome.execution.as_ref()?.action.clone();
    let of_turns = || outcome.turns.as_ref()?.action.clone();
    of_steps().or_else(of_turns)
}

/// Question and answer, to be stored in one write.
///
/// # Errors
/// When they have no stored form.
pub(super) fn message_pair(
    app: &App,
    entry: &PredictionRun,
    outcome: &RunOutput,
    end: AnswerEnd,
) -> Result<MessageBatch> {
    let chat = entry.ids.chat.to_string();
    let session = entry.plan.memory_type().map(|_| entry.memory_session.get().unwrap_or(&chat).clone());
    let session_name = Some(entry.session()).filter(|told| told != session.as_ref().unwrap_or(&chat));
    let base = Message {
        id: entry.ids.question,
        role: MessageRole::User,
        flow: entry.flow.id,
        chat: entry.ids.chat,
        content: entry.question.text.clone(),
        chat_type: entry.stored_as,
        session,
        session_name,
        memory_type: entry.plan.memory_type().map(str::to_owned),
        created: entry.started,
        lead_email: entry.question.lead_email.clone(),
        file_uploads: entry.files.entries(),
        used_tools: Vec::new(),
        source_documents: Vec::new(),
        usage: None,
        follow_up_prompts: Vec::new(),
        stopped: false,
        execution: entry.execution.get().copied(),
        receipt: None,
        action: None,
        agent_reasoning: Vec::new(),
        turns: None,
        team: None,
    };
    let now = app.clock.monotonic_now();
    let answer = Message {
        id: entry.ids.answer,
        role: MessageRole::Api,
        content: outcome.text.clone(),
        created: now,
        lead_email: None,
        file_uploads: entry.files.made_entries(),
        used_tools: outcome.used_tools.clone(),
        source_documents: outcome.source_documents.clone(),
        usage: outcome.usage,
        follow_up_prompts: outcome.follow_up_prompts.clone(),
        stopped: end == AnswerEnd::Truncated,
        receipt: entry.version.map(|version| Receipt::new(&version, entry.started, now)),
        action: action_of(outcome),
        agent_reasoning: outcome.turns.as_ref().map(|turns| turns.reasoning.clone()).unwrap_or_default(),
        turns: outcome.turns.as_ref().map(|turns| turns.kept.clone()),
        team: outcome.team.clone(),
        ..base.clone()
    };
    let said = MessageBatch::new(&entry.flow.workspace, &[base, answer])?;
    let took = now.duration_since(entry.started).unsigned_abs();
    let counted = entry.open.settle(match end {
        AnswerEnd::Complete => QuestionEnd::Answered(took),
        AnswerEnd::Truncated => QuestionEnd::Stopped,
    });
    Ok(said.with_consumption(&entry.flow.id, &entry.ids.chat, &counted))
}
