//! What Google Docs can be asked to do.

use crate::kit::web::actions::{
    ActionArgument, CallArguments, FollowUpRequest, ServiceAction, escape_segment,
};
use serde_json::{Value, json};

/// Levels of tables in tables that are read.
const LEVELS_MAX: usize = 16;

const DOCUMENT: ActionArgument =
    ActionArgument::line("documentId", "The id of the document, as its address shows it.")
        .required()
        .set_by("documentId");
const TEXT: ActionArgument = ActionArgument::text("text", "The text to put in.").set_by("text");
const INDEX: ActionArgument =
    ActionArgument::whole("index", 1, 100_000_000, "Where to put it in; 1 is the beginning.").set_by("index");
const FIND: ActionArgument =
    ActionArgument::text("replaceText", "The text to replace, wherever it stands.").set_by("replaceText");
const NEW: ActionArgument =
    ActionArgument::text("newText", "What stands there instead; nothing removes it.").set_by("newText");
const CASE: ActionArgument = ActionArgument::flag("matchCase", "Capitals count.").set_by("matchCase");
const IMAGE: ActionArgument =
    ActionArgument::line("imageUrl", "The public address of a picture to put in.").set_by("imageUrl");
const ROWS: ActionArgument =
    ActionArgument::whole("rows", 1, 1000, "Rows of a table to put in.").set_by("rows");
const COLUMNS: ActionArgument =
    ActionArgument::whole("columns", 1, 20, "Columns of a table to put in.").set_by("columns");

const CHANGE: &str = "/documents/{documentId}:batchUpdate";

pub(super) const ACTIONS: &[ServiceAction] = &[
    ServiceAction::post(
        "createDocument",
        "Makes a document, with a text, a picture or a table in it.",
        "/documents",
    )
    .takes(&[
        ActionArgument::line("title", "What the document is called.").required().set_by("title"),
        TEXT,
        INDEX,
        IMAGE,
        ROWS,
        COLUMNS,
    ])
    .sends(|given| Ok(json!({ "title": given.text("title") })))
    .then(fill),
    ServiceAction::get(
        "getDocument",
        "Reads a document with its whole structure.",
        "/documents/{documentId}",
    )
    .takes(&[DOCUMENT]),
    ServiceAction::post(
        "updateDocument",
        "Changes a document: puts in a text, a picture or a table, and replaces text.",
        CHANGE,
    )
    .takes(&[DOCUMENT, TEXT, INDEX, FIND, NEW, CASE, IMAGE, ROWS, COLUMNS])
    .sends(|given| {
        let mut changes = insert_requests(given);
        if given.text("replaceText").is_some() {
            changes.push(replace_request(given));
        }
        if changes.is_empty() {
            return Err(
                "Nothing is to be changed: give text, replaceText, imageUrl, or rows and columns.".to_owned()
            );
        }
        Ok(json!({ "requests": changes }))
    }),
    ServiceAction::post("insertText", "Puts a text into a document.", CHANGE)
        .takes(&[DOCUMENT, TEXT.required(), INDEX])
        .sends(insert),
    ServiceAction::post("replaceText", "Replaces a text wherever it stands in a document.", CHANGE)
        .takes(&[DOCUMENT, FIND.required(), NEW, CASE])
        .sends(|given| Ok(json!({ "requests": [replace_request(given)] }))),
    ServiceAction::post("appendText", "Puts a text at the end of a document.", CHANGE)
        .takes(&[DOCUMENT, TEXT.required()])
        .sends(|given| {
            let last = json!({"insertText": {"endOfSegmentLocation": {}, "text": given.text("text")}});
            Ok(json!({ "requests": [last] }))
        }),
    ServiceAction::get("getTextContent", "Reads the text of a document.", "/documents/{documentId}")
        .takes(&[DOCUMENT])
        .read_by(text_of),
    ServiceAction::post("insertImage", "Puts a picture into a document.", CHANGE)
        .takes(&[DOCUMENT, IMAGE.required(), INDEX])
        .sends(insert),
    ServiceAction::post("createTable", "Puts an empty table into a document.", CHANGE)
        .takes(&[DOCUMENT, ROWS.required(), COLUMNS.required(), INDEX])
        .sends(insert),
];

#[allow(clippy::unnecessary_wraps, reason = "a row of the table may refuse its arguments")]
fn insert(given: &CallArguments) -> Result<Value, String> {
    Ok(json!({ "requests": insert_requests(given) }))
}

/// What is put in: text, picture and table, each at the same place.
fn insert_requests(given: &CallArguments) -> Vec<Value> {
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

fn replace_request(given: &CallArguments) -> Value {
    let match_case = given.value("matchCase").cloned().unwrap_or(Value::Bool(false));
    json!({"replaceAllText": {
        "containsText": {"text": given.text("replaceText"), "matchCase": match_case},
        "replaceText": given.text_or_empty("newText"),
    }})
}

/// A new document is empty: what is to stand in it is put in afterwards.
fn fill(given: &CallArguments, made: &Value) -> Option<FollowUpRequest> {
    let changes = insert_requests(given);
    let id = made["documentId"].as_str().filter(|_| !changes.is_empty())?;
    Some(FollowUpRequest {
        path: format!("/documents/{}:batchUpdate", escape_segment(id)),
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
