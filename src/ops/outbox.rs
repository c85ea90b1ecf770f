//! From the database to history, exactly once: intents, and what becomes of them.

use super::live;
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::version::{Change, Version, VersionKind};
use crate::history::Recorder;
use crate::store::WriteTx;
use crate::store::tables::INTENTS;

/// What history made of a change.
#[derive(Debug)]
pub enum Recorded {
    /// History is off.
    Off,
    /// The change says nothing that history keeps.
    Nothing,
    /// It is this version.
    Version(Box<Version>),
    /// It could not be recorded; Live is changed all the same.
    Failed(String),
}

impl Recorded {
    /// The version, when there is one.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Version(version) => Some(version),
            Self::Off | Self::Nothing | Self::Failed(_) => None,
        }
    }

    /// Why there is none, when history failed (spec 4.2 r4 `historyError`).
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed(why) => Some(why),
            Self::Off | Self::Nothing | Self::Version(_) => None,
        }
    }
}

/// Writes the intent beside the change it is about.
///
/// # Errors
/// When the database cannot be written.
pub fn put(tx: &WriteTx, change: Option<&Change>) -> Result<()> {
    change.map_or(Ok(()), |change| INTENTS.put(tx, change.intent.as_bytes(), change))
}

/// The turn to record, taken before the database; `None` while history is off.
pub fn turn(app: &App) -> Option<Recorder<'_>> {
    app.history.enabled().then(|| app.history.recorder())
}

/// Records a change whose Live is durable, and clears its intent. A failure is told and changes nothing else: Live
/// serves already, and the next change is recorded as if nothing had happened.
pub fn record(app: &App, recorder: Option<Recorder<'_>>, change: Option<Change>, flow: &Flow) -> Recorded {
    let Some(recorder) = recorder else { return Recorded::Off };
    let Some(change) = change else { return Recorded::Nothing };
    let recorded = recorder.record(&change);
    let cleared = app.store.write(|tx| {
        if let (Ok(version), true) = (&recorded, change.kind.counts_as_last_published()) {
            live::note_published(tx, flow, &version.sha)?;
        }
        INTENTS.remove(tx, change.intent.as_bytes()).map(drop)
    });
    if let Err(error) = cleared {
        // The next start finds out whether it is on the branch: an intent is never recorded twice.
        tracing::error!(flow = %flow.id, %error, "an intent could not be cleared");
    }
    match recorded {
        Ok(version) => Recorded::Version(Box::new(version)),
        Err(error) => Recorded::Failed(error.to_string()),
    }
}

/// The flow as it reads after its version was noted on it.
#[must_use]
pub fn published(flow: &Flow, kind: VersionKind, recorded: &Recorded) -> Flow {
    let mut flow = flow.clone();
    if let (true, Some(last), Some(version)) =
        (kind.counts_as_last_published(), &mut flow.last_published, recorded.version())
    {
        last.sha = Some(version.sha.to_string());
    }
    flow
}

/// Records what a crash left between database and history, in order; called once, before anything is served.
/// What cannot be recorded now stays for the next start.
///
/// # Errors
/// When the database cannot be read or written.
pub fn replay(app: &App) -> Result<()> {
    let left = app.store.read(|tx| INTENTS.list(tx))?;
    let Some(recorder) = turn(app).filter(|_| !left.is_empty()) else { return Ok(()) };
    tracing::info!(count = left.len(), "completing versions that a crash left behind");
    for change in left {
        let version = match recorder.complete(&change) {
            Ok(version) => version,
            Err(error) => {
                tracing::error!(flow = %change.content.flow(), %error, "a version could not be recorded; the next start tries again");
                return Ok(());
            }
        };
        app.store.write(|tx| {
            if change.kind.counts_as_last_published() {
                live::note_replayed(tx, &change, &version.sha)?;
            }
            INTENTS.remove(tx, change.intent.as_bytes()).map(drop)
        })?;
    }
    Ok(())
}
