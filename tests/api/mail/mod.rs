//! Mail that the service sends, before a server that speaks the real wire (manual 13.18).

mod alerts;
mod failures;
mod invitations;
mod lines;
mod real_server;
mod resets;

use crate::support::Server;
use crate::support::mail_server::{Habit, MailServer};
use serde_json::{Value, json};
use std::ops::Deref;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

const BASE_URL: &str = "https://flows.example.org";

/// A service whose task that sends mail runs beside it.
struct Mailing {
    server: Option<Server>,
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

impl Mailing {
    fn beside(server: Server) -> Self {
        let (stop, stopping) = watch::channel(false);
        let app = server.app.clone();
        let task = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(flowkeep::tasks::mail::run(app, stopping));
        });
        Self { server: Some(server), stop, task: Some(task) }
    }

    /// The same data after a stop and a new start with these settings.
    fn restart_with(mut self, settings: &[(&'static str, &str)]) -> Self {
        self.end();
        Self::beside(self.server.take().unwrap().restart_with(settings))
    }

    fn end(&mut self) {
        let _ = self.stop.send(true);
        let ended = self.task.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()));
    }
}

impl Deref for Mailing {
    type Target = Server;
    fn deref(&self) -> &Server {
        self.server.as_ref().unwrap()
    }
}

impl Drop for Mailing {
    fn drop(&mut self) {
        self.end();
    }
}

/// A service that sends its mail to this place, with further settings.
fn service_at(place: &str, more: &[(&'static str, &str)]) -> Mailing {
    Mailing::beside(Server::with(&settings_at(place, more)))
}

fn settings_at<'a>(place: &'a str, more: &[(&'static str, &'a str)]) -> Vec<(&'static str, &'a str)> {
    let mut settings = vec![
        ("SERVICE_MAIL_SERVER", place),
        ("SERVICE_MAIL_FROM", "Flows <flows@example.org>"),
        ("SERVICE_BASE_URL", BASE_URL),
    ];
    settings.extend_from_slice(more);
    settings
}

/// A mail server, and a service that sends to it without encryption, as it may on this machine.
fn both() -> (MailServer, Mailing) {
    let mail = MailServer::start(Habit::default());
    let server = service_at(&mail.place(), &[]);
    (mail, server)
}

fn invite(server: &Server, email: &str) -> Value {
    let role = flowkeep::domain::accounts::role::EDITOR.to_string();
    server.post("/account/invite", &json!({"user": {"email": email, "name": "Bob"}, "roleId": role}))
}

fn forget(server: &Server, email: &str) -> String {
    let body = json!({"user": {"email": email}});
    let answer = server.call("POST", "/account/forgot-password").json(&body).send().is(200);
    answer.json()["message"].as_str().unwrap().to_owned()
}

/// How mail is once it is like this.
#[track_caller]
fn mail_when(server: &Server, is_it: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(45);
    loop {
        let status = server.read("/server");
        if is_it(&status["mail"]) {
            return status;
        }
        assert!(Instant::now() < end, "{}", status["mail"]);
        std::thread::sleep(Duration::from_millis(50));
    }
}
