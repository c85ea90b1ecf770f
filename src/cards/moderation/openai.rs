//! OpenAI Moderation: refuses questions that OpenAI's rules do not allow.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{BASE_PATH, address, endpoint};
use crate::kit::{Card, Category, Factory, Input, Moderation, ModerationVerdict, Risk, RunContext};
use crate::llm::{Moderator, OPENAI_BASE};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "inputModerationOpenAI",
    label: "OpenAI Moderation",
    version: 1.0,
    category: Category::Moderation,
    description: "Answers with a fixed text when OpenAI's moderation does not allow the question.",
    base_classes: &["Moderation"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        Input::lines("moderationErrorMessage", "Error Message")
            .or("I cannot answer this question.")
            .optional(),
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::Moderation(|inputs| {
        let base = address(inputs).unwrap_or_else(|| OPENAI_BASE.to_owned());
        Ok(Arc::new(OpenAiModeration {
            label: inputs.label.to_owned(),
            moderator: Moderator { endpoint: endpoint(inputs, &base, OPENAI_BASE)? },
            answer: inputs.text("moderationErrorMessage")?,
        }))
    }),
};

struct OpenAiModeration {
    label: String,
    moderator: Moderator,
    answer: String,
}

impl Moderation for OpenAiModeration {
    fn judge(&self, turn: &RunContext<'_>) -> Result<ModerationVerdict> {
        if turn.question.trim().is_empty() {
            return Ok(ModerationVerdict::Pass);
        }
        let flagged = self.moderator.flags(turn.question, turn.host.cancel());
        // A question that could not be judged is not answered: the owner wants every question judged.
        let flagged = flagged.map_err(|fault| fault.at(&self.label))?;
        Ok(if flagged { ModerationVerdict::Block(self.answer.clone()) } else { ModerationVerdict::Pass })
    }
}
