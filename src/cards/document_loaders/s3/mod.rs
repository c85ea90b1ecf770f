//! Objects of a bucket of S3, or of a server that speaks as S3 does.

pub(crate) mod directory;
pub(crate) mod file;
mod listing;

use super::files::by_kind::{self, LoaderChoices};
use crate::aws::{encode_component, encode_path};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::FileContent;
use crate::kit::knowledge::pieces::DocumentPiece;
use crate::kit::web::aws::{AwsService, endpoint};
use crate::kit::{Host, Input, Inputs};
use crate::limits;
use crate::llm::{Endpoint, ModelError};
use crate::net::ResponseLimits;
use listing::{ObjectPage, PageBegin};

const BUCKET: Input = Input::text("bucketName", "Bucket");
const SERVER: Input = Input::address("serverUrl", "Server URL")
    .additional()
    .help("The address of a server that speaks as S3 does; else Amazon's own.");

/// The most of one page of a listing: its thousand names have a kilobyte each at most.
const PAGE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A bucket, and how its objects are read.
struct Bucket {
    label: String,
    endpoint: Endpoint,
    name: String,
    /// What stands before the key in a path: the bucket, unless the host names it.
    path: String,
    choices: LoaderChoices,
}

impl Bucket {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let name = inputs.text(BUCKET.name)?.trim().to_owned();
        let named = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
        if !(3..=255).contains(&name.len()) || !name.bytes().all(named) || name.starts_with('.') {
            return Err(inputs.input_error(BUCKET.name, "this must be the name of a bucket and nothing more"));
        }
        let service = AwsService { host: "s3", signing_name: "s3" };
        let mut endpoint = endpoint(inputs, &service, SERVER.name)?.chosen_by_caller();
        endpoint.limits = ResponseLimits { body_bytes: u64::MAX, ..ResponseLimits::default() };
        let mut path = format!("/{name}");
        // Amazon wants the bucket in the host, where it can be one.
        let fits = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if inputs.address(SERVER.name).is_none() && fits {
            endpoint.base = endpoint.base.replacen("https://", &format!("https://{name}."), 1);
            path.clear();
        }
        let chosen = LoaderChoices::from_inputs(inputs, "pdfUsage")?;
        Ok(Self { label: inputs.label.to_owned(), endpoint, name, path, choices: chosen })
    }

    /// The documents of one object, or why it alone was not read.
    ///
    /// # Errors
    /// When the bucket cannot be read any more.
    fn documents(&self, key: &str, host: &dyn Host) -> Result<Result<Vec<Document>>> {
        // Dots are a way through folders to whatever reads addresses.
        if key.split('/').any(|part| matches!(part, "." | "..")) {
            let what = format!("'{key}' is not read: its name has parts that are dots only");
            return Ok(Err(self.card_error(&what)));
        }
        let path = format!("{}/{}", self.path, encode_path(key));
        let bytes = match self.endpoint.fetch(&path, limits::DOCUMENT_BYTES_MAX, host.cancel()) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                let most = limits::DOCUMENT_BYTES_MAX / (1024 * 1024);
                return Ok(Err(self.card_error(&format!("'{key}' is larger than {most} MB"))));
            }
            // It went, or is closed to this key, while the others are there.
            Err(fault @ ModelError::Provider { status: 403 | 404, .. }) => {
                return Ok(Err(fault.at(&self.label)));
            }
            Err(fault) => return Err(fault.at(&self.label)),
        };
        // Errors show no addresses, so only the documents name the bucket.
        let file = FileContent { label: &self.label, name: key, bytes: &bytes, host };
        let mut read = by_kind::documents(&file, &self.choices);
        let source = format!("s3://{}/{key}", self.name);
        for document in read.iter_mut().flatten() {
            document.metadata.insert("source".into(), source.as_str().into());
        }
        Ok(read)
    }

    /// The object as a piece whose place is its name.
    ///
    /// # Errors
    /// As [`Self::documents`].
    fn piece(&self, key: &str, host: &dyn Host) -> Result<DocumentPiece> {
        Error::check_cancelled(host.cancel())?;
        Ok(DocumentPiece::at(key.to_owned(), self.documents(key, host)?))
    }

    /// A page of the names that begin with `prefix`.
    fn page(&self, prefix: &str, begin: &PageBegin, host: &dyn Host) -> Result<ObjectPage> {
        let mut path =
            format!("{}/?list-type=2&max-keys=1000&prefix={}", self.path, encode_component(prefix));
        let (parameter, value) = match begin {
            PageBegin::First => ("", ""),
            PageBegin::Behind(key) => ("&start-after=", key.as_str()),
            PageBegin::Next(token) => ("&continuation-token=", token.as_str()),
        };
        path.push_str(parameter);
        path.push_str(&encode_component(value));
        let bytes = self.bytes(&path, PAGE_BYTES_MAX, host)?.unwrap_or_default();
        let page = std::str::from_utf8(&bytes).ok().and_then(listing::parse);
        page.ok_or_else(|| self.card_error("the server's list of objects could not be read"))
    }

    /// `None` where there are more.
    fn bytes(&self, path: &str, most: usize, host: &dyn Host) -> Result<Option<Vec<u8>>> {
        self.endpoint.fetch(path, most, host.cancel()).map_err(|fault| fault.at(&self.label))
    }

    fn card_error(&self, what: &str) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }
}
