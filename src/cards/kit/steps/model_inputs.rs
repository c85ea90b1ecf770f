//! What every step that asks a model says in the same inputs: which model, what it is told, and whose words the reply is. The
//! names begin with a word of the card, and are otherwise alike.

use super::memory::MemoryNames;
use super::messages::{MESSAGE_ROW, reply_role_input};
use super::structured_output::keys_input;
use crate::kit::schema::input::Input;
use crate::kit::schema::wire_type::WireType;

/// The names of these inputs on one card. A card has as many of them as it uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelStepNames {
    pub model: &'static str,
    pub messages: &'static str,
    pub memory: MemoryNames,
    pub user_message: &'static str,
    pub reply_role: &'static str,
    pub structured_output: &'static str,
    pub updates: &'static str,
}

/// The names that begin with this word.
macro_rules! model_step_names {
    ($word:literal) => {
        $crate::kit::steps::model_inputs::ModelStepNames {
            model: concat!($word, "Model"),
            messages: concat!($word, "Messages"),
            memory: $crate::kit::steps::memory::MemoryNames {
                enable: concat!($word, "EnableMemory"),
                kind: concat!($word, "MemoryType"),
                window: concat!($word, "MemoryWindowSize"),
                tokens: concat!($word, "MemoryMaxTokenLimit"),
            },
            user_message: concat!($word, "UserMessage"),
            reply_role: concat!($word, "ReturnResponseAs"),
            structured_output: concat!($word, "StructuredOutput"),
            updates: concat!($word, "UpdateState"),
        }
    };
}
pub(crate) use model_step_names;

impl ModelStepNames {
    /// Which model is asked.
    #[must_use]
    pub(crate) const fn model_input(self) -> Input {
        Input::card(self.model, "Model", WireType::ChatModel)
    }

    /// What the model is told by the owner.
    #[must_use]
    pub(crate) const fn messages_input(self) -> Input {
        Input::rows(self.messages, "Messages", MESSAGE_ROW).optional().variables().help(
            "What the model is told before the conversation. Instructions stand in front, in their order.",
        )
    }

    /// What it is told last, and what becomes of its reply.
    #[must_use]
    pub(crate) const fn reply_inputs(self) -> [Input; 4] {
        [
            Input::lines(self.user_message, "Input Message")
                .optional()
                .variables()
                .when(self.memory.enable, "true")
                .help("Said to the model last, after the conversation."),
            reply_role_input(self.reply_role),
            keys_input(self.structured_output),
            Input::state_updates(self.updates),
        ]
    }
}
