//! The outbox at its bounds, and who is told of what. What goes over the wire is tested from outside (`tests/api/mail/`).

use super::letters;
use super::outbox::{self, Posting};
use super::{alerts, delivery, health};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::service::mail::MailTopic;
use crate::domain::service::mail::address::MailAddress;
use crate::settings::{Environment, Flags, Settings};
use crate::store::tables::{MAIL_ALERTS, MAIL_OUTBOX};

/// A house with an owner and a mail server that nobody asks.
fn house() -> (tempfile::TempDir, App) {
    let (folder, app, _) = App::with_owner();
    drop(app);
    let app = reopened(&folder);
    (folder, app)
}

fn reopened(folder: &tempfile::TempDir) -> App {
    let vars = |name: &str| match name {
        "SERVICE_MAIL_SERVER" => Some("localhost:9".to_owned()),
        "SERVICE_MAIL_FROM" => Some("flows@example.org".to_owned()),
        "SERVICE_BASE_URL" => Some("https://flows.example.org".to_owned()),
        _ => None,
    };
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder.path().to_str());
    App::open(Settings::from_vars(vars, flags).unwrap(), Environment::new(|_| None)).unwrap()
}

fn post(app: &App, topic: &MailTopic) -> Posting {
    let settings = app.mail.as_ref().unwrap().settings();
    let letter = letters::trial(settings, MailAddress::parse("bob@example.org").unwrap());
    let now = app.clock.now();
    app.store.write(|tx| outbox::post(tx, &outbox::seal(app, topic.clone(), &letter, now), now)).unwrap()
}

#[test]
fn an_outbox_is_bounded_and_what_nobody_wants_makes_room() {
    let (_folder, app) = house();
    let settings = app.mail.as_ref().unwrap().settings();
    let letter = letters::trial(settings, MailAddress::parse("bob@example.org").unwrap());
    let now = app.clock.now();
    let gone = MailTopic::Invitation { hash: [7; 32] };
    app.store
        .write(|tx| {
            for number in 0..1_000 {
                let topic = if number == 0 { gone.clone() } else { MailTopic::Alert };
                let mail = outbox::seal(&app, topic, &letter, now);
                MAIL_OUTBOX.put(tx, &mail.id, &mail)?;
            }
            Ok(())
        })
        .unwrap();
    assert!(matches!(post(&app, &MailTopic::Alert), Posting::Waiting(..)), "an invitation was taken back");
    assert!(matches!(post(&app, &MailTopic::Alert), Posting::Full));
    assert_eq!(health(&app).unwrap().unwrap().waiting, 1_000);
}

#[test]
fn what_waits_opens_with_the_key_of_the_service_alone() {
    let (folder, app) = house();
    let _ = post(&app, &MailTopic::Alert);
    let mail = app.store.read(|tx| MAIL_OUTBOX.list(tx)).unwrap().remove(0);
    let letter = outbox::open(&app, &mail).unwrap();
    assert_eq!((letter.to.as_str(), letter.name), ("bob@example.org", None));
    assert!(!serde_json::to_string(&mail).unwrap().contains("bob@example.org"));
    drop(app);
    let app = reopened(&folder);
    assert!(app.state.mail_timers.is_due(app.clock.now()), "a start takes it up");
    let mut other = mail;
    other.sealed.0[30] ^= 1;
    assert!(outbox::open(&app, &other).is_err());
}

#[test]
fn the_owner_is_told_once_however_often_somebody_looks() {
    let (_folder, app) = house();
    let count = || app.store.read(|tx| MAIL_OUTBOX.keys(tx)).unwrap().len();
    alerts::look(&app).unwrap();
    let before = count();
    app.clock.advance_seconds(7_200);
    alerts::look(&app).unwrap();
    assert_eq!(count(), before + 1);
    app.clock.advance_seconds(7_200);
    alerts::look(&app).unwrap();
    assert_eq!(count(), before + 1, "it is still there");
    let told = app.store.read(|tx| MAIL_ALERTS.get(tx, "clock")).unwrap().unwrap();
    assert!(told.is_open && told.sentence.contains("clock"), "{told:?}");
    // The clock is right again: within the hour nothing is told, and then its end is.
    app.clock.advance_seconds(-14_400);
    alerts::look(&app).unwrap();
    assert_eq!(count(), before + 2, "what was told at a time that has not come yet silences nothing");
    let told = app.store.read(|tx| MAIL_ALERTS.get(tx, "clock")).unwrap().unwrap();
    assert!(!told.is_open, "{told:?}");
}

#[test]
fn a_message_that_nobody_takes_for_a_day_is_given_up_and_told_for_a_day() {
    let (_folder, app) = house();
    post(&app, &MailTopic::Alert).settle(&app);
    let never = CancelToken::new(None);
    delivery::send_due(&app, &never);
    let waits = health(&app).unwrap().unwrap();
    assert_eq!((waits.waiting, waits.record.given_up), (1, 0));
    assert!(waits.error.unwrap().starts_with("The mail server localhost:9: no connection"));
    app.clock.advance_seconds(24 * 3_600);
    delivery::send_due(&app, &never);
    let over = health(&app).unwrap().unwrap();
    assert_eq!((over.waiting, over.record.given_up), (0, 1));
    assert!(over.error.unwrap().starts_with("A message was given up. The mail server localhost:9: no"));
    app.clock.advance_seconds(24 * 3_600);
    assert_eq!(health(&app).unwrap().unwrap().error, None);
}
