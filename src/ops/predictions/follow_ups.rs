//! Follow-up prompts: what a person might ask next, written by a model of the owner's choice after the answer
//! (manual 5.2 r2). They are an extra: when they cannot be had, the answer goes out without them.

use super::ask::PredictionRun;
use crate::cards::kit::{Card, InputKind, NullSink};
use crate::cards::registry;
use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::{FollowUpPrompts, FollowUpProvider};
use crate::engine::{self, EngineHost};
use crate::llm::{ChatMessage, ChatRequest};
use serde_json::{Map, Value};

/// How messages and the log name the model.
const NAME: &str = "Follow-up prompts";
/// The most prompts that are kept, and their length.
const PROMPTS_MAX: usize = 5;
const PROMPT_CHARS_MAX: usize = 300;
/// What an owner's prompt writes where the answer shall stand.
const ANSWER: &str = "{history}";
/// The prompt of owners who wrote none.
const DEFAULT_PROMPT: &str = "Someone got the answer below from an assistant. Write three short questions they are likely to ask next, in the \
language of the answer and in their own voice.\n\n{history}";
/// The form of the reply, written after every prompt.
const FORM: &str = "Reply with nothing but a JSON list of strings, one for each question.";

/// The cards of the providers an owner can choose.
const PROVIDERS: &[(&str, &str)] = &[
    ("chatAnthropic", "chatAnthropic"),
    ("azureChatOpenAI", "azureChatOpenAI"),
    ("chatGoogleGenerativeAI", "chatGoogleGenerativeAI"),
    ("chatMistralAI", "chatMistralAI"),
    ("chatOpenAI", "chatOpenAI"),
    ("groqChat", "groqChat"),
    ("ollama", "chatOllama"),
];

/// Follow-up prompts for an answer; none when the owner wants none, or they cannot be had.
pub(super) fn generate(host: &dyn EngineHost, entry: &PredictionRun, answer: &str) -> Vec<String> {
    let config = &entry.flow.settings.follow_up_prompts;
    if !config.is_on || answer.trim().is_empty() {
        return Vec::new();
    }
    ask_model(host, config, answer).unwrap_or_else(|fault| {
        tracing::warn!(flow = %entry.flow.id, reason = fault.for_log(), "an answer has no follow-up prompts");
        Vec::new()
    })
}

fn ask_model(host: &dyn EngineHost, config: &FollowUpPrompts, answer: &str) -> Result<Vec<String>> {
    let wrong = |why: &str| Error::RunFailed(format!("{NAME}: {why}"));
    let provider = config.provider.as_ref().ok_or_else(|| wrong("choose a provider"))?;
    let (_, card) = PROVIDERS
        .iter()
        .find(|(name, _)| *name == provider.name)
        .ok_or_else(|| wrong("choose a provider"))?;
    let card = registry::find(card).ok_or_else(|| wrong("this server does not know the provider"))?;
    let (settings, credential) = (&inputs(card, provider), provider.credential.as_deref());
    let model =
        engine::build_model(&engine::StandaloneCard { card, label: NAME, settings, credential }, host)?;
    let prompt = provider.prompt.as_deref().unwrap_or(DEFAULT_PROMPT);
    let asked = format!("{}\n\n{FORM}", prompt.replace(ANSWER, answer));
    let request = ChatRequest { messages: vec![ChatMessage::user(asked)], ..ChatRequest::default() };
    let reply = model.ask(&request, host, &mut NullSink)?.text;
    parse_reply(&reply).ok_or_else(|| wrong("the model's reply is no list of questions"))
}

/// The settings by the names of the card's inputs: each card has a name of its own for its address.
fn inputs(card: &Card, provider: &FollowUpProvider) -> Map<String, Value> {
    let mut inputs = provider.inputs.clone();
    let input = card.inputs.iter().find(|input| input.kind == InputKind::Address);
    if let (Some(input), Some(address)) = (input, &provider.base_url) {
        inputs.insert(input.name.to_owned(), address.clone());
    }
    inputs
}

/// The list in a reply, whatever the model wrote around it.
fn parse_reply(reply: &str) -> Option<Vec<String>> {
    let (start, end) = (reply.find('[')?, reply.rfind(']')?);
    let list: Vec<Value> = serde_json::from_str(reply.get(start..=end)?).ok()?;
    let prompts = list.iter().filter_map(Value::as_str).map(str::trim).filter(|prompt| !prompt.is_empty());
    Some(prompts.take(PROMPTS_MAX).map(|prompt| prompt.chars().take(PROMPT_CHARS_MAX).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::parse_reply;

    #[test]
    fn a_list_is_read_whatever_stands_around_it() {
        let three = vec!["A?".to_owned(), "B?".to_owned()];
        for reply in [
            "[\"A?\", \"B?\"]",
            "```json\n[\" A? \", \"\", 7, \"B?\"]\n```",
            "{\"questions\": [\"A?\", \"B?\"]}",
        ] {
            assert_eq!(parse_reply(reply), Some(three.clone()), "{reply}");
        }
        for reply in ["", "none", "]", "][", "[A?]"] {
            assert_eq!(parse_reply(reply), None, "{reply}");
        }
        assert_eq!(parse_reply(&format!("[{}\"x\"]", "\"y\",".repeat(9))).unwrap().len(), super::PROMPTS_MAX);
    }
}
