//! What is stored keeps its order in time, whatever the machine's clock says (`clock.rs`).

use crate::app::App;
use crate::clock::iso;
use crate::domain::error::Result;
use crate::store::Store;
use crate::store::queries::{audit, executions, messages};
use crate::store::tables::{FLOWS, WORKSPACES};
use jiff::{SignedDuration, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that is adjusted in small steps is in order.
const JUMP_MIN: SignedDuration = SignedDuration::from_mins(1);

/// The newest date of what is stored: of what was done, of flows, of their messages and of their runs. What is damaged has none.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn newest_date(store: &Store) -> Result<Option<Timestamp>> {
    store.read_messages(|tx| {
        let mut newest = audit::newest_date(tx)?;
        for workspace in WORKSPACES.list_intact(tx)? {
            newest = newest.max(executions::newest_date(tx, &workspace.id)?);
            for flow in FLOWS.list_intact(tx, &workspace.id)? {
                let said = messages::newest_date(tx, &workspace.id, &flow.id)?;
                newest = newest.max(Some(flow.updated)).max(said);
            }
        }
        Ok(newest)
    })
}

/// What is wrong with the machine's clock, in sentences.
#[must_use]
pub(crate) fn clock_warnings(app: &App) -> Vec<String> {
    let (mut all, now) = (Vec::new(), app.clock.now());
    if let Some(newest) = app.clock.newest_ahead() {
        all.push(format!(
            "The clock of this machine says {} and something stored here is from {}. What is stored from now on gets that \
             date until the clock is past it. Set the clock, and let the system keep it in step with a time server.",
            iso(now),
            iso(newest)
        ));
    }
    let jumped = app.clock.drift();
    if jumped.abs() >= JUMP_MIN {
        let way = if jumped.is_negative() { "was set back by" } else { "went forwards by" };
        all.push(format!(
            "The clock of this machine {way} about {} minutes since the service started. Unless the machine slept, let the \
             system keep it in step with a time server.",
            jumped.abs().as_mins()
        ));
    }
    all
}

/// Looks at the clock now and then and warns when it jumped.
#[derive(Debug, Default)]
pub(crate) struct ClockWatch {
    /// By how much it had when a warning was last given.
    warned_seconds: AtomicI64,
}

impl ClockWatch {
    /// Warns when the clock jumped since the last look.
    pub(crate) fn check(&self, app: &App) {
        let jumped = app.clock.drift().as_secs();
        let told = self.warned_seconds.load(Ordering::Relaxed);
        if (jumped - told).abs() >= JUMP_MIN.as_secs() {
            self.warned_seconds.store(jumped, Ordering::Relaxed);
            clock_warnings(app).iter().for_each(|complaint| tracing::warn!("{complaint}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditRing};
    use crate::ops::flows;

    fn make(
        app: &App,
        caller: &crate::domain::accounts::caller::Caller,
        name: &str,
    ) -> crate::domain::flows::flow::Flow {
        let change = FlowChange::chatflow(name);
        flows::create(app, caller, &change).unwrap().flow
    }

    #[test]
    fn a_clock_that_was_set_back_puts_nothing_out_of_order() {
        let (folder, app, caller) = App::with_owner();
        let first = make(&app, &caller, "first");
        assert_eq!(clock_warnings(&app), Vec::<String>::new());
        app.clock.advance_seconds(-86_400);
        let second = make(&app, &caller, "second");
        flows::delete(&app, &caller, &second.id).unwrap();
        assert!(second.created >= first.created);
        let dates = |app: &App| {
            let mut dates = Vec::new();
            let note = |_, entry: AuditEntry| {
                dates.push(entry.date);
                Ok(())
            };
            app.store.read(|tx| audit::walk(tx, &AuditRing::ALL, note)).unwrap();
            dates
        };
        assert!(dates(&app).is_sorted_by(|newer, older| newer >= older), "{:?}", dates(&app));
        let versions = crate::ops::flows::versions::log(&app, None, 10).unwrap();
        let versions: Vec<Timestamp> = versions.iter().map(|logged| logged.version.date).collect();
        assert!(versions.len() >= 3 && versions.is_sorted_by(|newer, older| newer >= older), "{versions:?}");
        let told = clock_warnings(&app);
        assert!(
            told.len() == 2 && told[0].contains("Set the clock") && told[1].contains("set back"),
            "{told:?}"
        );

        // What a start finds stored counts as well.
        let settings = app.settings.clone();
        let ahead = app.clock.now() + SignedDuration::from_hours(24 * 40);
        let entry = AuditEntry::by_nobody(None, AuditAction::SignIn, ahead);
        app.store.write(|tx| audit::append(tx, &entry)).unwrap();
        drop(app);
        let app = App::open(settings, crate::settings::Environment::new(|_| None)).unwrap();
        let third = make(&app, &caller, "third");
        assert!(third.created > Timestamp::now() + SignedDuration::from_hours(24 * 38));
        assert!(clock_warnings(&app)[0].contains("something stored here is from"));
        drop(folder);
    }
}
