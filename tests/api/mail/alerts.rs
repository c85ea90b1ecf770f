//! What the owner is told of the server.

use super::{invite, mail_when, service_at, settings_at};
use crate::support::mail_server::{Habit, MailServer};
use crate::support::server::EMAIL;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const BEGINS: &str = "Flowkeep needs you: backups";
const ENDS: &str = "Flowkeep is well again: backups";

/// A place for backups that is no folder, so that it cannot be read as one.
fn broken_place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("backups");
    fs::write(&place, "x").unwrap();
    (folder, place)
}

#[test]
fn a_problem_is_told_when_it_begins_and_when_it_is_over_and_once() {
    let mail = MailServer::start(Habit::default());
    let (_folder, place) = broken_place();
    let server = service_at(&mail.place(), &[("SERVICE_BACKUP_TO", place.to_str().unwrap())]);
    let begun = mail.taken_about(BEGINS, 1).remove(0);
    assert_eq!(begun.to, [EMAIL]);
    assert!(begun.body().starts_with("The folder of the backups cannot be read"), "{}", begun.body());
    fs::remove_file(&place).unwrap();
    // It comes and goes within the hour, of which nobody is told.
    for state in [true, false] {
        server.app.clock.advance_seconds(15 * 60);
        if state {
            fs::write(&place, "x").unwrap();
        } else {
            fs::remove_file(&place).unwrap();
        }
    }
    server.app.clock.advance_seconds(31 * 60);
    let over = mail.taken_about(ENDS, 1).remove(0);
    assert!(over.body().starts_with("This is over:\n\nThe folder of the backups"), "{}", over.body());
    mail_when(&server, |mail| mail["waiting"] == 0);
    assert_eq!((mail.taken_about(BEGINS, 1).len(), mail.taken_about(ENDS, 1).len()), (1, 1));
}

#[test]
fn a_restart_tells_nothing_again_and_mail_tells_nothing_of_itself() {
    let mail = MailServer::start(Habit::default());
    let (_folder, place) = broken_place();
    let more = [("SERVICE_BACKUP_TO", place.to_str().unwrap())];
    let server = service_at(&mail.place(), &more);
    mail.taken_about(BEGINS, 1);
    mail_when(&server, |mail| mail["waiting"] == 0);
    mail.change(Habit { refusal: Some("550 no"), ..Habit::default() });
    let server = server.restart_with(&settings_at(&mail.place(), &more));
    invite(&server, "bob@example.org");
    let status = mail_when(&server, |mail| mail["error"].is_string());
    assert!(status["problems"].to_string().contains("A message was given up"), "{status}");
    mail.change(Habit::default());
    invite(&server, "eve@example.org");
    mail.taken_for("eve@example.org", 1);
    assert_eq!(mail.taken_about(BEGINS, 1).len(), 1);
    let told = mail.taken_now();
    assert!(told.iter().all(|taken| !taken.header("Subject").unwrap().ends_with(": mail")));
}
