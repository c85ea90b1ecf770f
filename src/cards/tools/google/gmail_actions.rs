//! What Gmail can be asked to do.

use super::mail;
use crate::kit::web::actions::{ActionArgument, CallArguments, ServiceAction};
use serde_json::{Value, json};

const fn id(input: &'static str) -> ActionArgument {
    ActionArgument::line("id", "The id, as a list shows it.").required().set_by(input)
}

const fn most(input: &'static str) -> ActionArgument {
    ActionArgument::whole("maxResults", 1, 500, "How many to list at most.").in_query().set_by(input)
}

const QUERY: ActionArgument =
    ActionArgument::line("query", "What to look for, in the words of Gmail's own search.").as_query("q");

const fn mail_arguments(to: &'static str, subject: &'static str, body: &'static str) -> [ActionArgument; 3] {
    [
        ActionArgument::line("to", "Who gets it: mail addresses divided by commas.").required().set_by(to),
        ActionArgument::line("subject", "The subject.").set_by(subject),
        ActionArgument::text("body", "What it says: plain text, or HTML.").set_by(body),
    ]
}

const CC: ActionArgument = ActionArgument::line("cc", "Who gets a copy: mail addresses divided by commas.");
const BCC: ActionArgument =
    ActionArgument::line("bcc", "Who gets a copy unseen by others: mail addresses divided by commas.");

const ADD_LABELS: ActionArgument = ActionArgument::lines("addLabelIds", "The ids of labels to put on it.");
const REMOVE_LABELS: ActionArgument =
    ActionArgument::lines("removeLabelIds", "The ids of labels to take off it.");

const LABEL_NAME: ActionArgument =
    ActionArgument::line("labelName", "The name of the label.").set_by("labelName");
const LABEL_COLOR: ActionArgument =
    ActionArgument::line("labelColor", "Its color as hexadecimal numbers, such as #16a765.")
        .set_by("labelColor");

const NEW_DRAFT: [ActionArgument; 3] = mail_arguments("draftTo", "draftSubject", "draftBody");
const OTHER_DRAFT: [ActionArgument; 3] =
    mail_arguments("draftUpdateTo", "draftUpdateSubject", "draftUpdateBody");
const NEW_MESSAGE: [ActionArgument; 3] = mail_arguments("messageTo", "messageSubject", "messageBody");

pub(super) const ACTIONS: &[ServiceAction] = &[
    ServiceAction::get("listDrafts", "Lists drafts of mails by their ids.", "/drafts")
        .takes(&[most("draftMaxResults"), QUERY]),
    ServiceAction::post("createDraft", "Writes a draft of a mail, which is not sent.", "/drafts")
        .takes(&[NEW_DRAFT[0], NEW_DRAFT[1], NEW_DRAFT[2], CC.set_by("draftCc"), BCC.set_by("draftBcc")])
        .sends(draft),
    ServiceAction::get("getDraft", "Reads a draft of a mail.", "/drafts/{id}")
        .takes(&[id("draftId")])
        .read_by(mail::readable),
    ServiceAction::put("updateDraft", "Replaces what a draft of a mail says.", "/drafts/{id}")
        .takes(&[id("draftId"), OTHER_DRAFT[0], OTHER_DRAFT[1], OTHER_DRAFT[2], CC, BCC])
        .sends(draft),
    ServiceAction::post("sendDraft", "Sends a draft of a mail.", "/drafts/send")
        .takes(&[id("draftId")])
        .sends_fields(),
    ServiceAction::delete("deleteDraft", "Deletes a draft of a mail for good.", "/drafts/{id}")
        .takes(&[id("draftId")]),
    ServiceAction::get("listMessages", "Lists mails by their ids, the newest first.", "/messages")
        .takes(&[most("messageMaxResults"), QUERY.set_by("messageQuery")]),
    ServiceAction::get("getMessage", "Reads a mail.", "/messages/{id}")
        .takes(&[id("messageId")])
        .read_by(mail::readable),
    ServiceAction::post("sendMessage", "Sends a mail.", "/messages/send")
        .takes(&[
            NEW_MESSAGE[0],
            NEW_MESSAGE[1],
            NEW_MESSAGE[2],
            CC.set_by("messageCc"),
            BCC.set_by("messageBcc"),
        ])
        .sends(|given| Ok(json!({ "raw": mail::compose(given) }))),
    ServiceAction::post(
        "modifyMessage",
        "Puts labels on a mail and takes labels off it.",
        "/messages/{id}/modify",
    )
    .takes(&[
        id("messageId"),
        ADD_LABELS.set_by("messageAddLabelIds"),
        REMOVE_LABELS.set_by("messageRemoveLabelIds"),
    ])
    .sends_fields(),
    ServiceAction::post("trashMessage", "Moves a mail to the trash.", "/messages/{id}/trash")
        .takes(&[id("messageId")]),
    ServiceAction::post("untrashMessage", "Takes a mail back out of the trash.", "/messages/{id}/untrash")
        .takes(&[id("messageId")]),
    ServiceAction::delete("deleteMessage", "Deletes a mail for good.", "/messages/{id}")
        .takes(&[id("messageId")]),
    ServiceAction::get("listLabels", "Lists the labels there are, with their ids.", "/labels"),
    ServiceAction::get("getLabel", "Reads a label, with how many mails bear it.", "/labels/{id}")
        .takes(&[id("labelId")]),
    ServiceAction::post("createLabel", "Makes a label.", "/labels")
        .takes(&[LABEL_NAME.required(), LABEL_COLOR])
        .sends(label),
    ServiceAction::patch("updateLabel", "Renames a label or gives it another color.", "/labels/{id}")
        .takes(&[id("labelId"), LABEL_NAME, LABEL_COLOR])
        .sends(label),
    ServiceAction::delete("deleteLabel", "Deletes a label; mails that bear it stay.", "/labels/{id}")
        .takes(&[id("labelId")]),
    ServiceAction::get(
        "listThreads",
        "Lists conversations of mails by their ids, the newest first.",
        "/threads",
    )
    .takes(&[most("threadMaxResults"), QUERY.set_by("threadQuery")]),
    ServiceAction::get("getThread", "Reads all mails of a conversation.", "/threads/{id}")
        .takes(&[id("threadId")])
        .read_by(mail::readable),
    ServiceAction::post(
        "modifyThread",
        "Puts labels on all mails of a conversation and takes labels off them.",
        "/threads/{id}/modify",
    )
    .takes(&[
        id("threadId"),
        ADD_LABELS.set_by("threadAddLabelIds"),
        REMOVE_LABELS.set_by("threadRemoveLabelIds"),
    ])
    .sends_fields(),
    ServiceAction::post("trashThread", "Moves a conversation to the trash.", "/threads/{id}/trash")
        .takes(&[id("threadId")]),
    ServiceAction::post(
        "untrashThread",
        "Takes a conversation back out of the trash.",
        "/threads/{id}/untrash",
    )
    .takes(&[id("threadId")]),
    ServiceAction::delete("deleteThread", "Deletes a conversation for good.", "/threads/{id}")
        .takes(&[id("threadId")]),
];

#[allow(clippy::unnecessary_wraps, reason = "a row of the table may refuse its arguments")]
fn draft(given: &CallArguments) -> Result<Value, String> {
    Ok(json!({ "message": { "raw": mail::compose(given) } }))
}

fn label(given: &CallArguments) -> Result<Value, String> {
    let mut label = given.object(&[("labelName", "name")]);
    if let Some(color) = given.text("labelColor") {
        label.insert("color".to_owned(), json!({"backgroundColor": color, "textColor": readable_on(color)?}));
    }
    Ok(label.into())
}

/// Black or white, whichever can be read on a color.
fn readable_on(color: &str) -> Result<&'static str, String> {
    let digits = color.strip_prefix('#').filter(|digits| digits.len() == 6);
    let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let number = number.ok_or("The argument 'labelColor' must be a color such as #16a765.")?;
    let [_, red, green, blue] = number.to_be_bytes().map(u32::from);
    Ok(if red * 299 + green * 587 + blue * 114 > 140_000 { "#000000" } else { "#ffffff" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_can_be_read() {
        assert_eq!((readable_on("#ffe6c7"), readable_on("#822111")), (Ok("#000000"), Ok("#ffffff")));
        assert!(["red", "#12", "#zzzzzz", "é"].iter().all(|bad| readable_on(bad).is_err()));
    }
}
