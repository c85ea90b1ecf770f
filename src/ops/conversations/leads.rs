//! What visitors of chats leave of themselves (manual 3.8).

use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::lead::{Lead, check_field};
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::leads;
use serde_json::{Value, json};

/// Leads one flow keeps: anybody may leave one.
const KEPT_MAX: usize = 20_000;

/// What is left of a visitor.
#[derive(Debug, Clone, Default)]
pub struct NewLead {
    /// The conversation, when the visitor proved it.
    pub chat: Option<ChatId>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

fn wire(flow: &FlowId, lead: &Lead) -> Value {
    json!({
        "id": lead.id,
        "name": lead.name,
        "email": lead.email,
        "phone": lead.phone,
        "chatflowid": flow,
        "chatId": lead.chat,
        "createdDate": iso(lead.created),
    })
}

/// Keeps a lead. A conversation that is not proven is a new one (manual 3.2 r4).
///
/// # Errors
/// 400 for a field that is too long, 404 when the flow goes away meanwhile.
pub fn add(app: &App, flow: &Flow, new: &NewLead) -> Result<Value> {
    add_within(app, flow, new, KEPT_MAX)
}

fn add_within(app: &App, flow: &Flow, new: &NewLead, most: usize) -> Result<Value> {
    let lead = Lead {
        id: LeadId::next(),
        chat: new.chat.unwrap_or_else(ChatId::random),
        name: check_field("name", new.name.as_deref())?,
        email: check_field("email", new.email.as_deref())?,
        phone: check_field("phone", new.phone.as_deref())?,
        created: app.clock.monotonic_now(),
    };
    // The newest count: whoever fills the list must not close it. What goes is looked for before the write, which
    // others wait for; of those who add at once each may miss the others' leads, and the next one drops them.
    let outdated =
        app.store.read(|tx| leads::oldest_beyond(tx, &flow.workspace, &flow.id, most.saturating_sub(1)))?;
    app.store.write(|tx| {
        leads::add(tx, &flow.workspace, &flow.id, &lead)?;
        leads::remove(tx, &flow.workspace, &flow.id, &outdated)
    })?;
    Ok(wire(&flow.id, &lead))
}

/// The leads of a flow, newest first.
///
/// # Errors
/// 404 or 403.
pub fn list(app: &App, caller: &Caller, flow: &FlowId) -> Result<Vec<Value>> {
    let found = app.store.read(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        leads::list(tx, &caller.workspace, flow, KEPT_MAX)
    })?;
    Ok(found.iter().map(|lead| wire(flow, lead)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::flows;

    fn names(app: &App, caller: &Caller, flow: &Flow) -> Vec<String> {
        let rows = list(app, caller, &flow.id).unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    }

    fn named(name: impl ToString) -> NewLead {
        NewLead { name: Some(name.to_string()), ..NewLead::default() }
    }

    #[test]
    fn a_full_list_drops_its_oldest() {
        let (_folder, app, caller) = App::with_owner();
        let edit = serde_json::from_value(json!({"name": "f", "type": "CHATFLOW"})).unwrap();
        let flow = flows::create(&app, &caller, &edit).unwrap().flow;
        for number in 1..=5 {
            add_within(&app, &flow, &named(number), 3).unwrap();
        }
        assert_eq!(names(&app, &caller, &flow), ["5", "4", "3"]);
        // Those who come at once may find room for all of them; whoever comes next makes up for it.
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| add_within(&app, &flow, &named("crowd"), 3).unwrap());
            }
        });
        assert!(names(&app, &caller, &flow).len() >= 3);
        add_within(&app, &flow, &named("last"), 3).unwrap();
        assert_eq!(names(&app, &caller, &flow), ["last", "crowd", "crowd"]);
    }
}
