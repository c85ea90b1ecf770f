//! What runs beside the requests while the service is up: started together, stopped together.

pub mod control;
pub mod history;
pub mod leftovers;
pub mod usage;

use crate::app::App;
use control::ControlSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The tasks that are running.
pub struct Tasks {
    control: Option<JoinHandle<()>>,
    usage: JoinHandle<()>,
    history: JoinHandle<()>,
    leftovers: JoinHandle<()>,
}

impl Tasks {
    /// Starts every task; each ends once `stop` turns true. Needs a tokio runtime around it.
    #[must_use]
    pub fn start(app: &App, stop: &watch::Receiver<bool>) -> Self {
        // Without its control socket the service still serves; only the commands beside it have to wait for its end.
        let door = ControlSocket::bind(&app.settings.data_dir)
            .inspect_err(|error| tracing::warn!(%error, "no control socket; key and owner commands need the service stopped"));
        let control = door.ok().map(|door| tokio::spawn(door.serve(app.clone(), stop.clone())));
        let usage = tokio::spawn(usage::run(app.clone(), stop.clone()));
        let history = tokio::spawn(history::run(app.clone(), stop.clone()));
        let leftovers = tokio::spawn(leftovers::run(app.clone(), stop.clone()));
        Self { control, usage, history, leftovers }
    }

    /// Waits until every task has ended, after `stop` turned true.
    pub async fn join(self) {
        if let Some(control) = self.control
            && let Err(error) = control.await
        {
            tracing::error!(%error, "the control socket's task failed");
        }
        if let Err(error) = self.history.await {
            tracing::error!(%error, "the task that tidies the history failed");
        }
        if let Err(error) = self.leftovers.await {
            tracing::error!(%error, "the task that removes what is left over failed");
        }
        if let Err(error) = self.usage.await {
            tracing::error!(%error, "the task that counts the uses of keys failed");
        }
    }
}
