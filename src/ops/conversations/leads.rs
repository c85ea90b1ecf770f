//! What visitors of chats leave of themselves (manual 3.8).

use super::messages::search::meant_flows;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::lead::{FlowLead, Lead, LeadContact, check_field};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, LeadId};
use crate::domain::predictions::prediction::{ChatType, ConversationProof};
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions::{self, ConversationClaim};
use crate::store::queries::leads;

/// Leads one flow keeps: anybody may leave one.
const KEPT_MAX: usize = 20_000;

/// Who leaves a lead: in the conversation that they prove, else in a new one.
pub(crate) struct LeadSender<'a> {
    /// The conversation they say it is.
    pub chat: Option<&'a str>,
    pub proofs: &'a [ConversationProof],
    /// One of somebody else, for who may see those of the flow.
    pub seen: Option<ChatId>,
}

/// A lead that is kept.
pub(crate) struct KeptLead {
    pub lead: Lead,
    /// The proof of its conversation, for the visitor whose it is.
    pub session_token: Option<String>,
}

/// Keeps a lead. A conversation that nobody proved is a new one, which the visitor's first question goes on in
/// (manual 3.2 r4).
///
/// # Errors
/// 400 for a field that is too long, 404 when the flow goes away meanwhile.
pub(crate) fn add(
    app: &App,
    flow: &Flow,
    sender: &LeadSender<'_>,
    contact: &LeadContact,
) -> Result<KeptLead> {
    let (chat, is_theirs) = match sender.seen {
        // An id that a page invented is nobody's conversation.
        Some(chat) if !predictions::has_no_messages(app, flow, chat)? => (chat, false),
        _ => {
            let claim = ConversationClaim { chat: sender.chat, proofs: sender.proofs, goes_ahead: true };
            (predictions::resolve_conversation(app, flow, claim, ChatType::External)?.chat_id(), true)
        }
    };
    let lead = add_within(app, flow, chat, contact, KEPT_MAX)?;
    Ok(KeptLead { lead, session_token: is_theirs.then(|| app.secrets.tokens.mint(&flow.id, &chat)) })
}

/// Refuses what visitors leave at a flow whose chat does not ask who they are.
///
/// # Errors
/// 403.
pub(crate) fn require_asked(flow: &Flow) -> Result<()> {
    if flow.settings.chatbot_config.asks_visitors {
        return Ok(());
    }
    Err(Error::Forbidden("This flow does not ask its visitors who they are.".to_owned()))
}

/// True when a lead was left in this conversation.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn have_begun(app: &App, flow: &Flow, chat: &ChatId) -> Result<bool> {
    app.store.read(|tx| Ok(!leads::of_conversation(tx, &flow.workspace, &flow.id, chat)?.is_empty()))
}

fn add_within(app: &App, flow: &Flow, chat: ChatId, contact: &LeadContact, most: usize) -> Result<Lead> {
    let lead = Lead {
        id: LeadId::next(),
        chat,
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

/// A page of the leads of all flows that the caller may see, or of the one that is named, newest first: those before a lead that an
/// earlier page ended with, at most so many. With the lead that the next page begins behind.
///
/// # Errors
/// 404 and 403 for the flow that is named.
pub(crate) fn list_of_flows(
    app: &App,
    caller: &Caller,
    flow: Option<&FlowId>,
    before: Option<&LeadId>,
    most: usize,
) -> Result<(Vec<FlowLead>, Option<LeadId>)> {
    app.store.read(|tx| {
        let (workspace, flows) = (&caller.workspace, meant_flows(tx, caller, flow, &[FlowAction::Read])?);
        let mut newest = Vec::new();
        for (at, flow) in flows.iter().enumerate() {
            // One more than the page holds says whether there is a next one.
            let ids = leads::newest_before(tx, workspace, &flow.id, before, most.saturating_add(1))?;
            newest.extend(ids.into_iter().map(|id| (id, at)));
        }
        newest.sort_unstable_by(|one, other| other.0.bytes().cmp(one.0.bytes()));
        let has_more = newest.len() > most;
        newest.truncate(most);
        let next = newest.last().filter(|_| has_more).map(|(id, _)| *id);
        let mut rows = Vec::with_capacity(newest.len());
        for (id, at) in newest {
            let flow = &flows[at];
            let lead = leads::get(tx, workspace, &flow.id, &id)?;
            rows.extend(lead.map(|lead| FlowLead { flow: flow.id, flow_name: flow.name.clone(), lead }));
        }
        Ok((rows, next))
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
        add_within(app, flow, ChatId::random(), &contact, 3).unwrap();
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
