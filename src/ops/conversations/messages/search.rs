//! Conversations of all flows that a caller may see, the newest first, and of them those that fit (manual 3.5 r5).
//!
//! Every flow tells of its own conversations newest first, from its timeline or from an index where one of them serves, and the
//! numbers of messages order those of all flows. So a page costs what it holds, and a step for each flow. A conversation stands
//! where its newest message stands that fits: on a later page it is left out when a newer one fits too.

use super::conversations::summarize_all;
use super::filter::{MessageFilter, fits, indexed_positions, walk};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::{ConversationCount, FlowConversation, FoundConversations};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::version::ShaPrefix;
use crate::domain::ids::{ChatId, FlowId};
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::answers;
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::tables::FLOWS;
use crate::store::{MessagesTx, Order};
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::ops::ControlFlow;
use uuid::Uuid;

/// What one page of a search through conversations may cost: a place that is passed by costs 1, a message that is read 5. A
/// search that is not done by then says where to go on (manual 14.4).
const SEARCH_COST_MAX_COUNT: usize = 50_000;
const MESSAGE_COST: usize = 5;
/// Failed runs of a flow that are looked at for one page of a search (manual 14.4).
const FAILURES_MAX_COUNT: usize = 10_000;
/// Places that a flow tells of at once, after its first one.
const STEP: usize = 64;

/// Which conversations are wanted. One fits when a message of it fits, and what else is asked holds for it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConversationSearch {
    /// Only of this flow.
    pub flow: Option<FlowId>,
    pub messages: MessageFilter,
    /// In which this version of its flow answered.
    pub version: Option<ShaPrefix>,
    /// In which a run failed; of that version, where one is named.
    pub failed: bool,
    /// Before this number, with which an earlier page ended.
    pub before: Option<u64>,
    /// Rows of the page.
    pub most: usize,
}

/// A page of conversations.
///
/// # Errors
/// 404 and 403 for the flow that is named. Of all flows those are left out that the caller may not see.
pub(crate) fn search(app: &App, caller: &Caller, wanted: &ConversationSearch) -> Result<FoundConversations> {
    app.store.read_messages(|tx| {
        let flows = meant_flows(tx, caller, wanted.flow.as_ref(), &[FlowAction::Read])?;
        Search::begin(tx, caller, wanted, &flows, Extent::Page)?.page()
    })
}

/// How many conversations fit, and how many messages they have, whatever it costs to find them: who deletes them is told first.
///
/// # Errors
/// As [`search`].
pub(crate) fn count(app: &App, caller: &Caller, wanted: &ConversationSearch) -> Result<ConversationCount> {
    app.store.read_messages(|tx| {
        let mut count = ConversationCount::default();
        let flows = meant_flows(tx, caller, wanted.flow.as_ref(), &[FlowAction::Read])?;
        for (flow, chat) in find_all(tx, caller, wanted, &flows)? {
            count.conversations += 1;
            count.messages += timeline::of_chat(tx, &caller.workspace, &flow, &chat)?.len();
        }
        Ok(count)
    })
}

/// Every conversation of these flows that fits, wherever a page would begin and end.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn find_all(
    tx: &MessagesTx,
    caller: &Caller,
    wanted: &ConversationSearch,
    flows: &[Flow],
) -> Result<Vec<(FlowId, ChatId)>> {
    let wanted = ConversationSearch { before: None, most: usize::MAX, ..wanted.clone() };
    let mut search = Search::begin(tx, caller, &wanted, flows, Extent::Everything)?;
    let found = search.find()?.places;
    Ok(found.into_iter().map(|(at, chat)| (search.walks[at].flow.id, chat)).collect())
}

/// The flow that is named, for which the caller needs the first of these actions, or all for which there is one that the caller may.
///
/// # Errors
/// 404 and 403 for the one that is named.
pub(in crate::ops::conversations) fn meant_flows(
    tx: &impl crate::store::Tx,
    caller: &Caller,
    flow: Option<&FlowId>,
    actions: &[FlowAction],
) -> Result<Vec<Flow>> {
    if let (Some(flow), [needed, ..]) = (flow, actions) {
        return Ok(vec![access::flow(tx, caller, flow, *needed)?]);
    }
    let may = |flow: &Flow, action| access::check_permission(caller, flow.kind, action).is_ok();
    let mut flows = FLOWS.list(tx, &caller.workspace)?;
    flows.retain(|flow| actions.iter().any(|action| may(flow, *action)));
    Ok(flows)
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Until a page is full, or has cost what one may.
    Page,
    /// To the oldest message.
    Everything,
}

/// What a search found on its way.
struct Find {
    /// The conversations, each with the place of its flow.
    places: Vec<(usize, ChatId)>,
    /// Where the next page begins.
    next: Option<u64>,
    stopped_early: bool,
}

/// Where a flow tells of its conversations from.
enum Source {
    /// Every message.
    Timeline,
    /// The answers of a change of Live.
    Answers(Uuid),
    /// Places that are all known already: of one conversation, or of what was rated.
    Known,
    /// The newest failed run of each conversation.
    Failures,
}

/// A flow on its way from its newest message to its oldest.
struct FlowWalk<'f> {
    flow: &'f Flow,
    source: Source,
    /// What is known of it already, the newest last.
    ahead: Vec<MessagePosition>,
    /// What comes behind that; `None` when nothing does.
    below: Option<u64>,
}

struct Search<'s> {
    tx: &'s MessagesTx,
    caller: &'s Caller,
    wanted: &'s ConversationSearch,
    extent: Extent,
    walks: Vec<FlowWalk<'s>>,
    /// The newest place of each flow, with the place of the flow.
    next: BinaryHeap<(u64, usize, ChatId)>,
    /// Conversations that are decided.
    decided: HashSet<(usize, ChatId)>,
    cost: usize,
    is_cut: bool,
}

impl<'s> Search<'s> {
    fn begin(
        tx: &'s MessagesTx,
        caller: &'s Caller,
        wanted: &'s ConversationSearch,
        flows: &'s [Flow],
        extent: Extent,
    ) -> Result<Self> {
        let mut search = Self {
            tx,
            caller,
            wanted,
            extent,
            walks: Vec::with_capacity(flows.len()),
            next: BinaryHeap::new(),
            decided: HashSet::new(),
            cost: 0,
            is_cut: false,
        };
        for flow in flows {
            if let Some(walk) = search.walk_of(flow)? {
                search.walks.push(walk);
                search.advance(search.walks.len() - 1, 1)?;
            }
        }
        Ok(search)
    }

    /// `None` for a flow that has nothing to tell.
    fn walk_of(&mut self, flow: &'s Flow) -> Result<Option<FlowWalk<'s>>> {
        let (tx, workspace, wanted) = (self.tx, &self.caller.workspace, self.wanted);
        let change = match &wanted.version {
            None => None,
            Some(version) => match answers::change_of_prefix(tx, &flow.id, version)? {
                None => return Ok(None),
                known => known,
            },
        };
        let whole = |source, mut ahead: Vec<MessagePosition>| {
            ahead.sort_unstable();
            FlowWalk { flow, source, ahead, below: None }
        };
        if wanted.failed {
            let most = if self.extent == Extent::Page { FAILURES_MAX_COUNT } else { usize::MAX };
            let failures = answers::failures(tx, workspace, &flow.id, None, most)?;
            self.is_cut |= failures.len() == most;
            let mut newest: BTreeMap<ChatId, MessagePosition> = BTreeMap::new();
            for (place, of) in failures {
                if change.is_none_or(|change| change == of) {
                    // They come in their order.
                    newest.insert(place.chat, place);
                }
            }
            return Ok(Some(whole(Source::Failures, newest.into_values().collect())));
        }
        if let Some(change) = change {
            let below = Some(wanted.before.unwrap_or(u64::MAX));
            return Ok(Some(FlowWalk { flow, source: Source::Answers(change), ahead: Vec::new(), below }));
        }
        if let Some(known) = indexed_positions(tx, workspace, &flow.id, &wanted.messages)? {
            return Ok(Some(whole(Source::Known, known)));
        }
        let below = Some(wanted.before.unwrap_or(u64::MAX));
        Ok(Some(FlowWalk { flow, source: Source::Timeline, ahead: Vec::new(), below }))
    }

    /// Puts the next place of a flow where it is compared with those of others, and reads at most so many more for that.
    fn advance(&mut self, at: usize, most: usize) -> Result<()> {
        let (tx, workspace) = (self.tx, &self.caller.workspace);
        let walk = &mut self.walks[at];
        if let (true, Some(below)) = (walk.ahead.is_empty(), walk.below) {
            let id = &walk.flow.id;
            walk.ahead = match walk.source {
                Source::Answers(change) => answers::newest_below(tx, workspace, id, &change, (below, most))?,
                Source::Timeline | Source::Known | Source::Failures => {
                    timeline::newest_below(tx, workspace, id, below, most)?
                }
            };
            walk.below = walk.ahead.last().filter(|_| walk.ahead.len() == most).map(|last| last.sequence);
            walk.ahead.reverse();
        }
        self.next.extend(walk.ahead.pop().map(|place| (place.sequence, at, place.chat)));
        Ok(())
    }

    fn find(&mut self) -> Result<Find> {
        let mut found: Vec<(usize, ChatId)> = Vec::new();
        let (mut next, mut stopped_early) = (None, false);
        while let Some((sequence, at, chat)) = self.next.pop() {
            if self.extent == Extent::Page && self.cost >= SEARCH_COST_MAX_COUNT {
                // This place is where the next page begins.
                (next, stopped_early) = (Some(sequence + 1), true);
                break;
            }
            self.cost += 1;
            self.advance(at, STEP)?;
            if self.decided.contains(&(at, chat))
                || !self.is_fitting(at, MessagePosition { sequence, chat })?
            {
                continue;
            }
            self.decided.insert((at, chat));
            // Those were on an earlier page.
            if self.wanted.before.is_some_and(|before| sequence >= before) || self.was_before(at, &chat)? {
                continue;
            }
            found.push((at, chat));
            if found.len() >= self.wanted.most {
                next = self.next.peek().map(|_| sequence);
                break;
            }
        }
        Ok(Find { places: found, next, stopped_early: stopped_early || self.is_cut })
    }

    fn page(mut self) -> Result<FoundConversations> {
        let Find { places, next, stopped_early } = self.find()?;
        let rows = places.into_iter().map(|(at, chat)| {
            let flow = self.walks[at].flow;
            let mut summaries = summarize_all(self.tx, &self.caller.workspace, &flow.id, &[chat])?;
            let summary = summaries.pop().ok_or_else(|| Error::internal("a conversation has no summary"))?;
            Ok(FlowConversation { flow: flow.id, flow_name: flow.name.clone(), summary })
        });
        Ok(FoundConversations { rows: rows.collect::<Result<_>>()?, next, stopped_early })
    }

    /// True when the place fits, and what else is asked holds for its conversation.
    fn is_fitting(&mut self, at: usize, place: MessagePosition) -> Result<bool> {
        let filter = &self.wanted.messages;
        match self.walks[at].source {
            Source::Timeline | Source::Known => self.is_message_fitting(at, &place),
            Source::Answers(_) | Source::Failures if *filter == MessageFilter::default() => Ok(true),
            Source::Answers(_) | Source::Failures => {
                let fitting = self.has_fitting_message(at, &place.chat)?;
                if !fitting {
                    self.decided.insert((at, place.chat));
                }
                Ok(fitting)
            }
        }
    }

    fn is_message_fitting(&mut self, at: usize, place: &MessagePosition) -> Result<bool> {
        let filter = &self.wanted.messages;
        if !filter.needs_messages() {
            return Ok(true);
        }
        self.cost += MESSAGE_COST;
        fits(self.tx, &self.caller.workspace, &self.walks[at].flow.id, filter, place)
    }

    fn has_fitting_message(&mut self, at: usize, chat: &ChatId) -> Result<bool> {
        let filter = &self.wanted.messages;
        if filter.chat.is_some_and(|only| only != *chat) {
            return Ok(false);
        }
        let flow = &self.walks[at].flow.id;
        let one = MessageFilter { chat: Some(*chat), ..filter.clone() };
        let mut is_found = false;
        walk(self.tx, &self.caller.workspace, flow, &one, (0, Order::Descending), |_, _| {
            is_found = true;
            Ok(ControlFlow::Break(()))
        })?;
        self.cost += MESSAGE_COST;
        Ok(is_found)
    }

    /// True when the conversation was on an earlier page, because something newer in it fits.
    fn was_before(&mut self, at: usize, chat: &ChatId) -> Result<bool> {
        let Some(before) = self.wanted.before else { return Ok(false) };
        let flow = self.walks[at].flow.id;
        let change = match self.walks[at].source {
            Source::Timeline => None,
            Source::Answers(change) => Some(change),
            // All of their places are looked at, the newest first.
            Source::Known | Source::Failures => return Ok(false),
        };
        for place in timeline::of_chat_from(self.tx, &self.caller.workspace, &flow, chat, before)? {
            let is_newer = match change {
                Some(change) => answers::is_answer_of(self.tx, &flow, &change, place.sequence)?,
                None => self.is_message_fitting(at, &place)?,
            };
            self.cost += 1;
            if is_newer {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
