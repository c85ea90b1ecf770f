//! File Loader: any file, read by the ending of its name.

use super::by_kind::{self, LoaderChoices, POINTER};
use super::pdf_file::USAGES;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "fileLoader",
    label: "File Loader",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The documents of files of any kind this server can read.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("file", "File", &[]),
        Input::choice("usage", "Pdf Usage", USAGES).or("perPage").additional(),
        Input::switch("legacyBuild", "Use Legacy Build").additional(),
        POINTER,
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let chosen = LoaderChoices::from_inputs(inputs, "usage")?;
        file_loader(inputs, "file", move |file| by_kind::documents(file, &chosen))
    }),
};
