//! Prompts with single-brace variables: `{name}` (manual 9.5).

use crate::domain::error::{Error, Result};
use crate::llm::ChatMessage;
use serde_json::{Map, Value};

/// A prompt, with the values its card holds for some of its variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub form: PromptForm,
    /// Variable to value, as far as the card gives them.
    pub values: Map<String, Value>,
}

/// The two forms of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptForm {
    Text(BraceText),
    /// A system text and a human text.
    Chat {
        system: BraceText,
        /// Messages between the two, written by the owner's code.
        history: Vec<ChatMessage>,
        /// What stands in the person's place.
        human: BraceText,
    },
}

impl Prompt {
    /// The variable names, in order of appearance, each once.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        let texts: Vec<&BraceText> = match &self.form {
            PromptForm::Text(text) => vec![text],
            PromptForm::Chat { system, human, .. } => vec![system, human],
        };
        let mut names = Vec::new();
        for name in texts.into_iter().flat_map(BraceText::variables) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// True for a variable without a value of the card's own.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        !self.values.contains_key(name) && self.variables().contains(&name)
    }

    /// A value for every variable: the card's own, and the question for the one that has none (manual 9.5 r2). A value that
    /// became empty in this run, such as that of a conversation which begins, is one.
    ///
    /// # Errors
    /// Names the variables when more than one has no value.
    pub fn fill(&self, card: &str, question: &str) -> Result<Map<String, Value>> {
        self.fill_with(&[], card, question)
    }

    /// As [`Self::fill`], where the chain around the prompt gives values for variables of which the card has none.
    ///
    /// # Errors
    /// As [`Self::fill`].
    pub(crate) fn fill_with(
        &self,
        given: &[(&str, &str)],
        card: &str,
        question: &str,
    ) -> Result<Map<String, Value>> {
        let mut values = self.values.clone();
        for (name, value) in given.iter().filter(|(name, _)| self.wants(name)) {
            values.insert((*name).to_owned(), (*value).into());
        }
        let missing: Vec<&str> =
            self.variables().into_iter().filter(|name| !values.contains_key(*name)).collect();
        match missing.as_slice() {
            [] => {}
            [one] => {
                values.insert((*one).to_owned(), Value::String(question.to_owned()));
            }
            several => {
                let list = several.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ");
                return Err(Error::RunFailed(format!(
                    "{card}: the prompt's variables {list} have no value; set them under Format Prompt Values"
                )));
            }
        }
        Ok(values)
    }
}

/// A text cut at its `{name}` variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BraceText(Vec<BracePart>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum BracePart {
    Text(String),
    Variable(String),
}

impl BraceText {
    /// A text without variables, whatever it holds.
    #[must_use]
    pub fn literal(text: String) -> Self {
        Self(vec![BracePart::Text(text)])
    }

    /// Cuts `text`. `{{` and `}}` are literal braces; a group that is empty, holds a colon or is not closed is
    /// literal text, so that JSON in a prompt stays JSON.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        // Only a pair that was opened doubled is closed doubled: JSON may end in any number of braces.
        let mut doubled = 0_usize;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if rest.starts_with("{{") || (rest.starts_with("}}") && doubled > 0) {
                doubled = if rest.starts_with('{') { doubled + 1 } else { doubled - 1 };
                plain.push_str(&rest[..1]);
                rest = &rest[2..];
                continue;
            }
            match variable(rest) {
                Some((written, after)) => {
                    if !plain.is_empty() {
                        pieces.push(BracePart::Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(BracePart::Variable(written.to_owned()));
                    rest = after;
                }
                None => {
                    plain.push_str(&rest[..1]);
                    rest = &rest[1..];
                }
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(BracePart::Text(plain));
        }
        Self(pieces)
    }

    /// These texts one after another, with `between` as it is between two of them.
    #[must_use]
    pub fn join(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut pieces = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            if at > 0 && !between.is_empty() {
                pieces.push(BracePart::Text(between.to_owned()));
            }
            pieces.extend(text.0);
        }
        Self(pieces)
    }

    /// The names of its variables, in order of appearance.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            BracePart::Variable(written) => Some(written.trim()),
            BracePart::Text(_) => None,
        })
    }

    /// Whether `{name}` stands in it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.variables().any(|variable| variable == name)
    }

    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, BracePart::Text(text) if text.trim().is_empty()))
    }

    /// The text with these values; a variable that has none stays as it is written.
    #[must_use]
    pub fn fill(&self, values: &[(&str, &str)]) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                BracePart::Text(text) => out.push_str(text),
                BracePart::Variable(written) => match values.iter().find(|(name, _)| *name == written.trim())
                {
                    Some((_, value)) => out.push_str(value),
                    None => {
                        out.push('{');
                        out.push_str(written);
                        out.push('}');
                    }
                },
            }
        }
        out
    }

    /// As [`Self::format`], or `other` where nothing is written.
    #[must_use]
    pub(crate) fn format_or(&self, values: &Map<String, Value>, other: &str) -> String {
        if self.is_blank() { other.to_owned() } else { self.format(values) }
    }

    /// The text with its values; what a value says is not searched for variables.
    #[must_use]
    pub fn format(&self, values: &Map<String, Value>) -> String {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                BracePart::Text(text) => out.push_str(text),
                BracePart::Variable(written) => match values.get(written.trim()) {
                    Some(Value::String(text)) => out.push_str(text),
                    Some(Value::Null) | None => {}
                    Some(other) => out.push_str(&other.to_string()),
                },
            }
        }
        out
    }
}

/// Reads `{name}` at the start of `text`: what stands between the braces, and what follows.
fn variable(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find(['{', '}'])?;
    if !inner[end..].starts_with('}') {
        return None;
    }
    let name = &inner[..end];
    let is_name = !name.trim().is_empty() && !name.contains([':', '\n', '"', ',']);
    is_name.then(|| (name, &inner[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn variables_are_replaced_once() {
        let text = BraceText::parse("Say {a} to {b}.");
        assert_eq!(text.format(&values(json!({"a": "{b}", "b": 7}))), "Say {b} to 7.");
    }

    #[test]
    fn literal_braces_and_json_stay() {
        for (text, shown) in [
            ("{{x}}", "{x}"),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1}}"#),
            ("{a:b}", "{a:b}"),
            ("{}", "{}"),
            ("{open", "{open"),
            ("shut}", "shut}"),
        ] {
            assert_eq!(BraceText::parse(text).format(&Map::new()), shown, "{text}");
        }
    }

    #[test]
    fn variables_that_have_no_value_stay_where_they_are_kept() {
        let text = BraceText::parse("{{\"a\": {{}}}} for { who } and {you}");
        assert_eq!(text.fill(&[("you", "{who}")]), "{\"a\": {}} for { who } and {who}");
        assert!(text.has("who") && !text.has("a"));
        assert!(BraceText::parse(" ").is_blank() && !BraceText::parse("{x}").is_blank());
    }

    #[test]
    fn the_question_fills_the_one_variable_without_a_value() {
        let form = PromptForm::Text(BraceText::parse("{product} in {language}"));
        let prompt = Prompt { form: form.clone(), values: values(json!({"language": "Latin"})) };
        assert_eq!(prompt.fill("LLM", "socks").unwrap()["product"], "socks");
        let empty =
            Prompt { form: form.clone(), values: values(json!({"language": "", "product": "{socks}"})) };
        assert_eq!(empty.fill("LLM", "socks").unwrap(), empty.values, "a value that became empty is one");
        let bare = Prompt { form, values: Map::new() };
        let message = bare.fill("LLM", "socks").unwrap_err().to_string();
        assert!(message.contains("{product}, {language}"), "{message}");
    }
}
