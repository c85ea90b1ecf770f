//! Json File: the texts in JSON, or a document for each object of a list.

use super::pointers;
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_source, loader_with,
};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};
use serde_json::Value;

pub(crate) const CARD: Card = Card {
    name: "jsonFile",
    label: "Json File",
    version: 3.1,
    category: Category::DocumentLoaders,
    description: "The texts of JSON files, or a document for each object.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("jsonFile", "Json File", &[".json"]),
        Input::switch("separateByObject", "Separate by JSON Object").additional().help(
            "A document for each object of a list; metadata that begin with / are read from the object.",
        ),
        Input::text("pointersName", "Pointers Extraction")
            .optional()
            .when("separateByObject", "false")
            .help("Where the wanted texts are, with commas between the places: /title, /body/text."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let pointers = pointers::pointers(&inputs.comma_list("pointersName"));
        let by_object = inputs.switch("separateByObject");
        let (pointing, plain) = pointers::split_metadata(inputs.object(METADATA.name)?);
        let source = file_source(inputs, "jsonFile", move |file| {
            if by_object { objects(file, &pointing) } else { texts(file, &pointers, &pointing) }
        })?;
        loader_with(inputs, plain, source)
    }),
};

fn parse_json(file: &FileContent<'_>) -> Result<Value> {
    serde_json::from_str(&file.text(DocumentKind::Text)?).map_err(|_| file.file_error("it is not valid JSON"))
}

/// A document for each text at one of the places, in a file or in each object of its list.
pub(in crate::document_loaders) fn texts(
    file: &FileContent<'_>,
    pointers: &[String],
    pointing: &[(String, String)],
) -> Result<Vec<Document>> {
    let value = parse_json(file)?;
    let objects = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
    let mut documents: Vec<Document> = Vec::new();
    for object in objects {
        let mut found = Vec::new();
        if pointers.is_empty() {
            pointers::texts(object, &mut found);
        }
        for pointer in pointers {
            if let Some(place) = object.pointer(pointer) {
                pointers::texts(place, &mut found);
            }
        }
        for text in found.into_iter().filter(|text| !text.trim().is_empty()) {
            let mut document = file.document(text);
            document.metadata.insert("line".into(), (documents.len() + 1).into());
            document.metadata.extend(pointers::resolve(pointing, object));
            documents.push(document);
        }
    }
    Ok(documents)
}

fn objects(file: &FileContent<'_>, pointing: &[(String, String)]) -> Result<Vec<Document>> {
    let value = parse_json(file)?;
    let objects = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
    let document = |(at, object): (usize, &Value)| {
        let mut document = file.document(pointers::to_text(object));
        document.metadata.insert("line".into(), (at + 1).into());
        document.metadata.extend(pointers::resolve(pointing, object));
        document
    };
    Ok(objects.iter().enumerate().map(document).collect())
}
