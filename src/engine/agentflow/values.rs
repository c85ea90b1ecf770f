//! Values of the inputs of an agentflow: compiled once from what the owner saved, resolved for each step of a run.

pub(in crate::engine) mod address;
pub(in crate::engine) mod scope;

use crate::canvas::rich_text::to_markdown;
use crate::canvas::template::{
    AgentReference, AgentTemplate, RunText, RunValue, Segment, ValuePath, into_text,
};
use crate::cards::kit::CONTENT;
use crate::engine::source::JsonSource;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What references stand for at one step of a run. `None` leaves a reference as it is written.
pub(crate) trait Scope {
    fn text(&self, name: &RunText) -> Option<Cow<'_, str>>;

    /// The whole structured value: the way into it is followed here.
    fn value(&self, name: &RunValue) -> Option<Cow<'_, Value>>;

    /// The texts of files that came with the question, put before a text that holds the question.
    fn documents(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
}

/// The compiled value of an input: text, rows, or any JSON with references in its strings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueSource(JsonSource<ValueText>);

/// A text with references.
#[derive(Debug, Clone, PartialEq)]
struct ValueText {
    template: AgentTemplate,
    form: TextForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextForm {
    Text,
    /// A reference that stands in JSON without quotation marks: what is JSON there becomes a part of it.
    Json,
    /// The text of an object or a list. It stays one, whatever is put in, and all that is written around references stays as it is.
    JsonText,
}

impl ValueSource {
    /// Compiles what the owner saved. Rich text becomes Markdown here, and nowhere later.
    #[must_use]
    pub(crate) fn from_saved(value: &Value) -> Self {
        Self(JsonSource::compile(value, &cut_text))
    }

    /// Compiles an input that is JSON, as a value or as text. References are put into the strings of the JSON and never
    /// into its grammar, so that no quotation mark in a value ends a string. Text that is no JSON stays text.
    #[must_use]
    pub(crate) fn from_saved_json(value: &Value) -> Self {
        let Value::String(text) = value else { return Self::from_saved(value) };
        let text = to_markdown(text);
        let parsed = serde_json::from_str(&text).ok().map(|json| JsonSource::compile(&json, &cut_text));
        Self(parsed.or_else(|| compile_bare(&text)).unwrap_or_else(|| cut_text(&text)))
    }

    /// Compiles an input whose text may be an object or a list as JSON, which is sent or read as it is written.
    #[must_use]
    pub(crate) fn from_saved_json_text(value: &Value) -> Self {
        let Value::String(text) = value else { return Self::from_saved(value) };
        let text = to_markdown(text);
        let is_json = text.trim_start().starts_with(['{', '[']) && compile_bare(&text).is_some();
        match AgentTemplate::parse(&text).filter(|template| is_json && begins_with_text(template)) {
            Some(template) => Self(JsonSource::Text(ValueText { template, form: TextForm::JsonText })),
            None => Self(cut_text(&text)),
        }
    }

    /// The value, with every reference that the scope knows replaced.
    #[must_use]
    pub(crate) fn resolve(&self, scope: &dyn Scope) -> Value {
        self.0.build(&|text| text.resolve(scope))
    }

    /// The nodes it refers to.
    #[must_use]
    pub(crate) fn node_ids(&self) -> BTreeSet<&str> {
        let mut ids = BTreeSet::new();
        self.0.for_each_text(&mut |text| ids.extend(text.template.node_ids()));
        ids
    }
}

fn cut_text(text: &str) -> JsonSource<ValueText> {
    let text = to_markdown(text);
    match AgentTemplate::parse(&text) {
        Some(template) => JsonSource::Text(ValueText { template, form: TextForm::Text }),
        None => JsonSource::Plain(text.into()),
    }
}

/// False for a text that is nothing but what its first reference stands for, whose braces are no object.
fn begins_with_text(template: &AgentTemplate) -> bool {
    matches!(template.segments(), [Segment::Text(_), ..])
}

/// JSON in which references stand without quotation marks, as in `{"n": {{ a.output.n }}}`.
fn compile_bare(text: &str) -> Option<JsonSource<ValueText>> {
    // Held inside a string by a character that no text may hold, until the JSON around it is read.
    const MARK: char = '\u{fdd0}';
    if text.contains(MARK) {
        return None;
    }
    let (mut quoted, mut is_in_string) = (String::new(), false);
    for segment in AgentTemplate::parse(text)?.segments() {
        match segment {
            Segment::Text(text) => {
                is_in_string = ends_in_string(text, is_in_string);
                quoted.push_str(text);
            }
            Segment::Reference { written, .. } if is_in_string => quoted.push_str(written),
            Segment::Reference { written, .. } => {
                quoted.push_str(&Value::from(format!("{MARK}{written}")).to_string());
            }
        }
    }
    let json: Value = serde_json::from_str(&quoted).ok()?;
    Some(JsonSource::compile(&json, &|text| match text.strip_prefix(MARK).and_then(AgentTemplate::parse) {
        Some(template) => JsonSource::Text(ValueText { template, form: TextForm::Json }),
        None => cut_text(text),
    }))
}

/// True when a piece of JSON ends inside a string.
fn ends_in_string(json: &str, mut is_in_string: bool) -> bool {
    let mut chars = json.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_in_string = !is_in_string,
            '\\' if is_in_string => {
                chars.next();
            }
            _ => {}
        }
    }
    is_in_string
}

impl ValueText {
    fn resolve(&self, scope: &dyn Scope) -> Value {
        if let Some(AgentReference::Part { of, path }) = self.template.single_reference()
            && let Some(value) = part(scope, of, path)
        {
            return value;
        }
        match self.form {
            TextForm::Text => fill(&self.template, scope).into(),
            TextForm::Json => {
                let text = fill(&self.template, scope);
                serde_json::from_str(&text).unwrap_or_else(|_| text.into())
            }
            TextForm::JsonText => fill_json(&self.template, scope).into(),
        }
    }
}

/// One pass: what is put in is not searched again.
fn fill(template: &AgentTemplate, scope: &dyn Scope) -> String {
    let mut out = String::new();
    let documents = scope.documents();
    if !documents.is_empty()
        && mentions(template, RunText::Question)
        && !mentions(template, RunText::FileAttachment)
    {
        out.push_str(&documents);
        out.push_str("\n\n");
    }
    for segment in template.segments() {
        match segment {
            Segment::Text(text) => out.push_str(text),
            Segment::Reference { to, written } => match replacement(scope, to) {
                Some(text) => out.push_str(&text),
                None => out.push_str(written),
            },
        }
    }
    out
}

/// As [`fill`], for JSON: within a string what is put in ends no string, and elsewhere it is JSON of its own or becomes a string.
fn fill_json(template: &AgentTemplate, scope: &dyn Scope) -> String {
    let (mut out, mut is_in_string) = (String::new(), false);
    let documents =
        if mentions(template, RunText::FileAttachment) { Cow::default() } else { scope.documents() };
    for segment in template.segments() {
        let (to, written) = match segment {
            Segment::Text(text) => {
                is_in_string = ends_in_string(text, is_in_string);
                out.push_str(text);
                continue;
            }
            Segment::Reference { to, written } => (to, written),
        };
        let text = replacement(scope, to).unwrap_or_else(|| Cow::Borrowed(written));
        let text = match to {
            AgentReference::Text(RunText::Question) if !documents.is_empty() => {
                Cow::Owned(format!("{documents}\n\n{text}"))
            }
            _ => text,
        };
        if !is_in_string && serde_json::from_str::<IgnoredAny>(&text).is_ok() {
            out.push_str(&text);
            continue;
        }
        let quoted = Value::from(&*text).to_string();
        out.push_str(if is_in_string { &quoted[1..quoted.len() - 1] } else { &quoted });
    }
    out
}

fn mentions(template: &AgentTemplate, text: RunText) -> bool {
    let wanted = AgentReference::Text(text);
    template.references().any(|reference| *reference == wanted)
}

fn replacement<'s>(scope: &'s dyn Scope, reference: &AgentReference) -> Option<Cow<'s, str>> {
    match reference {
        AgentReference::Text(name) => scope.text(name),
        AgentReference::Part { of, path } => part(scope, of, path).map(|value| Cow::Owned(into_text(value))),
    }
}

fn part(scope: &dyn Scope, of: &RunValue, path: &ValuePath) -> Option<Value> {
    let whole = scope.value(of)?;
    if *of == RunValue::OwnOutput {
        return part_of_own(&whole, path);
    }
    if path.is_whole() {
        return Some(whole.into_owned());
    }
    path.find(&whole).map(Cow::into_owned)
}

/// What a step made, to its own updates of the state. The whole is its text, as `{{ node }}` is to later steps, and a path that
/// leads nowhere in what it made goes into a text that is JSON.
fn part_of_own(output: &Value, path: &ValuePath) -> Option<Value> {
    let content = output.get(CONTENT);
    if path.is_whole() {
        return Some(content.unwrap_or(output).clone());
    }
    path.find(output).or_else(|| path.find(content?)).map(Cow::into_owned)
}

#[cfg(test)]
mod tests;
