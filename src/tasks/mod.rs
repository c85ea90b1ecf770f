//! What runs beside the requests while the service is up: started together, stopped together.

#[cfg(unix)]
mod backup_stream;
mod backups;
pub mod checks;
pub(crate) mod command_reply;
mod compaction;
pub(crate) mod control;
pub(crate) mod history;
pub(crate) mod leftovers;
pub mod mail;
pub(crate) mod pauses;
pub(crate) mod pipelines;
pub mod remote;
mod run_pool;
pub(crate) mod schedules;
pub mod usage;
pub mod webhooks;

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use control::ControlSocket;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// The tasks that are running.
pub struct Tasks {
    control: Option<JoinHandle<()>>,
    usage: JoinHandle<()>,
    history: JoinHandle<()>,
    leftovers: JoinHandle<()>,
    mail: JoinHandle<()>,
    pauses: JoinHandle<()>,
    schedules: JoinHandle<()>,
    backups: JoinHandle<()>,
    webhooks: JoinHandle<()>,
    checks: JoinHandle<()>,
    compaction: JoinHandle<()>,
    remote: JoinHandle<()>,
    pipelines: JoinHandle<()>,
}

impl Tasks {
    /// Starts every task; each ends once `stop` turns true. Needs a tokio runtime around it.
    #[must_use]
    pub fn start(app: &App, stop: &watch::Receiver<bool>) -> Self {
        // Without its control socket the service still serves; only the commands beside it have to wait for its end.
        let door = ControlSocket::bind(&app.settings.data_dir)
            .inspect_err(|error| tracing::warn!(%error, "the control socket could not be opened; key and owner commands need the service stopped"));
        let control = door.ok().map(|door| tokio::spawn(door.serve(app.clone(), stop.clone())));
        let usage = tokio::spawn(usage::run(app.clone(), stop.clone()));
        let history = tokio::spawn(history::run(app.clone(), stop.clone()));
        let leftovers = tokio::spawn(leftovers::run(app.clone(), stop.clone()));
        let mail = tokio::spawn(mail::run(app.clone(), stop.clone()));
        let pauses = tokio::spawn(pauses::run(app.clone(), stop.clone()));
        let backups = tokio::spawn(backups::run(app.clone(), stop.clone()));
        let schedules = tokio::spawn(schedules::run(app.clone(), stop.clone()));
        let webhooks = tokio::spawn(webhooks::run(app.clone(), stop.clone()));
        let checks = tokio::spawn(checks::run(app.clone(), stop.clone()));
        let compaction = tokio::spawn(compaction::run(app.clone(), stop.clone()));
        let remote = tokio::spawn(remote::run(app.clone(), stop.clone()));
        let pipelines = tokio::spawn(pipelines::run(app.clone(), stop.clone()));
        Self {
            control,
            usage,
            history,
            leftovers,
            mail,
            pauses,
            schedules,
            backups,
            webhooks,
            checks,
            compaction,
            remote,
            pipelines,
        }
    }

    /// Waits until every task has ended, after `stop` turned true.
    pub async fn join(self) {
        let tasks = [
            ("backups", Some(self.backups)),
            ("checks", Some(self.checks)),
            ("compaction", Some(self.compaction)),
            ("control", self.control),
            ("history", Some(self.history)),
            ("leftovers", Some(self.leftovers)),
            ("mail", Some(self.mail)),
            ("pauses", Some(self.pauses)),
            ("pipelines", Some(self.pipelines)),
            ("remote", Some(self.remote)),
            ("schedules", Some(self.schedules)),
            ("usage", Some(self.usage)),
            ("webhooks", Some(self.webhooks)),
        ];
        for (name, task) in tasks {
            if let Some(task) = task
                && let Err(error) = task.await
            {
                log_panic(name, &error);
            }
        }
    }
}

/// Works on a thread of its own, which `stop` cancels, and waits for its end in any case.
///
/// # Errors
/// When it panicked.
async fn run_until_stop<T: Send + 'static>(
    stop: &mut watch::Receiver<bool>,
    work: impl FnOnce(&CancelToken) -> T + Send + 'static,
) -> Result<T, JoinError> {
    let cancel = CancelToken::new(None);
    let token = cancel.clone();
    let mut working = spawn_blocking(move || work(&token));
    tokio::select! {
        done = &mut working => return done,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    cancel.cancel(CancelReason::Shutdown);
    working.await
}

/// A task ends in an error only by a panic, as nobody aborts one.
fn log_panic(task: &'static str, error: &JoinError) {
    tracing::error!(task, %error, "a task beside the requests failed");
}
