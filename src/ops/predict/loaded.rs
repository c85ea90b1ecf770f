//! Files of a form that go to document loaders: those the flow's chat does not take, where the owner listed the loader's
//! files among the settings a request may change (manual 4.1 r4).

use super::media;
use super::offer::Offer;
use super::uploads;
use crate::canvas::files::InlineFile;
use crate::documents::Kind;
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowSettings;
use crate::domain::prediction::{SentFile, SentUpload};
use crate::engine::{Allowed, Overrides, Plan, takes_file};

/// What goes to loaders, and what the chat is asked to take.
///
/// # Errors
/// 400 for a file that is not what its name says.
pub(super) fn divide(
    plan: &Plan,
    settings: &FlowSettings,
    offer: &Offer,
    sent: Vec<SentUpload>,
) -> Result<(Vec<InlineFile>, Vec<SentUpload>)> {
    let allowed = Allowed::of(settings);
    let (mut loaded, mut rest) = (Vec::new(), Vec::new());
    for upload in sent {
        match upload {
            SentUpload::File(file)
                if !offer.is_for(&file) && takes_file(plan, &allowed, &uploads::label(&file.name)) =>
            {
                loaded.push(opened(file)?);
            }
            other => rest.push(other),
        }
    }
    Ok((loaded, rest))
}

/// All of the files, for loaders.
///
/// # Errors
/// 403 when no loader takes files of a request; 400 for a type that none takes, and for a file that is not what its name says.
pub(in crate::ops) fn all(
    plan: &Plan,
    settings: &FlowSettings,
    sent: Vec<SentFile>,
) -> Result<Vec<InlineFile>> {
    let allowed = Allowed::of(settings);
    let mut loaded = Vec::new();
    for file in sent {
        if !takes_file(plan, &allowed, &uploads::label(&file.name)) {
            return Err(Error::Forbidden(format!(
                "'{}': no document loader of this flow takes such a file from a request.",
                uploads::label(&file.name)
            )));
        }
        loaded.push(opened(file)?);
    }
    Ok(loaded)
}

/// Gives the files to the loaders that take them.
///
/// # Errors
/// 400 when they are too large for as many loaders as take them.
pub(in crate::ops) fn give(
    overrides: &mut Overrides,
    plan: &Plan,
    settings: &FlowSettings,
    files: &[InlineFile],
) -> Result<()> {
    let given = overrides.take_files(plan, &Allowed::of(settings), files);
    given.map_err(|_| Error::invalid("The files are too large for all the document loaders that take them."))
}

fn opened(file: SentFile) -> Result<InlineFile> {
    let name = uploads::label(&file.name);
    match Kind::of(&name, &file.content) {
        Ok(_) | Err(crate::documents::DocumentError::UnknownKind) => {}
        Err(fault) => return Err(uploads::unread(&name, fault)),
    }
    Ok(InlineFile { name, bytes: file.content.bytes().map_err(Error::internal)? })
}

impl Offer {
    /// True when the chat takes files that are declared as this one is.
    fn is_for(&self, file: &SentFile) -> bool {
        let (mime, extension) = (media::declared(file.mime.as_deref()), media::extension(&file.name));
        let family = media::family(mime.as_deref(), &extension);
        let row = media::row(mime.as_deref(), &extension).filter(|row| row.family == family);
        self.admit(family).is_ok() && row.is_some_and(|row| self.takes(row))
    }
}
