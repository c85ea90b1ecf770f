//! Copying `main` to a host: the one command, the pack behind it, and the host's report.

use super::discovery::{self, Receiver};
use super::error::{RemoteError, Result};
use super::host::{Host, UploadAnswer};
use super::packet::{FLUSH, Packet, PacketReader, push_line};
use super::{CopyItem, FoundSecret, PushResult, Remote, folder};
use crate::base::cancel::CancelToken;
use crate::history::error::HistoryError;
use crate::history::pack::plan::{CopyPlan, PackObject, plan_copy};
use crate::history::pack::stream;
use crate::history::repository::refs::{self, COPIED, MAIN};
use crate::history::repository::{catch_panic, object_cache};
use crate::history::{History, commits};
use gix::ObjectId;
use std::fs::File;
use std::io::{BufWriter, Cursor, Read as _, Seek as _, SeekFrom};
use std::sync::MutexGuard;
use std::sync::TryLockError;
use std::time::Duration;

/// Judges what is about to be copied: the family of the secret that it seems to hold.
pub(super) type Judge<'a> = &'a mut dyn FnMut(CopyItem<'_>) -> Option<&'static str>;

/// How often it is looked whether maintenance is over.
const PACKING_PAUSE: Duration = Duration::from_millis(50);
/// The most bytes of a host's report.
const REPORT_BYTES_MAX: usize = 64 * 1024;

/// `main` moves from `old` to `new`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Update {
    pub(super) old: Option<ObjectId>,
    pub(super) new: ObjectId,
}

impl Update {
    /// The command as hooks and servers read it.
    pub(super) fn command(self) -> String {
        let old = self.old.unwrap_or(ObjectId::null(gix::hash::Kind::Sha1));
        format!("{old} {} {MAIN}", self.new)
    }
}

impl History {
    /// Copies `main` to the `main` of `remote`: what it lacks, as one pack, never forced, with the value that it has now as the
    /// condition. Each version that goes over is handed to `judge` first. Notes the copied tip in `refs/versions/github`.
    ///
    /// # Errors
    /// As [`RemoteError`]; nothing was copied then, or the host did not say that it was.
    pub fn push(&self, remote: &Remote, judge: Judge<'_>, cancel: &CancelToken) -> Result<PushResult> {
        self.require_enabled()?;
        let mut repository = catch_panic(|| self.repository.get_or_create())?;
        repository.objects.set_pack_cache(object_cache::new_cache);
        let copied = refs::read(&repository, &COPIED)?;
        let tip = self.repository.main(&repository)?.ok_or(HistoryError::Missing)?;
        let versions = match remote {
            Remote::Host { outgoing, url, token } => {
                let host = Host { outgoing, url, token, cancel };
                push_to_host(self, &repository, &host, tip, judge).map_err(|fault| host.cleaned(fault))
            }
            Remote::Folder(path) => folder::push(self, &repository, path, tip, judge, cancel),
        };
        if versions.is_err() {
            // What could not be read is looked for anew by the next copy.
            self.repository.close();
        }
        let versions = versions?;
        // Where it was moved or forgotten meanwhile, that counts.
        self.move_note(&repository, &COPIED, copied, tip)?;
        Ok(PushResult { tip: commits::sha(tip)?, versions })
    }

    /// The turn to pack: maintenance neither removes nor makes packs while it is held.
    pub(super) fn lock_packs(&self, cancel: &CancelToken) -> Result<MutexGuard<'_, ()>> {
        loop {
            match self.pack_lock.try_lock() {
                Ok(held) => return Ok(held),
                Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            if !cancel.sleep(PACKING_PAUSE) {
                return Err(RemoteError::Cancelled);
            }
        }
    }
}

fn push_to_host(
    history: &History,
    repository: &gix::Repository,
    host: &Host<'_>,
    tip: ObjectId,
    judge: Judge<'_>,
) -> Result<usize> {
    let receiver = discovery::receiver(host)?;
    let update = Update { old: receiver.references.main()?, new: tip };
    if update.old == Some(tip) {
        return Ok(0);
    }
    let is_thin = !receiver.can("no-thin");
    let CopyPack { pack, length, versions } = pack(history, repository, update, is_thin, judge, host.cancel)?;
    match send(host, &receiver, update, pack, length) {
        Err(RemoteError::Declined(reason)) => Err(explain(history, repository, host, update, reason)?),
        sent => sent.map(|()| versions),
    }
}

/// A pack in a file without a name.
pub(super) struct CopyPack {
    pub(super) pack: File,
    pub(super) length: u64,
    /// How many versions are in it.
    pub(super) versions: usize,
}

/// Packs what is new, all of it judged.
pub(super) fn pack(
    history: &History,
    repository: &gix::Repository,
    update: Update,
    is_thin: bool,
    judge: Judge<'_>,
    cancel: &CancelToken,
) -> Result<CopyPack> {
    let _packing = history.lock_packs(cancel)?;
    let keep_on = || cancel.reason().is_none();
    let plan = catch_panic(|| plan_copy(repository, update.new, update.old, &keep_on))?;
    let Some(plan) = plan else {
        let foreign = update.old.unwrap_or(update.new);
        return Err(RemoteError::Foreign(commits::sha(foreign)?));
    };
    let plan = if is_thin { plan } else { plan.without_bases() };
    let mut found = None;
    let file = BufWriter::new(history.repository.tree.spool().map_err(RemoteError::from_disk)?);
    let mut look = |object: &PackObject, bytes: &[u8]| {
        found = found_secret(&plan, object, bytes, judge)?;
        if found.is_none() && keep_on() { Ok(()) } else { Err(HistoryError::Cancelled) }
    };
    let base = |key| plan.base(key);
    let written = catch_panic(|| stream::write(repository, &plan.objects, &base, file, &mut look));
    if let Some(found) = found {
        return Err(RemoteError::Secret(found));
    }
    let mut pack = written?.into_inner().map_err(|fault| RemoteError::from_disk(fault.into_error()))?;
    let length = pack.stream_position().map_err(RemoteError::from_disk)?;
    pack.seek(SeekFrom::Start(0)).map_err(RemoteError::from_disk)?;
    // The commit that begins a history is no version.
    let versions = plan.commits.len() - usize::from(update.old.is_none());
    Ok(CopyPack { pack, length, versions })
}

fn found_secret(
    plan: &CopyPlan,
    object: &PackObject,
    bytes: &[u8],
    judge: Judge<'_>,
) -> Result<Option<FoundSecret>, HistoryError> {
    let (version, family) = match (object.key, plan.origin(object)) {
        (None, _) => {
            let version = commits::sha(object.id)?;
            (version, judge(CopyItem::Commit(version, bytes)))
        }
        (Some(_), Some((commit, path))) => {
            let version = commits::sha(commit)?;
            (version, judge(CopyItem::File(version, path, bytes)))
        }
        // A folder is names of files, and those are judged with them.
        (Some(_), None) => return Ok(None),
    };
    Ok(family.map(|family| FoundSecret { version, family }))
}

/// Sends command and pack, and reads what became of them.
fn send(host: &Host<'_>, receiver: &Receiver, update: Update, pack: File, length: u64) -> Result<()> {
    let has_bands = receiver.can("side-band-64k");
    let mut capabilities = vec!["report-status", Host::agent()];
    let wanted = ["side-band-64k", "quiet", "object-format=sha1"];
    capabilities.extend(wanted.into_iter().filter(|wanted| receiver.can(wanted)));
    let mut head = Vec::new();
    push_line(&format!("{}\0 {}", update.command(), capabilities.join(" ")), &mut head);
    head.extend_from_slice(FLUSH);
    let whole = head.len() as u64 + length;
    let UploadAnswer { mut answer, is_taken } = host.upload(&mut Cursor::new(head).chain(pack), whole)?;
    let (report, told) = if has_bands {
        let mut report = Vec::new();
        let told = answer.read_bands(&mut |bytes| {
            report.extend_from_slice(bytes);
            if report.len() <= REPORT_BYTES_MAX { Ok(()) } else { Err(RemoteError::Broken) }
        })?;
        (Report::read(&mut PacketReader::new(report.as_slice()))?, told)
    } else {
        (Report::read(&mut answer)?, String::new())
    };
    report.judge(&told)?;
    // The end of a pack is needed to take any of it.
    if is_taken { Ok(()) } else { Err(RemoteError::Broken) }
}

/// What the host says became of a push.
#[derive(Default)]
struct Report {
    unpacked: Option<String>,
    /// Of `main`: why it was not moved, or that it was.
    main: Option<std::result::Result<(), String>>,
}

impl Report {
    fn read<R: std::io::Read>(lines: &mut PacketReader<R>) -> Result<Self> {
        let mut report = Self::default();
        loop {
            let packet = lines.next()?;
            if packet == Packet::Flush {
                return Ok(report);
            }
            let line = packet.text().ok_or(RemoteError::Broken)?;
            if let Some(unpacked) = line.strip_prefix("unpack ") {
                report.unpacked = Some(unpacked.to_owned());
            } else if line.strip_prefix("ok ") == Some(MAIN) {
                report.main = Some(Ok(()));
            } else if let Some(refused) = line.strip_prefix("ng ") {
                let (name, reason) = refused.split_once(' ').unwrap_or((refused, "refused"));
                if name == MAIN {
                    report.main = Some(Err(reason.to_owned()));
                }
            }
        }
    }

    /// `told` is what the host said to people besides: the words of a hook, say.
    fn judge(self, told: &str) -> Result<()> {
        let reason = match (self.main, self.unpacked.as_deref()) {
            (Some(Ok(())), Some("ok")) => return Ok(()),
            (Some(Err(reason)), _) => reason,
            (None, Some(unpacked)) if unpacked != "ok" => unpacked.to_owned(),
            _ => return Err(RemoteError::Broken),
        };
        let told = told.trim();
        Err(RemoteError::Declined(if told.is_empty() { reason } else { format!("{reason}: {told}") }))
    }
}

/// Why the host declined: because `main` is elsewhere by now, or for the reason that it said.
fn explain(
    history: &History,
    repository: &gix::Repository,
    host: &Host<'_>,
    update: Update,
    reason: String,
) -> Result<RemoteError> {
    let now = discovery::giver(host).and_then(|giver| giver.references.main());
    Ok(match now {
        Ok(Some(now)) if Some(now) != update.old => {
            if history.is_on_main(repository, now)? {
                RemoteError::Moved
            } else {
                RemoteError::Foreign(commits::sha(now)?)
            }
        }
        _ => RemoteError::Declined(host.clean(&reason)),
    })
}
