//! Answers of what may run for minutes: as JSON when it is done, or as events while it runs, for callers that ask for
//! `text/event-stream` (manual 10.6).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::http::reply::Reply;
use crate::http::reply::error::log_failed_run;
use crate::http::request::Request;
use crate::ops::knowledge::progress::OnProgress;
use crate::wire::knowledge::stores::FillProgress;
use serde::Serialize;

const EVENTS: &str = "text/event-stream";

/// Runs an upsert. Events are `progress`, then `result` with what would be the body, or `error`.
///
/// # Errors
/// What `run` fails with, where nothing was sent yet.
pub(in crate::http::api) fn reply_with_progress<T: Serialize>(
    app: &App,
    request: &Request,
    run: impl FnOnce(&App, OnProgress<'_>, &CancelToken) -> Result<T> + Send + 'static,
) -> Result<Reply> {
    if !accepts_events(request) {
        let body = run(app, &|_| {}, request.cancel()).inspect_err(|fault| log_failed_run(None, fault))?;
        return Reply::json(&body);
    }
    let (app, cancel) = (app.clone(), request.cancel().clone());
    Ok(Reply::stream(move |events| {
        // Whoever is gone has ended the run through its `CancelToken`.
        let tell = |at: UpsertProgress| {
            let _ = events.send("progress", &FillProgress::from(at));
        };
        let _ = match run(&app, &tell, &cancel) {
            Ok(body) => events.send("result", &body).and_then(|()| events.close()),
            Err(fault) => {
                log_failed_run(None, &fault);
                events.send_error(&fault)
            }
        };
    }))
}

fn accepts_events(request: &Request) -> bool {
    let kinds = request.header("accept").unwrap_or_default().split(',');
    let mut kinds = kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    kinds.any(|kind| kind.eq_ignore_ascii_case(EVENTS))
}
