//! Routes of conversations: messages, ratings, leads (manual 3.5).

use super::params;
use super::permissions::{VIEW, WRITE};
use crate::http::api::conversations::{feedback, leads, messages};
use crate::http::api::predictions::{consumption, prediction};
use crate::http::routing::guard::{PUBLIC, any_of};
use crate::http::routing::router::{Cors, Route, delete, get, post, put};
use crate::wire::conversations::leads::KeptLeadView;

#[rustfmt::skip]
pub(super) fn conversation_routes() -> Vec<Route> {
    vec![
    get   ("/chatmessage/:id",           any_of(VIEW),   messages::list)          .summary("Lists a flow's stored messages.")
        .id("listMessages").query(params::MESSAGE_LIST),
    delete("/chatmessage/:id",           any_of(WRITE),  messages::delete)        .summary("Deletes stored messages of a flow.")
        .id("deleteMessages").query(params::MESSAGE_FILTER),
    get   ("/internal-chatmessage/:id",  any_of(VIEW),   messages::list_internal) .summary("Lists the stored messages of a flow's test chat.")
        .id("listTestMessages").query(params::MESSAGE_LIST),
    get   ("/conversations",             any_of(VIEW),   messages::search)        .summary("Lists the conversations of all flows, newest first, or searches them.")
        .id("searchConversations").query(params::CONVERSATION_SEARCH).refuses(&[404]),
    delete("/conversations",             any_of(WRITE),  messages::delete_conversations).summary("Deletes the whole conversations that fit, of all flows or of one.")
        .id("deleteConversations").query(params::CONVERSATION_FILTER).refuses(&[404]),
    get   ("/conversations/count",       any_of(VIEW),   messages::count)         .summary("Counts the conversations of all flows that fit.")
        .id("countConversations").query(params::CONVERSATION_FILTER).refuses(&[404]),
    get   ("/conversations/:id",         any_of(VIEW),   messages::conversations) .summary("Lists a flow's conversations, a row for each.")
        .id("listConversations").query(params::CONVERSATION_LIST),
    get   ("/stats/:id",                 any_of(VIEW),   messages::stats)         .summary("Counts a flow's messages, conversations and ratings.")
        .id("getStats").query(params::MESSAGE_FILTER),
    get   ("/usage",                     any_of(VIEW),   consumption::read)       .summary("Counts questions and tokens by day, flow, key and model, and tells how budgets stand.")
        .id("getUsage").query(params::USAGE_FILTER),
    put   ("/chatmessage/abort/:flow/:chat", PUBLIC,     prediction::abort)       .cors(Cors::Flow).summary("Stops the answer that is under way in a conversation.")
        .id("abort"),
    post  ("/feedback",                  PUBLIC,         feedback::rate)          .cors(Cors::Flow).summary("Rates an answer.")
        .id("rate").refuses(&[401, 403, 404, 429]),
    post  ("/feedback/:id",              PUBLIC,         feedback::rate)          .cors(Cors::Flow).summary("Rates an answer of a flow.")
        .id("rateAnswer").refuses(&[401, 403, 429]),
    put   ("/feedback/:feedback",        PUBLIC,         feedback::change)        .cors(Cors::FlowOfFeedback).summary("Changes a rating or adds a comment.")
        .id("changeRating"),
    get   ("/feedback/:id",              any_of(VIEW),   feedback::list)          .summary("Lists the ratings of a flow's answers.")
        .id("listRatings").query(params::FEEDBACK_FILTER),
    post  ("/leads",                     PUBLIC,         leads::add)              .cors(Cors::Flow).summary("Keeps what a visitor of a chat left.")
        .id("addLead").answers_json::<KeptLeadView>(200).refuses(&[401, 403, 404, 429]),
    get   ("/leads",                     any_of(VIEW),   leads::list_of_flows)    .summary("Lists what visitors of all flows' chats left, newest first.")
        .id("listAllLeads").query(params::LEAD_LIST).refuses(&[404]),
    get   ("/leads/:id",                 any_of(VIEW),   leads::list)             .summary("Lists what visitors of a flow's chat left.")
        .id("listLeads"),
    ]
}
