//! Files of conversations on their way out: by a signed link, or to those who own the conversation (manual 4.5).

use crate::app::App;
use crate::base::spooled_file::SpoolWriter;
use crate::domain::accounts::caller::Caller;
pub use crate::domain::conversations::file::{ChatFile, ChatFileName};
pub use crate::domain::conversations::file_link::SIGNED_PARAMS;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::ConversationProof;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions;
use std::fs::File;

/// A file that is open.
#[derive(Debug)]
pub struct FileDownload {
    /// Its bytes.
    pub file: File,
    pub length: u64,
}

/// Moves what came of a file so far out of memory, onto the disk of the conversations' files.
///
/// # Errors
/// [`Error::QuotaExceeded`] when the disk is nearly full.
pub fn spill_to_disk(app: &App, arriving: &mut SpoolWriter) -> Result<()> {
    arriving.spill(|| app.chat_files.spool()).map_err(Error::from)
}

/// A link that opens this file for fifteen minutes, under the address at which its reader finds this service.
#[must_use]
pub fn signed_link(app: &App, file: &ChatFile, base_url: &str) -> String {
    format!("{}{}", base_url.trim_end_matches('/'), app.secrets.links.sign(file, app.clock.now()))
}

/// The file that a query with `expires` or `signature` opens.
///
/// # Errors
/// 401 for everything but a link that is good now.
pub fn find_by_link(app: &App, query: &str) -> Result<ChatFile> {
    app.secrets.links.verify(query, app.clock.now()).ok_or_else(Error::unauthorized)
}

/// Passes who has the flow's key and a proof of the conversation.
///
/// # Errors
/// 401.
pub fn check_owner(
    app: &App,
    flow: &Flow,
    chat: &ChatId,
    bearer: Option<&str>,
    proofs: &[ConversationProof],
) -> Result<()> {
    predictions::admit_key(app, flow, bearer)?;
    let owns = proofs.iter().any(|proof| predictions::verify_proof(app, flow, chat, proof));
    if owns { Ok(()) } else { Err(Error::unauthorized()) }
}

/// True when this person may see the conversations of the flow, whoever had them (manual 3.1 r4).
#[must_use]
pub fn can_see_conversations(caller: &Caller, flow: &Flow) -> bool {
    caller.workspace == flow.workspace
        && access::check_permission(caller, flow.kind, FlowAction::Read).is_ok()
}

/// Messages that are read first, when a file is looked for by the name it was sent with.
const NEWEST: usize = 100;

/// The file of a conversation that is meant by `name`: its own on this server, or the newest that was sent or made under
/// it (manual 4.5 r1).
///
/// # Errors
/// 404 when the conversation has none.
pub fn find_stored_name(app: &App, flow: &Flow, chat: &ChatId, name: &str) -> Result<ChatFileName> {
    if let Some(own) = ChatFileName::parse(name) {
        return Ok(own);
    }
    for newest in [NEWEST, usize::MAX] {
        let messages = app.store.conversation(&flow.workspace, &flow.id, chat, newest)?;
        let files = messages.iter().rev().flat_map(|message| message.file_uploads.iter().rev());
        let mut named = files.filter(|file| file.name == name);
        if let Some(found) = named.find_map(|file| ChatFileName::parse(file.file_name.as_deref()?)) {
            return Ok(found);
        }
        if messages.len() < newest {
            break;
        }
    }
    Err(no_file())
}

fn no_file() -> Error {
    Error::NotFound("This conversation has no file of this name.".to_owned())
}

/// Opens a file.
///
/// # Errors
/// 404 when it is not there.
pub fn open(app: &App, flow: &Flow, file: &ChatFile) -> Result<FileDownload> {
    let found = app.chat_files.open(&flow.workspace, &flow.id, &file.chat, &file.name);
    let file = found?.ok_or_else(no_file)?;
    let length = file.metadata().map_err(Error::internal)?.len();
    Ok(FileDownload { file, length })
}
