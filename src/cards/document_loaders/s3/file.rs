//! S3: one object of a bucket.

use super::{BUCKET, Bucket, SERVER};
use crate::document_loaders::files::by_kind::POINTER;
use crate::document_loaders::files::pdf_file::USAGES;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, DocumentSource, METADATA, OMIT, OUTPUTS, SPLITTER, loader,
};
use crate::kit::knowledge::pieces::{DocumentPiece, PieceVisitor};
use crate::kit::web::aws::REGION;
use crate::kit::{Card, Category, Choice, Factory, Host, Input, Risk};

const METHODS: &[Choice] =
    &[Choice::new("builtIn", "Built In Loaders"), Choice::new("unstructured", "Unstructured")];

pub(crate) const CARD: Card = Card {
    name: "S3",
    label: "S3",
    version: 5.0,
    category: Category::DocumentLoaders,
    description: "The text of an object in an S3 bucket, by the ending of its name.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["awsApi"])
            .optional()
            .help("An access key. This server's own rights are not lent to flows."),
        BUCKET,
        Input::text("keyName", "Object Key").help("Its whole name, with its folders: handbook/rules.pdf"),
        REGION,
        Input::choice("fileProcessingMethod", "File Processing Method", METHODS).or("builtIn"),
        SPLITTER,
        Input::choice("pdfUsage", "Pdf Usage", USAGES).or("perPage").additional(),
        POINTER,
        SERVER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        if inputs.text("fileProcessingMethod")? == "unstructured" {
            let why = "objects are not sent to an Unstructured server here; choose Built In Loaders";
            return Err(inputs.input_error("fileProcessingMethod", why));
        }
        let (bucket, key) = (Bucket::from_inputs(inputs)?, inputs.text("keyName")?);
        loader(inputs, Object { bucket, key })
    }),
};

struct Object {
    bucket: Bucket,
    key: String,
}

impl DocumentSource for Object {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        self.bucket.documents(&self.key, host)?
    }

    fn stream(&self, _from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        each(DocumentPiece::at(self.key.clone(), Ok(self.read(host)?)))
    }
}
