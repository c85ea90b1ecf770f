//! S3 Directory: the objects of a bucket whose names begin alike.

use super::listing::PageBegin;
use super::{BUCKET, Bucket, SERVER};
use crate::document_loaders::files::by_kind::{POINTER, is_known};
use crate::document_loaders::files::pdf_file::USAGES;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, DocumentSource, METADATA, OMIT, OUTPUTS, SPLITTER, check_size, loader,
};
use crate::kit::knowledge::pieces::PieceVisitor;
use crate::kit::web::aws::REGION;
use crate::kit::{Card, Category, Factory, Host, Input, Risk};
use crate::limits;

/// Pages of a listing that are looked through for documents that are held at once, of a thousand names each.
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
        let prefix = inputs.optional_text("prefix").unwrap_or_default();
        loader(inputs, Directory { bucket: Bucket::from_inputs(inputs)?, prefix })
    }),
};

struct Directory {
    bucket: Bucket,
    prefix: String,
}

impl DocumentSource for Directory {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let (bucket, mut documents, mut room) = (&self.bucket, Vec::new(), limits::CHUNKS_BYTES_MAX);
        for key in self.keys(host)? {
            let read = bucket.piece(&key, host)?.documents?;
            let size = read.iter().map(|document| document.page_content.len()).sum();
            room =
                room.checked_sub(size).ok_or_else(|| bucket.card_error("the objects hold too much text"))?;
            documents.extend(read);
            check_size(&bucket.label, &documents)?;
        }
        Ok(documents)
    }

    /// The place of an object is its name: a server lists them in the order of these, from any of them on.
    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        let mut begin = PageBegin::First;
        if let Some(key) = from {
            each(self.bucket.piece(key, host)?)?;
            begin = PageBegin::Behind(key.to_owned());
        }
        loop {
            let page = self.bucket.page(&self.prefix, &begin, host)?;
            for key in readable(page.objects) {
                each(self.bucket.piece(&key, host)?)?;
            }
            let Some(token) = page.next else { return Ok(()) };
            let next = PageBegin::Next(token);
            if next == begin {
                return Err(self.bucket.card_error("the server's list of objects does not go on"));
            }
            begin = next;
        }
    }
}

impl Directory {
    /// The objects that can be read, in the order of their names.
    fn keys(&self, host: &dyn Host) -> Result<Vec<String>> {
        let (mut keys, mut begin) = (Vec::new(), PageBegin::First);
        for _ in 0..PAGES_MAX {
            let page = self.bucket.page(&self.prefix, &begin, host)?;
            keys.extend(readable(page.objects));
            if keys.len() > limits::PAGES_MAX {
                break;
            }
            match page.next {
                None => return Ok(keys),
                Some(token) => begin = PageBegin::Next(token),
            }
        }
        Err(self.bucket.card_error(&format!(
            "there are too many objects: at most {} are read of {} that are looked at; narrow them down with Prefix",
            limits::PAGES_MAX,
            PAGES_MAX * 1_000
        )))
    }
}

/// The names of a page that stand for something to read. A folder that was made by hand is an object without content.
fn readable(objects: Vec<(String, u64)>) -> impl Iterator<Item = String> {
    objects.into_iter().filter(|(key, size)| *size > 0 && is_known(key)).map(|(key, _)| key)
}
