//! A bare repository on this machine in place of a host: for tests, which have no network. Its hooks may decline, as those of
//! a host.

use super::discovery::References;
use super::error::{RemoteError, Result};
use super::host::clean_line;
use super::push::{CopyPack, Judge, Update, pack};
use crate::base::cancel::CancelToken;
use crate::durable::{Access, Tree};
use crate::history::error::HistoryError;
use crate::history::pack::plan::plan_copy;
use crate::history::pack::stream;
use crate::history::pack::workshop::Workshop;
use crate::history::repository::refs::{self, MAIN};
use crate::history::{History, commits};
use gix::ObjectId;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Opens it, with nothing of what the user or the system configured.
pub(super) fn open(path: &Path) -> Result<gix::Repository> {
    let config = fs::read_to_string(path.join("config")).unwrap_or_default();
    if config.to_ascii_lowercase().contains("sha256") {
        return Err(RemoteError::ObjectFormat);
    }
    let options = gix::open::Options::isolated().open_path_as_is(true);
    let opened =
        gix::ThreadSafeRepository::open_opts(path, options).map_err(|_| RemoteError::NoRepository)?;
    Ok(opened.to_thread_local())
}

/// Its branches and tags.
pub(super) fn references(repository: &gix::Repository) -> Result<References> {
    let mut references = References::default();
    let platform = repository.references().map_err(HistoryError::from)?;
    for reference in platform.all().map_err(HistoryError::from)?.filter_map(std::result::Result::ok) {
        if let Some(id) = reference.try_id() {
            references.push(&reference.name().as_bstr().to_string(), id.detach());
        }
    }
    Ok(references)
}

/// Copies `tip` and what it leads to into the repository, and moves its `main`; how many versions went over.
pub(super) fn push(
    history: &History,
    repository: &gix::Repository,
    path: &Path,
    tip: ObjectId,
    judge: Judge<'_>,
    cancel: &CancelToken,
) -> Result<usize> {
    let other = open(path)?;
    let update = Update { old: references(&other)?.main()?, new: tip };
    if update.old == Some(tip) {
        return Ok(0);
    }
    let CopyPack { mut pack, versions, .. } = pack(history, repository, update, false, judge, cancel)?;
    let tree = Tree::new(path, Access::Owner);
    let held = refs::lock_main(&tree, &other)?;
    if held.tip != update.old {
        let now = held.tip.unwrap_or(tip);
        let is_ours = history.is_on_main(repository, now)?;
        return Err(if is_ours { RemoteError::Moved } else { RemoteError::Foreign(commits::sha(now)?) });
    }
    install(&tree, &mut pack)?;
    let command = update.command();
    let [old, new, _] = command.splitn(3, ' ').collect::<Vec<_>>()[..] else {
        return Err(RemoteError::Broken);
    };
    run_hook(path, "pre-receive", &[], &format!("{command}\n"))?;
    run_hook(path, "update", &[MAIN, old, new], "")?;
    held.set(tip)?;
    Ok(versions)
}

/// Runs a hook of the repository, if it has one; an error when it declines.
fn run_hook(path: &Path, name: &str, arguments: &[&str], input: &str) -> Result<()> {
    let path = path.canonicalize().map_err(RemoteError::from_disk)?;
    let hook = path.join("hooks").join(name);
    if !hook.exists() {
        return Ok(());
    }
    let run = || {
        let mut child = Command::new(&hook)
            .args(arguments)
            .current_dir(&path)
            .env("GIT_DIR", ".")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A hook need not read what it is told.
            let _unread = stdin.write_all(input.as_bytes());
        }
        child.wait_with_output()
    };
    let output = run().map_err(RemoteError::from_disk)?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Err(RemoteError::Declined(clean_line(&format!("{name} hook declined: {words}"))))
}

/// Puts a pack among the objects of a repository.
fn install(tree: &Tree, pack: &mut File) -> Result<()> {
    let workshop = Workshop::new(tree, "pack")?;
    let mut stream = workshop.create_stream()?;
    io::copy(pack, &mut stream).map_err(RemoteError::from_disk)?;
    let made = workshop.index(&AtomicBool::new(false), None)?.ok_or(RemoteError::Broken)?;
    drop(stream);
    workshop.take_out(&made)?;
    Ok(())
}

/// Writes the pack of what `tip` of another repository leads to and what is known here does not.
pub(super) fn write_pack(
    other: &gix::Repository,
    tip: ObjectId,
    known: Option<ObjectId>,
    out: impl Write,
    cancel: &CancelToken,
) -> Result<()> {
    let keep_on = || cancel.reason().is_none();
    let plan = match plan_copy(other, tip, known, &keep_on)? {
        Some(plan) => plan,
        // It does not follow what is known here, which is found out from the whole of it.
        None => plan_copy(other, tip, None, &keep_on)?.ok_or(RemoteError::Broken)?,
    };
    let mut out = stream::write(other, &plan.objects, &|_| None, out, &mut |_, _| {
        if keep_on() { Ok(()) } else { Err(HistoryError::Cancelled) }
    })?;
    out.flush().map_err(RemoteError::from_disk)
}
