//! Stored conversations, their ratings, and visitors who left their names (manual 3.5).

use super::asking::{CHAT_TYPE, ORDER};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, MAYBE_TIME, ParamSpec, Shape, TEXT, TIME, field, object, optional, query,
};

/// How an answer was rated.
pub const RATING: Shape = Shape::Words(&["THUMBS_UP", "THUMBS_DOWN"]);

pub const FEEDBACK: Shape = Shape::Named(&object(
    "Feedback",
    "How an answer was rated.",
    &[
        field("id", ID),
        field("chatflowid", ID),
        field("chatId", ID),
        field("messageId", ID),
        field("rating", RATING),
        field("content", MAYBE_TEXT).about("A comment."),
        field("createdDate", TIME),
    ],
));
/// Ratings of a flow's answers.
pub const FEEDBACKS: Shape = Shape::List(&FEEDBACK);
pub const NEW_FEEDBACK: Shape = Shape::Named(&object(
    "NewFeedback",
    "Rates an answer.",
    &[
        optional("chatflowid", MAYBE_TEXT).about("The flow, where the address does not name it."),
        field("chatId", TEXT),
        field("messageId", TEXT),
        field("rating", RATING),
        optional("content", MAYBE_TEXT),
        optional("sessionToken", MAYBE_TEXT).about("Proof of the conversation."),
    ],
));
/// A change of a rating.
pub const FEEDBACK_EDIT: Shape = Shape::Named(&object(
    "FeedbackEdit",
    "Changes a rating or its comment.",
    &[optional("rating", Shape::Maybe(&RATING)), optional("content", MAYBE_TEXT)],
));
/// What a changed rating is answered with.
pub const FEEDBACK_CHANGED: Shape = Shape::Named(&object(
    "FeedbackChanged",
    "The rating was changed.",
    &[field("status", Shape::Words(&["OK"]))],
));
pub const FEEDBACK_FILTER: &[ParamSpec] = &[
    ORDER,
    query("chatId", ID, "Only ratings in this conversation."),
    query("startDate", TIME, "Only ratings from then on."),
    query("endDate", TIME, "Only ratings until then."),
];

/// A visitor who left a name.
pub const LEAD: Shape = Shape::Named(&object(
    "Lead",
    "What a visitor of a chat left.",
    &[
        field("id", ID),
        field("chatflowid", ID),
        field("chatId", ID),
        field("name", MAYBE_TEXT),
        field("email", MAYBE_TEXT),
        field("phone", MAYBE_TEXT),
        field("createdDate", TIME),
    ],
));
/// The leads of a flow.
pub const LEADS: Shape = Shape::List(&LEAD);
pub const NEW_LEAD: Shape = Shape::Named(&object(
    "NewLead",
    "What a visitor of a chat leaves.",
    &[
        field("chatflowid", TEXT),
        optional("chatId", MAYBE_TEXT),
        optional("name", MAYBE_TEXT),
        optional("email", MAYBE_TEXT),
        optional("phone", MAYBE_TEXT),
        optional("sessionToken", MAYBE_TEXT).about("Proof of the conversation."),
    ],
));

pub const CONVERSATIONS: Shape = Shape::Named(&object(
    "ConversationPage",
    "Conversations of a flow, the one that went on last first.",
    &[field("data", Shape::List(&CONVERSATION)), field("total", COUNT)],
));
const CONVERSATION: Shape = Shape::Named(&object(
    "Conversation",
    "A conversation at a glance.",
    &[
        field("chatId", ID),
        field("chatType", Shape::Maybe(&CHAT_TYPE)),
        field("sessionId", MAYBE_TEXT),
        field("memoryType", MAYBE_TEXT),
        field("leadEmail", MAYBE_TEXT),
        field("firstQuestion", MAYBE_TEXT),
        field("messages", COUNT),
        field("positiveFeedback", COUNT),
        field("negativeFeedback", COUNT),
        field("createdDate", MAYBE_TIME),
        field("updatedDate", MAYBE_TIME),
    ],
));

/// How much a flow is asked.
pub const STATS: Shape = Shape::Named(&object(
    "FlowStats",
    "How much a flow is asked and how its answers are rated.",
    &[
        field("totalMessages", COUNT),
        field("totalSessions", COUNT),
        field("totalFeedback", COUNT),
        field("positiveFeedback", COUNT),
    ],
));
