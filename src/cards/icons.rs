//! Pictures of cards and credential types, drawn here: a square in the color of the category, a shape that says what
//! the category is, and the initials of the name. No picture is anybody else's.

use super::kit::{Card, Category};
use super::registry;
use crate::canvas::current_card_name;
use crate::domain::workspace::credential_types;

/// The picture of a card; `None` for a name no card has.
#[must_use]
pub fn card_icon(name: &str) -> Option<String> {
    let name = name.strip_suffix(".svg").unwrap_or(name);
    // A canvas of earlier years asks by the name it was drawn with.
    registry::find(current_card_name(name)).map(|card: &Card| draw(card.label, style_of(card.category)))
}

/// The picture of a credential type; `None` for a name no type has.
#[must_use]
pub fn credential_icon(name: &str) -> Option<String> {
    let name = name.strip_suffix(".svg").unwrap_or(name);
    credential_types::find_type(name).map(|kind| draw(kind.label, KEY))
}

/// A color, and a shape within 24 by 24.
type IconStyle = (&'static str, &'static str);

const KEY: IconStyle = ("#8a6d1f", "M9 12a4 4 0 1 0-8 0 4 4 0 0 0 8 0zm0 0h14v4m-5-4v3");

const fn style_of(category: Category) -> IconStyle {
    match category {
        Category::AgentFlows => ("#2a7f62", "M5 3v18M5 8h8a4 4 0 0 1 4 4v9m-4-4l4 4 4-4"),
        Category::Agents => ("#5b4bc4", "M12 2l9 5v10l-9 5-9-5V7z"),
        Category::Cache => ("#4f6272", "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 4v6l4 3"),
        Category::Chains => ("#2f6db5", "M10 7H7a5 5 0 0 0 0 10h3m4-10h3a5 5 0 0 1 0 10h-3m-6-5h8"),
        Category::ChatModels => ("#0f7b6c", "M3 4h18v13H10l-5 4v-4H3z"),
        Category::DocumentLoaders => ("#96541c", "M6 2h8l5 5v15H6zm8 0v5h5"),
        Category::Embeddings => ("#7a3e9d", "M4 5h2m5 0h2m5 0h2M4 12h2m5 0h2m5 0h2M4 19h2m5 0h2m5 0h2"),
        Category::Engine => ("#35588f", "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v4m0 12v4M2 12h4m12 0h4"),
        Category::Harness => (
            "#8a4b86",
            "M12 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM5 14a3 3 0 1 0 0 6m14-6a3 3 0 1 1 0 6M12 10v5m0 0l-5 2m5-2l5 2",
        ),
        Category::Llms => ("#1c7f8e", "M12 2v5m0 10v5M2 12h5m10 0h5M8 8h8v8H8z"),
        Category::McpTools => ("#3c6e47", "M8 2v6m8-6v6M5 8h14v3a7 7 0 0 1-14 0zm7 10v4"),
        Category::Pipelines => ("#6b5d1e", "M3 5h18l-7 8v6l-4 2v-8z"),
        Category::Memory => ("#a23b5a", "M3 6h18M3 12h18M3 18h12"),
        Category::Moderation => ("#a33a2e", "M12 2l8 3v7c0 5-4 8-8 10-4-2-8-5-8-10V5z"),
        Category::MultiAgents => (
            "#7b4a86",
            "M12 3a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM5 15a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm14 0a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM11 9l-4 6m6-6l4 6",
        ),
        Category::OutputParsers => ("#57652a", "M9 3H7v7l-3 2 3 2v7h2m6-18h2v7l3 2-3 2v7h-2"),
        Category::Prompts => ("#b0622f", "M4 4l6 8-6 8m8 0h8"),
        Category::RecordManager => ("#566074", "M4 5l2 2 3-4M4 12l2 2 3-4M4 19l2 2 3-4M12 6h9m-9 7h9m-9 7h9"),
        Category::ResponseSynthesizer => ("#6b5a2b", "M4 4l8 8m8-8l-8 8v8"),
        Category::Retrievers => ("#286a9b", "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12l6 6"),
        Category::SequentialAgents => ("#8a5a3c", "M3 7h5v5H3zm13 5h5v5h-5zM8 9h6v5h2m-2-5h4"),
        Category::TextSplitters => ("#6b5b2e", "M3 5h18M3 19h18M3 12h4m3 0h4m3 0h4"),
        Category::Tools => ("#44723a", "M14 3a6 6 0 0 0-5 9l-7 7 3 3 7-7a6 6 0 0 0 8-8l-4 4-3-1-1-3 4-4z"),
        Category::Utilities => ("#5a5f66", "M4 7h10m4 0h2M4 17h2m4 0h10M16 4v6M8 14v6"),
        Category::VectorStores => {
            ("#6a3f8f", "M4 5c0-4 16-4 16 0v14c0 4-16 4-16 0zm0 0c0 4 16 4 16 0M4 12c0 4 16 4 16 0")
        }
    }
}

fn draw(label: &str, (color, shape): IconStyle) -> String {
    let initials = initials(label);
    let size = if initials.chars().count() > 1 { 26 } else { 30 };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" width=\"64\" height=\"64\" role=\"img\">\
         <rect width=\"64\" height=\"64\" rx=\"14\" fill=\"{color}\"/>\
         <g transform=\"translate(33 5) scale(1.1)\" fill=\"none\" stroke=\"#fff\" stroke-opacity=\".5\" stroke-width=\"2\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\"><path d=\"{shape}\"/></g>\
         <text x=\"8\" y=\"54\" fill=\"#fff\" font-family=\"system-ui,sans-serif\" font-weight=\"700\" font-size=\"{size}\">\
         {initials}</text></svg>"
    )
}

/// The first letters of the first two words. Only letters and digits, so nothing in it means anything to a browser.
fn initials(label: &str) -> String {
    let words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(2).filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_and_credential_type_has_a_picture() {
        for card in registry::CARDS {
            let picture = card_icon(card.name).unwrap();
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>"), "{picture}");
            assert!(!initials(card.label).is_empty(), "{}", card.label);
        }
        credential_types::ALL.iter().for_each(|kind| assert!(credential_icon(kind.name).is_some()));
        assert!(card_icon("chatOpenAI.svg").is_some() && card_icon("nothing").is_none());
    }

    #[test]
    fn initials_are_letters() {
        assert_eq!(initials("OpenAI <b>"), "OB");
        assert_eq!(initials("(Custom) Tool & more"), "CT");
    }
}
