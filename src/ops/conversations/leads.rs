//! What visitors of chats leave of themselves (manual 3.8).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::lead::{Lead, LeadContact, check_field};
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::leads;

/// Leads one flow keeps: anybody may leave one.
const KEPT_MAX: usize = 20_000;

/// Keeps a lead. A conversation that nobody proved is a new one (manual 3.2 r4).
///
/// # Errors
/// 400 for a field that is too long, 404 when the flow goes away meanwhile.
pub(crate) fn add(app: &App, flow: &Flow, proven: Option<ChatId>, contact: &LeadContact) -> Result<Lead> {
    add_within(app, flow, proven, contact, KEPT_MAX)
}

fn add_within(
    app: &App,
    flow: &Flow,
    proven: Option<ChatId>,
    contact: &LeadContact,
    most: usize,
) -> Result<Lead> {
    let lead = Lead {
        id: LeadId::next(),
        chat: proven.unwrap_or_else(ChatId::random),
        name: check_field("name", contact.name.as_deref())?,
        email: check_field("email", contact.email.as_deref())?,
        phone: check_field("phone", contact.phone.as_deref())?,
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
    Ok(lead)
}

/// Keeps a lead that another product kept before, as one of its time; false when it is here already.
///
/// # Errors
/// 400 for a field that is too long, 404 when the flow goes away meanwhile.
pub(in crate::ops) fn adopt(app: &App, flow: &Flow, lead: &Lead) -> Result<bool> {
    let field = |name: &str, text: &Option<String>| check_field(name, text.as_deref());
    let lead = Lead {
        name: field("name", &lead.name)?,
        email: field("email", &lead.email)?,
        phone: field("phone", &lead.phone)?,
        ..lead.clone()
    };
    app.store.write(|tx| {
        if leads::has(tx, &flow.workspace, &flow.id, &lead.id)? {
            return Ok(false);
        }
        leads::add(tx, &flow.workspace, &flow.id, &lead)?;
        Ok(true)
    })
}

/// True when the flow has the lead of this id.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn is_known(app: &App, flow: &Flow, id: &LeadId) -> Result<bool> {
    app.store.read(|tx| leads::has(tx, &flow.workspace, &flow.id, id))
}

/// The leads of a flow, newest first.
///
/// # Errors
/// 404 or 403.
pub(crate) fn list(app: &App, caller: &Caller, flow: &FlowId) -> Result<Vec<Lead>> {
    app.store.read(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        leads::list(tx, &caller.workspace, flow, KEPT_MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::ops::flows;

    fn names(app: &App, caller: &Caller, flow: &Flow) -> Vec<String> {
        let rows = list(app, caller, &flow.id).unwrap();
        rows.into_iter().map(|lead| lead.name.unwrap()).collect()
    }

    fn add_named(app: &App, flow: &Flow, name: impl ToString) {
        let contact = LeadContact { name: Some(name.to_string()), ..LeadContact::default() };
        add_within(app, flow, None, &contact, 3).unwrap();
    }

    #[test]
    fn a_full_list_drops_its_oldest() {
        let (_folder, app, caller) = App::with_owner();
        let change = FlowChange::chatflow("f");
        let flow = flows::create(&app, &caller, &change).unwrap().flow;
        for number in 1..=5 {
            add_named(&app, &flow, number);
        }
        assert_eq!(names(&app, &caller, &flow), ["5", "4", "3"]);
        // Those who come at once may find room for all of them; whoever comes next makes up for it.
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| add_named(&app, &flow, "crowd"));
            }
        });
        assert!(names(&app, &caller, &flow).len() >= 3);
        add_named(&app, &flow, "last");
        assert_eq!(names(&app, &caller, &flow), ["last", "crowd", "crowd"]);
    }
}
