//! Reading the `main` of a host. What comes is a stranger's: it is gathered beside the objects, looked through, and taken in
//! only when all of it is a history of this program's that follows what was read before.

use super::check::check;
use super::discovery;
use super::error::{RemoteError, Result};
use super::host::{Host, Service};
use super::packet::{FLUSH, push_line};
use super::scan::{FIRST_LIMITS, LIMITS, Limits, scan};
use super::{Remote, folder};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::flows::version::Sha;
use crate::durable::TempFile;
use crate::history::error::HistoryError;
use crate::history::pack::workshop::Workshop;
use crate::history::repository::refs::{self, INCOMING};
use crate::history::repository::{catch_panic, object_cache};
use crate::history::{History, commits};
use crate::net::ResponseLimits;
use gix::ObjectId;
use std::io::{BufReader, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is looked for at a host.
struct FetchGoal {
    tip: ObjectId,
    /// What was read before.
    old: Option<ObjectId>,
    /// What is here already, and may be there too.
    known: Vec<ObjectId>,
}

impl History {
    /// Reads the `main` of `remote` into `refs/versions/incoming`, and changes nothing else. `None` for an empty repository.
    ///
    /// # Errors
    /// As [`RemoteError`]; what was read before stays as it is then.
    pub fn fetch(&self, remote: &Remote, cancel: &CancelToken) -> Result<Option<Sha>> {
        let limits = if self.incoming()?.is_none() { &FIRST_LIMITS } else { &LIMITS };
        self.fetch_within(remote, limits, cancel)
    }

    /// As [`Self::fetch`], with limits of the caller's choice.
    pub(in crate::history) fn fetch_within(
        &self,
        remote: &Remote,
        limits: &Limits,
        cancel: &CancelToken,
    ) -> Result<Option<Sha>> {
        self.require_enabled()?;
        let within = cancel.child_within(limits.time);
        let fetched = self.fetch_main(remote, limits, &within.token);
        match fetched {
            Err(RemoteError::Cancelled) if within.token.reason() == Some(CancelReason::TimedOut) => {
                Err(RemoteError::Net(crate::net::NetError::TimedOut))
            }
            fetched => fetched,
        }
    }

    fn fetch_main(&self, remote: &Remote, limits: &Limits, cancel: &CancelToken) -> Result<Option<Sha>> {
        let mut repository = catch_panic(|| self.repository.get_or_create())?;
        repository.objects.set_pack_cache(object_cache::new_cache);
        let old = refs::read(&repository, &INCOMING)?;
        let known = [old, self.repository.main(&repository)?].into_iter().flatten().collect();
        let goal = |tip| FetchGoal { tip, old, known };
        let tip = match remote {
            Remote::Host { outgoing, url, token } => {
                let host = Host { outgoing, url, token, cancel };
                let fetched = || {
                    let giver = discovery::giver(&host)?;
                    let version = giver.version.ok_or(RemoteError::Outdated)?;
                    let Some(tip) = giver.references.main()? else { return Ok(None) };
                    self.take_in(&repository, goal(tip), limits, cancel, &mut |goal, out| {
                        receive(&host, version, goal, limits, out)
                    })?;
                    Ok(Some(tip))
                };
                fetched().map_err(|fault| host.cleaned(fault))?
            }
            Remote::Folder(path) => {
                let other = folder::open(path)?;
                match folder::references(&other)?.main()? {
                    Some(tip) => {
                        self.take_in(&repository, goal(tip), limits, cancel, &mut |goal, out| {
                            folder::write_pack(&other, goal.tip, goal.old, out, cancel)
                        })?;
                        Some(tip)
                    }
                    None => None,
                }
            }
        };
        match tip {
            Some(tip) => Ok(Some(commits::sha(tip)?)),
            None if old.is_some() => Err(RemoteError::Refused("it is gone, and was there before")),
            None => Ok(None),
        }
    }

    /// Takes in what is new, which `receive` gathers, and moves the reference to it.
    fn take_in(
        &self,
        repository: &gix::Repository,
        goal: FetchGoal,
        limits: &Limits,
        cancel: &CancelToken,
        receive: &mut dyn FnMut(&FetchGoal, &mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let FetchGoal { tip, old, .. } = goal;
        if old != Some(tip) {
            if repository.has_object(tip) {
                catch_panic_of_checks(|| check(None, repository, tip, old, limits, cancel))?;
            } else {
                self.take_pack(repository, &goal, limits, cancel, receive)?;
            }
        }
        if self.move_note(repository, &INCOMING, old, tip)? { Ok(()) } else { Err(HistoryError::Busy.into()) }
    }

    fn take_pack(
        &self,
        repository: &gix::Repository,
        goal: &FetchGoal,
        limits: &Limits,
        cancel: &CancelToken,
        receive: &mut dyn FnMut(&FetchGoal, &mut dyn Write) -> Result<()>,
    ) -> Result<()> {
        let tree = &self.repository.tree;
        let workshop = Workshop::new(tree, "incoming")?;
        let mut stream =
            BoundedFile { file: BufWriter::new(workshop.create_stream()?), left: limits.pack_bytes };
        let received = receive(goal, &mut stream);
        if stream.left == 0 {
            return Err(RemoteError::Refused("its new objects are too large to be sent"));
        }
        received?;
        let stream = stream.file.into_inner().map_err(|fault| RemoteError::from_disk(fault.into_error()))?;
        let file = workshop.read_stream()?;
        let length = file.metadata().map_err(RemoteError::from_disk)?.len();
        scan(&mut BufReader::new(file), length, limits, &|| cancel.reason().is_none())?;
        // From here on the objects that are known already must stay where they are.
        let _packing = self.lock_packs(cancel)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let _hook = cancel.on_cancel(move || flag.store(true, Ordering::SeqCst));
        let object_bytes = usize::try_from(limits.object_bytes).unwrap_or(usize::MAX);
        let made =
            catch_panic(|| workshop.index(&stop, Some(object_bytes))).map_err(|fault| match fault {
                HistoryError::Disk(fault) => RemoteError::from_disk(fault),
                _ if cancel.reason().is_some() => RemoteError::Cancelled,
                // The library's words for what does not fit together.
                _ => RemoteError::Broken,
            })?;
        let made = made.ok_or(RemoteError::Broken)?;
        catch_panic_of_checks(|| {
            check(Some((&workshop, &made)), repository, goal.tip, goal.old, limits, cancel)
        })?;
        drop::<TempFile>(stream);
        workshop.take_out(&made)?;
        self.repository.close();
        Ok(())
    }
}

/// A panic of the library over what a stranger sent is a damaged answer.
fn catch_panic_of_checks(checks: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut outcome = Ok(());
    let ended = catch_panic(|| {
        outcome = checks();
        Ok(())
    });
    if ended.is_err() { Err(RemoteError::Broken) } else { outcome }
}

/// Where a pack is gathered, up to its limit: what is left is zero when there was more.
struct BoundedFile {
    file: BufWriter<TempFile>,
    left: u64,
}

impl Write for BoundedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.left = self.left.saturating_sub(bytes.len() as u64);
        if self.left == 0 {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Asks the host for what is new.
fn receive(
    host: &Host<'_>,
    version: discovery::Version2,
    goal: &FetchGoal,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<()> {
    let mut request = Vec::new();
    version.push_command("fetch", &mut request);
    push_line("ofs-delta\n", &mut request);
    push_line("no-progress\n", &mut request);
    push_line(&format!("want {}\n", goal.tip), &mut request);
    for known in &goal.known {
        push_line(&format!("have {known}\n"), &mut request);
    }
    push_line("done\n", &mut request);
    request.extend_from_slice(FLUSH);
    // What frames the pack is a small part of it.
    let body_bytes = limits.pack_bytes + limits.pack_bytes / 16 + 1024 * 1024;
    let mut answer =
        host.ask(Service::UploadPack, &request, ResponseLimits { body_bytes, ..Host::limits() })?;
    if answer.next()?.text() != Some("packfile") {
        return Err(RemoteError::Broken);
    }
    answer.read_bands(&mut |bytes| out.write_all(bytes).map_err(RemoteError::from_disk))?;
    answer.into_inner().finish();
    Ok(())
}
