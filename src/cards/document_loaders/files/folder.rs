//! Folder with Files: the files of a folder of the server, as far as its operator lets flows read it.

use super::by_kind::{self, LoaderChoices, POINTER};
use super::pdf_file::USAGES;
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::server_folder::{FolderError, FolderQuery};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, DocumentSource, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, check_size, loader,
};
use crate::kit::knowledge::pieces::{DocumentPiece, PieceVisitor};
use crate::kit::{Capability, Card, Category, Factory, Grant, Host, Input, Need, Risk, WorkspaceFiles};
use crate::limits;

pub(crate) const CARD: Card = Card {
    name: "folderFiles",
    label: "Folder with Files",
    version: 4.0,
    category: Category::DocumentLoaders,
    description: "The files of a folder of the server. Only folders that its operator listed can be read.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::text("folderPath", "Folder Path")
            .help("From the root, in a folder that SERVICE_DOCUMENT_FOLDERS lists: /srv/handbook"),
        Input::switch("recursive", "Recursive").optional().help("Reads folders within the folder too."),
        Input::choice("pdfUsage", "Pdf Usage", USAGES).or("perPage").additional(),
        POINTER,
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let folder = FolderSource {
            label: inputs.label.to_owned(),
            files: inputs.want(),
            path: inputs.text("folderPath")?.trim().to_owned(),
            recursive: inputs.switch("recursive"),
            choices: LoaderChoices::from_inputs(inputs, "pdfUsage")?,
        };
        loader(inputs, folder)
    }),
};

/// Files of a folder that passes a file at a time (manual 14.8).
const STREAMED_FILES_MAX: usize = 100_000;

struct FolderSource {
    label: String,
    files: Option<Grant<dyn WorkspaceFiles>>,
    path: String,
    recursive: bool,
    choices: LoaderChoices,
}

impl FolderSource {
    /// Hands over each file as a piece whose place is its path; beginning with the file `from`.
    fn each_file(
        &self,
        (from, files_max): (Option<&str>, usize),
        host: &dyn Host,
        each: PieceVisitor<'_>,
    ) -> Result<()> {
        let wanted = FolderQuery {
            path: &self.path,
            recursive: self.recursive,
            from,
            is_read: &by_kind::is_known,
            files_max,
            bytes_max: limits::DOCUMENT_BYTES_MAX,
        };
        let files = self.files.ok_or_else(|| self.read_error(FolderError::NotListed, files_max))?;
        let read = files.of(host)?.folder(&wanted, &mut |name, bytes| {
            Error::check_cancelled(host.cancel())?;
            let read = bytes.map_err(|fault| self.read_error(fault, files_max)).and_then(|bytes| {
                let file = FileContent { label: &self.label, name, bytes: &bytes, host };
                by_kind::documents(&file, &self.choices)
            });
            each(DocumentPiece::at(name.to_owned(), read))
        });
        read.map_err(|fault| self.read_error(fault, files_max))
    }

    fn card_error(&self, what: &str) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }

    fn read_error(&self, fault: FolderError, files_max: usize) -> Error {
        match fault {
            FolderError::NotListed => self.card_error(
                "the folder cannot be read: name one from the root, without links, in a folder that the operator of this server listed in SERVICE_DOCUMENT_FOLDERS",
            ),
            FolderError::OwnData => self.card_error("the folder holds the server's own data and is not read"),
            FolderError::TooManyFiles => self.card_error(&format!(
                "the folder holds too much: at most {files_max} files are read, 32 folders deep"
            )),
            FolderError::TooLarge(name) => self.card_error(&format!(
                "'{name}' is larger than {} MB",
                limits::DOCUMENT_BYTES_MAX / (1024 * 1024)
            )),
            FolderError::Io(cause) => {
                tracing::warn!(
                    target: "flowkeep::cards::document_loaders::files::folder",
                    %cause,
                    "a folder of documents was not read"
                );
                self.card_error("the system does not let the server read the folder")
            }
            FolderError::Stopped(error) => error,
        }
    }
}

impl DocumentSource for FolderSource {
    fn read(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let (mut documents, mut room) = (Vec::new(), limits::CHUNKS_BYTES_MAX);
        self.each_file((None, limits::PAGES_MAX), host, &mut |piece| {
            let read = piece.documents?;
            let size = read.iter().map(|document| document.page_content.len()).sum();
            room = room.checked_sub(size).ok_or_else(|| self.card_error("the files hold too much text"))?;
            documents.extend(read);
            check_size(&self.label, &documents)
        })?;
        Ok(documents)
    }

    fn stream(&self, from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        self.each_file((from, STREAMED_FILES_MAX), host, each)
    }
}
