//! What people asked a flow lately, and what its answers took (manual 18.3).

use crate::app::App;
use crate::domain::checks::check::{CHECK_QUESTION_CHARS_MAX, CHECK_QUESTIONS_MAX};
use crate::domain::checks::questions::Distinct;
use crate::domain::checks::setup::{Estimate, OfferedQuestion};
use crate::domain::conversations::conversation::Message;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::queries::messages;
use jiff::Timestamp;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Messages that are looked through for questions to offer (manual 14.4).
const MESSAGES_READ_MAX: usize = 2_000;
/// Answers that tell what the next ones will take (manual 14.4).
const ANSWERS_MEASURED_MAX: usize = 50;

/// What is known of the newest messages of a flow.
pub(super) struct RecentMessages {
    pub(super) questions: Vec<OfferedQuestion>,
    pub(super) estimate: Option<Estimate>,
}

/// Up to ten questions that people asked, newest first, then those that the flow offers and nobody asked.
///
/// # Errors
/// When the messages cannot be read.
pub(super) fn recent(app: &App, flow: &Flow) -> Result<RecentMessages> {
    let starters = flow.settings.chatbot_config.starters();
    let mut reader = Reader { unasked: starters, ..Reader::default() };
    let mut left = MESSAGES_READ_MAX;
    app.store.read_messages(|tx| {
        messages::scan_newest(tx, &flow.workspace, &flow.id, |message| {
            reader.read(message);
            left -= 1;
            if left == 0 || reader.has_enough() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })?;
    Ok(RecentMessages { estimate: reader.estimate(), questions: reader.offer() })
}

/// Walks messages from the newest on.
#[derive(Default)]
struct Reader {
    seen: Distinct,
    questions: Vec<OfferedQuestion>,
    /// What the flow offers to ask, and nobody did.
    unasked: Vec<String>,
    /// When the newest answer of a conversation came whose question is still to be met.
    answered: HashMap<ChatId, (Timestamp, Option<u64>)>,
    /// Milliseconds and tokens of answers.
    measured: Vec<(i64, Option<u64>)>,
}

impl Reader {
    fn has_enough(&self) -> bool {
        self.questions.len() >= CHECK_QUESTIONS_MAX
            && self.measured.len() >= ANSWERS_MEASURED_MAX
            && self.unasked.is_empty()
    }

    fn read(&mut self, message: Message) {
        match message.role {
            MessageRole::Api if message.stopped => {
                self.answered.remove(&message.chat);
            }
            MessageRole::Api => {
                let tokens = message.usage.map(|usage| usage.total());
                self.answered.insert(message.chat, (message.created, tokens));
            }
            MessageRole::User => self.read_question(message),
        }
    }

    fn read_question(&mut self, message: Message) {
        if let Some((answered, tokens)) = self.answered.remove(&message.chat)
            && self.measured.len() < ANSWERS_MEASURED_MAX
        {
            let took = answered.as_millisecond() - message.created.as_millisecond();
            self.measured.push((took.max(0), tokens));
        }
        self.unasked.retain(|starter| starter.trim() != message.content.trim());
        let is_asked = matches!(message.chat_type, ChatType::External | ChatType::Internal)
            && message.file_uploads.is_empty()
            && !message.content.trim().is_empty()
            && message.content.chars().count() <= CHECK_QUESTION_CHARS_MAX;
        if is_asked && self.questions.len() < CHECK_QUESTIONS_MAX && self.seen.is_new(&message.content) {
            self.questions.push(OfferedQuestion { text: message.content, asked: Some(message.created) });
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    fn estimate(&self) -> Option<Estimate> {
        let mean = |sum: u64, count: usize| sum as f64 / count as f64;
        if self.measured.is_empty() {
            return None;
        }
        let tokens: Vec<u64> = self.measured.iter().filter_map(|(_, tokens)| *tokens).collect();
        let ms: u64 = self.measured.iter().map(|(ms, _)| ms.unsigned_abs()).sum();
        Some(Estimate {
            // What reports no tokens uses none of those that a check may use.
            tokens: mean(tokens.iter().sum(), tokens.len().max(1)),
            seconds: mean(ms, self.measured.len()) / 1_000.0,
        })
    }

    fn offer(mut self) -> Vec<OfferedQuestion> {
        for text in self.unasked {
            if text.chars().count() <= CHECK_QUESTION_CHARS_MAX && self.seen.is_new(&text) {
                self.questions.push(OfferedQuestion { text, asked: None });
            }
        }
        self.questions
    }
}
