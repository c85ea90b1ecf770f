//! The reference of cards, drawn from what the API says of them, so that no card is missing and none is described twice.

use super::{escape, page};
use crate::domain::error::Result;
use crate::domain::service::card_definition::{CardDefinition, CardParam};
use crate::http::reply::assets::Asset;
use crate::ops::service::catalogue;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Characters of a default value that are shown.
const DEFAULT_CHARS: usize = 120;

/// All cards, by category.
///
/// # Errors
/// When the frame of the manual cannot be unpacked.
pub(in crate::http) fn cards_page(base_path: &str) -> Result<Asset> {
    let mut categories: BTreeMap<&str, Vec<CardDefinition>> = BTreeMap::new();
    for card in catalogue::all() {
        categories.entry(card.category).or_default().push(card);
    }
    let mut body = "<h1>All cards</h1>\n".to_owned();
    for (category, cards) in categories {
        let _ = writeln!(body, "<h2>{}</h2>\n<ul>", escape(category));
        for card in cards {
            let (name, label, what) = (escape(card.name), escape(card.label), escape(card.description));
            let _ = writeln!(body, "<li><a href=\"/docs/cards/{name}\">{label}</a>: {what}</li>");
        }
        body.push_str("</ul>\n");
    }
    page("All cards", &body, base_path)
}

/// One card: what it is wired into, what it takes and what comes out of it.
///
/// # Errors
/// 404.
pub(in crate::http) fn card_page(name: &str, base_path: &str) -> Result<Asset> {
    let card = catalogue::card(name)?;
    let label = escape(card.label);
    page(&label, &render(&card), base_path)
}

fn render(card: &CardDefinition) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p>{}</p>\n<p>Name <code>{}</code>, version {}, category {}. It fits where one of these is taken: {}.</p>\n",
        escape(card.label),
        escape(card.description),
        escape(card.name),
        card.version,
        escape(card.category),
        codes(card.base_classes),
    );
    if let Some(credential) = &card.credential {
        let names = codes(credential.credential_names.unwrap_or_default());
        let needed = if credential.optional { "may have" } else { "needs" };
        let _ = writeln!(body, "<p>It {needed} a credential: {names}.</p>");
    }
    if !card.inputs.is_empty() {
        body.push_str("<h2>Inputs</h2>\n");
        inputs_table(&card.inputs, &mut body);
    }
    if !card.outputs.is_empty() {
        body.push_str("<h2>Outputs</h2>\n<ul>\n");
        for output in &card.outputs {
            let (label, name) = (escape(output.label), escape(output.name));
            let _ = writeln!(body, "<li>{label} (<code>{name}</code>): {}</li>", codes(output.base_classes));
        }
        body.push_str("</ul>\n");
    }
    body
}

fn codes(names: &[&str]) -> String {
    let shown = names.iter().map(|name| format!("<code>{}</code>", escape(name)));
    shown.collect::<Vec<_>>().join(", ")
}

fn inputs_table(inputs: &[CardParam], body: &mut String) {
    body.push_str("<div class=\"table\"><table>\n<thead><tr><th>Input</th><th>Name</th><th>Type</th><th>What it is</th></tr></thead>\n<tbody>\n");
    for input in inputs {
        let needed = if input.optional { "" } else { ", needed" };
        let _ = writeln!(
            body,
            "<tr><td>{}</td><td><code>{}</code></td><td>{}{needed}</td><td>{}</td></tr>",
            escape(input.label),
            escape(input.name),
            escape(input.kind),
            described(input)
        );
    }
    body.push_str("</tbody>\n</table></div>\n");
}

fn described(input: &CardParam) -> String {
    let mut sentences: Vec<String> = Vec::new();
    if let Some(description) = input.description {
        sentences.push(escape(description));
    }
    if let Some(options) = &input.options {
        let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
        sentences.push(format!("One of {}.", codes(&names)));
    }
    if let Some(default) = input.default.as_ref().and_then(shown_default) {
        sentences.push(format!("Default: <code>{}</code>.", escape(&default)));
    }
    if !input.fields.is_empty() {
        let names: Vec<&str> = input.fields.iter().map(|field| field.name).collect();
        sentences.push(format!("Each row has {}.", codes(&names)));
    }
    sentences.join(" ")
}

/// A default as a person writes it; `None` for one that is empty or long.
fn shown_default(default: &Value) -> Option<String> {
    let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
    (!text.is_empty() && text.chars().count() <= DEFAULT_CHARS).then_some(text)
}
