//! The table of all routes. An address that is not here does not exist.

use super::api::attachments::ATTACH;
use super::api::chat_files::FILE;
use super::api::prediction::ASK;
use super::api::upsert::FILL;
use super::api::{
    accounts, attachments, chat_files, credentials, document_stores, drafts, flows, keys, messages, nodes,
    prediction, service, store_vectors, tools, upsert, variables, versions,
};
use super::guard::{PUBLIC, SESSION, SIGNED_IN, any_of};
use super::router::{Accepts, Cors, Route, Table, delete, get, patch, post, put};
use crate::limits::BODY_CANVAS_BYTES;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> =
    LazyLock::new(|| Table::new(routes().into_iter().chain(of_document_stores()).collect()));

/// The table, made once.
#[must_use]
pub fn shared() -> &'static Table {
    &TABLE
}

/// Every route, for the access grid and the API description.
#[must_use]
pub fn table() -> &'static [Route] {
    TABLE.routes()
}

const VIEW: &[&str] = &[
    "chatflows:view",
    "chatflows:update",
    "chatflows:delete",
    "agentflows:view",
    "agentflows:update",
    "agentflows:delete",
    "assistants:view",
    "assistants:update",
    "assistants:delete",
];
const WRITE: &[&str] = &[
    "chatflows:create",
    "chatflows:update",
    "agentflows:create",
    "agentflows:update",
    "assistants:create",
    "assistants:update",
];
/// What fills a vector store writes what the flow answers from.
const FILL_PERMISSIONS: &[&str] = &["chatflows:update", "agentflows:update", "assistants:update"];
/// What chooses and fills the vectors of document stores.
const STORE_VECTORS: &[&str] = &["documentStores:upsert-config"];
/// Drafts belong to chatflows and agentflows (spec 4.2).
const DRAFT_VIEW: &[&str] = &["chatflows:view", "agentflows:view"];
const DRAFT_EDIT: &[&str] = &["chatflows:update", "agentflows:update"];
/// Versions belong to every kind of flow (spec 4.3).
const HISTORY_VIEW: &[&str] = &["chatflows:view", "agentflows:view", "assistants:view"];
const HISTORY_EDIT: &[&str] = &["chatflows:update", "agentflows:update", "assistants:update"];
/// Whoever works with cards: in flows or in document stores (reference 1.5).
const LOAD: &[&str] = &[
    "chatflows:view",
    "chatflows:create",
    "chatflows:update",
    "chatflows:delete",
    "agentflows:view",
    "agentflows:create",
    "agentflows:update",
    "agentflows:delete",
    "documentStores:view",
    "documentStores:create",
    "documentStores:update",
    "documentStores:delete",
    "documentStores:add-loader",
    "documentStores:delete-loader",
    "documentStores:preview-process",
    "documentStores:upsert-config",
];
const DELETE: &[&str] = &["chatflows:delete", "agentflows:delete", "assistants:delete"];

#[rustfmt::skip]
#[allow(clippy::too_many_lines, reason = "one line for each route")]
fn routes() -> Vec<Route> { vec![
    // People, keys, credentials, variables (reference 1.3, 1.11; contract 2, 3)
    post ("/account/register", PUBLIC, accounts::register).summary("Makes the first owner."),
    post ("/auth/login", PUBLIC, accounts::login).summary("Signs in."),
    post ("/account/logout", PUBLIC, accounts::logout).summary("Signs out."),
    get ("/auth/me", SESSION, accounts::me).summary("The signed-in person."),
    get ("/auth/permissions/:type", SIGNED_IN, accounts::permissions).summary("Lists the permissions there are."),
    get ("/apikey", any_of(&["apikeys:view"]), keys::list).summary("Lists API keys."),
    post ("/apikey", any_of(&["apikeys:create"]), keys::create).summary("Makes an API key and shows its value once."),
    put ("/apikey/:id", any_of(&["apikeys:create", "apikeys:update"]), keys::update).summary("Renames an API key or changes its permissions."),
    delete("/apikey/:id", any_of(&["apikeys:delete"]), keys::delete).summary("Deletes an API key."),
    get ("/credentials", any_of(&["credentials:view"]), credentials::list).summary("Lists credentials."),
    post ("/credentials", any_of(&["credentials:create"]), credentials::create).summary("Stores a credential."),
    get ("/credentials/:id", any_of(&["credentials:create", "credentials:update"]), credentials::read).summary("Reads a credential with its secrets hidden."),
    put ("/credentials/:id", any_of(&["credentials:create", "credentials:update"]), credentials::update).summary("Changes a credential."),
    delete("/credentials/:id", any_of(&["credentials:delete"]), credentials::delete).summary("Deletes a credential."),
    get ("/components-credentials", SIGNED_IN, credentials::types).summary("Lists credential types."),
    get ("/components-credentials/:name", SIGNED_IN, credentials::one_type).summary("Reads credential types."),
    get ("/variables", any_of(&["variables:view"]), variables::list).summary("Lists variables."),
    post ("/variables", any_of(&["variables:create"]), variables::create).summary("Stores a variable."),
    put ("/variables/:id", any_of(&["variables:create", "variables:update"]), variables::update).summary("Changes a variable."),
    delete("/variables/:id", any_of(&["variables:delete"]), variables::delete).summary("Deletes a variable."),

    get ("/tools", any_of(&["tools:view"]), tools::list).summary("Lists tools."),
    post ("/tools", any_of(&["tools:create"]), tools::create).summary("Stores a tool."),
    get ("/tools/:id", any_of(&["tools:view"]), tools::read).summary("Reads a tool."),
    put ("/tools/:id", any_of(&["tools:create", "tools:update"]), tools::update).summary("Changes a tool."),
    delete("/tools/:id", any_of(&["tools:delete"]), tools::delete).summary("Deletes a tool."),

    // Asking (spec 4.1)
    post  ("/prediction/:id",            ASK,            prediction::ask)         .accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).cors(Cors::Flow).summary("Asks a flow."),
    post  ("/internal-prediction/:id",   any_of(VIEW),   prediction::ask_internal).limit(BODY_CANVAS_BYTES).summary("Asks a flow in the canvas test chat."),
    post  ("/vector/upsert/:id",         FILL,           upsert::fill)            .accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).cors(Cors::Flow).summary("Fills a vector store of a flow."),
    post  ("/vector/internal-upsert/:id", any_of(FILL_PERMISSIONS), upsert::fill_internal).limit(BODY_CANVAS_BYTES).summary("Fills a vector store of a flow from the canvas."),
    get   ("/upsert-history/:id",        any_of(VIEW),   upsert::history)         .summary("Lists how the vector stores of a flow were filled."),
    patch ("/upsert-history",            any_of(FILL_PERMISSIONS), upsert::forget).summary("Deletes entries of that list."),
    get   ("/get-upload-file",           FILE,           chat_files::read)        .cors(Cors::FlowInQuery).summary("Reads a file of a conversation."),
    post  ("/attachments/:flow/:chat",   ATTACH,         attachments::extract)    .accepts(Accepts::Multipart).cors(Cors::Flow).summary("Reads the text of documents for a question to come."),
    get   ("/chatflows-uploads/:id",     PUBLIC,         flows::uploads)          .cors(Cors::Flow).summary("What a flow's chat may upload."),
    get   ("/chatflows-streaming/:id",   PUBLIC,         flows::streaming)        .cors(Cors::Flow).summary("Whether a flow streams its answer token by token."),
    get   ("/public-chatbotConfig/:id",  PUBLIC,         flows::chatbot_config)   .cors(Cors::Flow).summary("What a chat page needs to know of a flow."),

    // Flows (reference 1.1)
    get   ("/chatflows",                 any_of(VIEW),   flows::list)             .summary("Lists the flows of the workspace."),
    post  ("/chatflows",                 any_of(WRITE),  flows::create)           .limit(BODY_CANVAS_BYTES).summary("Makes a flow."),
    get   ("/chatflows/:id",             any_of(VIEW),   flows::read)             .summary("Reads a flow."),
    put   ("/chatflows/:id",             any_of(WRITE),  flows::update)           .limit(BODY_CANVAS_BYTES).summary("Changes a flow."),
    delete("/chatflows/:id",             any_of(DELETE), flows::delete)           .summary("Deletes a flow and its conversations."),
    get   ("/validation/:id",            any_of(VIEW),   flows::validate)         .summary("Lists what is wrong with a flow's canvas."),

    get   ("/flow-config/:id",           any_of(VIEW),   flows::allowable)        .summary("Lists the settings a request may be allowed to change."),

    // Drafts and history (spec 4.2, 4.3)
    get   ("/flow-drafts/:id",           any_of(DRAFT_VIEW), drafts::status)      .summary("The draft status of a flow."),
    put   ("/flow-drafts/:id",           any_of(DRAFT_EDIT), drafts::save)        .limit(BODY_CANVAS_BYTES).summary("Saves a draft."),
    delete("/flow-drafts/:id",           any_of(DRAFT_EDIT), drafts::discard)     .summary("Discards a draft."),
    put   ("/flow-drafts/:id/settings",  any_of(DRAFT_EDIT), drafts::settings)    .summary("Switches Publish instantly."),
    post  ("/flow-drafts/:id/publish",   any_of(DRAFT_EDIT), drafts::publish)     .summary("Publishes the draft."),
    post  ("/flow-drafts/:id/rollback",  any_of(DRAFT_EDIT), drafts::roll_back)   .summary("Rolls Live back to a version."),
    get   ("/flow-versions/status",      any_of(DRAFT_VIEW), versions::status)    .summary("Whether history is on."),
    get   ("/flow-versions/:id",         any_of(HISTORY_VIEW), versions::list)    .summary("Lists the versions of a flow."),
    get   ("/flow-versions/:id/:sha",    any_of(HISTORY_VIEW), versions::read)    .summary("Reads a version."),
    get   ("/flow-versions/:id/:sha/diff", any_of(HISTORY_VIEW), versions::diff)  .summary("Compares a version."),
    post  ("/flow-versions/:id/:sha/restore", any_of(HISTORY_EDIT), versions::restore).summary("Restores a version."),

    // Conversations (reference 1.2)
    get   ("/chatmessage/:id",           any_of(VIEW),   messages::list)          .summary("Lists a flow's stored messages."),
    delete("/chatmessage/:id",           any_of(WRITE),  messages::delete)        .summary("Deletes stored messages of a flow."),

    // Cards (reference 1.5)
    get   ("/nodes",                     SIGNED_IN,      nodes::list)             .summary("Lists all cards."),
    get   ("/nodes/:name",               SIGNED_IN,      nodes::read)             .summary("Reads a card's definition."),
    get   ("/nodes/category/:name",      SIGNED_IN,      nodes::of_category)      .summary("Lists the cards of a category."),
    post  ("/node-load-method/:name",    any_of(LOAD),   nodes::load)             .limit(BODY_CANVAS_BYTES).summary("Lists what an input of a card is chosen from."),

    // The service itself
    get   ("/ping",                      PUBLIC,         service::ping)           .cors(Cors::Listed).summary("Answers pong."),
    get   ("/version",                   PUBLIC,         service::version)        .cors(Cors::Listed).summary("The service's version."),
    get   ("/health",                    PUBLIC,         service::health)         .at_root().summary("The process answers."),
    get   ("/ready",                     PUBLIC,         service::ready)          .at_root().summary("The database answers, so requests can be served."),
] }

/// Document stores (reference 1.9).
#[rustfmt::skip]
fn of_document_stores() -> Vec<Route> { vec![
    get   ("/document-store/store",      any_of(&["documentStores:view"]),   document_stores::list)  .summary("Lists document stores."),
    post  ("/document-store/store",      any_of(&["documentStores:create"]), document_stores::create).summary("Makes a document store."),
    get   ("/document-store/store/:id",  any_of(&["documentStores:view"]),   document_stores::read)  .summary("Reads a document store."),
    put   ("/document-store/store/:id",  any_of(&["documentStores:update"]), document_stores::update).summary("Renames a document store."),
    delete("/document-store/store/:id",  any_of(&["documentStores:delete"]), document_stores::delete).summary("Deletes a document store."),
    get   ("/document-store/store-configs/:id/:loader", any_of(&["documentStores:view"]), document_stores::config).summary("Reads how a loader of a document store is set."),
    get   ("/document-store/components/:group", any_of(&["documentStores:view"]), document_stores::components).summary("Lists the cards a document store can be built from."),
    post  ("/document-store/loader/preview", any_of(&["documentStores:preview-process"]), document_stores::preview).limit(BODY_CANVAS_BYTES).summary("Shows what a loader would bring."),
    post  ("/document-store/loader/save", any_of(&["documentStores:add-loader"]), document_stores::save).limit(BODY_CANVAS_BYTES).summary("Saves a loader of a document store."),
    post  ("/document-store/loader/process/:loader", any_of(&["documentStores:preview-process"]), document_stores::process).summary("Runs a loader of a document store."),
    delete("/document-store/loader/:id/:loader", any_of(&["documentStores:delete-loader"]), document_stores::remove_loader).summary("Removes a loader with its passages."),
    get   ("/document-store/chunks/:id/:loader/:page", any_of(&["documentStores:view"]), document_stores::chunks).summary("Reads a page of passages."),
    put   ("/document-store/chunks/:id/:loader/:chunk", any_of(&["documentStores:update"]), document_stores::edit_chunk).summary("Changes a passage."),
    delete("/document-store/chunks/:id/:loader/:chunk", any_of(&["documentStores:update"]), document_stores::remove_chunk).summary("Removes a passage."),
    post  ("/document-store/upsert/:id", any_of(&["documentStores:update"]), document_stores::upsert).accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).summary("Adds documents to a document store."),
    post  ("/document-store/refresh/:id", any_of(&["documentStores:update"]), document_stores::refresh).summary("Runs loaders of a document store again."),
    post  ("/document-store/vectorstore/save",   any_of(STORE_VECTORS), store_vectors::save)   .summary("Chooses the cards that make and keep the vectors of a document store."),
    post  ("/document-store/vectorstore/insert", any_of(STORE_VECTORS), store_vectors::insert) .summary("Embeds the passages of a document store that are new."),
    post  ("/document-store/vectorstore/query",  any_of(&["documentStores:view"]), store_vectors::query).summary("Searches the vectors of a document store."),
    delete("/document-store/vectorstore/:id",    any_of(STORE_VECTORS), store_vectors::remove) .summary("Removes the vectors of a document store."),
] }
