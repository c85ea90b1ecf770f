//! Files of conversations (manual 4.1, 4.5).

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId};
use crate::http::api::predictions::prediction::admit_origin;
use crate::http::api::predictions::question::conversation_proofs;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::{self, Guard, RequiredAccess};
use crate::ops::conversations::files::{self, ChatFile, SIGNED_PARAMS};
use crate::ops::predictions;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Map;
use std::fmt::Write as _;
use std::sync::Arc;

/// A file that the caller may have: what [`FILE`] proves.
pub(crate) struct FileGrant {
    flow: Arc<Flow>,
    file: ChatFile,
    label: Option<String>,
}

/// A signed link; or the flow's key and a proof of the conversation, or a person who may see the flow.
pub(crate) const FILE: Guard<FileGrant> =
    Guard { name: "FILE", access: RequiredAccess::Ask, authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<FileGrant> {
    if SIGNED_PARAMS.iter().any(|name| request.query(name).is_some()) {
        let file = files::find_by_link(app, request.query_text())?;
        let flow = predictions::flow(app, &file.flow)?;
        admit_origin(app, request, &flow)?;
        return Ok(FileGrant { flow, file, label: None });
    }
    let id = parse_param(request, "chatflowId", FlowId::parse)?;
    let chat = parse_param(request, "chatId", ChatId::parse)?;
    let label =
        parse_param(request, "fileName", |text| Some(text.to_owned()).filter(|text| !text.is_empty()))?;
    let flow = predictions::flow(app, &id)?;
    admit_origin(app, request, &flow)?;
    let proofs = conversation_proofs(request, None, &mut Map::new());
    match files::check_owner(app, &flow, &chat, request.bearer(), &proofs) {
        Err(refused @ Error::Unauthorized(_)) => {
            let person = guard::signed_in_person(app, request)?;
            person.filter(|person| files::can_see_conversations(person, &flow)).ok_or(refused)?;
        }
        admitted => admitted?,
    }
    let name = files::find_stored_name(app, &flow, &chat, &label)?;
    let label = Some(label).filter(|label| label != name.as_str());
    Ok(FileGrant { flow, file: ChatFile { flow: id, chat, name }, label })
}

fn parse_param<T>(request: &Request, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let wrong = |text: &str| Err(Error::Invalid(format!("'{name}' {text}.")));
    match request.query_all(name)[..] {
        [] => wrong("is required"),
        [text] => parse(text).map_or_else(|| wrong("is not one that this server made"), Ok),
        _ => wrong("must be given once"),
    }
}

/// `GET /get-upload-file`.
///
/// # Errors
/// 404 when the conversation has no such file.
pub(crate) fn read(app: &App, shown: FileGrant, _: &Request) -> Result<Reply> {
    let FileGrant { flow, file, label } = shown;
    let opened = files::open(app, &flow, &file)?;
    // The name holds letters, digits and a dot, so it needs no escape.
    let mut disposition = format!("attachment; filename=\"{}\"", file.name);
    if let Some(label) = label {
        let _ = write!(disposition, "; filename*=UTF-8''{}", utf8_percent_encode(&label, NON_ALPHANUMERIC));
    }
    Ok(Reply::file(opened.file, opened.length, file.name.content_type())
        .with_header("content-disposition", &disposition))
}
