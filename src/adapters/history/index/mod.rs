//! The cache flow -> versions. It says which commit it covers, so only what is newer is walked, and it can be
//! thrown away at any time: git tells everything in it.
//!
//! | key | value |
//! |---|---|
//! | `s` | the stamp: form, commit covered, number of the next commit |
//! | `v` flow number | the version, as JSON |
//! | `p` flow commit | number |
//! | `i` intent | flow, number |
//! | `l` flow | number of the last Publish or Roll back |
//!
//! New rows wait in memory and go to the store with what is written there next for the version, or together: a version is
//! not worth a database commit of its own, since the history itself is on disk.

pub(super) mod store;

use self::store::{IndexRow, IndexStore};
use super::commits::{self, VersionRow};
use super::error::{HistoryError, Result};
use super::message::CommitSummary;
use super::repository::origin;
use super::repository::refs::{self, ReferenceName};
use crate::domain::error::Result as DomainResult;
use crate::domain::flows::version::{Sha, ShaPrefix, Version};
use crate::domain::ids::FlowId;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use uuid::Uuid;

/// The form of the rows. Another one in the store makes the index be built anew.
const FORM: u8 = 2;
/// Commits that are read between two writes to the store.
const BATCH_COMMITS: usize = 2_000;
/// Rows that may wait in memory.
const PENDING_MAX_ROWS: usize = 4_000;
const STAMP: &[u8] = b"s";

/// The versions of every flow on the line below one reference.
pub(super) struct VersionCache {
    reference: &'static ReferenceName,
    store: Box<dyn IndexStore>,
    state: RwLock<CacheState>,
    walk_lock: Mutex<()>,
    /// Held while rows go to the store.
    store_lock: Mutex<()>,
}

#[derive(Default)]
struct CacheState {
    /// False until the stamp was read from the store.
    loaded: bool,
    covers: Option<Stamp>,
    /// Rows that are not in the store yet; they stand before those that are.
    pending: BTreeMap<Vec<u8>, Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    commit: ObjectId,
    next: u64,
}

impl Stamp {
    fn bytes(&self) -> Vec<u8> {
        [&[FORM], self.commit.as_slice(), &self.next.to_be_bytes()].concat()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first()?;
        let (commit, next) = rest.split_at_checked(20)?;
        let next = u64::from_be_bytes(next.try_into().ok()?);
        (*form == FORM).then(|| Self { commit: ObjectId::from_bytes_or_panic(commit), next })
    }
}

impl VersionCache {
    /// Of the versions on `main`.
    pub(super) fn new(store: Box<dyn IndexStore>) -> Self {
        Self::of(&refs::BRANCH, store)
    }

    /// Of the versions below another reference.
    pub(super) fn of(reference: &'static ReferenceName, store: Box<dyn IndexStore>) -> Self {
        Self {
            reference,
            store,
            state: RwLock::default(),
            walk_lock: Mutex::default(),
            store_lock: Mutex::default(),
        }
    }

    /// Adds the version that was just recorded on top of `parent`. When the index does not cover `parent`,
    /// the next reader walks.
    pub(super) fn append_version(
        &self,
        parent: ObjectId,
        commit: ObjectId,
        flow: FlowId,
        summary: &CommitSummary,
    ) {
        let added = self.load_stamp().and_then(|covers| match covers {
            Some(stamp) if stamp.commit == parent => {
                self.add_rows(covers, &[(commit, vec![(flow, summary.clone())])]).map(drop)
            }
            _ => Ok(()),
        });
        if let Err(fault) = added.and_then(|()| self.flush_when_many()) {
            tracing::warn!(
                target: "flowkeep::history::index",
                error = %fault,
                "the list of versions could not be brought up to date"
            );
        }
    }

    /// Brings the index up to where its reference is.
    pub(super) fn catch_up(&self, repository: &gix::Repository) -> Result<()> {
        // The stamp first: what the reference is read as afterwards then lies on it, not before it.
        let covers = self.load_stamp()?;
        let tip = refs::read(repository, self.reference)?;
        if tip == covers.map(|stamp| stamp.commit) {
            return Ok(());
        }
        let _walking = lock(&self.walk_lock);
        loop {
            let covers = self.load_stamp()?;
            let Some(tip) = refs::read(repository, self.reference)? else { return self.reset(None) };
            if covers.is_some_and(|stamp| stamp.commit == tip) {
                return Ok(());
            }
            let end = covers.map(|stamp| stamp.commit);
            let (mut line, met) = commits::first_parent_line(repository, tip, end, usize::MAX)?;
            line.reverse();
            if covers.is_some() && met {
                self.add_commits(repository, &line, covers)?;
                continue;
            }
            if !line.first().map_or(Ok(true), |first| origin::is_our_first_commit(repository, *first))? {
                return Err(HistoryError::Foreign);
            }
            if covers.is_some() {
                tracing::info!(
                    target: "flowkeep::history::index",
                    "the version history was rewritten; its list of versions is made anew"
                );
            }
            self.reset(covers)?;
            self.add_commits(repository, &line, None)?;
        }
    }

    /// Adds commits, oldest first. Ends early when a version was recorded in between.
    fn add_commits(
        &self,
        repository: &gix::Repository,
        line: &[ObjectId],
        seen: Option<Stamp>,
    ) -> Result<()> {
        let mut seen = seen;
        for chunk in line.chunks(BATCH_COMMITS) {
            let mut read = Vec::with_capacity(chunk.len());
            for commit in chunk {
                read.push((*commit, commits::version_rows(repository, *commit)?));
            }
            let Some(stamp) = self.add_rows(seen, &read)? else { return Ok(()) };
            seen = Some(stamp);
            self.flush_when_many()?;
        }
        Ok(())
    }

    /// Adds the rows of the commits that follow `seen`, if that is what the index still covers; the new stamp.
    fn add_rows(&self, seen: Option<Stamp>, read: &[(ObjectId, Vec<VersionRow>)]) -> Result<Option<Stamp>> {
        let mut stamp = seen;
        let mut rows = Vec::new();
        for (commit, versions) in read {
            let number = stamp.map_or(0, |stamp| stamp.next);
            for (flow, told) in versions {
                push_rows(&mut rows, number, flow, told)?;
            }
            stamp = Some(Stamp { commit: *commit, next: number + 1 });
        }
        let mut state = self.write();
        if state.covers != seen {
            return Ok(None);
        }
        state.pending.extend(rows);
        state.covers = stamp;
        Ok(stamp)
    }

    /// Throws everything away, unless the index moved on from `seen`.
    fn reset(&self, seen: Option<Stamp>) -> Result<()> {
        let _storing = lock(&self.store_lock);
        let mut state = self.write();
        if seen.is_none() || state.covers == seen {
            self.store.clear().map_err(HistoryError::Index)?;
            *state = CacheState { loaded: true, ..CacheState::default() };
        }
        Ok(())
    }

    /// Throws everything away; the next reader walks the whole history.
    pub(super) fn clear(&self) -> Result<()> {
        let _walking = lock(&self.walk_lock);
        self.reset(None)
    }

    /// Says that everything up to `commit` is covered.
    #[cfg(test)]
    pub(super) fn set_covered(&self, commit: ObjectId) {
        self.write().covers = Some(Stamp { commit, next: 0 });
    }

    /// True when it has a version, in whatever form: also in one that has to be made anew.
    pub(super) fn has_versions(&self) -> Result<bool> {
        Ok(!self.range(b"v", b"w", false, 1)?.is_empty())
    }

    /// The commit up to which the list goes, as it stands.
    pub(super) fn covered_commit(&self) -> Result<Option<ObjectId>> {
        Ok(self.load_stamp()?.map(|stamp| stamp.commit))
    }

    fn load_stamp(&self) -> Result<Option<Stamp>> {
        let state = self.read();
        if state.loaded {
            return Ok(state.covers);
        }
        drop(state);
        let stamp = self.store.get(STAMP).map_err(HistoryError::Index)?;
        let mut state = self.write();
        if !state.loaded {
            state.covers = stamp.as_deref().and_then(Stamp::parse);
            state.loaded = true;
        }
        Ok(state.covers)
    }

    fn flush_when_many(&self) -> Result<()> {
        if self.read().pending.len() >= PENDING_MAX_ROWS { self.flush() } else { Ok(()) }
    }

    /// Writes what waits in memory to the store.
    pub(super) fn flush(&self) -> Result<()> {
        let put = |rows: &[IndexRow]| if rows.is_empty() { Ok(()) } else { self.store.put(rows) };
        self.flush_with(usize::MAX, put).map_err(HistoryError::Index)
    }

    /// Hands what waits in memory to `put`, which stores it with something of its own; nothing when it is more than `most`
    /// rows.
    pub(super) fn flush_with<T>(
        &self,
        most: usize,
        put: impl FnOnce(&[IndexRow]) -> DomainResult<T>,
    ) -> DomainResult<T> {
        let _storing = lock(&self.store_lock);
        let rows = self.pending_rows(most);
        let done = put(&rows)?;
        let mut state = self.write();
        for (key, value) in rows {
            if state.pending.get(&key) == Some(&value) {
                state.pending.remove(&key);
            }
        }
        Ok(done)
    }

    fn pending_rows(&self, most: usize) -> Vec<IndexRow> {
        let state = self.read();
        let is_due = (1..=most).contains(&state.pending.len());
        let Some(stamp) = state.covers.filter(|_| is_due) else { return Vec::new() };
        let waiting = state.pending.iter().map(|(key, value)| (key.clone(), value.clone()));
        waiting.chain([(STAMP.to_vec(), stamp.bytes())]).collect()
    }

    /// The newest versions of a flow, newest first; with `below`, only those before that number.
    fn newest(&self, flow: &FlowId, below: Option<u64>, limit: usize) -> Result<Vec<Version>> {
        let from = key(b'v', flow, &[]);
        let end = below.map_or_else(|| key(b'v', flow, &[0xff; 9]), |number| version_key(flow, number));
        self.range(&from, &end, true, limit)?.iter().map(|(_, value)| parse_version(value)).collect()
    }

    /// The newest versions of a flow, newest first.
    pub(super) fn list(&self, flow: &FlowId, limit: usize) -> Result<Vec<Version>> {
        self.newest(flow, None, limit)
    }

    /// The one version of a flow whose id starts so; `None` when there is none, or more than one.
    pub(super) fn find(&self, flow: &FlowId, prefix: &ShaPrefix) -> Result<Option<Version>> {
        let from = key(b'p', flow, &prefix.whole_bytes());
        let end = [from.as_slice(), &[0xff; 21]].concat();
        let mut found = None;
        for (key, number) in self.range(&from, &end, false, usize::MAX)? {
            let sha = key.get(17..).and_then(|bytes| bytes.try_into().ok()).map(Sha::from_bytes);
            if !sha.is_some_and(|sha| prefix.matches(&sha)) {
                continue;
            }
            if found.replace(number).is_some() {
                return Ok(None);
            }
        }
        let Some(number) = found else { return Ok(None) };
        self.version_at(flow, &number)
    }

    /// The version before this one of the same flow.
    pub(super) fn previous(&self, flow: &FlowId, sha: &Sha) -> Result<Option<Version>> {
        let Some(number) = self.get(&key(b'p', flow, sha.bytes()))? else { return Ok(None) };
        let number = u64::from_be_bytes(number.as_slice().try_into().map_err(|_| unreadable())?);
        Ok(self.newest(flow, Some(number), 1)?.pop())
    }

    /// The last Publish or Roll back of a flow.
    pub(super) fn last_published(&self, flow: &FlowId) -> Result<Option<Version>> {
        let Some(number) = self.get(&key(b'l', flow, &[]))? else { return Ok(None) };
        self.version_at(flow, &number)
    }

    /// The version that carries an intent.
    pub(super) fn of_intent(&self, intent: &Uuid) -> Result<Option<Version>> {
        let Some(place) = self.get(&intent_key(intent))? else { return Ok(None) };
        let (flow, number) = place.split_at_checked(16).ok_or_else(unreadable)?;
        let flow = FlowId::from_bytes(flow.try_into().map_err(|_| unreadable())?);
        self.version_at(&flow, number)
    }

    fn version_at(&self, flow: &FlowId, number: &[u8]) -> Result<Option<Version>> {
        self.get(&key(b'v', flow, number))?.map(|value| parse_version(&value)).transpose()
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let state = self.read();
        match state.pending.get(key) {
            Some(value) => Ok(Some(value.clone())),
            None => self.store.get(key).map_err(HistoryError::Index),
        }
    }

    /// Rows of memory and store as one.
    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>> {
        let state = self.read();
        let waiting = store::range(&state.pending, from, below, descending, limit);
        let stored = self.store.range(from, below, descending, limit).map_err(HistoryError::Index)?;
        drop(state);
        if waiting.is_empty() {
            return Ok(stored);
        }
        let mut rows: BTreeMap<Vec<u8>, Vec<u8>> = stored.into_iter().collect();
        rows.extend(waiting);
        Ok(store::range(&rows, from, below, descending, limit))
    }

    /// How many commits the list covers, the first one included; 0 when it covers none.
    pub(super) fn count_commits(&self) -> Result<usize> {
        let next = self.load_stamp()?.map_or(0, |stamp| stamp.next);
        Ok(usize::try_from(next).unwrap_or(usize::MAX))
    }

    /// The newest version of each flow, newest first.
    pub(super) fn newest_of_each(&self) -> Result<Vec<(FlowId, Version)>> {
        let mut found: Vec<(Vec<u8>, FlowId, Version)> = Vec::new();
        let mut from = b"v".to_vec();
        while let Some((first, _)) = self.range(&from, b"w", false, 1)?.pop() {
            let flow = first.get(1..17).and_then(|bytes| bytes.try_into().ok()).ok_or_else(unreadable)?;
            let flow = FlowId::from_bytes(flow);
            from = key(b'v', &flow, &[0xff; 9]);
            let Some((key, value)) = self.range(&first, &from, true, 1)?.pop() else { continue };
            let number = key.get(17..).ok_or_else(unreadable)?.to_vec();
            found.push((number, flow, parse_version(&value)?));
        }
        found.sort_by(|(one, ..), (other, ..)| other.cmp(one));
        Ok(found.into_iter().map(|(_, flow, version)| (flow, version)).collect())
    }

    /// How a commit's rows differ from what the index holds, for `verify`: how many are wrong or missing.
    pub(super) fn count_wrong_rows(&self, number: u64, versions: &[VersionRow]) -> Result<usize> {
        let mut expected = Vec::new();
        for (flow, told) in versions {
            push_rows(&mut expected, number, flow, told)?;
        }
        let mut wrong = 0;
        // The last published version is a later commit's word; the version itself was looked at.
        for (key, value) in expected.into_iter().filter(|(key, _)| key[0] != b'l') {
            wrong += usize::from(self.get(&key)?.as_deref() != Some(value.as_slice()));
        }
        Ok(wrong)
    }

    /// Hands every version of the index to `each`.
    pub(super) fn for_each(&self, each: &mut dyn FnMut(FlowId, Version)) -> Result<()> {
        let mut from = b"v".to_vec();
        loop {
            let rows = self.range(&from, b"w", false, BATCH_COMMITS)?;
            for (key, value) in &rows {
                let flow = key.get(1..17).and_then(|bytes| bytes.try_into().ok()).ok_or_else(unreadable)?;
                each(FlowId::from_bytes(flow), parse_version(value)?);
            }
            let Some((last, _)) = rows.last() else { return Ok(()) };
            from = [last.as_slice(), &[0]].concat();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, CacheState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, CacheState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push_rows(rows: &mut Vec<IndexRow>, number: u64, flow: &FlowId, summary: &CommitSummary) -> Result<()> {
    let version = &summary.version;
    let json = serde_json::to_vec(version).map_err(|_| unreadable())?;
    rows.push((version_key(flow, number), json));
    rows.push((key(b'p', flow, version.sha.bytes()), number.to_be_bytes().to_vec()));
    if let Some(intent) = summary.intent {
        rows.push((intent_key(&intent), [flow.bytes().as_slice(), &number.to_be_bytes()].concat()));
    }
    if version.kind.is_last_publish() {
        rows.push((key(b'l', flow, &[]), number.to_be_bytes().to_vec()));
    }
    Ok(())
}

fn key(kind: u8, flow: &FlowId, rest: &[u8]) -> Vec<u8> {
    [&[kind], flow.bytes().as_slice(), rest].concat()
}

fn version_key(flow: &FlowId, number: u64) -> Vec<u8> {
    key(b'v', flow, &number.to_be_bytes())
}

fn intent_key(intent: &Uuid) -> Vec<u8> {
    [b"i".as_slice(), intent.as_bytes()].concat()
}

fn parse_version(value: &[u8]) -> Result<Version> {
    serde_json::from_slice(value).map_err(|_| unreadable())
}

fn unreadable() -> HistoryError {
    HistoryError::Index(crate::domain::error::Error::internal("a row of the list of versions cannot be read"))
}

fn lock(mutex: &Mutex<()>) -> MutexGuard<'_, ()> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
