//! What Google Docs can be asked to do.

use crate::cards::kit::actions::{Action, Argument, Given, Next, escaped};
use serde_json::{Value, json};

/// Levels of tables in tables that are read.
const LEVELS_MAX: usize = 16;

const DOCUMENT: Argument = Argument::line("documentId", "The id of the document, as its address shows it.")
    .required()
    .set_by("documentId");
const TEXT: Argument = Argument::text("text", "The text to put in.").set_by("text");
const INDEX: Argument =
    Argument::whole("index", 1, 100_000_000, "Where to put it in; 1 is the beginning.").set_by("index");
const FIND: Argument =
    Argument::text("replaceText", "The text to replace, wherever it stands.").set_by("replaceText");
const NEW: Argument =
    Argument::text("newText", "What stands there instead; nothing removes it.").set_by("newText");
const CASE: Argument = Argument::flag("matchCase", "Capitals count.").set_by("matchCase");
const IMAGE: Argument =
    Argument::line("imageUrl", "The public address of a picture to put in.").set_by("imageUrl");
const ROWS: Argument = Argument::whole("rows", 1, 1000, "Rows of a table to put in.").set_by("rows");
const COLUMNS: Argument =
    Argument::whole("columns", 1, 20, "Columns of a table to put in.").set_by("columns");

const CHANGE: &str = "/documents/{documentId}:batchUpdate";

/// The table.
pub(super) const ACTIONS: &[Action] = &[
    Action::post(
        "createDocument",
        "Makes a document, with a text, a picture or a table in it.",
        "/documents",
    )
    .takes(&[
        Argument::line("title", "What the document is called.").required().set_by("title"),
        TEXT,
        INDEX,
        IMAGE,
        ROWS,
        COLUMNS,
    ])
    .sends(|given| Ok(json!({ "title": given.text("title") })))
    .then(fill),
    Action::get("getDocument", "Reads a document with its whole structure.", "/documents/{documentId}")
        .takes(&[DOCUMENT]),
    Action::post(
        "updateDocument",
        "Changes a document: puts in a text, a picture or a table, and replaces text.",
        CHANGE,
    )
    .takes(&[DOCUMENT, TEXT, INDEX, FIND, NEW, CASE, IMAGE, ROWS, COLUMNS])
    .sends(|given| {
        let mut changes = inserted(given);
        if given.text("replaceText").is_some() {
            changes.push(replaced(given));
        }
        if changes.is_empty() {
            return Err(
                "Nothing is to be changed: give text, replaceText, imageUrl, or rows and columns.".to_owned()
            );
        }
        Ok(json!({ "requests": changes }))
    }),
    Action::post("insertText", "Puts a text into a document.", CHANGE)
        .takes(&[DOCUMENT, TEXT.required(), INDEX])
        .sends(insert),
    Action::post("replaceText", "Replaces a text wherever it stands in a document.", CHANGE)
        .takes(&[DOCUMENT, FIND.required(), NEW, CASE])
        .sends(|given| Ok(json!({ "requests": [replaced(given)] }))),
    Action::post("appendText", "Puts a text at the end of a document.", CHANGE)
        .takes(&[DOCUMENT, TEXT.required()])
        .sends(|given| {
            let last = json!({"insertText": {"endOfSegmentLocation": {}, "text": given.text("text")}});
            Ok(json!({ "requests": [last] }))
        }),
    Action::get("getTextContent", "Reads the text of a document.", "/documents/{documentId}")
        .takes(&[DOCUMENT])
        .read_by(text_of),
    Action::post("insertImage", "Puts a picture into a document.", CHANGE)
        .takes(&[DOCUMENT, IMAGE.required(), INDEX])
        .sends(insert),
    Action::post("createTable", "Puts an empty table into a document.", CHANGE)
        .takes(&[DOCUMENT, ROWS.required(), COLUMNS.required(), INDEX])
        .sends(insert),
];

#[allow(clippy::unnecessary_wraps, reason = "a row of the table may refuse its arguments")]
fn insert(given: &Given) -> Result<Value, String> {
    Ok(json!({ "requests": inserted(given) }))
}

/// What is put in: text, picture and table, each at the same place.
fn inserted(given: &Given) -> Vec<Value> {
    let index = given.value("index").cloned().unwrap_or_else(|| json!(1));
    let location = json!({ "index": index });
    let mut changes = Vec::new();
    if let Some(text) = given.text("text") {
        changes.push(json!({"insertText": {"location": location, "text": text}}));
    }
    if let Some(image) = given.text("imageUrl") {
        changes.push(json!({"insertInlineImage": {"location": location, "uri": image}}));
    }
    if let (Some(rows), Some(columns)) = (given.value("rows"), given.value("columns")) {
        changes.push(json!({"insertTable": {"location": location, "rows": rows, "columns": columns}}));
    }
    changes
}

fn replaced(given: &Given) -> Value {
    let match_case = given.value("matchCase").cloned().unwrap_or(Value::Bool(false));
    json!({"replaceAllText": {
        "containsText": {"text": given.text("replaceText"), "matchCase": match_case},
        "replaceText": given.text_or_empty("newText"),
    }})
}

/// A new document is empty: what is to stand in it is put in afterwards.
fn fill(given: &Given, made: &Value) -> Option<Next> {
    let changes = inserted(given);
    let id = made["documentId"].as_str().filter(|_| !changes.is_empty())?;
    Some(Next {
        path: format!("/documents/{}:batchUpdate", escaped(id)),
        body: json!({ "requests": changes }),
    })
}

/// The text of a document, tables included.
fn text_of(document: &Value) -> String {
    let mut text = String::new();
    collect(&document["body"]["content"], &mut text, LEVELS_MAX);
    text
}

fn collect(content: &Value, text: &mut String, levels: usize) {
    if levels == 0 {
        return;
    }
    for element in content.as_array().into_iter().flatten() {
        for run in element["paragraph"]["elements"].as_array().into_iter().flatten() {
            text.push_str(run["textRun"]["content"].as_str().unwrap_or_default());
        }
        for row in element["table"]["tableRows"].as_array().into_iter().flatten() {
            for cell in row["tableCells"].as_array().into_iter().flatten() {
                collect(&cell["content"], text, levels - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_document_is_read() {
        let paragraph = |text: &str| json!({"paragraph": {"elements": [{"textRun": {"content": text}}]}});
        let cell = json!({"content": [paragraph("in a cell\n")]});
        let table = json!({"table": {"tableRows": [{"tableCells": [cell]}]}});
        let document = json!({"body": {"content": [{"sectionBreak": {}}, paragraph("First\n"), table]}});
        assert_eq!(text_of(&document), "First\nin a cell\n");
        assert_eq!(text_of(&json!([])), "");
    }
}
