//! Makes database and history smaller once a day, when nothing else is under way and there is something to gain.

use super::run_until_stop;
use crate::app::App;
use crate::domain::error::Error;
use crate::ops::service::compaction;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// Time between a start and the first look for room in the database (manual 14.2).
const COMPACTION_WAIT_SECONDS: u64 = 1_800;
/// Time between two looks for room in the database (manual 14.2).
const COMPACTION_PERIOD_SECONDS: u64 = 86_400;
/// Time until a service that was busy is looked at for that again (manual 14.2).
const COMPACTION_BUSY_SECONDS: u64 = 600;

/// How long is waited for a look.
#[derive(Debug, Clone, Copy)]
struct Waits {
    first: Duration,
    next: Duration,
    /// Where the service was busy.
    busy: Duration,
}

/// Runs until `stop` turns true, which also ends a compaction that is under way: what was stored is what it was then.
pub(crate) async fn run(app: App, stop: watch::Receiver<bool>) {
    let waits = Waits {
        first: Duration::from_secs(COMPACTION_WAIT_SECONDS),
        next: Duration::from_secs(COMPACTION_PERIOD_SECONDS),
        busy: Duration::from_secs(COMPACTION_BUSY_SECONDS),
    };
    repeat(waits, stop, || compaction::is_idle(&app), |stop| compact(app.clone(), stop)).await;
}

/// Works whenever it is time to and the service is idle, until `stop` turns true.
async fn repeat<W: Future<Output = ()>>(
    waits: Waits,
    mut stop: watch::Receiver<bool>,
    is_idle: impl Fn() -> bool,
    work: impl Fn(watch::Receiver<bool>) -> W,
) {
    let mut wait = waits.first;
    loop {
        tokio::select! {
            () = sleep(wait) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        if is_idle() {
            work(stop.clone()).await;
            wait = waits.next;
        } else {
            wait = waits.busy;
        }
    }
}

async fn compact(app: App, mut stop: watch::Receiver<bool>) {
    match run_until_stop(&mut stop, move |cancel| compaction::run_if_worth_it(&app, cancel)).await {
        Ok(Ok(_) | Err(Error::Cancelled)) => {}
        Ok(Err(error)) => {
            tracing::warn!(
                error = error.for_log(),
                "the data was not made smaller; tomorrow it is tried again"
            );
        }
        Err(error) => super::log_panic("compaction", &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use tokio::runtime;
    use tokio::time::timeout;

    /// Longer than any test takes: what is waited for so long is not come to.
    const NEVER: Duration = Duration::from_secs(86_400);

    /// What was seen and done until `count` entries were written, where the service is idle as `idle` says one look after another.
    fn entries(waits: Waits, idle: &[bool], count: usize) -> Vec<&'static str> {
        let (stopper, stop) = watch::channel(false);
        let entries = RefCell::new(Vec::new());
        let note = |entry: &'static str| {
            entries.borrow_mut().push(entry);
            if entries.borrow().len() == count {
                stopper.send_replace(true);
            }
        };
        let looks = RefCell::new(idle.iter());
        let is_idle = || {
            let is_idle = *looks.borrow_mut().next().unwrap();
            if !is_idle {
                note("busy");
            }
            is_idle
        };
        let work = |_| {
            note("work");
            std::future::ready(())
        };
        let runtime = runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let repeated = repeat(waits, stop, is_idle, work);
        runtime.block_on(async { timeout(Duration::from_secs(60), repeated).await }).unwrap();
        entries.into_inner()
    }

    #[test]
    fn a_busy_service_is_looked_at_again_soon_and_one_that_was_compacted_much_later() {
        let soon = Duration::ZERO;
        let waits = Waits { first: soon, next: NEVER, busy: soon };
        assert_eq!(entries(waits, &[false, false, true], 3), ["busy", "busy", "work"]);
        let waits = Waits { first: soon, next: soon, busy: NEVER };
        assert_eq!(entries(waits, &[true, true, false], 3), ["work", "work", "busy"]);
    }
}
