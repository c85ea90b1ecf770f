//! Files that a crash left behind. A deletion removes records first and files after, a question stores its files first
//! and its messages after: a process that ends in between leaves files that nothing leads to.
//!
//! Only what is older than this process is taken for a leftover: whoever wrote it is gone. A folder of such an age may still
//! get new files, as an import brings a flow back under the id it had and stores its files before its record. So what is
//! removed is judged once more while nobody stores, and what was stored before that made it young.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, DocumentStoreId, FlowId, WorkspaceId};
use crate::files::chat_files::ChatFileName;
use crate::store::Order;
use crate::store::queries::executions::{self, ExecutionScope, TimeSpan};
use crate::store::queries::timeline;
use crate::store::tables::{DOCUMENT_STORES, FLOWS};
use jiff::Timestamp;
use std::ops::ControlFlow;

/// How old a file must be to be taken for what a crash left: a question that is being asked has its files before its message
/// (manual 14.2).
pub(crate) const LEFTOVER_AGE_MIN_SECONDS: i64 = 600;
/// Folders that one start looks through for files of a crash (manual 14.2).
const LEFTOVER_FOLDERS_MAX: usize = 50_000;

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SweepReport {
    /// Folders of flows and document stores that are gone.
    pub folders: usize,
    /// Files of conversations that no message and no record of a run names.
    pub files: usize,
}

/// What becomes of what nothing leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Count,
    Remove,
}

/// Removes what nothing leads to and nobody touched since `before`, until `cancel` is set or so many folders were
/// looked at. Where there are more of them, each start begins somewhere else, by chance, so that every folder has its turn
/// at one of the starts.
///
/// # Errors
/// When the disk or the database cannot be read.
pub(crate) fn sweep(app: &App, before: Timestamp, cancel: &CancelToken) -> Result<SweepReport> {
    sweep_within(app, before, cancel, (Sweep::Remove, LEFTOVER_FOLDERS_MAX))
}

/// As [`sweep`], over all there is.
///
/// # Errors
/// As [`sweep`].
pub(crate) fn sweep_all(app: &App, before: Timestamp, cancel: &CancelToken) -> Result<SweepReport> {
    sweep_within(app, before, cancel, (Sweep::Remove, usize::MAX))
}

/// Counts what [`sweep_all`] would remove.
///
/// # Errors
/// As [`sweep`].
pub(crate) fn count(app: &App, before: Timestamp, cancel: &CancelToken) -> Result<SweepReport> {
    sweep_within(app, before, cancel, (Sweep::Count, usize::MAX))
}

fn sweep_within(
    app: &App,
    before: Timestamp,
    cancel: &CancelToken,
    (kind, most): (Sweep, usize),
) -> Result<SweepReport> {
    let (mut swept, mut looked_at) = (SweepReport::default(), 0);
    for workspace in rotate_randomly(app.chat_files.workspaces().map_err(Error::internal)?) {
        for flow in rotate_randomly(app.chat_files.flows(&workspace).map_err(Error::internal)?) {
            if cancel.reason().is_some() || looked_at >= most {
                return Ok(swept);
            }
            looked_at += 1;
            if !is_in_use(app, &workspace, &flow)? {
                let is_leftover = match kind {
                    Sweep::Count => is_old(app, &workspace, &flow, before)?,
                    Sweep::Remove => remove_old(app, &workspace, &flow, before)?,
                };
                swept.folders += usize::from(is_leftover);
                continue;
            }
            for chat in rotate_randomly(app.chat_files.chats(&workspace, &flow).map_err(Error::internal)?) {
                if cancel.reason().is_some() || looked_at >= most {
                    return Ok(swept);
                }
                looked_at += 1;
                for name in unreferenced_files(app, (&workspace, &flow, &chat), before)? {
                    if kind == Sweep::Remove {
                        app.chat_files.remove(&workspace, &flow, &chat, &name);
                    }
                    swept.files += 1;
                }
            }
        }
    }
    Ok(swept)
}

/// All of these, beginning with any of them and going round.
fn rotate_randomly<T>(mut all: Vec<T>) -> Vec<T> {
    if let Some(last) = all.len().checked_sub(1) {
        let (_, chance) = uuid::Uuid::new_v4().as_u64_pair();
        all.rotate_left(usize::try_from(chance >> 8).unwrap_or_default() % (last + 1));
    }
    all
}

/// Removes the folder of something that is gone; false when somebody stored in it meanwhile, or it is there again.
fn remove_old(app: &App, workspace: &WorkspaceId, flow: &FlowId, before: Timestamp) -> Result<bool> {
    let is_old = || is_old(app, workspace, flow, before);
    // Nobody is held up for what is young anyway.
    if !is_old()? {
        return Ok(false);
    }
    app.files.run_exclusive(|| {
        app.chat_files.run_exclusive(|| {
            if !is_old()? || is_in_use(app, workspace, flow)? {
                return Ok(false);
            }
            app.chat_files.remove_flow(workspace, flow);
            app.files.remove_flow(workspace, flow);
            Ok(true)
        })
    })
}

fn is_old(app: &App, workspace: &WorkspaceId, flow: &FlowId, before: Timestamp) -> Result<bool> {
    app.chat_files.is_old(workspace, flow, before).map_err(Error::internal)
}

/// True for a folder of something that is there: document stores have theirs among those of flows.
fn is_in_use(app: &App, workspace: &WorkspaceId, id: &FlowId) -> Result<bool> {
    let store = DocumentStoreId::from_bytes(*id.bytes());
    let is_known = |tx: &_| Ok(FLOWS.has(tx, workspace, id)? || DOCUMENT_STORES.has(tx, workspace, &store)?);
    app.store.read(is_known)
}

/// Old files of a conversation that none of its messages names, wherever in a message that might be, and none of its runs.
fn unreferenced_files(
    app: &App,
    (workspace, flow, chat): (&WorkspaceId, &FlowId, &ChatId),
    before: Timestamp,
) -> Result<Vec<ChatFileName>> {
    let mut names = app.chat_files.list_before(workspace, flow, chat, before).map_err(Error::internal)?;
    if names.is_empty() {
        return Ok(names);
    }
    app.store.read_messages(|tx| {
        let session = chat.to_string();
        let runs = (ExecutionScope::Session(&session), TimeSpan::ALWAYS);
        executions::walk(tx, workspace, runs.0, runs.1, Order::Ascending, |run| {
            // A question that failed has no message, and may be asked again.
            let asked = executions::request(tx, &run.id)?.unwrap_or_default();
            names.retain(|name| {
                asked.files.iter().all(|file| file.file_name.as_deref() != Some(name.as_str()))
            });
            Ok(ControlFlow::Continue(()))
        })?;
        for place in timeline::of_chat(tx, workspace, flow, chat)? {
            let Some(message) = timeline::message_at(tx, workspace, flow, &place)? else { continue };
            let text = serde_json::to_string(&message).map_err(Error::internal)?;
            names.retain(|name| !text.contains(name.as_str()));
        }
        Ok(names.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::caller::Caller;
    use crate::domain::conversations::conversation::{Message, MessageFile};
    use crate::domain::flows::flow_change::FlowChange;
    use crate::domain::ids::MessageId;
    use crate::domain::knowledge::document_store::DocumentStore;
    use crate::domain::predictions::prediction::{ChatType, MessageRole};
    use crate::files::flow_files;
    use crate::ops::flows;
    use crate::store::queries::messages::MessageBatch;
    use jiff::SignedDuration;
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    fn flow(app: &App, caller: &Caller) -> FlowId {
        let change = FlowChange::chatflow("f");
        flows::create(app, caller, &change).unwrap().flow.id
    }

    /// A question that names this file.
    fn say(app: &App, workspace: &WorkspaceId, flow: &FlowId, chat: &ChatId, file: &ChatFileName) {
        let message = Message {
            id: MessageId::random(),
            role: MessageRole::User,
            flow: *flow,
            chat: *chat,
            content: "Look".to_owned(),
            chat_type: ChatType::External,
            session: None,
            session_name: None,
            memory_type: None,
            created: app.clock.now(),
            lead_email: None,
            file_uploads: vec![MessageFile {
                kind: "stored-file".to_owned(),
                name: "a.txt".to_owned(),
                file_name: Some(file.as_str().to_owned()),
                ..MessageFile::default()
            }],
            used_tools: Vec::new(),
            source_documents: Vec::new(),
            usage: None,
            follow_up_prompts: Vec::new(),
            stopped: false,
            execution: None,
            receipt: None,
            agent_reasoning: Vec::new(),
            turns: None,
            action: None,
            team: None,
        };
        app.store.append(MessageBatch::new(workspace, &[message]).unwrap()).unwrap();
    }

    #[test]
    fn what_nothing_leads_to_goes_and_everything_else_stays() {
        let (_folder, app, caller) = App::with_owner();
        let here = caller.workspace;
        let (flow, gone) = (flow(&app, &caller), FlowId::random());
        let (chat, other) = (ChatId::random(), ChatId::random());
        let keep =
            |flow: &FlowId, chat: &ChatId| app.chat_files.store(&here, flow, chat, "txt", b"text").unwrap();
        let named = keep(&flow, &chat);
        say(&app, &here, &flow, &chat, &named);
        let (forgotten, unasked, of_gone) = (keep(&flow, &chat), keep(&flow, &other), keep(&gone, &chat));
        let stored = flow_files::FlowFileName::new_live("a.txt", b"text");
        app.files.put(&here, &gone, &stored, b"text").unwrap();
        app.files.put(&here, &flow, &stored, b"text").unwrap();
        let now = app.clock.now();
        let store = DocumentStore {
            id: DocumentStoreId::random(),
            workspace: here,
            name: "s".to_owned(),
            description: String::new(),
            loaders: Vec::new(),
            chunks: 0,
            characters: 0,
            created: now,
            updated: now,
        };
        app.store.write(|tx| DOCUMENT_STORES.put(tx, &here, &store.id, &store)).unwrap();
        let of_store = FlowId::from_bytes(*store.id.bytes());
        app.files.put(&here, &of_store, &stored, b"text").unwrap();

        let real_now = Timestamp::now();
        let hour = SignedDuration::from_hours(1);
        assert_eq!(sweep(&app, real_now - hour, &CancelToken::new(None)).unwrap(), SweepReport::default());
        let stopped = CancelToken::new(None);
        stopped.cancel(crate::base::cancel::CancelReason::Shutdown);
        assert_eq!(sweep(&app, real_now + hour, &stopped).unwrap(), SweepReport::default());
        for _ in 0..2 {
            let counted = count(&app, real_now + hour, &CancelToken::new(None)).unwrap();
            assert_eq!(counted, SweepReport { folders: 1, files: 2 }, "counting removes nothing");
        }
        let swept = sweep(&app, real_now + hour, &CancelToken::new(None)).unwrap();
        assert_eq!(swept, SweepReport { folders: 1, files: 2 });
        assert_eq!(sweep(&app, real_now + hour, &CancelToken::new(None)).unwrap(), SweepReport::default());

        let is_there = |flow: &FlowId, chat: &ChatId, name| {
            app.chat_files.open(&here, flow, chat, name).unwrap().is_some()
        };
        assert!(is_there(&flow, &chat, &named));
        assert!(!is_there(&flow, &chat, &forgotten) && !is_there(&flow, &other, &unasked));
        assert!(!is_there(&gone, &chat, &of_gone));
        let kept = |flow: &FlowId| app.files.get(&here, flow, &stored, 10).unwrap().is_some();
        assert!(kept(&flow) && kept(&of_store) && !kept(&gone));
    }

    #[test]
    fn every_folder_has_its_turn_although_a_start_looks_at_few() {
        let (_folder, app, caller) = App::with_owner();
        let here = caller.workspace;
        let (flow, gone) = (flow(&app, &caller), FlowId::random());
        for chat in (0..6).map(|_| ChatId::random()) {
            app.chat_files.store(&here, &flow, &chat, "txt", b"text").unwrap();
        }
        app.files.put(&here, &gone, &flow_files::FlowFileName::new_live("a.txt", b"text"), b"text").unwrap();
        let after = Timestamp::now() + SignedDuration::from_hours(1);
        let mut all = SweepReport::default();
        for _ in 0..400 {
            let swept = sweep_within(&app, after, &CancelToken::new(None), (Sweep::Remove, 2)).unwrap();
            assert!(swept.files <= 1 && swept.folders <= 1);
            all = SweepReport { folders: all.folders + swept.folders, files: all.files + swept.files };
        }
        assert_eq!(all, SweepReport { folders: 1, files: 6 });
    }

    /// Sets times back to those of what an earlier process left.
    fn age(paths: &[PathBuf]) {
        let then = SystemTime::now() - Duration::from_secs(7_200);
        paths.iter().for_each(|path| File::open(path).unwrap().set_modified(then).unwrap());
    }

    #[test]
    fn what_is_stored_in_an_old_folder_makes_it_young() {
        let (folder, app, caller) = App::with_owner();
        let (here, gone, chat) = (caller.workspace, FlowId::random(), ChatId::random());
        let outer = folder.path().join("files").join(here.to_string()).join(gone.to_string());
        let folders = [outer.join(chat.to_string()), outer];
        let before = Timestamp::now() - SignedDuration::from_mins(10);
        let swept = || sweep(&app, before, &CancelToken::new(None)).unwrap().folders;
        let keep = || app.chat_files.store(&here, &gone, &chat, "txt", b"text").unwrap();
        keep();
        age(&folders);
        let stored = flow_files::FlowFileName::new_live("a.txt", b"text");
        app.files.put(&here, &gone, &stored, b"text").unwrap();
        assert_eq!(swept(), 0, "a file of the flow");
        age(&[folders[1].join(stored.as_str())]);
        age(&folders);
        keep();
        assert_eq!(
            swept(),
            0,
            "a file of a conversation, which leaves the time of the outer folder as it was"
        );
        age(&folders);
        assert_eq!(swept(), 1);
        assert!(!folders[1].exists());
    }

    #[test]
    fn nothing_is_stored_while_a_folder_goes_and_what_came_before_is_spared() {
        let (folder, app, caller) = App::with_owner();
        let (here, gone, chat) = (caller.workspace, FlowId::random(), ChatId::random());
        let outer = folder.path().join("files").join(here.to_string()).join(gone.to_string());
        std::fs::create_dir_all(&outer).unwrap();
        age(std::slice::from_ref(&outer));
        let before = Timestamp::now() - SignedDuration::from_mins(10);
        let moment = || std::thread::sleep(Duration::from_millis(100));
        let is_empty = || std::fs::read_dir(&outer).unwrap().next().is_none();
        std::thread::scope(|scope| {
            app.files.run_exclusive(|| {
                scope.spawn(|| {
                    app.files.put(
                        &here,
                        &gone,
                        &flow_files::FlowFileName::new_live("a.txt", b"text"),
                        b"text",
                    )
                });
                app.chat_files.run_exclusive(|| {
                    scope.spawn(|| app.chat_files.store(&here, &gone, &chat, "txt", b"text").map(drop));
                    moment();
                    assert!(is_empty(), "both wait");
                });
            });
        });
        assert_eq!(std::fs::read_dir(&outer).unwrap().count(), 2);
        app.files.remove_flow(&here, &gone);

        std::fs::create_dir_all(&outer).unwrap();
        age(std::slice::from_ref(&outer));
        std::thread::scope(|scope| {
            let removed = app.chat_files.run_exclusive(|| {
                let removed = scope.spawn(|| remove_old(&app, &here, &gone, before).unwrap());
                moment();
                // As somebody stores who ran exclusively until now.
                std::fs::write(outer.join("new"), "text").unwrap();
                removed
            });
            assert!(!removed.join().unwrap(), "judged again in its turn");
        });
        assert!(!is_empty());
    }
}
