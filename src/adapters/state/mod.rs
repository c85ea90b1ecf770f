//! What a restart forgets: windows, failures, counts on their way to the database. All of it bounded.

pub mod active_runs;
pub mod active_upserts;
pub mod calls;
pub mod checks;
pub mod consumption;
pub mod due_timers;
pub(crate) mod key_usage;
pub mod live_runs;
pub mod login_throttle;
pub mod metrics;
pub mod model_lists;
pub mod pending_sign_ins;
pub mod pipelines;
pub(crate) mod rate_limiter;
pub(crate) mod refused_origins;
pub(crate) mod remote_copy;
pub mod reply_cache;
pub mod schedule_timers;
pub(crate) mod setup_token;
pub(crate) mod token_renewals;
pub mod vector_indexes;
pub mod webhook_listeners;

use crate::domain::ids::MailId;
use crate::domain::service::compaction::CompactionHealth;
use crate::state::active_runs::ActiveRuns;
use crate::state::active_upserts::ActiveUpserts;
use crate::state::calls::active::ActiveCalls;
use crate::state::calls::running::RunningCalls;
use crate::state::checks::Checks;
use crate::state::consumption::ConsumptionCounter;
use crate::state::due_timers::{DueCallback, DuePause, DueTimers};
use crate::state::key_usage::KeyUsageCounter;
use crate::state::live_runs::LiveRuns;
use crate::state::login_throttle::LoginThrottle;
use crate::state::metrics::Metrics;
use crate::state::model_lists::ModelListCache;
use crate::state::pending_sign_ins::PendingSignIns;
use crate::state::pipelines::Pipelines;
use crate::state::rate_limiter::RateLimiter;
use crate::state::refused_origins::RefusedOrigins;
use crate::state::remote_copy::RemoteCopy;
use crate::state::reply_cache::ReplyCache;
use crate::state::schedule_timers::ScheduleTimers;
use crate::state::setup_token::SetupToken;
use crate::state::token_renewals::TokenRenewals;
use crate::state::vector_indexes::VectorIndexCache;
use crate::state::webhook_listeners::WebhookListeners;
use std::sync::Mutex;

/// All of it, of one running service.
#[derive(Default)]
pub struct SharedState {
    pub rate_limiter: RateLimiter,
    /// Ratings and leads that anybody may leave.
    pub public_writes: RateLimiter,
    /// Replies of models that flows keep.
    pub reply_cache: ReplyCache,
    pub vector_indexes: VectorIndexCache,
    /// Held while a collection of vectors is changed.
    pub collection_writes: Mutex<()>,
    /// Held while a file is stored in a workspace whose files are bounded.
    pub file_turn: Mutex<()>,
    /// Held while database and history are made smaller.
    pub compaction_turn: Mutex<()>,
    /// How that went since the start.
    pub compaction: Mutex<CompactionHealth>,
    /// Held while a backup is made.
    pub backup_turn: Mutex<()>,
    /// Why the last backup that was due could not be made, as a sentence; `None` after one that was.
    pub backup_failure: Mutex<Option<String>>,
    pub model_lists: ModelListCache,
    /// What is counted for whoever watches the service.
    pub metrics: Metrics,
    pub login_throttle: LoginThrottle,
    /// Document stores that are being loaded or upserted.
    pub active_upserts: ActiveUpserts,
    pub active_runs: ActiveRuns,
    /// Calls of flows as tools, which their callers may take back.
    pub active_calls: ActiveCalls,
    /// Behaviour checks, and what those of the last half hour came to.
    pub checks: Checks,
    /// Pipelines that run.
    pub pipelines: Pipelines,
    /// What runs of agentflows show to people who watch them.
    pub live_runs: LiveRuns,
    /// Pauses of runs that end by themselves.
    pub pause_timers: DueTimers<DuePause>,
    pub schedule_timers: ScheduleTimers,
    pub refused_origins: RefusedOrigins,
    /// The copy of versions at a git host.
    pub remote_copy: RemoteCopy,
    /// Requests for a new password, each of which counts.
    pub reset_requests: LoginThrottle,
    /// Calls of webhooks that did not know the secret.
    pub webhook_failures: LoginThrottle,
    /// Calls of webhooks that are being answered and may be repeated.
    pub running_calls: RunningCalls,
    /// Answers of webhooks that wait for their time.
    pub callback_timers: DueTimers<DueCallback>,
    /// Messages that wait for the mail server.
    pub mail_timers: DueTimers<MailId>,
    /// Who watches the runs that webhooks start.
    pub webhook_listeners: WebhookListeners,
    /// Sign-ins at providers that are under way.
    pub pending_sign_ins: PendingSignIns,
    /// Credentials whose tokens are being renewed.
    pub token_renewals: TokenRenewals,
    /// What questions and models used on the days that still count.
    pub consumption: ConsumptionCounter,
    /// Uses of API keys that are not stored yet.
    pub key_usage: KeyUsageCounter,
    /// The word that makes the first owner when the service can be reached from elsewhere.
    pub setup_token: SetupToken,
}
