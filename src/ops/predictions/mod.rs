//! Asking a flow (manual 2.1, 2.2, 2.3, 2.6, 2.8, 3.2).

mod abort;
mod agentflow;
mod answer;
mod ask;
mod conversation;
pub mod executions;
pub mod flow_cache;
mod follow_ups;
pub(crate) mod host;
mod nested;
pub mod offline;
mod pause_ends;
pub mod plan_cache;
mod post_processing;
mod record;
mod run;
mod start;
pub(crate) mod uploads;

pub use self::abort::abort;
pub(super) use self::ask::evaluate_overrides;
pub use self::ask::{PredictionRequest, PredictionRun, admit_key, admit_rate, flow, plan, prepare};
pub use self::conversation::is_owner;
pub(super) use self::conversation::{ConversationClaim, resolve_conversation, verify_proof};
pub(super) use self::host::run_host::RunHost;
pub use self::pause_ends::{end_pause, load_pause_timers};
pub(super) use self::run::run_error;
pub use self::run::{OpenPrediction, PendingMessages, PredictionProgress, begin, run, run_unstored};
pub use self::uploads::attachments::{encode_files, extract_texts};
pub use self::uploads::policy::UploadPolicy;
pub use crate::cards::kit::{NullSink, StreamClosed, TokenSink};
pub use crate::engine::agentflow::RunSink;
pub use crate::llm::{Delta, ModelError, ReadProgress, ReplyStream, StreamEnd};
