//! What was used, over HTTP (manual 5.15).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, KeyId};
use crate::domain::predictions::consumption::{CONSUMPTION_DAYS, ConsumptionFilter, UtcDay};
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::predictions::consumption;
use crate::wire::predictions::consumption::ConsumptionView;

/// Days of a list of what was used, unless others are named (manual 14.4).
const USUAL_DAYS: u32 = 30;

/// `GET /usage`.
///
/// # Errors
/// 400 for a span or an id that is none.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ConsumptionView>> {
    let filter = filter(request, UtcDay::of(app.clock.now()))?;
    Ok(Json(consumption::report(app, &caller, &filter)?.into()))
}

fn filter(request: &Request, today: UtcDay) -> Result<ConsumptionFilter> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    let day = |name: &str| {
        let wrong = || Error::Invalid(format!("Invalid {name}: it must be a day, as 2026-11-30."));
        text(name).map(|text| UtcDay::parse(text).ok_or_else(wrong)).transpose()
    };
    let from = day("from")?;
    let to = day("to")?.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
    let from = from.unwrap_or_else(|| to.before(USUAL_DAYS - 1));
    if from > to {
        return Err(Error::invalid("Invalid from: it must not be later than to."));
    }
    if to.number() - from.number() >= CONSUMPTION_DAYS {
        return Err(Error::Invalid(format!(
            "Invalid from: at most {CONSUMPTION_DAYS} days can be read at once."
        )));
    }
    let flow = text("flowId").map(|id| FlowId::parse(id).ok_or_else(|| wrong_id("flowId"))).transpose()?;
    let key = text("keyId").map(|id| KeyId::parse(id).ok_or_else(|| wrong_id("keyId"))).transpose()?;
    Ok(ConsumptionFilter { from, to, flow, key, model: text("model").map(str::to_owned) })
}

fn wrong_id(name: &str) -> Error {
    Error::Invalid(format!("Invalid {name}: it must be an id."))
}
