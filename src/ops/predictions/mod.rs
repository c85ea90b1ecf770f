//! Asking a flow (manual 2.1, 2.2, 2.3, 2.6, 2.8, 3.2).

mod abort;
mod again;
mod agentflow;
mod answer;
mod ask;
pub mod consumption;
mod conversation;
pub mod executions;
pub(crate) mod flow_cache;
mod follow_ups;
pub(crate) mod host;
mod members;
mod models;
mod nested;
pub(crate) mod offline;
mod pause_ends;
pub(crate) mod plan_cache;
mod post_processing;
mod record;
mod replay;
mod resume;
mod run;
mod scheduled;
mod start;
pub(crate) mod uploads;

pub use self::abort::abort;
pub use self::again::{RerunQuestion, prepare_rerun};
pub(super) use self::ask::require_cards;
pub use self::ask::{
    PredictionRequest, PredictionRun, admit_key, admit_rate, flow, plan, prepare, prepare_promised,
};
pub(super) use self::ask::{evaluate_overrides, live_version};
pub use self::conversation::is_owner;
pub(super) use self::conversation::{ConversationClaim, has_no_messages, resolve_conversation, verify_proof};
pub(super) use self::host::run_host::RunHost;
pub(in crate::ops) use self::models::may_ask;
pub use self::models::{address_picked_models, find_model, flow_of_model, list_models};
pub use self::pause_ends::{end_pause, load_pause_timers};
pub(super) use self::replay::{Replay, ReplayMemory, ReplayedRun};
pub use self::resume::ResumedRun;
pub(super) use self::run::run_error;
pub use self::run::{
    OpenPrediction, PendingMessages, PredictionProgress, RunReaders, begin, run, run_unstored,
};
pub(super) use self::scheduled::run_scheduled;
pub use self::uploads::attachments::{encode_files, extract_texts};
pub use self::uploads::policy::UploadPolicy;
pub use crate::cards::kit::{CardObserver, NullSink, StreamClosed, TokenSink};
pub use crate::engine::agentflow::RunSink;
pub use crate::llm::{Delta, ModelError, ReadProgress, ReplyStream, StreamEnd};
