//! [`App`]: everything an operation needs, in one cheap handle.

use crate::clock::Clock;
use crate::documents::{self, DocumentReader};
use crate::domain::error::Error;
use crate::domain::predictions::model_prices::ModelPrices;
use crate::durable::{Access, AccessError, Tree};
use crate::engine::FlowPlan;
use crate::files::chat_files::{ChatFiles, Quota};
use crate::files::flow_files::FlowFiles;
use crate::files::pipeline_files::PipelineFiles;
use crate::files::removals::RemovalLock;
use crate::files::secrets::{Secrets, SecretsError};
use crate::git_host::GitHostClient;
use crate::history::History;
use crate::llm::TokenCache;
use crate::mail::MailClient;
use crate::net::{AuthoritiesError, Outgoing};
use crate::ops;
use crate::ops::conversations::messages::counts::ConversationCounts;
use crate::ops::predictions::executions::{self, ExecutionWriter};
use crate::ops::predictions::flow_cache::FlowCache;
use crate::ops::predictions::plan_cache::PlanCache;
use crate::ops::service::disk_use::DiskUseCache;
use crate::ops::service::model_prices::PricesError;
use crate::programs::Programs;
use crate::script::{self, ScriptRunner};
use crate::settings::{Environment, Settings};
use crate::state::SharedState;
use crate::store::{self, Store};
use jiff::{SignedDuration, Timestamp};
use std::ops::Deref;
use std::sync::Arc;

/// A handle to what operations are given; a clone is the same handle.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// What operations are given.
pub struct AppState {
    pub settings: Settings,
    /// Where saved variables of type `runtime` are looked up.
    pub environment: Environment,
    pub store: Arc<Store>,
    pub history: History,
    pub secrets: Secrets,
    pub files: FlowFiles,
    pub chat_files: ChatFiles,
    /// What pipelines wrote.
    pub pipeline_files: PipelineFiles,
    pub state: SharedState,
    /// The one client for outgoing calls.
    pub outgoing: Outgoing,
    /// The API of the git host that versions are copied to.
    pub git_host: GitHostClient,
    /// The mail server; `None` sends no mail.
    pub(crate) mail: Option<MailClient>,
    /// What models cost.
    pub prices: ModelPrices,
    /// Tokens that providers sold to credentials.
    pub tokens: TokenCache,
    pub documents: DocumentReader,
    pub scripts: ScriptRunner,
    /// Programs of this machine that flows may start.
    pub programs: Programs,
    pub clock: Clock,
    pub plan_cache: PlanCache<FlowPlan>,
    pub flow_cache: FlowCache,
    /// How many conversations flows have.
    pub(crate) conversation_counts: ConversationCounts,
    /// What the data folder and the history take on disk.
    pub(crate) disk_use: DiskUseCache,
    /// Writes the records of agentflow runs beside the runs.
    pub executions: ExecutionWriter,
}

impl Deref for App {
    type Target = AppState;
    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// Why an [`App`] could not be opened. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AppOpenError {
    /// The data folder cannot be made or written.
    #[error("The data folder cannot be used ({0}). Choose another one with SERVICE_DATA_DIR or --data-dir.")]
    Folder(std::io::Error),
    /// A folder is open to others and cannot be closed.
    #[error("{0}")]
    Loose(AccessError),
    #[error("{0}")]
    Store(store::OpenError),
    /// The folder was used, and its database is gone.
    #[error(
        "the database (flowkeep.redb) is empty or missing in a data folder that was used; restore a backup of \
         the folder, or move the folder away to start empty"
    )]
    NoDatabase,
    /// Somebody restores a backup into the folder.
    #[error("a backup is being restored into the data folder; start again when that is done")]
    Restoring,
    #[error("{0}")]
    Secrets(SecretsError),
    /// What a crash left behind could not be completed.
    #[error("The versions that a crash left behind could not be completed: {0}")]
    Replay(Error),
    /// The records of runs that a crash left in progress could not be put right.
    #[error("The records of runs that a crash left in progress could not be put right: {0}")]
    Recover(Error),
    /// How the copy of versions at a git host stood.
    #[error("How the copy of versions stood could not be read: {0}")]
    RecoverCopy(Error),
    /// The messages that wait for the mail server.
    #[error("The messages that wait for the mail server could not be read: {0}")]
    RecoverMail(Error),
    /// What was to be read of a folder that is only looked at.
    #[error("{0}")]
    Look(Error),
    /// The system gives no more threads.
    #[error("The system gives no more threads ({0}).")]
    Threads(std::io::Error),
    /// The authorities that the operator named.
    #[error("{0}")]
    Authorities(AuthoritiesError),
    /// The prices that the operator named.
    #[error("{0}")]
    Prices(PricesError),
}

fn secrets(store: &Store, settings: &Settings) -> Result<Secrets, AppOpenError> {
    let unread = |error: Error| AppOpenError::Store(error.into());
    let known = ops::service::server_secrets::load_fingerprints(store).map_err(unread)?;
    let (secrets, prints) =
        Secrets::open(&settings.data_dir, settings.encryption_key, &known).map_err(AppOpenError::Secrets)?;
    ops::service::server_secrets::save_fingerprints(store, &known, &prints).map_err(unread)?;
    // Now, and not before: the database knows what it is used with from here on.
    Secrets::remove_loss_markers(&settings.data_dir).map_err(AppOpenError::Secrets)?;
    Ok(secrets)
}

impl App {
    /// Opens the data folder, making what is not there.
    ///
    /// # Errors
    /// Says which part failed and what to do.
    pub fn open(settings: Settings, environment: Environment) -> Result<Self, AppOpenError> {
        let folders = ops::service::data_folder::prepare(&settings)?;
        let database = settings.database();
        if ops::service::data_folder::is_missing_database(&settings.data_dir, &database)
            .map_err(AppOpenError::Folder)?
        {
            return Err(AppOpenError::NoDatabase);
        }
        let store = Store::open(&database).map_err(AppOpenError::Store)?;
        // One that began since this was looked at sees that the database is in use, or is seen here.
        if ops::service::backup::restore::is_under_way(&settings.data_dir) {
            return Err(AppOpenError::Restoring);
        }
        let secrets = secrets(&store, &settings)?;
        let outgoing = Outgoing::from_settings(&settings).map_err(AppOpenError::Authorities)?;
        let git_host = GitHostClient::from_settings(&settings).map_err(AppOpenError::Authorities)?;
        let mail = MailClient::from_settings(&settings).map_err(AppOpenError::Authorities)?;
        let prices = ops::service::model_prices::load(&settings).map_err(AppOpenError::Prices)?;
        let limits = script::ScriptLimits::from_settings(settings.code_seconds, settings.code_memory_mb);
        let scripts = ScriptRunner::new(environment.program(), limits).map_err(AppOpenError::Threads)?;
        let documents = DocumentReader::new(environment.program(), documents::DocumentLimits::default())
            .map_err(AppOpenError::Threads)?;
        let store = Arc::new(store);
        let clock = Clock::default();
        let newest = ops::service::clock_check::newest_date(&store)
            .map_err(|error| AppOpenError::Store(error.into()))?;
        newest.into_iter().for_each(|newest| clock.observe(newest));
        // One for both kinds of files: what one of them finds, the other may just have made.
        let files = Tree::within(&folders.data, "files", Access::Owner);
        let removals = RemovalLock::default();
        let pipeline_files = Tree::within(&files, "pipelines", Access::Owner);
        let history = ops::service::history::open(folders.versions, &settings, &store);
        let house = AppState {
            history: history.map_err(|error| AppOpenError::Store(error.into()))?,
            store: store.clone(),
            secrets,
            files: FlowFiles::new(files.clone(), removals.clone()),
            chat_files: ChatFiles::new(files, Quota::default(), removals.clone()),
            pipeline_files: PipelineFiles::new(pipeline_files, Quota::default(), removals),
            state: SharedState::default(),
            outgoing,
            git_host,
            mail,
            prices,
            tokens: TokenCache::default(),
            documents,
            scripts,
            programs: Programs::new(environment.program(), &settings.mcp_commands),
            clock,
            plan_cache: PlanCache::default(),
            flow_cache: FlowCache::default(),
            conversation_counts: ConversationCounts::default(),
            disk_use: DiskUseCache::default(),
            executions: ExecutionWriter::new(&store),
            environment: environment.with_flow_variables(settings.flow_variables.clone()),
            settings,
        };
        let app = Self(Arc::new(house));
        app.history.check_readable();
        ops::service::clock_check::clock_warnings(&app)
            .iter()
            .for_each(|complaint| tracing::warn!("{complaint}"));
        ops::flows::outbox::replay(&app).map_err(AppOpenError::Replay)?;
        ops::remote::recover(&app).map_err(AppOpenError::RecoverCopy)?;
        executions::recover(&app).map_err(AppOpenError::Recover)?;
        ops::triggers::schedules::recover(&app).map_err(AppOpenError::Recover)?;
        ops::triggers::webhooks::recover(&app).map_err(AppOpenError::Recover)?;
        ops::service::mail::outbox::recover(&app).map_err(AppOpenError::RecoverMail)?;
        Ok(app)
    }

    /// What is older than this is kept no longer; `None` where everything is kept.
    #[must_use]
    pub(crate) fn kept_since(&self) -> Option<Timestamp> {
        const SECONDS_OF_DAY: i64 = 86_400;
        let days = i64::try_from(self.settings.keep_days).ok().filter(|days| *days > 0)?;
        self.clock.now().checked_sub(SignedDuration::from_secs(days * SECONDS_OF_DAY)).ok()
    }

    /// As [`Self::temporary`], with an owner, and the operator acting for them.
    #[cfg(test)]
    pub(crate) fn with_owner() -> (tempfile::TempDir, Self, crate::domain::accounts::caller::Caller) {
        use crate::domain::accounts::registration::NewOwner;
        use ops::accounts::owner;
        let (folder, app) = Self::temporary();
        let (name, email) = ("Ada".to_owned(), "ada@example.org".to_owned());
        let new = NewOwner { name, email, password: "correct horse".to_owned() };
        owner::create(&app, &new, None).expect("a fresh house takes an owner");
        let operator = owner::operator(&app).expect("the database is there").expect("there is an owner");
        (folder, app, operator)
    }

    /// An `App` on a folder of its own that goes away with the guard.
    #[cfg(test)]
    pub(crate) fn temporary() -> (tempfile::TempDir, Self) {
        let folder = tempfile::tempdir().expect("the tests have a temporary folder");
        let flags =
            crate::settings::Flags::default().with("SERVICE_DATA_DIR", "--data-dir", folder.path().to_str());
        let settings = Settings::from_vars(|_| None, flags).expect("the defaults are good");
        let app = Self::open(settings, Environment::new(|_| None)).expect("a fresh folder opens");
        (folder, app)
    }
}
