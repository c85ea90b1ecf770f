//! What a restart forgets: windows, failures, counts on their way to the database. All of it bounded.

pub mod attempts;
pub mod fillings;
pub mod indexes;
pub mod metrics;
pub mod options;
pub mod rates;
pub mod refused_origins;
pub mod renewals;
pub mod replies;
pub mod runs;
pub mod setup_token;
pub mod sign_ins;
pub mod usage;

use attempts::LoginThrottle;
use fillings::ActiveUpserts;
use indexes::VectorIndexCache;
use metrics::Metrics;
use options::ModelListCache;
use rates::RateLimiter;
use refused_origins::RefusedOrigins;
use renewals::TokenRenewals;
use replies::ReplyCache;
use runs::ActiveRuns;
use setup_token::SetupToken;
use sign_ins::PendingSignIns;
use std::sync::Mutex;
use usage::KeyUsageCounter;

/// All boards of one running service.
#[derive(Default)]
pub struct SharedState {
    /// Requests of rate-limited flows.
    pub rate_limiter: RateLimiter,
    /// Ratings and leads that anybody may leave.
    pub public_writes: RateLimiter,
    /// Replies of models that flows keep.
    pub reply_cache: ReplyCache,
    /// Vectors that are searched.
    pub vector_indexes: VectorIndexCache,
    /// Held while a collection of vectors is changed.
    pub collection_writes: Mutex<()>,
    /// Models that providers listed.
    pub model_lists: ModelListCache,
    /// What is counted for whoever watches the service.
    pub metrics: Metrics,
    /// Failed sign-ins.
    pub login_throttle: LoginThrottle,
    /// Document stores that are being filled.
    pub active_upserts: ActiveUpserts,
    /// Conversations that are being answered.
    pub active_runs: ActiveRuns,
    /// Pages that flows turned away.
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
