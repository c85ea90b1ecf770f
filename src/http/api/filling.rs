//! Answers of what may run for minutes: as JSON when it is done, or as events while it runs, for callers that ask for
//! `text/event-stream` (manual 10.6).

use crate::app::App;
use crate::domain::cancel::Cancel;
use crate::domain::error::Result;
use crate::domain::filling::Progress;
use crate::http::error::note_run;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::watch::Tell;
use serde_json::{Value, json};

const EVENTS: &str = "text/event-stream";

/// Runs a filling. Events are `progress`, then `result` with what would be the body, or `error`.
///
/// # Errors
/// What `run` fails with, where nothing was sent yet.
pub(super) fn answer(
    app: &App,
    request: &Request,
    run: impl FnOnce(&App, Tell<'_>, &Cancel) -> Result<Value> + Send + 'static,
) -> Result<Reply> {
    if !wants_events(request) {
        let body = run(app, &|_| {}, request.cancel()).inspect_err(|fault| note_run(None, fault))?;
        return Reply::json(&body);
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    Ok(Reply::stream(move |events| {
        // Whoever is gone has ended the run through its `Cancel`.
        let tell = |at: Progress| {
            let _ = events.send("progress", &json!(at));
        };
        let _ = match run(&app, &tell, &cancel) {
            Ok(body) => events.send("result", &body).and_then(|()| events.end()),
            Err(fault) => {
                note_run(None, &fault);
                events.fail(&fault)
            }
        };
    }))
}

fn wants_events(request: &Request) -> bool {
    let kinds = request.header("accept").unwrap_or_default().split(',');
    let mut kinds = kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    kinds.any(|kind| kind.eq_ignore_ascii_case(EVENTS))
}
