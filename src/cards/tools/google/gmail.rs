//! Gmail: reads, writes and sorts the mail of whoever signed in.

use super::gmail_actions::ACTIONS;
use crate::cards::kit::actions::{chosen_by, toolkit};
use crate::cards::kit::{Card, Category, Choice, Input, Make, Risk};

/// The card.
pub const CARD: Card = Card {
    name: "gmail",
    label: "Gmail",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read, write, send and sort mail in Gmail.",
    base_classes: &["Gmail", "Tool"],
    risk: Risk::Risky,
    inputs: &[
        Input::credential(&["gmailOAuth2"]),
        Input::choice("gmailType", "Type", KINDS),
        Input::choices("draftActions", "Draft Actions", DRAFTS).when("gmailType", "drafts"),
        Input::choices("messageActions", "Message Actions", MESSAGES).when("gmailType", "messages"),
        Input::choices("labelActions", "Label Actions", LABELS).when("gmailType", "labels"),
        Input::choices("threadActions", "Thread Actions", THREADS).when("gmailType", "threads"),
        most("draftMaxResults").when_any("draftActions", &["listDrafts"]),
        Input::text("draftTo", "To").additional().help(ADDRESSES).when_any("draftActions", &["createDraft"]),
        Input::text("draftSubject", "Subject").additional().when_any("draftActions", &["createDraft"]),
        Input::lines("draftBody", "Body").additional().when_any("draftActions", &["createDraft"]),
        Input::text("draftCc", "CC").additional().help(ADDRESSES).when_any("draftActions", &["createDraft"]),
        Input::text("draftBcc", "BCC")
            .additional()
            .help(ADDRESSES)
            .when_any("draftActions", &["createDraft"]),
        Input::text("draftId", "Draft ID")
            .additional()
            .when_any("draftActions", &["getDraft", "updateDraft", "sendDraft", "deleteDraft"]),
        Input::text("draftUpdateTo", "To (Update)")
            .additional()
            .help(ADDRESSES)
            .when_any("draftActions", &["updateDraft"]),
        Input::text("draftUpdateSubject", "Subject (Update)")
            .additional()
            .when_any("draftActions", &["updateDraft"]),
        Input::lines("draftUpdateBody", "Body (Update)")
            .additional()
            .when_any("draftActions", &["updateDraft"]),
        most("messageMaxResults").when_any("messageActions", &["listMessages"]),
        Input::text("messageQuery", "Query")
            .additional()
            .help(QUERY)
            .when_any("messageActions", &["listMessages"]),
        Input::text("messageTo", "To")
            .additional()
            .help(ADDRESSES)
            .when_any("messageActions", &["sendMessage"]),
        Input::text("messageSubject", "Subject").additional().when_any("messageActions", &["sendMessage"]),
        Input::lines("messageBody", "Body").additional().when_any("messageActions", &["sendMessage"]),
        Input::text("messageCc", "CC")
            .additional()
            .help(ADDRESSES)
            .when_any("messageActions", &["sendMessage"]),
        Input::text("messageBcc", "BCC")
            .additional()
            .help(ADDRESSES)
            .when_any("messageActions", &["sendMessage"]),
        Input::text("messageId", "Message ID").additional().when_any(
            "messageActions",
            &["getMessage", "modifyMessage", "trashMessage", "untrashMessage", "deleteMessage"],
        ),
        Input::text("messageAddLabelIds", "Add Label IDs")
            .additional()
            .help(COMMAS)
            .when_any("messageActions", &["modifyMessage"]),
        Input::text("messageRemoveLabelIds", "Remove Label IDs")
            .additional()
            .help(COMMAS)
            .when_any("messageActions", &["modifyMessage"]),
        Input::text("labelName", "Label Name")
            .additional()
            .when_any("labelActions", &["createLabel", "updateLabel"]),
        Input::text("labelColor", "Label Color")
            .additional()
            .help("As hexadecimal numbers, such as #16a765; Gmail takes the colors of its own palette.")
            .when_any("labelActions", &["createLabel", "updateLabel"]),
        Input::text("labelId", "Label ID")
            .additional()
            .when_any("labelActions", &["getLabel", "updateLabel", "deleteLabel"]),
        most("threadMaxResults").when_any("threadActions", &["listThreads"]),
        Input::text("threadQuery", "Query")
            .additional()
            .help(QUERY)
            .when_any("threadActions", &["listThreads"]),
        Input::text("threadId", "Thread ID").additional().when_any(
            "threadActions",
            &["getThread", "modifyThread", "trashThread", "untrashThread", "deleteThread"],
        ),
        Input::text("threadAddLabelIds", "Add Label IDs")
            .additional()
            .help(COMMAS)
            .when_any("threadActions", &["modifyThread"]),
        Input::text("threadRemoveLabelIds", "Remove Label IDs")
            .additional()
            .help(COMMAS)
            .when_any("threadActions", &["modifyThread"]),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let kinds = [
            ("drafts", "draftActions"),
            ("messages", "messageActions"),
            ("labels", "labelActions"),
            ("threads", "threadActions"),
        ];
        let chosen = chosen_by(inputs, "gmailType", &kinds)?;
        toolkit(
            inputs,
            chosen,
            ACTIONS,
            super::service("Gmail", "https://gmail.googleapis.com/gmail/v1/users/me"),
        )
    }),
};

const ADDRESSES: &str = "Mail addresses, divided by commas.";
const COMMAS: &str = "Divided by commas.";
const QUERY: &str = "In the words of Gmail's own search, such as: is:unread from:ada@example.org";

const fn most(name: &'static str) -> Input {
    Input::whole(name, "Max Results", 1.0, 500.0).starting("100").additional()
}

const KINDS: &[Choice] = &[
    Choice::of("drafts", "Drafts"),
    Choice::of("messages", "Messages"),
    Choice::of("labels", "Labels"),
    Choice::of("threads", "Threads"),
];
const DRAFTS: &[Choice] = &[
    Choice::of("listDrafts", "List Drafts"),
    Choice::of("createDraft", "Create Draft"),
    Choice::of("getDraft", "Get Draft"),
    Choice::of("updateDraft", "Update Draft"),
    Choice::of("sendDraft", "Send Draft"),
    Choice::of("deleteDraft", "Delete Draft"),
];
const MESSAGES: &[Choice] = &[
    Choice::of("listMessages", "List Messages"),
    Choice::of("getMessage", "Get Message"),
    Choice::of("sendMessage", "Send Message"),
    Choice::of("modifyMessage", "Modify Message"),
    Choice::of("trashMessage", "Trash Message"),
    Choice::of("untrashMessage", "Untrash Message"),
    Choice::of("deleteMessage", "Delete Message"),
];
const LABELS: &[Choice] = &[
    Choice::of("listLabels", "List Labels"),
    Choice::of("getLabel", "Get Label"),
    Choice::of("createLabel", "Create Label"),
    Choice::of("updateLabel", "Update Label"),
    Choice::of("deleteLabel", "Delete Label"),
];
const THREADS: &[Choice] = &[
    Choice::of("listThreads", "List Threads"),
    Choice::of("getThread", "Get Thread"),
    Choice::of("modifyThread", "Modify Thread"),
    Choice::of("trashThread", "Trash Thread"),
    Choice::of("untrashThread", "Untrash Thread"),
    Choice::of("deleteThread", "Delete Thread"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::cards::kit::actions::hold(&super::CARD, super::ACTIONS);
    }
}
