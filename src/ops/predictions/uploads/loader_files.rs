//! Files of a form that go to document loaders: those the flow's chat does not take, where the owner listed the loader's
//! files among the settings a request may change (manual 4.1 r4).

use super::check;
use super::media;
use super::policy::UploadPolicy;
use crate::canvas::files::InlineFile;
use crate::documents::DocumentKind;
use crate::domain::error::{Error, Result};
use crate::domain::flows::settings::FlowSettings;
use crate::domain::predictions::prediction::{Upload, UploadFile};
use crate::engine::{Overrides, Plan, takes_file};

/// What goes to loaders, and what the chat is asked to take.
///
/// # Errors
/// 400 for a file that is not what its name says.
pub(in crate::ops::predictions) fn split_loader_files(
    plan: &Plan,
    settings: &FlowSettings,
    offer: &UploadPolicy,
    sent: Vec<Upload>,
) -> Result<(Vec<InlineFile>, Vec<Upload>)> {
    let allowed = &settings.api_config.overrides;
    let (mut loaded, mut rest) = (Vec::new(), Vec::new());
    for upload in sent {
        match upload {
            Upload::File(file)
                if !offer.accepts_file(&file)
                    && takes_file(plan, allowed, &check::clean_name(&file.name)) =>
            {
                loaded.push(to_inline_file(file)?);
            }
            other => rest.push(other),
        }
    }
    Ok((loaded, rest))
}

/// All of the files, for loaders.
///
/// # Errors
/// 403 when no loader takes files of a request; 400 for a type that none takes, and for a file that is not what its name
/// says.
pub(in crate::ops) fn require_loader_files(
    plan: &Plan,
    settings: &FlowSettings,
    sent: Vec<UploadFile>,
) -> Result<Vec<InlineFile>> {
    let allowed = &settings.api_config.overrides;
    let mut loaded = Vec::new();
    for file in sent {
        if !takes_file(plan, allowed, &check::clean_name(&file.name)) {
            return Err(Error::Forbidden(format!(
                "'{}': no document loader of this flow takes such a file from a request.",
                check::clean_name(&file.name)
            )));
        }
        loaded.push(to_inline_file(file)?);
    }
    Ok(loaded)
}

/// Gives the files to the loaders that take them.
///
/// # Errors
/// 400 when they are too large for as many loaders as take them.
pub(in crate::ops) fn pass_to_loaders(
    overrides: &mut Overrides,
    plan: &Plan,
    settings: &FlowSettings,
    files: &[InlineFile],
) -> Result<()> {
    let given = overrides.take_files(plan, &settings.api_config.overrides, files);
    given.map_err(|_| Error::invalid("The files are too large for all the document loaders that take them."))
}

fn to_inline_file(file: UploadFile) -> Result<InlineFile> {
    let name = check::clean_name(&file.name);
    match DocumentKind::detect(&name, &file.content) {
        Ok(_) | Err(crate::documents::DocumentError::UnknownKind) => {}
        Err(fault) => return Err(check::read_error(&name, fault)),
    }
    Ok(InlineFile { name, bytes: file.content.read_all().map_err(Error::internal)? })
}

impl UploadPolicy {
    /// True when the chat takes files that are declared as this one is.
    fn accepts_file(&self, file: &UploadFile) -> bool {
        let (mime, extension) = (media::declared_type(file.mime.as_deref()), media::extension(&file.name));
        let family = media::kind_of(mime.as_deref(), &extension);
        let row = media::find(mime.as_deref(), &extension).filter(|row| row.kind == family);
        self.check_kind(family).is_ok() && row.is_some_and(|row| self.accepts(row))
    }
}
