//! File: the documents of a pipeline as lines of JSON.

use crate::domain::pipelines::target::{PipelineFileName, PipelineTarget};
use crate::kit::knowledge::transform::{DOCUMENTS, FILE, FILE_NAME, MODE_INPUT, TAKES_DOCUMENTS};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: FILE,
    label: "File",
    version: 1.0,
    category: Category::Pipelines,
    description: "Keeps documents in a file of this server, one on each line as JSON, which is there to download when \
                  the run is finished.",
    base_classes: TAKES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::text(FILE_NAME, "File Name")
            .help("A name for the download, such as documents.jsonl. It is no path."),
        MODE_INPUT,
    ],
    outputs: &[],
    make: Factory::Target(|inputs| {
        let name = PipelineFileName::parse(inputs.text(FILE_NAME)?.trim());
        name.map(PipelineTarget::File).ok_or_else(|| inputs.input_error(FILE_NAME, PipelineFileName::RULE))
    }),
};
