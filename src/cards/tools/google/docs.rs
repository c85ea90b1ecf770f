//! Google Docs: reads and writes the documents of whoever signed in.

use super::docs_actions::ACTIONS;
use crate::kit::web::actions::toolkit;
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "googleDocsTool",
    label: "Google Docs",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read and write documents in Google Docs.",
    base_classes: &["Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::SignIns)],
    inputs: &[
        Input::credential(&["googleDocsOAuth2"]),
        Input::choices("actions", "Actions", CHOICES),
        Input::text("documentId", "Document ID").additional().when_any("actions", WITH_DOCUMENT),
        Input::text("title", "Title").additional().when_any("actions", &["createDocument"]),
        Input::lines("text", "Text")
            .additional()
            .when_any("actions", &["createDocument", "updateDocument", "insertText", "appendText"]),
        Input::whole("index", "Index", 1.0, 100_000_000.0)
            .starting("1")
            .additional()
            .help("Where something is inserted; 1 is the beginning.")
            .when_any(
                "actions",
                &["createDocument", "updateDocument", "insertText", "insertImage", "createTable"],
            ),
        Input::text("replaceText", "Replace Text").additional().when_any("actions", REPLACING),
        Input::text("newText", "New Text").additional().when_any("actions", REPLACING),
        Input::switch("matchCase", "Match Case").additional().when_any("actions", REPLACING),
        Input::text("imageUrl", "Image URL")
            .additional()
            .help("Google fetches the picture from there.")
            .when_any("actions", &["createDocument", "updateDocument", "insertImage"]),
        Input::whole("rows", "Table Rows", 1.0, 1000.0).additional().when_any("actions", TABLES),
        Input::whole("columns", "Table Columns", 1.0, 20.0).additional().when_any("actions", TABLES),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        toolkit(inputs, "actions", ACTIONS, super::service("Google Docs", "https://docs.googleapis.com/v1"))
    }),
};

const WITH_DOCUMENT: &[&str] = &[
    "getDocument",
    "updateDocument",
    "insertText",
    "replaceText",
    "appendText",
    "getTextContent",
    "insertImage",
    "createTable",
];
const REPLACING: &[&str] = &["updateDocument", "replaceText"];
const TABLES: &[&str] = &["createDocument", "updateDocument", "createTable"];

const CHOICES: &[Choice] = &[
    Choice::new("createDocument", "Create Document"),
    Choice::new("getDocument", "Get Document"),
    Choice::new("updateDocument", "Update Document"),
    Choice::new("insertText", "Insert Text"),
    Choice::new("replaceText", "Replace Text"),
    Choice::new("appendText", "Append Text"),
    Choice::new("getTextContent", "Get Text Content"),
    Choice::new("insertImage", "Insert Image"),
    Choice::new("createTable", "Create Table"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::kit::web::actions::check_actions(&super::CARD, super::ACTIONS);
    }
}
