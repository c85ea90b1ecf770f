//! Gmail: reads, writes and sorts the mail of whoever signed in.

use super::gmail_actions::ACTIONS;
use crate::kit::web::actions::{chosen_by, toolkit};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "gmail",
    label: "Gmail",
    version: 1.0,
    category: Category::Tools,
    description: "Lets a model read, write, send and sort mail in Gmail.",
    base_classes: &["Gmail", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::SignIns)],
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
    make: Factory::Tools(|inputs| {
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
    Choice::new("drafts", "Drafts"),
    Choice::new("messages", "Messages"),
    Choice::new("labels", "Labels"),
    Choice::new("threads", "Threads"),
];
const DRAFTS: &[Choice] = &[
    Choice::new("listDrafts", "List Drafts"),
    Choice::new("createDraft", "Create Draft"),
    Choice::new("getDraft", "Get Draft"),
    Choice::new("updateDraft", "Update Draft"),
    Choice::new("sendDraft", "Send Draft"),
    Choice::new("deleteDraft", "Delete Draft"),
];
const MESSAGES: &[Choice] = &[
    Choice::new("listMessages", "List Messages"),
    Choice::new("getMessage", "Get Message"),
    Choice::new("sendMessage", "Send Message"),
    Choice::new("modifyMessage", "Modify Message"),
    Choice::new("trashMessage", "Trash Message"),
    Choice::new("untrashMessage", "Untrash Message"),
    Choice::new("deleteMessage", "Delete Message"),
];
const LABELS: &[Choice] = &[
    Choice::new("listLabels", "List Labels"),
    Choice::new("getLabel", "Get Label"),
    Choice::new("createLabel", "Create Label"),
    Choice::new("updateLabel", "Update Label"),
    Choice::new("deleteLabel", "Delete Label"),
];
const THREADS: &[Choice] = &[
    Choice::new("listThreads", "List Threads"),
    Choice::new("getThread", "Get Thread"),
    Choice::new("modifyThread", "Modify Thread"),
    Choice::new("trashThread", "Trash Thread"),
    Choice::new("untrashThread", "Untrash Thread"),
    Choice::new("deleteThread", "Delete Thread"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_fits_the_card() {
        crate::kit::web::actions::check_actions(&super::CARD, super::ACTIONS);
    }
}
