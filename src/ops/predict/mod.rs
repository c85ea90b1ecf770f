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

pub use crate::cards::kit::{NullSink, StreamClosed, TokenSink};
pub use crate::llm::{Delta, ModelError, ReadProgress, ReplyStream, StreamEnd};
pub use abort::abort;
pub use answer::PredictionAnswer;
pub(super) use ask::evaluate_overrides;
pub use ask::{CanvasSource, PredictionRequest, PredictionRun, admit_key, admit_rate, flow, plan, prepare};
pub use attachments::{Attachment, encode_files, extract_texts};
pub use conversation::is_owner;
pub(super) use conversation::{ConversationClaim, resolve_conversation, verify_proof};
pub(super) use host::RunHost;
pub use offer::UploadPolicy;
pub(super) use run::run_error;
pub use run::{PendingMessages, run, run_unstored};
