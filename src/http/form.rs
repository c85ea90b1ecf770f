//! Forms with files (`multipart/form-data`), parsed from a body that is in memory already (security rules 2).

use super::request::Request;
use crate::domain::error::{Error, Result};
use crate::domain::prediction::Upload;
use crate::limits::{FORM_BYTES_MAX, FORM_FIELD_BYTES_MAX, FORM_PARTS_MAX, UPLOADS_MAX};
use crate::ops::predict::uploads;
use bytes::Bytes;
use multer::{Field, Multipart};
use std::convert::Infallible;

/// The name of the parts that are files.
const FILES: &str = "files";

/// A form: its fields, in order, and its files.
#[derive(Debug, Default)]
pub struct Form {
    /// Name and value of each field that is no file.
    pub fields: Vec<(String, String)>,
    files: Vec<FormFile>,
}

/// A file of a form, as it was declared.
#[derive(Debug)]
struct FormFile {
    name: Option<String>,
    mime: Option<String>,
    bytes: Bytes,
}

impl Form {
    /// Reads the form of a request.
    ///
    /// # Errors
    /// 400 for a body that is no form, or has too many parts, too large ones, or files under another name.
    pub fn read(request: &Request) -> Result<Self> {
        let kind = request.header("content-type").unwrap_or_default();
        let boundary = multer::parse_boundary(kind)
            .map_err(|_| Error::invalid("Send the files as multipart/form-data, with its boundary."))?;
        if request.body().len() > FORM_BYTES_MAX {
            let most = FORM_BYTES_MAX / (1024 * 1024);
            return Err(Error::Invalid(format!("A form may have at most {most} MB.")));
        }
        let body = request.body().clone();
        // Handlers run on threads of their own, where waiting is allowed; the body is there, so nothing waits.
        let parts =
            parse(Multipart::new(futures_util::stream::once(async { Ok::<_, Infallible>(body) }), boundary));
        tokio::runtime::Handle::current().block_on(parts)
    }

    /// The files, each judged by its name, its declared type and its first bytes.
    ///
    /// # Errors
    /// 400 saying what does not fit.
    pub fn uploads(&self) -> Result<Vec<Upload>> {
        let read = |file: &FormFile| {
            uploads::read_file(file.name.as_deref(), file.mime.as_deref(), file.bytes.to_vec())
        };
        self.files.iter().map(read).collect()
    }
}

async fn parse(mut parts: Multipart<'_>) -> Result<Form> {
    let mut form = Form::default();
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        count += 1;
        if count > FORM_PARTS_MAX {
            return Err(Error::Invalid(format!("A form may have at most {FORM_PARTS_MAX} parts.")));
        }
        take(&mut form, part).await?;
    }
    Ok(form)
}

async fn take(form: &mut Form, part: Field<'_>) -> Result<()> {
    let name = part.name().unwrap_or_default().to_owned();
    let file_name = part.file_name().map(str::to_owned);
    if file_name.is_some() || name == FILES {
        if name != FILES {
            return Err(Error::invalid("Files are taken under the name 'files' only."));
        }
        if form.files.len() == UPLOADS_MAX {
            return Err(Error::Invalid(format!("A question can carry at most {UPLOADS_MAX} files.")));
        }
        let mime = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(broken)?;
        form.files.push(FormFile { name: file_name, mime, bytes });
        return Ok(());
    }
    let bytes = part.bytes().await.map_err(broken)?;
    if bytes.len() > FORM_FIELD_BYTES_MAX {
        return Err(Error::Invalid(format!(
            "A field of a form may have at most {FORM_FIELD_BYTES_MAX} bytes."
        )));
    }
    let text = String::from_utf8(bytes.into())
        .map_err(|_| Error::invalid("A field of the form is not UTF-8 text."))?;
    form.fields.push((name, text));
    Ok(())
}

fn broken(_: multer::Error) -> Error {
    Error::invalid("The form is damaged: its parts cannot be read.")
}
