//! The flows that the holder of a key may ask, as other protocols offer them (manual 2.14 r2).

mod reach;

pub(in crate::ops) use self::reach::may_ask;
use self::reach::takes_question;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::engine::overrides::CardPlace;
use crate::ops::accounts::keys;
use crate::ops::predictions;
use crate::store::tables::FLOWS;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

/// Every flow that answers a question of this key's holder, by name.
///
/// # Errors
/// When the database cannot be read.
pub fn list_models(app: &App, caller: &Caller) -> Result<Vec<Flow>> {
    let mut flows = app.store.read(|tx| FLOWS.list(tx, &caller.workspace))?;
    flows.retain(|flow| may_ask(caller, flow) && takes_question(app, flow));
    flows.sort_by(|a, b| (&a.name, a.id.to_string()).cmp(&(&b.name, b.id.to_string())));
    Ok(flows)
}

/// The flow that `model` names for this caller: by its id, or by its name where only one has it.
///
/// # Errors
/// 404 for everything that the caller may not ask, as if there were none.
pub fn find_model(app: &App, caller: &Caller, model: &str) -> Result<Arc<Flow>> {
    find(app, caller, model)?.ok_or_else(|| {
        let shown: String = model.chars().filter(|c| !c.is_control()).take(64).collect();
        Error::NotFound(format!(
            "The model '{shown}' does not exist or this key may not ask it: name a flow by its id or its name, as the list of models has them."
        ))
    })
}

/// Has what a request says of the model reach the models that steps of an agentflow pick: they are no cards of the canvas.
pub fn address_picked_models(app: &App, flow: &Flow, said: &mut Map<String, Value>) {
    if flow.kind != FlowKind::Agentflow || said.is_empty() {
        return;
    }
    // A canvas that cannot run says so when it is asked.
    let Ok(plan) = predictions::plan(app, flow) else { return };
    let picked: BTreeSet<&str> = plan.places().iter().filter_map(CardPlace::picked_model).collect();
    if !picked.is_empty() {
        let all = Value::Object(std::mem::take(said));
        said.extend(picked.into_iter().map(|input| (format!("{input}Config"), all.clone())));
    }
}

/// The flow whose pages a request is judged by; none where its key and its model lead to none. No use of the key.
///
/// # Errors
/// When the database cannot be read.
pub fn flow_of_model(app: &App, bearer: &str, model: &str, address: IpAddr) -> Result<Option<FlowId>> {
    let Some(caller) = keys::holder(app, bearer, Some(address))? else { return Ok(None) };
    Ok(find(app, &caller, model)?.map(|flow| flow.id))
}

fn find(app: &App, caller: &Caller, model: &str) -> Result<Option<Arc<Flow>>> {
    if let Some(id) = FlowId::parse(model) {
        let flow = match app.flow_cache.flow(app, &id) {
            Ok(flow) => flow,
            Err(Error::NotFound(_)) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        return Ok(Some(flow).filter(|flow| may_ask(caller, flow) && takes_question(app, flow)));
    }
    let flows = app.store.read(|tx| FLOWS.list(tx, &caller.workspace))?;
    let fits = |flow: &Flow| flow.name == model && may_ask(caller, flow) && takes_question(app, flow);
    let mut named = flows.into_iter().filter(fits);
    let (first, other) = (named.next(), named.next());
    Ok(first.filter(|_| other.is_none()).map(Arc::new))
}
