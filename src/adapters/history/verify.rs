//! Proof that a history is sound: every object reachable from `main`, and from what was read elsewhere, is there and is what
//! its id says, every version that the database knows is among them, and the list of versions says what git says.

use super::error::{HistoryError, Result};
use super::repository::{checked_read, object_cache, refs};
use super::{History, catch_panic, commits};
use crate::base::cancel::CancelToken;
use crate::domain::flows::version::Sha;
use gix::ObjectId;
use gix::objs::{Kind, TreeRefIter};
use std::collections::{BTreeMap, HashSet};

/// What `verify` found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Commits reachable from `main`.
    pub commits: usize,
    /// Objects reachable from `main`, commits included.
    pub objects: usize,
    /// Versions below `main`; 0 when there are faults.
    pub versions: usize,
    /// One line for each fault; it names objects by id. Empty for a sound history.
    pub faults: Vec<String>,
}

/// An object on its way past `verify`, for checks of its text.
#[derive(Debug)]
pub enum VerifyItem<'a> {
    /// A commit as git stores it: authors and message.
    Commit(Sha, &'a [u8]),
    /// A file of that commit that no newer commit has, and the path it has there.
    File(Sha, &'a str, &'a [u8]),
}

/// So many lost versions are named one by one.
const LISTED_MAX_COUNT: usize = 20;

impl History {
    /// Reads the whole history and hands every commit and every file to `look` once, until `cancel` is set. What the
    /// database knows of versions must be there. Nothing is written, not even to the list of versions.
    ///
    /// # Errors
    /// When the history is off, the database cannot be read, or it was cancelled. Damage is no error: it is in the answer.
    pub fn verify(&self, cancel: &CancelToken, look: &mut dyn FnMut(VerifyItem<'_>)) -> Result<VerifyReport> {
        self.require_enabled()?;
        let covered = self.index.covered_commit()?;
        let mut report = VerifyReport::default();
        let mut walked = HashSet::new();
        let mut pass_over = |_: VerifyItem<'_>| ();
        match catch_panic(|| self.open_tip()) {
            Ok(None) => {}
            Ok(Some((mut repository, tip))) => {
                repository.objects.set_pack_cache(object_cache::new_cache);
                let mut walk = ObjectWalk {
                    repository: &repository,
                    seen: HashSet::new(),
                    versions: HashSet::new(),
                    report,
                    visit: look,
                    cancel,
                };
                walk.commits(tip);
                walked = std::mem::take(&mut walk.versions);
                if let Some(incoming) = refs::read(&repository, &refs::INCOMING)? {
                    // What was read elsewhere holds no version of this server, and must be whole all the same.
                    let (commits, objects) = (walk.report.commits, walk.report.objects);
                    walk.visit = &mut pass_over;
                    walk.commits(incoming);
                    (walk.report.commits, walk.report.objects) = (commits, objects);
                }
                report = walk.report;
                check_cancelled(cancel)?;
                if report.faults.is_empty() {
                    self.compare_index(&repository, tip, covered, &mut report, cancel)?;
                }
            }
            Err(fault @ HistoryError::Index(_)) => return Err(fault),
            Err(fault) => {
                report.faults.extend(self.repository.faults().into_iter().chain([fault.to_string()]));
            }
        }
        self.report_lost(&walked, &mut report)?;
        Ok(report)
    }

    /// True when the list of versions does not say what git says, and git tells everything in it. A list that names what git has
    /// not is none of these: it is the only trace of what was lost. Nothing is said of a history that cannot be read.
    ///
    /// # Errors
    /// When the history is off, the database cannot be read, or it was cancelled.
    pub fn is_list_wrong(&self, cancel: &CancelToken) -> Result<bool> {
        self.require_enabled()?;
        let covered = self.index.covered_commit()?;
        let compare = || {
            let Some((repository, tip)) = self.open_tip()? else { return Ok(false) };
            let mut report = VerifyReport::default();
            let line = self.compare_index(&repository, tip, covered, &mut report, cancel)?;
            let faults_of_list = report.faults.len();
            self.report_lost(&line.into_iter().collect(), &mut report)?;
            Ok(faults_of_list > 0 && report.faults.len() == faults_of_list)
        };
        match catch_panic(compare) {
            Err(fault @ (HistoryError::Index(_) | HistoryError::Cancelled)) => Err(fault),
            compared => Ok(compared.unwrap_or(false)),
        }
    }

    /// Makes the list of versions anew from git.
    ///
    /// # Errors
    /// When the history is off, or the database or the repository cannot be read.
    pub fn rebuild_list(&self) -> Result<()> {
        self.require_enabled()?;
        let Some((repository, _)) = self.open_tip()? else { return Ok(()) };
        self.index.clear()?;
        self.index.catch_up(&repository)?;
        self.index.flush()
    }

    /// The repository and where `main` is; `None` where nothing was recorded yet.
    fn open_tip(&self) -> Result<Option<(gix::Repository, ObjectId)>> {
        if self.repository.holds_versions() && !self.repository.exists() {
            return Err(HistoryError::Missing);
        }
        let Some(repository) = self.repository.get()? else { return Ok(None) };
        let tip = self.repository.main(&repository)?;
        Ok(tip.map(|tip| (repository, tip)))
    }

    /// Says which versions the database knows that no commit below `main` is.
    fn report_lost(&self, walked: &HashSet<ObjectId>, found: &mut VerifyReport) -> Result<()> {
        if !self.repository.holds_versions() {
            return Ok(());
        }
        let mut lost = BTreeMap::new();
        let mut miss = |sha: Sha, what: String| {
            if !walked.contains(&commits::object_id(&sha)) {
                lost.entry(sha).or_insert(what);
            }
        };
        self.index.for_each(&mut |flow, version| {
            miss(version.sha, format!("version {} of flow {flow}", version.sha));
        })?;
        if let Some(mark) = self.mark() {
            miss(mark.tip, format!("version {}, the newest,", mark.tip));
            for sha in mark.lost {
                miss(sha, format!("version {sha}"));
            }
        }
        let more = lost.len().saturating_sub(LISTED_MAX_COUNT);
        let told = |what| format!("{what} was recorded and is not in the history");
        found.faults.extend(lost.into_values().take(LISTED_MAX_COUNT).map(told));
        if more > 0 {
            found.faults.push(format!("{more} more versions were recorded and are not in the history"));
        }
        Ok(())
    }

    /// Compares the list of versions with git, as far as it goes: what is newer is read when it is needed. What comes back are the
    /// commits of git, the newest first.
    fn compare_index(
        &self,
        repository: &gix::Repository,
        tip: ObjectId,
        covered: Option<ObjectId>,
        report: &mut VerifyReport,
        cancel: &CancelToken,
    ) -> Result<Vec<ObjectId>> {
        let (line, _) = commits::first_parent_line(repository, tip, None, usize::MAX)?;
        let mut is_listed = covered.is_some_and(|covered| line.contains(&covered));
        let mut listed = 0;
        for (number, commit) in (0..).zip(line.iter().rev()) {
            check_cancelled(cancel)?;
            let rows = commits::version_rows(repository, *commit)?;
            report.versions += rows.len();
            if is_listed {
                listed += rows.len();
                let wrong = self.index.count_wrong_rows(number, &rows)?;
                if wrong > 0 {
                    report
                        .faults
                        .push(format!("the list of versions has {wrong} wrong rows for commit {commit}"));
                }
            }
            is_listed &= Some(*commit) != covered;
        }
        let mut count = 0;
        self.index.for_each(&mut |_, _| count += 1)?;
        // What was recorded or read meanwhile is another matter.
        if count > listed && listed > 0 && self.index.covered_commit()? == covered {
            report.faults.push(format!("the list has {count} versions and git {listed}"));
        }
        Ok(line)
    }
}

fn check_cancelled(cancel: &CancelToken) -> Result<()> {
    if cancel.reason().is_some() { Err(HistoryError::Cancelled) } else { Ok(()) }
}

struct ObjectWalk<'a> {
    repository: &'a gix::Repository,
    seen: HashSet<ObjectId>,
    /// The commits that can be read.
    versions: HashSet<ObjectId>,
    report: VerifyReport,
    visit: &'a mut dyn FnMut(VerifyItem<'_>),
    cancel: &'a CancelToken,
}

impl ObjectWalk<'_> {
    fn commits(&mut self, tip: ObjectId) {
        let mut open = vec![tip];
        while let Some(id) = open.pop() {
            if self.cancel.reason().is_some() {
                return;
            }
            if !self.seen.insert(id) {
                continue;
            }
            let Some(bytes) = self.read(id, Kind::Commit) else { continue };
            self.report.commits += 1;
            match (commits::sha(id), commits::read_commit(id, &bytes), tree_and_parents(&bytes)) {
                (Ok(sha), Ok(_), Ok((tree, parents))) => {
                    self.versions.insert(id);
                    (self.visit)(VerifyItem::Commit(sha, &bytes));
                    self.folder(sha, tree, "", 0);
                    open.extend(parents);
                }
                _ => self.add_fault(id, "is no commit that can be read"),
            }
        }
    }

    fn folder(&mut self, sha: Sha, id: ObjectId, path: &str, depth: usize) {
        if !self.seen.insert(id) {
            return;
        }
        if depth > 64 {
            return self.add_fault(id, "lies too deep");
        }
        let Some(bytes) = self.read(id, Kind::Tree) else { return };
        for entry in TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
            // A folder of many files is most of a first commit.
            if self.cancel.reason().is_some() {
                return;
            }
            let Ok(entry) = entry else { return self.add_fault(id, "is no folder that can be read") };
            let path = format!("{path}{}", entry.filename);
            let child = entry.oid.to_owned();
            if entry.mode.is_tree() {
                self.folder(sha, child, &format!("{path}/"), depth + 1);
            } else if !entry.mode.is_commit()
                && self.seen.insert(child)
                && let Some(bytes) = self.read(child, Kind::Blob)
            {
                (self.visit)(VerifyItem::File(sha, &path, &bytes));
            }
        }
    }

    /// Reads an object and computes its id anew.
    fn read(&mut self, id: ObjectId, kind: Kind) -> Option<Vec<u8>> {
        self.report.objects += 1;
        let object = match catch_panic(|| checked_read::any(self.repository, id)) {
            Ok(object) => object,
            Err(fault) => {
                let what = match fault {
                    HistoryError::Object { cause, .. } if cause.is::<gix::Error>() => {
                        "is missing or cannot be read"
                    }
                    _ => "is not what its id says",
                };
                self.add_fault(id, what);
                return None;
            }
        };
        if object.kind != kind {
            self.add_fault(id, "is of another kind than its place says");
            return None;
        }
        Some(object.detach().data)
    }

    fn add_fault(&mut self, id: ObjectId, what: &str) {
        self.report.faults.push(format!("object {id} {what}"));
    }
}

fn tree_and_parents(bytes: &[u8]) -> Result<(ObjectId, Vec<ObjectId>), HistoryError> {
    let commit = gix::objs::CommitRef::from_bytes(bytes, gix::hash::Kind::Sha1)?;
    Ok((commit.tree(), commit.parents().collect()))
}
