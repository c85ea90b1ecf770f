//! Which version Live is, where the record of a flow does not say so: for flows that an earlier program stored, after a time without
//! history, and where a version was recorded only after its change had failed to be.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::live_version::{LiveVersion, VersionName};
use crate::domain::flows::version::{ShaPrefix, Version, VersionContent, VersionKind};
use crate::ops::flows::live;
use crate::ops::flows::snapshot::Snapshot;
use crate::store::queries::answers;
use crate::store::tables::{CANVASES, FLOWS, INTENTS, WORKSPACES};
use std::collections::HashSet;
use uuid::Uuid;

/// Looks it up for every flow that lacks it. A history that cannot be read is told of elsewhere: the next start looks again.
///
/// # Errors
/// When the database cannot be read or written; [`Error::Cancelled`].
pub(crate) fn look_up(app: &App, cancel: &CancelToken) -> Result<()> {
    if !app.history.is_enabled() {
        return Ok(());
    }
    for workspace in app.store.read(|tx| WORKSPACES.list(tx))? {
        for flow in app.store.read(|tx| FLOWS.list(tx, &workspace.id))? {
            Error::check_cancelled(cancel)?;
            look_up_one(app, &flow)?;
        }
    }
    Ok(())
}

fn look_up_one(app: &App, flow: &Flow) -> Result<()> {
    let Ok(Some(newest)) = app.history.newest(&flow.id) else { return Ok(()) };
    let change = match flow.live_version {
        Some(LiveVersion { name: Some(name), .. }) if has_version(app, flow, &name) => return Ok(()),
        Some(live) if is_promised(app, &live.change)? => return Ok(()),
        live => live.map(|live| live.change),
    };
    let found = match find(app, flow, newest)? {
        Some(version) => {
            let name = VersionName::from(&version);
            let known = || app.store.read(|tx| answers::change_of(tx, &flow.id, &name.sha));
            let change = match change {
                Some(change) => change,
                None => known()?.unwrap_or_else(Uuid::now_v7),
            };
            Some(LiveVersion { change, name: Some(name) })
        }
        // What was answered keeps its number.
        None => change.map(LiveVersion::unrecorded),
    };
    if found == flow.live_version {
        return Ok(());
    }
    app.store.write(|tx| live::set_live_version(tx, flow, found))
}

/// One that cannot be looked for stays as it is.
fn has_version(app: &App, flow: &Flow, name: &VersionName) -> bool {
    let Ok(prefix) = ShaPrefix::parse(&name.sha.to_string()) else { return true };
    app.history.find(&flow.id, &prefix).map_or(true, |found| found.is_some())
}

/// True while the change waits to be recorded.
fn is_promised(app: &App, change: &Uuid) -> Result<bool> {
    let waiting: HashSet<Uuid> =
        app.store.read(|tx| INTENTS.list(tx))?.into_iter().map(|waits| waits.intent).collect();
    Ok(waiting.contains(change))
}

/// The version that put what is Live there: the newest one, or the one before those that only changed settings.
fn find(app: &App, flow: &Flow, newest: Version) -> Result<Option<Version>> {
    let Some(canvas) = app.store.read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))? else {
        return Ok(None);
    };
    let live = Snapshot::take(app, flow, &canvas)?;
    let is_live = |version: &Version| {
        // What cannot be read is not Live, as far as anybody knows.
        let Ok(Some(VersionContent::Flow(held))) = app.history.content(&flow.id, version) else {
            return Ok(false);
        };
        let Some(held) = Snapshot::from_record(held) else { return Ok(false) };
        let held = held.with_current_credential_names(app, &flow.workspace)?;
        Ok::<_, Error>(live.has_same_content(&held))
    };
    let mut found = None;
    let mut looked_at = Some(newest);
    while let Some(version) = looked_at.take() {
        if !is_live(&version)? {
            break;
        }
        let (sha, is_save) = (version.sha, version.kind == VersionKind::Save);
        found = Some(version);
        if is_save {
            looked_at = app.history.previous(&flow.id, &sha).ok().flatten();
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::ops::flows;

    fn stored(app: &App, flow: &Flow) -> Flow {
        app.store.read(|tx| FLOWS.get(tx, &flow.workspace, &flow.id)).unwrap().unwrap()
    }

    #[test]
    fn a_flow_of_an_earlier_program_is_told_its_version() {
        let (_folder, app, caller) = App::with_owner();
        let made = flows::create(&app, &caller, &FlowChange::chatflow("Orders")).unwrap().flow;
        let flow = stored(&app, &made);
        let named = flow.live_version.unwrap();
        assert_eq!(named.name.unwrap().sha, app.history.newest(&flow.id).unwrap().unwrap().sha);
        app.store.write(|tx| live::set_live_version(tx, &flow, None)).unwrap();
        assert_eq!(stored(&app, &flow).live_version, None);
        look_up(&app, &CancelToken::new(None)).unwrap();
        assert_eq!(stored(&app, &flow).live_version, Some(named), "its answers are found as before");
    }

    #[test]
    fn a_change_that_was_not_recorded_is_named_by_the_version_that_holds_it() {
        let (_folder, app, caller) = App::with_owner();
        let made = flows::create(&app, &caller, &FlowChange::chatflow("Orders")).unwrap().flow;
        let flow = stored(&app, &made);
        let lost = LiveVersion::unrecorded(Uuid::now_v7());
        app.store.write(|tx| live::set_live_version(tx, &flow, Some(lost))).unwrap();
        look_up(&app, &CancelToken::new(None)).unwrap();
        let found = stored(&app, &flow).live_version.unwrap();
        assert_eq!((found.change, found.name), (lost.change, flow.live_version.unwrap().name));
        let told = app.store.read(|tx| answers::name_of(tx, &flow.id, &lost.change)).unwrap();
        assert_eq!(told, found.name);
    }
}
