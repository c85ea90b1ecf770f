//! Asking a flow (manual 2.1, 2.2, 2.3, 2.6, 2.8, 3.2).

mod abort;
mod answer;
mod ask;
mod attachments;
mod carried;
mod conversation;
mod follow_ups;
mod host;
pub(super) mod knowledge;
pub mod known;
pub(super) mod loaded;
mod media;
mod nested;
mod offer;
pub mod offline;
pub mod plans;
mod post_processing;
mod record;
mod run;
mod transcribe;
mod uploads;

pub use crate::cards::kit::{Gone, Quiet, Sink};
pub use crate::llm::{Delta, Followed, ModelError, Progress, Streaming};
pub use abort::abort;
pub use answer::Answer;
pub(super) use ask::overrides;
pub use ask::{Ask, Entry, Side, admit_key, admit_rate, flow, plan, prepare};
pub use attachments::{Attachment, extract, whole};
pub use conversation::owns;
pub(super) use conversation::{Claim, own, proves};
pub(super) use host::LiveHost;
pub use offer::Offer;
pub(super) use run::reason;
pub use run::{Unstored, finish, run};
