//! Routes of the copy at a git host.

use crate::http::api::remote;
use crate::http::routing::guard::OWNER;
use crate::http::routing::router::{Route, delete, get, post, put};

/// The copy at a git host (manual 19): of the owner alone, because it carries every version of every workspace.
#[rustfmt::skip]
pub(super) fn remote_routes() -> Vec<Route> { vec![
    get   ("/flow-versions/github",           OWNER, remote::read)      .summary("How the copy of versions at a git host stands.")
        .id("getCopy"),
    put   ("/flow-versions/github",           OWNER, remote::connect)   .summary("Connects a repository, and copies every version there.")
        .id("connectRepository").refuses(&[409]),
    delete("/flow-versions/github",           OWNER, remote::disconnect).summary("Forgets the connected repository; nothing changes there.")
        .id("disconnectRepository"),
    post  ("/flow-versions/github/push",      OWNER, remote::push)      .summary("Copies what waits, or reads what is new, and answers when that is done.")
        .id("copyVersions").refuses(&[409]),
    post  ("/flow-versions/github/repos",     OWNER, remote::list)      .summary("Lists the repositories that a token reaches.")
        .id("listRepositories"),
    post  ("/flow-versions/github/repos/new", OWNER, remote::create)    .summary("Makes a private, empty repository in the account of a token.")
        .id("createRepository").refuses(&[409]),
    put   ("/flow-versions/environment",      OWNER, remote::label)     .summary("Says whether this server is Dev, Prod or neither.")
        .id("setEnvironment").refuses(&[409]),
] }
