//! Ids: parsed once where a request is read, carried as types from there on.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// Declares an id that is a random UUID on the wire and in the database.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
        pub struct $name(Uuid);

        impl $name {
            /// Makes a fresh random id.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }

            /// Reads the hyphenated form; any other text is not an id.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                if text.len() != 36 {
                    return None;
                }
                Uuid::try_parse(text).ok().map(Self)
            }

            /// The sixteen bytes that database keys are built from.
            #[must_use]
            pub const fn bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// Reads back what [`Self::bytes`] gave.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0.hyphenated())
            }
        }

        impl FromStr for $name {
            type Err = ();
            fn from_str(text: &str) -> Result<Self, ()> {
                Self::parse(text).ok_or(())
            }
        }
    };
}

uuid_id!(
    /// Names a flow in paths, records and history.
    FlowId
);
uuid_id!(
    /// Names a conversation; always made by the server.
    ChatId
);
uuid_id!(
    /// Names one stored question or answer.
    MessageId
);
uuid_id!(
    /// Names an API key; never the key's value.
    KeyId
);
uuid_id!(UserId);
uuid_id!(
    /// Tells the connection to a repository from those before it.
    ConnectionId
);
uuid_id!(
    /// Names a workspace: the wall between what different teams can see.
    WorkspaceId
);
uuid_id!(
    /// Names the organization, of which an instance has one.
    OrganizationId
);
uuid_id!(RoleId);
uuid_id!(
    /// Names an invitation; never the token of its link.
    InvitationId
);
uuid_id!(
    /// Names a sign-in session; never the value of its cookie.
    SessionId
);
uuid_id!(CredentialId);
uuid_id!(
    /// Names the name that holders of a key gave a conversation of a flow: a hash of the three.
    ConversationNameId
);
uuid_id!(VariableId);
uuid_id!(DocumentStoreId);
uuid_id!(
    /// Names a tool that people wrote.
    ToolId
);
uuid_id!(
    /// Names a server of tools that a workspace keeps.
    ToolServerId
);
uuid_id!(
    /// Names an assistant; one that is a flow has the flow's id.
    AssistantId
);
uuid_id!(
    /// Names what a conversation sent to vector stores.
    ConversationUploadsId
);
uuid_id!(
    /// Names a collection of chunks with their vectors.
    CollectionId
);
uuid_id!(
    /// Names what a record manager keeps apart.
    NamespaceId
);
uuid_id!(
    /// Names one upsert into a vector store.
    UpsertId
);
uuid_id!(
    /// Names a loader of a document store.
    LoaderId
);
uuid_id!(
    /// Names a chunk of a document store.
    ChunkId
);

uuid_id!(
    /// Names the record of one run of an agentflow.
    ExecutionId
);
uuid_id!(
    /// Names one pause of a run, and with it the answer that the run waits for.
    PauseId
);
uuid_id!(
    /// Names how somebody rated an answer.
    FeedbackId
);
uuid_id!(
    /// Names a visitor of a chat who left their name.
    LeadId
);
uuid_id!(
    /// Names the schedule of a flow.
    ScheduleId
);
uuid_id!(
    /// Names a row of the log of what started a flow.
    TriggerLogId
);
uuid_id!(
    /// Names a template that a workspace made.
    TemplateId
);
uuid_id!(
    /// Names a message that the service sends by mail.
    MailId
);
uuid_id!(
    /// Names an answer of a webhook that is sent to an address later.
    WebhookCallbackId
);
uuid_id!(
    /// Names somebody who watches the runs that a webhook starts.
    WebhookListenerId
);
uuid_id!(
    /// Names a behaviour check of a flow.
    CheckId
);
uuid_id!(
    /// Names a run of a pipeline.
    PipelineRunId
);
uuid_id!(
    /// Names a file on disk that a pipeline writes.
    PipelineFileId
);
uuid_id!(
    /// Names a question that is kept for the checks of a flow.
    KeptQuestionId
);

impl ExecutionId {
    /// Makes an id that is greater than those made before it, so that what is stored of runs at one moment lies on few pages of
    /// the database.
    #[must_use]
    pub fn next() -> Self {
        Self(Uuid::now_v7())
    }
}

impl LeadId {
    /// Makes an id that is greater than those made before it, so that leads stay in their order.
    #[must_use]
    pub fn next() -> Self {
        Self(Uuid::now_v7())
    }

    /// The id of a lead that another product kept since `millisecond`: the same each time, and in the order of the times.
    #[must_use]
    pub fn of_foreign(millisecond: i64, id: Uuid) -> Self {
        let mut rest = [0; 10];
        rest.copy_from_slice(&id.as_bytes()[6..]);
        Self(uuid::Builder::from_unix_timestamp_millis(millisecond.max(0).unsigned_abs(), &rest).into_uuid())
    }
}

impl LoaderId {
    /// Makes an id that is greater than those made before it, so that loaders stay in their order.
    #[must_use]
    pub fn next() -> Self {
        Self(Uuid::now_v7())
    }
}

impl ChunkId {
    /// Makes an id that is greater than those made before it, so that chunks stay in their order.
    #[must_use]
    pub fn next() -> Self {
        Self(Uuid::now_v7())
    }
}

/// Every id in a text, with where it begins.
pub fn find_ids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const LENGTH: usize = 36;
    let bytes = text.as_bytes();
    let is_id = |part: &[u8]| {
        part.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let starts = text.match_indices('-').filter_map(|(at, _)| at.checked_sub(8));
    starts.filter_map(move |start| {
        let part = bytes.get(start..start + LENGTH)?;
        is_id(part).then(|| (start, &text[start..start + LENGTH]))
    })
}

/// Writes other ids wherever these stand in a text, in one pass: what was written is not replaced again.
#[must_use]
pub fn replace_ids_in(text: &str, ids: &HashMap<String, String>) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, id) in find_ids(text) {
        if let Some(new) = ids.get(id).filter(|_| at >= done) {
            out.push_str(&text[done..at]);
            out.push_str(new);
            done = at + id.len();
        }
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_any_text() {
        let id = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
        let text = format!("{{\"credential\":\"{id}\",\"x\":\"a-b-ü-{id}\",\"y\":\"6a204bb0-3c4f\"}}");
        assert_eq!(find_ids(&text).map(|(_, id)| id).collect::<Vec<_>>(), [id, id]);
        assert!(find_ids(&text).all(|(at, id)| text[at..].starts_with(id)));
    }

    #[test]
    fn ids_are_renamed_wherever_they_stand() {
        let (old, new) = (Uuid::new_v4().to_string(), Uuid::new_v4().to_string());
        let names = HashMap::from([(old.clone(), new.clone()), (new.clone(), old.clone())]);
        let other = Uuid::new_v4();
        let text = format!("{{\"a\":\"{old}\",\"b\":\"\\\"{old}\\\" ü {other}\"}}");
        assert_eq!(replace_ids_in(&text, &names), text.replace(&old, &new));
        assert_eq!(replace_ids_in("nothing", &names), "nothing");
    }

    #[test]
    fn ids_of_conversations_tell_nothing_of_their_time() {
        let ids: Vec<ChatId> = (0..64).map(|_| ChatId::random()).collect();
        assert!(ids.iter().all(|id| id.0.get_version_num() == 4));
        let beginnings: std::collections::HashSet<_> = ids.iter().map(|id| id.bytes()[0]).collect();
        assert!(beginnings.len() > 16 && !ids.is_sorted());
    }

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let id = FlowId::random();
        assert_eq!(FlowId::parse(&id.to_string()), Some(id));
        for bad in [
            "",
            "x",
            "6f1ed002ab5595833014ebf2b6a4b5d2",
            "{6f1ed002-ab55-4583-8014-ebf2b6a4b5d2}",
            "urn:uuid:6f1ed002",
        ] {
            assert_eq!(FlowId::parse(bad), None, "{bad}");
        }
    }
}
