//! Watching a run: what there is of it, what happens, and what it comes to.

use super::{ShownEntries, TextLength, find_visible, shown_entries, shown_entry};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::StreamClosed;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ExecutionId, WorkspaceId};
use crate::domain::predictions::execution::{
    Execution, ExecutionEntry, ExecutionState, ShownEntry, remove_secrets,
};
use crate::domain::resource::ResourceId as _;
use crate::ops::predictions::run::run_error;
use crate::state::live_runs::{LiveEvent, LiveNews, RunWatcher};
use crate::store::queries::executions;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// How long the end of a run is looked for in its record, while nothing of it is under way (manual 14.4).
const END_WAIT_SECONDS: u64 = 5;

/// What somebody who watches a run is told.
#[derive(Debug)]
pub enum RunUpdate<'a> {
    /// The entries so far, without those that were seen before.
    Entries(&'a [ShownEntry]),
    Event(&'a LiveEvent),
    /// What a person is asked to decide.
    Action(&'a Map<String, Value>),
    /// What the run came to, or where it waits: the last one.
    State(ExecutionState),
}

/// A run that somebody watches.
pub struct RunWatch {
    workspace: WorkspaceId,
    id: ExecutionId,
    /// How many entries were seen before.
    since: usize,
    /// `None` when nothing of it is under way.
    watcher: Option<RunWatcher>,
}

/// Begins to watch a run. From here on nothing of it is lost, whenever it ends.
///
/// # Errors
/// 404; 403 for flows of a kind that the caller may not see.
pub fn watch(app: &App, caller: &Caller, id: ExecutionId, since: usize) -> Result<RunWatch> {
    let found = app.store.read_messages(|tx| find_visible(tx, caller, &id))?;
    Ok(RunWatch { workspace: found.workspace, id, since, watcher: app.state.live_runs.watch(id) })
}

/// Where those who watch are told.
type Tell<'a> = &'a mut dyn FnMut(RunUpdate<'_>) -> Result<(), StreamClosed>;

impl RunWatch {
    /// Tells all of it, to the end of the run or to where it waits.
    ///
    /// # Errors
    /// When nobody listens any more, the record is gone, or `cancel` is set.
    pub fn tell(mut self, app: &App, cancel: &CancelToken, tell: Tell<'_>) -> Result<()> {
        let mut told = None;
        // Between its record and its board a run that is taken up again is in neither.
        let row = loop {
            if let Some(watcher) = self.watcher.take() {
                told = Some(self.follow(watcher, cancel, tell)?);
            }
            let row = self.row(app)?;
            if row.state() != ExecutionState::InProgress {
                break row;
            }
            self.watcher = app.state.live_runs.watch(self.id);
            if self.watcher.is_none() && !self.wait_for_board(app, cancel)? {
                break self.row(app)?;
            }
        };
        self.conclude(app, &row, told, tell)
    }

    fn row(&self, app: &App) -> Result<Execution> {
        let found = app.store.read_messages(|tx| executions::find(tx, &self.workspace, &self.id))?;
        found.ok_or_else(|| self.id.not_found())
    }

    /// Waits until the run is under way again, or has an end; false when neither happens.
    fn wait_for_board(&mut self, app: &App, cancel: &CancelToken) -> Result<bool> {
        const LOOK: Duration = Duration::from_millis(20);
        for _ in 0..Duration::from_secs(END_WAIT_SECONDS).as_millis() / LOOK.as_millis() {
            if !cancel.sleep(LOOK) {
                return Err(run_error(Error::Cancelled, cancel));
            }
            self.watcher = app.state.live_runs.watch(self.id);
            if self.watcher.is_some() || self.row(app)?.state() != ExecutionState::InProgress {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells what happens while the run is under way; how many entries were told of.
    fn follow(&self, mut watcher: RunWatcher, cancel: &CancelToken, tell: Tell<'_>) -> Result<usize> {
        self.tell_entries(&watcher, watcher.seen(), tell)?;
        loop {
            match watcher.next(cancel) {
                Ok(LiveNews::End) => return Ok(watcher.seen()),
                Ok(LiveNews::Missed) => self.tell_entries(&watcher, watcher.seen(), tell)?,
                Ok(LiveNews::Events(events)) => self.tell_events(&watcher, &events, tell)?,
                Err(CancelReason::TimedOut) => {
                    let told = "This stream was open for as long as one may be: ask again with 'since'.";
                    return Err(Error::RunFailed(told.to_owned()));
                }
                Err(_) => return Err(run_error(Error::Cancelled, cancel)),
            }
        }
    }

    /// Of entries that were added one after another while nobody looked, all are told at once.
    fn tell_events(&self, watcher: &RunWatcher, events: &[LiveEvent], tell: Tell<'_>) -> Result<()> {
        let newest = events.iter().rposition(|event| matches!(event, LiveEvent::Entries(_)));
        for (at, event) in events.iter().enumerate() {
            match event {
                LiveEvent::Entries(_) if newest != Some(at) => {}
                LiveEvent::Entries(count) => self.tell_entries(watcher, *count, tell)?,
                event => tell(RunUpdate::Event(event)).map_err(|_| Error::Cancelled)?,
            }
        }
        Ok(())
    }

    fn tell_entries(&self, watcher: &RunWatcher, count: usize, tell: Tell<'_>) -> Result<()> {
        let shown: Vec<ShownEntry> =
            watcher.entries(self.since, count).into_iter().map(as_recorded).collect();
        tell(RunUpdate::Entries(&shown)).map_err(|_| Error::Cancelled)
    }

    /// Tells what the record says at the end: what had begun is among its entries, too.
    fn conclude(&self, app: &App, row: &Execution, told: Option<usize>, tell: Tell<'_>) -> Result<()> {
        let closed = |_| Error::Cancelled;
        let entries = app.store.read_messages(|tx| {
            if told == Some(executions::entry_count(tx, &self.id)?) {
                return Ok(None);
            }
            shown_entries(tx, &self.id, TextLength::Cut, &mut usize::MAX.clone()).map(Some)
        })?;
        if let Some(ShownEntries::All(all)) = entries {
            tell(RunUpdate::Entries(all.get(self.since..).unwrap_or_default())).map_err(closed)?;
        }
        if let Some(pause) = row.pauses().next().filter(|_| row.state() == ExecutionState::Stopped) {
            tell(RunUpdate::Action(&pause.action)).map_err(closed)?;
        }
        tell(RunUpdate::State(row.state())).map_err(closed)
    }
}

/// An entry of a run that is under way as its record will show it.
fn as_recorded(entry: Arc<ExecutionEntry>) -> ShownEntry {
    let mut entry = Arc::unwrap_or_clone(entry);
    remove_secrets(&mut entry.data);
    shown_entry(entry, TextLength::Cut)
}
