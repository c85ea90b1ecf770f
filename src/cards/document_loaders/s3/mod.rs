//! Objects of a bucket of S3, or of a server that speaks as S3 does.

pub(in crate::cards) mod directory;
pub(in crate::cards) mod file;
mod listing;

use crate::aws::{encoded, encoded_path};
use crate::cards::kit::aws::{Service, endpoint};
use crate::cards::kit::loading::Opened;
use crate::cards::kit::{Host, Input, Inputs};
use crate::domain::error::{Error, Result};
use crate::domain::prediction::SourceDocument;
use crate::limits;
use crate::llm::Endpoint;
use crate::net::Limits;
use listing::Page;

use super::by_kind::{self, Chosen};

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
    chosen: Chosen,
}

impl Bucket {
    fn of(inputs: &Inputs<'_>) -> Result<Self> {
        let name = inputs.text(BUCKET.name)?.trim().to_owned();
        let named = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
        if !(3..=255).contains(&name.len()) || !name.bytes().all(named) || name.starts_with('.') {
            return Err(inputs.wrong(BUCKET.name, "this must be the name of a bucket and nothing more"));
        }
        let mut endpoint = endpoint(inputs, &Service { host: "s3", signed: "s3" }, SERVER.name)?;
        endpoint.limits = Limits { body_bytes: u64::MAX, ..Limits::default() };
        let mut path = format!("/{name}");
        // Amazon wants the bucket in the host, where it can be one.
        let fits = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if inputs.address(SERVER.name).is_none() && fits {
            endpoint.base = endpoint.base.replacen("https://", &format!("https://{name}."), 1);
            path.clear();
        }
        let chosen = Chosen::of(inputs, "pdfUsage")?;
        Ok(Self { label: inputs.label.to_owned(), endpoint, name, path, chosen })
    }

    /// The documents of one object.
    fn documents(&self, key: &str, host: &dyn Host) -> Result<Vec<SourceDocument>> {
        // Dots are a way through folders to whatever reads addresses.
        if key.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(self.wrong(&format!("'{key}' is not read: its name has parts that are dots only")));
        }
        let path = format!("{}/{}", self.path, encoded_path(key));
        let Some(bytes) = self.bytes(&path, limits::DOCUMENT_BYTES_MAX, host)? else {
            let most = limits::DOCUMENT_BYTES_MAX / (1024 * 1024);
            return Err(self.wrong(&format!("'{key}' is larger than {most} MB")));
        };
        // Errors show no addresses, so only the documents name the bucket.
        let file = Opened { label: &self.label, name: key, bytes: &bytes, host };
        let mut documents = by_kind::documents(&file, &self.chosen)?;
        let source = format!("s3://{}/{key}", self.name);
        for document in &mut documents {
            document.metadata.insert("source".into(), source.as_str().into());
        }
        Ok(documents)
    }

    /// A page of the names that begin with `prefix`.
    fn page(&self, prefix: &str, after: Option<&str>, host: &dyn Host) -> Result<Page> {
        let mut path = format!("{}/?list-type=2&max-keys=1000&prefix={}", self.path, encoded(prefix));
        if let Some(after) = after {
            path.push_str("&continuation-token=");
            path.push_str(&encoded(after));
        }
        let bytes = self.bytes(&path, PAGE_BYTES_MAX, host)?.unwrap_or_default();
        let page = std::str::from_utf8(&bytes).ok().and_then(listing::read);
        page.ok_or_else(|| self.wrong("the server's list of objects could not be read"))
    }

    /// `None` where there are more.
    fn bytes(&self, path: &str, most: usize, host: &dyn Host) -> Result<Option<Vec<u8>>> {
        self.endpoint.fetch(path, most, host.cancel()).map_err(|fault| fault.at(&self.label))
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Failed(format!("{}: {what}", self.label))
    }
}
