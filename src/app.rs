//! The house: everything an operation needs, in one cheap handle.

use crate::boards::Boards;
use crate::clock::Clock;
use crate::documents::{self, Documents};
use crate::domain::error::Error;
use crate::durable::{Access, LooseFolder, Tree};
use crate::engine::Plan;
use crate::files::chat_files::{ChatFiles, Quota};
use crate::files::flow_files::FlowFiles;
use crate::files::secrets::{Secrets, SecretsError};
use crate::history::History;
use crate::llm::Tokens;
use crate::net::{BadAuthorities, Outgoing};
use crate::ops;
use crate::ops::predict::known::Known;
use crate::ops::predict::plans::Plans;
use crate::programs::Programs;
use crate::script::{self, Scripts};
use crate::settings::{Environment, Settings};
use crate::store::{self, Store};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A handle to the house; a clone is the same house.
#[derive(Clone)]
pub struct App(Arc<House>);

/// What operations are given.
pub struct House {
    /// As configured at start.
    pub settings: Settings,
    /// Where saved variables of type `runtime` are looked up.
    pub environment: Environment,
    /// The database.
    pub store: Arc<Store>,
    /// The versions of every flow.
    pub history: History,
    /// Secrets made at first start.
    pub secrets: Secrets,
    /// Files of flows.
    pub files: FlowFiles,
    /// Files of conversations.
    pub chat_files: ChatFiles,
    /// What a restart forgets.
    pub boards: Boards,
    /// The one client for outgoing calls.
    pub outgoing: Outgoing,
    /// Tokens that providers sold to credentials.
    pub tokens: Tokens,
    /// Turns files into text.
    pub documents: Documents,
    /// Runs code of flows' owners.
    pub scripts: Scripts,
    /// Programs of this machine that flows may start.
    pub programs: Programs,
    /// The time.
    pub clock: Clock,
    /// Compiled canvases.
    pub plans: Plans<Plan>,
    /// Records that every answer needs.
    pub known: Known,
}

impl Deref for App {
    type Target = House;
    fn deref(&self) -> &House {
        &self.0
    }
}

/// Why the house could not be opened. Each says what to do.
#[derive(Debug)]
pub enum OpenError {
    /// The data folder cannot be made or written.
    Folder(std::io::Error),
    /// A folder is open to others and cannot be closed.
    Loose(LooseFolder),
    /// The database.
    Store(store::OpenError),
    /// The folder was used, and its database is gone.
    NoDatabase,
    /// The secrets.
    Secrets(SecretsError),
    /// What a crash left behind could not be completed.
    Replay(Error),
    /// What was to be read of a folder that is only looked at.
    Look(Error),
    /// The system gives no more threads.
    Threads(std::io::Error),
    /// The authorities that the operator named.
    Authorities(BadAuthorities),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(cause) => {
                write!(
                    f,
                    "The data folder cannot be used ({cause}). Choose another one with SERVICE_DATA_DIR or --data-dir."
                )
            }
            Self::Loose(cause) => cause.fmt(f),
            Self::Store(cause) => cause.fmt(f),
            Self::NoDatabase => f.write_str(
                "the database (flowkeep.redb) is empty or missing in a data folder that was used; restore a backup of \
                 the folder, or move the folder away to start empty",
            ),
            Self::Secrets(cause) => cause.fmt(f),
            Self::Authorities(cause) => cause.fmt(f),
            Self::Threads(cause) => write!(f, "The system gives no more threads ({cause})."),
            Self::Look(cause) => cause.fmt(f),
            Self::Replay(cause) => {
                write!(f, "The versions that a crash left behind could not be completed: {cause}")
            }
        }
    }
}

impl std::error::Error for OpenError {}

fn secrets(store: &Store, settings: &Settings) -> Result<Secrets, OpenError> {
    let unread = |error: Error| OpenError::Store(error.into());
    let known = ops::server_secrets::known(store).map_err(unread)?;
    let (secrets, prints) =
        Secrets::open(&settings.data_dir, settings.encryption_key, &known).map_err(OpenError::Secrets)?;
    ops::server_secrets::note(store, &known, &prints).map_err(unread)?;
    // Now, and not before: the database knows what it is used with from here on.
    Secrets::forget_lost(&settings.data_dir).map_err(OpenError::Secrets)?;
    Ok(secrets)
}

impl App {
    /// Opens the data folder, making what is not there.
    ///
    /// # Errors
    /// Says which part failed and what to do.
    pub fn open(settings: Settings, environment: Environment) -> Result<Self, OpenError> {
        let folders = ops::folder::prepare(&settings)?;
        let database = settings.data_dir.join("flowkeep.redb");
        if ops::folder::lacks_its_database(&settings.data_dir, &database).map_err(OpenError::Folder)? {
            return Err(OpenError::NoDatabase);
        }
        let store = Store::open(&database).map_err(OpenError::Store)?;
        let secrets = secrets(&store, &settings)?;
        let outgoing = Outgoing::of(&settings).map_err(OpenError::Authorities)?;
        let limits = script::Limits::of_settings(settings.code_seconds, settings.code_memory_mb);
        let scripts = Scripts::new(environment.program(), limits).map_err(OpenError::Threads)?;
        let documents = Documents::new(environment.program(), documents::Limits::default())
            .map_err(OpenError::Threads)?;
        let store = Arc::new(store);
        let clock = Clock::default();
        let newest = ops::dates::newest(&store).map_err(|error| OpenError::Store(error.into()))?;
        newest.into_iter().for_each(|newest| clock.note(newest));
        // One for both kinds of files: what one of them finds, the other may just have made.
        let files = Tree::within(&folders.data, "files", Access::Owner);
        let history = ops::history::open(folders.versions, &settings, &store);
        let house = House {
            history: history.map_err(|error| OpenError::Store(error.into()))?,
            store,
            secrets,
            files: FlowFiles::new(files.clone()),
            chat_files: ChatFiles::new(files, Quota::default()),
            boards: Boards::default(),
            outgoing,
            tokens: Tokens::default(),
            documents,
            scripts,
            programs: Programs::new(environment.program(), &settings.mcp_commands),
            clock,
            plans: Plans::default(),
            known: Known::default(),
            environment: environment.with_flows_reading(settings.flows_read.clone()),
            settings,
        };
        let app = Self(Arc::new(house));
        app.history.greet();
        ops::dates::complaints(&app).iter().for_each(|complaint| tracing::warn!("{complaint}"));
        ops::outbox::replay(&app).map_err(OpenError::Replay)?;
        Ok(app)
    }

    /// A [`Self::temporary`] house with an owner, and the operator acting for them.
    #[cfg(test)]
    pub(crate) fn owned() -> (tempfile::TempDir, Self, crate::domain::caller::Caller) {
        use ops::owner::{self, NewOwner};
        let (folder, app) = Self::temporary();
        let (name, email) = ("Ada".to_owned(), "ada@example.org".to_owned());
        let new = NewOwner { name, email, credential: "correct horse".to_owned() };
        owner::create(&app, &new, None).expect("a fresh house takes an owner");
        let operator = owner::operator(&app).expect("the database is there").expect("there is an owner");
        (folder, app, operator)
    }

    /// A house in a folder of its own that goes away with the guard.
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
