//! What document loaders have in common (manual 10.2): a source brings documents, a splitter cuts them, and
//! the card's own metadata go over theirs.

use super::pieces::{DocumentPiece, PieceVisitor};
use super::{Loader, Splitter};
use crate::canvas::files::{self, FileInput, InlineFile};
use crate::documents::{DocumentError, DocumentKind, DocumentPart};
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::Grant;
use crate::kit::capabilities::files::WorkspaceFiles;
use crate::kit::capabilities::host::Host;
use crate::kit::schema::card::Output;
use crate::kit::schema::input::Input;
use crate::kit::schema::wire_type::WireType;
use crate::limits;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) const SPLITTER: Input = Input::wire("textSplitter", "Text Splitter", WireType::TextSplitter)
    .optional()
    .help("Cuts the documents.");
/// The input for metadata of every document.
pub(crate) const METADATA: Input = Input::json("metadata", "Additional Metadata")
    .additional()
    .help("Goes over the metadata of every document, as a JSON object.");
/// The input for metadata nobody wants.
pub(crate) const OMIT: Input = Input::text("omitMetadataKeys", "Omit Metadata Keys")
    .additional()
    .help("Keys to leave out, with commas between them; * leaves out all but the additional metadata.");

/// The outputs of a loader.
pub(crate) const OUTPUTS: &[Output] = &[
    Output { name: "document", label: "Document", base_classes: &["Document", "json"], predicts: false },
    Output { name: "text", label: "Text", base_classes: &["string", "json"], predicts: true },
];
/// The base classes of a loader.
pub(crate) const BASE_CLASSES: &[&str] = &["Document"];

/// The longest metadata of a card, as JSON.
const METADATA_BYTES_MAX: usize = 16 * 1024;

/// What brings documents.
pub(crate) trait DocumentSource: Send + Sync {
    /// The documents as they come, not yet cut.
    ///
    /// # Errors
    /// When they cannot be read, naming the card.
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>>;

    /// The same documents a piece at a time, as [`Loader::stream`].
    ///
    /// # Errors
    /// As [`Self::read`], and what `each` returns.
    fn stream(&self, _from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        each(DocumentPiece::whole(self.read(host)?))
    }
}

impl<F: Fn(&dyn Host) -> Result<Vec<Document>> + Send + Sync> DocumentSource for F {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        self(host)
    }
}

/// The loader over a source, with the inputs every loader has.
///
/// # Errors
/// When one of these inputs cannot be read.
pub(crate) fn loader(inputs: &Inputs<'_>, source: impl DocumentSource + 'static) -> Result<Arc<dyn Loader>> {
    let metadata = inputs.object(METADATA.name)?;
    loader_with(inputs, metadata, source)
}

/// As [`loader`], with other metadata than the card's.
///
/// # Errors
/// As [`loader`].
pub(crate) fn loader_with(
    inputs: &Inputs<'_>,
    metadata: Map<String, Value>,
    source: impl DocumentSource + 'static,
) -> Result<Arc<dyn Loader>> {
    // The metadata of the card stand in every chunk.
    if Value::Object(metadata.clone()).to_string().len() > METADATA_BYTES_MAX {
        return Err(inputs.input_error(METADATA.name, "this is too long"));
    }
    Ok(Arc::new(SourceLoader {
        label: inputs.label.to_owned(),
        source,
        splitter: inputs.optional_splitter(SPLITTER.name)?,
        metadata,
        omitted: inputs.comma_list(OMIT.name),
    }))
}

struct SourceLoader<S> {
    label: String,
    source: S,
    splitter: Option<Arc<dyn Splitter>>,
    metadata: Map<String, Value>,
    omitted: Vec<String>,
}

impl<S: DocumentSource> SourceLoader<S> {
    /// Cuts what the source brought, and puts the card's metadata over it.
    fn finish(&self, mut documents: Vec<Document>, host: &dyn Host) -> Result<Vec<Document>> {
        let too_many = || Error::RunFailed(format!("{}: there are too many documents", self.label));
        if let Some(splitter) = &self.splitter {
            documents = splitter.split_documents(documents, host)?.ok_or_else(too_many)?;
        }
        if documents.len() > limits::CHUNKS_MAX {
            return Err(too_many());
        }
        for document in &mut documents {
            let own = &mut document.metadata;
            if self.omitted.iter().any(|key| key == "*") {
                own.clear();
            }
            own.retain(|key, _| !self.omitted.contains(key));
            own.extend(self.metadata.clone());
        }
        Ok(documents)
    }
}

impl<S: DocumentSource> Loader for SourceLoader<S> {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        self.finish(self.source.read(host)?, host)
    }

    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        self.source.stream(from, host, &mut |piece| {
            let documents = piece.documents.and_then(|documents| self.finish(documents, host));
            each(DocumentPiece { documents, ..piece })
        })
    }
}

/// What a splitter makes of documents, one after another.
pub(super) fn split<S: Splitter + ?Sized>(
    splitter: &S,
    documents: Vec<Document>,
    host: &dyn Host,
) -> Result<Option<Vec<Document>>> {
    let mut chunks = Vec::new();
    let mut room = limits::CHUNKS_BYTES_MAX;
    for document in documents {
        Error::check_cancelled(host.cancel())?;
        let carried = Value::Object(document.metadata.clone()).to_string().len();
        for cut in splitter.split(&document.page_content, host)? {
            let Some(left) = room.checked_sub(cut.text.len() + carried) else { return Ok(None) };
            room = left;
            let mut metadata = document.metadata.clone();
            // A page that is cut keeps its number beside the lines.
            let mut place = metadata.get("loc").and_then(Value::as_object).cloned().unwrap_or_default();
            place.insert("lines".into(), json!({"from": cut.lines.start(), "to": cut.lines.end()}));
            metadata.insert("loc".into(), Value::Object(place));
            chunks.push(Document { page_content: cut.text, metadata });
        }
    }
    Ok(Some(chunks))
}

/// The loader whose documents `read` makes of each file of the input.
///
/// # Errors
/// When an input cannot be read, or holds no file.
pub(crate) fn file_loader(
    inputs: &Inputs<'_>,
    input: &str,
    read: impl Fn(&FileContent<'_>) -> Result<Vec<Document>> + Send + Sync + 'static,
) -> Result<Arc<dyn Loader>> {
    loader(inputs, file_source(inputs, input, read)?)
}

/// The source of [`file_loader`] alone.
///
/// # Errors
/// When the input holds no file.
pub(crate) fn file_source(
    inputs: &Inputs<'_>,
    input: &str,
    read: impl Fn(&FileContent<'_>) -> Result<Vec<Document>> + Send + Sync + 'static,
) -> Result<impl DocumentSource + 'static> {
    Ok(FileSource {
        label: inputs.label.to_owned(),
        held: files_of(inputs, input)?,
        files: inputs.want(),
        read,
    })
}

/// The files of an input, which `read` makes documents of.
struct FileSource<R> {
    label: String,
    held: Vec<FileInput>,
    files: Option<Grant<dyn WorkspaceFiles>>,
    read: R,
}

impl<R: Fn(&FileContent<'_>) -> Result<Vec<Document>>> FileSource<R> {
    fn documents(&self, file: &FileInput, host: &dyn Host) -> Result<Vec<Document>> {
        let stored;
        let (name, bytes) = match file {
            FileInput::Inline(InlineFile { name, bytes }) => (name.as_str(), bytes.as_slice()),
            FileInput::Stored(name) => {
                let found = self.files.map(|files| files.of(host)?.stored_file(name)).transpose()?.flatten();
                stored = found.ok_or_else(|| {
                    Error::RunFailed(format!("{}: a file is not here any more; upload it again", self.label))
                })?;
                (stored.name.as_str(), stored.bytes.as_slice())
            }
        };
        (self.read)(&FileContent { label: &self.label, name, bytes, host })
    }
}

impl<R: Fn(&FileContent<'_>) -> Result<Vec<Document>> + Send + Sync> DocumentSource for FileSource<R> {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let mut documents = Vec::new();
        let mut room = limits::CHUNKS_BYTES_MAX;
        for file in &self.held {
            Error::check_cancelled(host.cancel())?;
            let read = self.documents(file, host)?;
            let size = read.iter().map(|document| document.page_content.len()).sum();
            let too_much = || Error::RunFailed(format!("{}: the files hold too much text", self.label));
            room = room.checked_sub(size).ok_or_else(too_much)?;
            documents.extend(read);
        }
        Ok(documents)
    }

    /// The place of a file is its number.
    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        let from = from.and_then(|number| number.parse().ok()).unwrap_or(0);
        for (number, file) in self.held.iter().enumerate().skip(from) {
            Error::check_cancelled(host.cancel())?;
            each(DocumentPiece::at(number.to_string(), self.documents(file, host)))?;
        }
        Ok(())
    }
}

fn files_of(inputs: &Inputs<'_>, input: &str) -> Result<Vec<FileInput>> {
    let text = inputs.optional_text(input).ok_or_else(|| inputs.input_error(input, "upload a file"))?;
    let mut held = files::parse_file_input(&text).filter(|files| !files.is_empty());
    if let Some(held) = &mut held {
        // A file is read once, however often it is named.
        let mut seen = HashSet::new();
        held.retain(|file| match file {
            FileInput::Stored(name) => seen.insert(name.clone()),
            FileInput::Inline(_) => true,
        });
    }
    held.ok_or_else(|| inputs.input_error(input, "this is no uploaded file"))
}

/// A file whose bytes are here.
pub(crate) struct FileContent<'a> {
    pub label: &'a str,
    /// The name its owner knows it by.
    pub name: &'a str,
    /// What it holds. Nothing of it has been judged.
    pub bytes: &'a [u8],
    pub host: &'a dyn Host,
}

impl FileContent<'_> {
    /// Its pages, sheets, slides or chapters, read in a process of their own.
    ///
    /// # Errors
    /// When it is not of this kind, damaged, or too large.
    pub(crate) fn parts(&self, kind: DocumentKind) -> Result<Vec<DocumentPart>> {
        let read = self.host.documents().read_text(kind, &self.bytes, self.host.cancel());
        read.map_err(|fault| read_error(self.label, self.name, fault))
    }

    /// All of its text.
    ///
    /// # Errors
    /// As [`Self::parts`].
    pub(crate) fn text(&self, kind: DocumentKind) -> Result<String> {
        let parts = self.parts(kind)?;
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        Ok(texts.join("\n\n"))
    }

    /// What is wrong with it.
    #[must_use]
    pub(crate) fn file_error(&self, what: &str) -> Error {
        Error::RunFailed(format!("{}: '{}' was not read: {what}", self.label, self.name))
    }

    /// A document of this file.
    #[must_use]
    pub(crate) fn document(&self, text: impl Into<String>) -> Document {
        document(self.name, text)
    }

    /// A document for each part, with its place under the name `place`, or one document for all of them.
    #[must_use]
    pub(crate) fn pages(&self, parts: Vec<DocumentPart>, place: Option<&str>) -> Vec<Document> {
        let total = parts.len();
        let Some(place) = place else {
            let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
            let mut whole = self.document(texts.join("\n\n"));
            whole.metadata.insert("totalPages".into(), total.into());
            return if whole.page_content.trim().is_empty() { Vec::new() } else { vec![whole] };
        };
        let page = |(at, part): (usize, DocumentPart)| {
            let mut page = self.document(part.text);
            page.metadata.insert("totalPages".into(), total.into());
            page.metadata.insert("loc".into(), json!({ place: at + 1 }));
            page
        };
        let pages = parts.into_iter().enumerate().map(page);
        pages.filter(|page| !page.page_content.trim().is_empty()).collect()
    }
}

/// A document that says where it is from.
#[must_use]
pub(crate) fn document(source: &str, text: impl Into<String>) -> Document {
    Document {
        page_content: text.into(),
        metadata: Map::from_iter([("source".to_owned(), Value::from(source))]),
    }
}

/// A document that was not read, as the failure of its card.
#[must_use]
pub(crate) fn read_error(label: &str, name: &str, fault: DocumentError) -> Error {
    match fault {
        DocumentError::Busy => Error::Unavailable(UnavailableReason::Busy),
        DocumentError::Cancelled(_) => Error::Cancelled,
        other => Error::RunFailed(format!("{label}: '{name}' was not read: {other}")),
    }
}

/// Refuses documents that fill the memory of the service before anybody sees them.
///
/// # Errors
/// When there are too many, naming the card.
pub(crate) fn check_size(label: &str, documents: &[Document]) -> Result<()> {
    if documents.len() <= limits::CHUNKS_MAX {
        return Ok(());
    }
    Err(Error::RunFailed(format!("{label}: there are too many documents")))
}
