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

use attempts::Attempts;
use fillings::Fillings;
use indexes::Indexes;
use metrics::Metrics;
use options::Options;
use rates::Rates;
use refused_origins::RefusedOrigins;
use renewals::Renewals;
use replies::Replies;
use runs::Runs;
use setup_token::SetupToken;
use sign_ins::SignIns;
use std::sync::Mutex;
use usage::UsageBoard;

/// All boards of one running service.
#[derive(Default)]
pub struct Boards {
    /// Requests of rate-limited flows.
    pub rates: Rates,
    /// Ratings and leads that anybody may leave.
    pub notes: Rates,
    /// Replies of models that flows keep.
    pub replies: Replies,
    /// Vectors that are searched.
    pub indexes: Indexes,
    /// Held while a collection of vectors is changed.
    pub collection_writes: Mutex<()>,
    /// Models that providers listed.
    pub options: Options,
    /// What is counted for whoever watches the service.
    pub metrics: Metrics,
    /// Failed sign-ins.
    pub attempts: Attempts,
    /// Document stores that are being filled.
    pub fillings: Fillings,
    /// Conversations that are being answered.
    pub runs: Runs,
    /// Pages that flows turned away.
    pub refused_origins: RefusedOrigins,
    /// Requests for a new password, each of which counts.
    pub reset_requests: Attempts,
    /// Sign-ins at providers that are under way.
    pub sign_ins: SignIns,
    /// Credentials whose tokens are being renewed.
    pub renewals: Renewals,
    /// Uses of API keys that are not stored yet.
    pub usage: UsageBoard,
    /// The word that makes the first owner when the service can be reached from elsewhere.
    pub setup_token: SetupToken,
}
