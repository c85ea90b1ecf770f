//! Text of documents ahead of a question (manual 4.3).

use super::prediction::{admit_to_flow, without_hosts_for_stranger};
use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::rate_limit::WindowState;
use crate::domain::predictions::prediction::UploadFile;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::ops::predictions;
use crate::wire::form::read_fields;
use crate::wire::predictions::attachments::{AttachmentForm, AttachmentView};
use std::sync::Arc;

/// Files for a flow that admits their sender: what [`ATTACH`] proves.
pub(crate) struct AttachmentGrant {
    flow: Arc<Flow>,
    files: Vec<UploadFile>,
    whole: bool,
    window: Option<WindowState>,
}

/// The gate of a flow, as for a question. No conversation needs proof: nothing is stored (manual 4.3).
pub(crate) const ATTACH: Guard<AttachmentGrant> =
    Guard { name: "ATTACH", access: RequiredAccess::Ask, authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<AttachmentGrant> {
    let form = request.take_form().unwrap_or_default();
    let fields: AttachmentForm = read_fields(form.fields)?;
    let whole = match fields.base64.as_deref() {
        None | Some("" | "false") => false,
        Some("true") => true,
        Some(_) => return Err(Error::invalid("'base64' must be 'true' or 'false'.")),
    };
    let (flow, window) = admit_to_flow(app, request, request.param("flow"))?;
    Ok(AttachmentGrant { flow, files: form.files, whole, window })
}

/// `POST /attachments/:flow/:chat`.
///
/// # Errors
/// 403 when the flow's chat takes no documents, 400 for what is no document.
pub(crate) fn extract(app: &App, attached: AttachmentGrant, request: &Request) -> Result<Reply> {
    let AttachmentGrant { flow, files, whole, window } = attached;
    if files.is_empty() {
        return Err(Error::invalid("Send at least one file in a part named 'files'."));
    }
    let public_error = |fault| without_hosts_for_stranger(app, &flow.id, fault);
    let reply = if whole {
        let (file, length) = predictions::encode_files(app, &flow, files).map_err(public_error)?;
        Reply::file(file, length, "application/json; charset=utf-8")
    } else {
        let read = predictions::extract_texts(app, &flow, files, request.cancel()).map_err(public_error)?;
        Reply::json(&read.into_iter().map(AttachmentView::from).collect::<Vec<_>>())?
    };
    Ok(match window {
        Some(window) => reply.with_rate(&window, app.clock.now()),
        None => reply,
    })
}
