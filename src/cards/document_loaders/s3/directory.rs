//! S3 Directory: the objects of a bucket whose names begin alike.

use super::{BUCKET, Bucket, SERVER};
use crate::cards::document_loaders::files::by_kind::{POINTER, is_known};
use crate::cards::document_loaders::files::pdf_file::USAGES;
use crate::cards::kit::knowledge::loading::{
    BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, check_size, loader,
};
use crate::cards::kit::web::aws::REGION;
use crate::cards::kit::{Card, Category, Factory, Host, Input, Risk};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::limits;

/// Pages of a listing that are looked through, of a thousand names each.
const PAGES_MAX: usize = 20;

pub(crate) const CARD: Card = Card {
    name: "s3Directory",
    label: "S3 Directory",
    version: 4.0,
    category: Category::DocumentLoaders,
    description: "The text of the objects in an S3 bucket, by the endings of their names.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["awsApi"])
            .optional()
            .help("An access key. This server's own rights are not lent to flows."),
        SPLITTER,
        BUCKET,
        REGION,
        SERVER,
        Input::text("prefix", "Prefix").additional().help("How the names begin: handbook/"),
        Input::choice("pdfUsage", "Pdf Usage", USAGES).or("perPage").additional(),
        POINTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let (bucket, prefix) =
            (Bucket::from_inputs(inputs)?, inputs.optional_text("prefix").unwrap_or_default());
        loader(inputs, move |host: &dyn Host| read(&bucket, &prefix, host))
    }),
};

fn read(bucket: &Bucket, prefix: &str, host: &dyn Host) -> Result<Vec<Document>> {
    let (mut documents, mut room) = (Vec::new(), limits::CHUNKS_BYTES_MAX);
    for key in keys(bucket, prefix, host)? {
        if host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        let read = bucket.documents(&key, host)?;
        let size = read.iter().map(|document| document.page_content.len()).sum();
        room = room.checked_sub(size).ok_or_else(|| bucket.card_error("the objects hold too much text"))?;
        documents.extend(read);
        check_size(&bucket.label, &documents)?;
    }
    Ok(documents)
}

/// The objects that can be read, in the order of their names.
fn keys(bucket: &Bucket, prefix: &str, host: &dyn Host) -> Result<Vec<String>> {
    let (mut keys, mut after) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let page = bucket.page(prefix, after.as_deref(), host)?;
        // A folder that was made by hand is an object without content.
        let wanted = page.objects.into_iter().filter(|(key, size)| *size > 0 && is_known(key));
        keys.extend(wanted.map(|(key, _)| key));
        if keys.len() > limits::PAGES_MAX {
            break;
        }
        match page.next {
            None => return Ok(keys),
            next => after = next,
        }
    }
    Err(bucket.card_error(&format!(
        "there are too many objects: at most {} are read of {} that are looked at; narrow them down with Prefix",
        limits::PAGES_MAX,
        PAGES_MAX * 1_000
    )))
}
