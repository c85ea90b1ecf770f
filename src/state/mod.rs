//! What a restart forgets: windows, failures, counts on their way to the database. All of it bounded.

pub mod active_runs;
pub mod active_upserts;
pub mod key_usage;
pub mod login_throttle;
pub mod metrics;
pub mod model_lists;
pub mod pause_timers;
pub mod pending_sign_ins;
pub mod rate_limiter;
pub mod refused_origins;
pub mod reply_cache;
pub mod setup_token;
pub mod token_renewals;
pub mod vector_indexes;

use crate::state::active_runs::ActiveRuns;
use crate::state::active_upserts::ActiveUpserts;
use crate::state::key_usage::KeyUsageCounter;
use crate::state::login_throttle::LoginThrottle;
use crate::state::metrics::Metrics;
use crate::state::model_lists::ModelListCache;
use crate::state::pause_timers::PauseTimers;
use crate::state::pending_sign_ins::PendingSignIns;
use crate::state::rate_limiter::RateLimiter;
use crate::state::refused_origins::RefusedOrigins;
use crate::state::reply_cache::ReplyCache;
use crate::state::setup_token::SetupToken;
use crate::state::token_renewals::TokenRenewals;
use crate::state::vector_indexes::VectorIndexCache;
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
    pub model_lists: ModelListCache,
    /// What is counted for whoever watches the service.
    pub metrics: Metrics,
    pub login_throttle: LoginThrottle,
    /// Document stores that are being loaded or upserted.
    pub active_upserts: ActiveUpserts,
    pub active_runs: ActiveRuns,
    /// Pauses of runs that end by themselves.
    pub pause_timers: PauseTimers,
    pub refused_origins: RefusedOrigins,
    /// Requests for a new password, each of which counts.
    pub reset_requests: LoginThrottle,
    /// Sign-ins at providers that are under way.
    pub pending_sign_ins: PendingSignIns,
    /// Credentials whose tokens are being renewed.
    pub token_renewals: TokenRenewals,
    /// Uses of API keys that are not stored yet.
    pub key_usage: KeyUsageCounter,
    /// The word that makes the first owner when the service can be reached from elsewhere.
    pub setup_token: SetupToken,
}
