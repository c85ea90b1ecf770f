//! Cards of Flowise that this server knows and does not run, each with the reason and what to take instead.

/// The card that asks an assistant at its provider (manual 8.14 r7).
const OPENAI_ASSISTANT: &str = "openAIAssistant";

/// A card and the sentence about it.
const REFUSED: &[(&str, &str)] = &[
    (
        "writeFile",
        "Write File is refused here: a model must not write files of the server. Let the flow answer with the text, or send it on with Requests POST.",
    ),
    (
        "readFile",
        "Read File is refused here: a model must not choose files of the server. Upload the file to the flow with File Loader, or let the operator list its folder for Folder with Files.",
    ),
    (
        "codeInterpreterE2B",
        "Code Interpreter by E2B is refused here: this server sends no code to other machines. Use a Custom Tool, whose JavaScript runs here behind walls, or CSV Agent for questions about a table.",
    ),
    (
        "pythonInterpreter",
        "Python Interpreter is refused here: this server does not run Python that a model writes. Use a Custom Tool, whose JavaScript runs here behind walls, or CSV Agent for questions about a table.",
    ),
    (
        OPENAI_ASSISTANT,
        "OpenAI Assistant is refused here: the provider ended the interface of its hosted assistants in 2026. Make a custom assistant, which runs here with the same instructions, tools and document stores.",
    ),
];

/// Why a card of this name is refused; `None` for any other.
#[must_use]
pub fn reason(card: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(name, _)| *name == card).map(|(_, why)| *why)
}

/// As [`reason`], of a card for which there is nothing to call any more: no setting and no caller makes its flow run.
#[must_use]
pub fn ended(card: &str) -> Option<&'static str> {
    reason(card).filter(|_| card == OPENAI_ASSISTANT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn no_card_is_both_refused_and_there() {
        for (name, why) in REFUSED {
            assert!(registry::find(name).is_none() && why.contains(" is refused here: "), "{name}");
        }
    }
}
