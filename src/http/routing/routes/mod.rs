//! The table of all routes. An address that is not here does not exist.

mod assistant_routes;
mod check_routes;
mod conversation_routes;
mod harness_routes;
mod openai_routes;
mod params;
mod permissions;
mod pipeline_routes;
mod promotion_routes;
mod remote_routes;
mod tool_routes;
mod trigger_routes;

use self::permissions::{
    CODE_RUN, CREDENTIAL_SAVED, CREDENTIAL_SEEN, DELETE, DRAFT_EDIT, DRAFT_VIEW, EXECUTION_SEEN,
    HISTORY_EDIT, HISTORY_VIEW, INVITE, KEYS_SEEN, LOAD, MEMBERS_VIEW, ROLES_EDIT, ROLES_VIEW, STORE_SEEN,
    STORE_VECTORS, UPSERT_PERMISSIONS, USES, VARIABLE_SEEN, VIEW, WRITE,
};
use crate::http::api::accounts::{self, keys, people, roles};
use crate::http::api::conversations::files;
use crate::http::api::conversations::files::FILE;
use crate::http::api::flows::{self, drafts, gates, versions};
use crate::http::api::knowledge::upserts::UPSERT;
use crate::http::api::knowledge::{document_stores, upserts, vectors};
use crate::http::api::predictions::attachments::ATTACH;
use crate::http::api::predictions::prediction::ASK;
use crate::http::api::predictions::{attachments, executions, prediction};
use crate::http::api::service::metrics::METRICS;
use crate::http::api::service::{self, metrics, nodes, server};
use crate::http::api::workspace::{audit, credentials, oauth2, templates, transfer, variables, workspaces};
use crate::http::openapi::spec::ContentSpec;
use crate::http::routing::guard::{OWNER, PUBLIC, SESSION, SIGNED_IN, any_of};
use crate::http::routing::router::{Accepts, Cors, Route, RouteTable, delete, get, patch, post, put};
use crate::limits::BODY_CANVAS_BYTES;
use crate::wire::accounts::sign_in::{CurrentUserView, LogoutView};
use crate::wire::flows::drafts::{DraftEdit, DraftSettings};
use crate::wire::flows::problems::CanvasToValidate;
use crate::wire::flows::publish::{PublishRequest, Rollback};
use crate::wire::flows::records::FlowEdit;
use crate::wire::knowledge;
use crate::wire::predictions::answer::AnswerView;
use crate::wire::predictions::attachments::{AttachmentForm, AttachmentView};
use crate::wire::predictions::question::{QuestionBody, QuestionForm};
use crate::wire::workspace::transcripts::TranscriptView;
use serde_json::{Map, Value};
use std::sync::LazyLock;

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| {
    let all = [
        core_routes(),
        conversation_routes::conversation_routes(),
        execution_routes(),
        harness_routes::harness_routes(),
        trigger_routes::schedule_routes(),
        trigger_routes::webhook_routes(),
        trigger_routes::mcp_routes(),
        openai_routes::openai_routes(),
        flow_routes(),
        assistant_routes::assistant_routes(),
        tool_routes::tool_routes(),
        check_routes::check_routes(),
        pipeline_routes::pipeline_routes(),
        remote_routes::remote_routes(),
        promotion_routes::promotion_routes(),
        transfer_routes(),
        document_store_routes(),
        people_routes(),
    ];
    RouteTable::new(all.into_iter().flatten().collect())
});

/// The table, made once.
#[must_use]
pub fn service_table() -> &'static RouteTable {
    &TABLE
}

/// Every route, for the access grid and the API description.
#[must_use]
pub fn service_routes() -> &'static [Route] {
    TABLE.routes()
}

/// A page of a few words.
const HTML: ContentSpec = ContentSpec::Text("text/html");
const PLAIN: ContentSpec = ContentSpec::Text("text/plain");

#[rustfmt::skip]
#[allow(clippy::too_many_lines, reason = "one line for each route")]
fn core_routes() -> Vec<Route> { vec![
    // People, keys, credentials, variables (manual 8.1, 8.5, 8.7)
    post ("/account/register", PUBLIC, accounts::register).summary("Makes the first owner, or the account of somebody who was invited.")
        .id("register").refuses(&[409, 429]),
    post ("/auth/login", PUBLIC, accounts::login).summary("Signs in.")
        .id("login").answers_json::<CurrentUserView>(200).refuses(&[401, 429]),
    post ("/account/logout", PUBLIC, accounts::logout).summary("Signs out.")
        .id("logout").answers_json::<LogoutView>(200),
    get ("/auth/me", SESSION, accounts::me).summary("The signed-in person.")
        .id("getMe"),
    get ("/auth/permissions/:type", SIGNED_IN, accounts::permissions).summary("Lists the permissions there are.")
        .id("listPermissions"),
    get ("/apikey", any_of(&["apikeys:view"]), keys::list).summary("Lists API keys.")
        .id("listApiKeys").query(params::PAGES),
    post ("/apikey", any_of(&["apikeys:create"]), keys::create).summary("Makes an API key and shows its value once.")
        .id("createApiKey"),
    put ("/apikey/:id", any_of(&["apikeys:create", "apikeys:update"]).on(keys::known), keys::update).summary("Renames an API key or changes its permissions.")
        .id("updateApiKey").shows(KEYS_SEEN),
    delete("/apikey/:id", any_of(&["apikeys:delete"]), keys::delete).summary("Deletes an API key.")
        .id("deleteApiKey").query(params::FORCE).refuses(&[409]),
    get ("/credentials", any_of(&["credentials:view"]), credentials::list).summary("Lists credentials.")
        .id("listCredentials").query(params::CREDENTIAL_FILTER),
    post ("/credentials", any_of(&["credentials:create"]), credentials::create).summary("Stores a credential.")
        .id("createCredential"),
    get ("/credentials/:id", any_of(CREDENTIAL_SAVED), credentials::read).summary("Reads a credential with its secrets hidden.")
        .id("getCredential").shows(CREDENTIAL_SEEN),
    put ("/credentials/:id", any_of(CREDENTIAL_SAVED), credentials::update).summary("Changes a credential.")
        .id("updateCredential").shows(CREDENTIAL_SEEN),
    delete("/credentials/:id", any_of(&["credentials:delete"]), credentials::delete).summary("Deletes a credential.")
        .id("deleteCredential").query(params::FORCE).refuses(&[409]),
    post ("/oauth2-credential/authorize/:id", any_of(CREDENTIAL_SAVED), oauth2::authorize).summary("Begins a sign-in to a credential: the address that a person opens.")
        .id("beginSignIn"),
    get ("/oauth2-credential/callback", PUBLIC, oauth2::callback).summary("Where a provider sends a person back to: a page that says how the sign-in went.")
        .id("endSignIn").query(params::RETURNED).answers(200, HTML).answers(400, HTML).answers(500, HTML).answers(502, HTML),
    post ("/oauth2-credential/refresh/:id", any_of(&["credentials:update"]), oauth2::refresh).summary("Renews the tokens of a credential.")
        .id("renewSignIn"),
    get ("/components-credentials", SIGNED_IN, credentials::types).summary("Lists credential types.")
        .id("listCredentialTypes"),
    get ("/components-credentials/:name", SIGNED_IN, credentials::read_types).summary("Reads credential types.")
        .id("getCredentialType"),
    get ("/variables", any_of(&["variables:view"]), variables::list).summary("Lists variables.")
        .id("listVariables").query(params::PAGES),
    post ("/variables", any_of(&["variables:create"]), variables::create).summary("Stores a variable.")
        .id("createVariable").refuses(&[409]),
    put ("/variables/:id", any_of(&["variables:create", "variables:update"]), variables::update).summary("Changes a variable.")
        .id("updateVariable").shows(VARIABLE_SEEN).refuses(&[409]),
    delete("/variables/:id", any_of(&["variables:delete"]), variables::delete).summary("Deletes a variable.")
        .id("deleteVariable").query(params::FORCE).refuses(&[409]),

    // Asking (manual 2.1)
    post  ("/prediction/:id",            ASK,            prediction::ask)         .accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).cors(Cors::Flow).summary("Asks a flow.")
        .id("ask").takes_json::<QuestionBody>().takes_form::<QuestionForm>().answers_json::<AnswerView>(200).may_stream().refuses(&[409, 507]),
    post  ("/internal-prediction/:id",   any_of(VIEW),   prediction::ask_internal).limit(BODY_CANVAS_BYTES).summary("Asks a flow in the canvas test chat.")
        .id("askFromCanvas").takes_json::<QuestionBody>().answers_json::<AnswerView>(200).may_stream().refuses(&[409, 507]),
    post  ("/vector/upsert/:id",         UPSERT,           upserts::run)            .accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).cors(Cors::Flow).summary("Fills a vector store of a flow.")
        .id("fillVectorStore").may_take_json::<knowledge::upserts::Fill>().takes_form::<knowledge::upserts::FillForm>().answers_json::<knowledge::upserts::FillView>(200).may_stream().refuses(&[409, 507]),
    post  ("/vector/internal-upsert/:id", any_of(UPSERT_PERMISSIONS), upserts::run_internal).accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).summary("Fills a vector store of a flow from the canvas.")
        .id("fillVectorStoreFromCanvas").may_take_json::<knowledge::upserts::Fill>().takes_form::<knowledge::upserts::FillForm>().answers_json::<knowledge::upserts::FillView>(200).may_stream().refuses(&[409, 507]),
    get   ("/upsert-history/:id",        any_of(VIEW),   upserts::history)         .summary("Lists how the vector stores of a flow were filled.")
        .id("listFillings").query(params::FILLING_FILTER),
    patch ("/upsert-history",            any_of(UPSERT_PERMISSIONS), upserts::delete_history).summary("Deletes entries of that list.")
        .id("deleteFillings").refuses(&[404]),
    get   ("/get-upload-file",           FILE,           files::read)        .cors(Cors::FlowInQuery).summary("Reads a file of a conversation.")
        .id("getUploadedFile").query(params::FILE_QUERY).answers(200, ContentSpec::File),
    post  ("/attachments/:flow/:chat",   ATTACH,         attachments::extract)    .accepts(Accepts::Multipart).cors(Cors::Flow).summary("Reads the text of documents for a question to come.")
        .id("readAttachments").takes_form::<AttachmentForm>().answers_json::<Vec<AttachmentView>>(200),
    get   ("/chatflows-uploads/:id",     PUBLIC,         flows::uploads)          .cors(Cors::Flow).summary("What a flow's chat may upload.")
        .id("getUploadOffer"),
    get   ("/chatflows-streaming/:id",   PUBLIC,         flows::streaming)        .cors(Cors::Flow).summary("Whether a flow streams its answer token by token.")
        .id("getStreaming"),
    get   ("/public-chatbotConfig/:id",  PUBLIC,         flows::chatbot_config)   .cors(Cors::Flow).summary("What a chat page needs to know of a flow.")
        .id("getChatbotConfig"),

    // Flows (manual 5.4)
    get   ("/chatflows",                 any_of(VIEW),   flows::list)             .summary("Lists the flows of the workspace.")
        .id("listFlows").query(params::FLOW_FILTER),
    post  ("/chatflows",                 any_of(WRITE),  flows::create)           .limit(BODY_CANVAS_BYTES).summary("Makes a flow.")
        .id("createFlow").refuses(&[409, 507]),
    get   ("/chatflows/:id",             any_of(VIEW),   flows::read)             .summary("Reads a flow.")
        .id("getFlow"),
    put   ("/chatflows/:id",             any_of(WRITE),  flows::update)           .limit(BODY_CANVAS_BYTES).summary("Changes a flow.")
        .id("updateFlow").shows(VIEW).query(params::FLOW_MATCH).takes_json::<FlowEdit>().refuses(&[409, 507]),
    delete("/chatflows/:id",             any_of(DELETE), flows::delete)           .summary("Deletes a flow and its conversations.")
        .id("deleteFlow"),
    get   ("/validation/:id",            any_of(VIEW),   flows::validate)         .summary("Lists what is wrong with a flow's canvas.")
        .id("validateFlow").query(params::SIDE),
    post  ("/validation/:id",            any_of(VIEW).on(gates::readable),   flows::validate_canvas)  .limit(BODY_CANVAS_BYTES).summary("Lists what would be wrong with a flow that had this canvas.")
        .id("validateCanvas").takes_json::<CanvasToValidate>(),

    get   ("/flow-config/:id",           any_of(VIEW),   flows::override_candidates)        .summary("Lists the settings a request may be allowed to change.")
        .id("listAllowableSettings"),
    get   ("/refused-origins/:id",       any_of(VIEW),   flows::refused_origins)  .summary("Lists the sites whose pages a flow refused lately.")
        .id("listRefusedOrigins"),

    // Drafts and history (manual 5.5, 6.4)
    get   ("/flow-drafts/:id",           any_of(DRAFT_VIEW), drafts::status)      .summary("The draft status of a flow.")
        .id("getDraft"),
    get   ("/flow-drafts/:id/changes",   any_of(DRAFT_VIEW), drafts::changes)     .summary("What Publish would change of Live, in words.")
        .id("listDraftChanges"),
    put   ("/flow-drafts/:id",           any_of(DRAFT_EDIT).on(gates::changeable), drafts::save)        .limit(BODY_CANVAS_BYTES).summary("Saves a draft.")
        .id("saveDraft").query(params::DRAFT_MATCH).takes_json::<DraftEdit>().refuses(&[409, 507]),
    delete("/flow-drafts/:id",           any_of(DRAFT_EDIT), drafts::discard)     .summary("Discards a draft.")
        .id("discardDraft").refuses(&[409]),
    put   ("/flow-drafts/:id/settings",  any_of(DRAFT_EDIT).on(gates::changeable), drafts::settings)    .summary("Switches Publish instantly.")
        .id("setPublishInstantly").takes_json::<DraftSettings>().refuses(&[409]),
    post  ("/flow-drafts/publish",       any_of(DRAFT_EDIT), drafts::publish_each).summary("Publishes the drafts of those flows that can run.")
        .id("publishDrafts").refuses(&[404]),
    post  ("/flow-drafts/:id/publish",   any_of(DRAFT_EDIT).on(gates::changeable), drafts::publish)     .summary("Publishes the draft.")
        .id("publishDraft").query(params::DRAFT_MATCH).may_take_json::<PublishRequest>().refuses(&[409]),
    post  ("/flow-drafts/:id/rollback",  any_of(DRAFT_EDIT).on(gates::changeable), drafts::roll_back)   .summary("Rolls Live back to a version.")
        .id("rollBack").takes_json::<Rollback>().refuses(&[409]),
    get   ("/flow-versions/status",      any_of(DRAFT_VIEW), versions::status)    .summary("Whether history is on.")
        .id("getHistoryStatus"),
    get   ("/flow-versions/:id",         any_of(HISTORY_VIEW), versions::list)    .summary("Lists the versions of a flow.")
        .id("listVersions"),
    get   ("/flow-versions/:id/:sha",    any_of(HISTORY_VIEW), versions::read)    .summary("Reads a version.")
        .id("getVersion"),
    get   ("/flow-versions/:id/:sha/diff", any_of(HISTORY_VIEW), versions::diff)  .summary("Compares a version.")
        .id("compareVersion").query(params::AGAINST),
    get   ("/flow-versions/:id/:sha/answers", any_of(HISTORY_VIEW), versions::answers).summary("What a version answered, how it was rated, and a page of it.")
        .id("listVersionAnswers").query(params::ANSWERS_PAGE),
    post  ("/flow-versions/:id/:sha/restore", any_of(HISTORY_EDIT), versions::restore).summary("Restores a version.")
        .id("restoreVersion").refuses(&[409]),

    // Cards (manual 9.8)
    get   ("/nodes",                     SIGNED_IN,      nodes::list)             .summary("Lists all cards.")
        .id("listCards"),
    get   ("/nodes/:name",               SIGNED_IN,      nodes::read)             .summary("Reads a card's definition.")
        .id("getCard"),
    get   ("/nodes/category/:name",      SIGNED_IN,      nodes::list_category)      .summary("Lists the cards of a category.")
        .id("listCardsOfCategory"),
    post  ("/node-load-method/:name",    any_of(LOAD),   nodes::load)             .limit(BODY_CANVAS_BYTES).summary("Lists what an input of a card is chosen from.")
        .id("listChoices"),

    // The service itself
    get   ("/ping",                      PUBLIC,         service::ping)           .cors(Cors::Listed).summary("Answers pong.")
        .id("ping").answers(200, PLAIN),
    get   ("/version",                   PUBLIC,         service::version)        .cors(Cors::Listed).summary("The service's version.")
        .id("getServiceVersion"),
    get   ("/openapi.json",              PUBLIC,         service::description)    .cors(Cors::Listed).summary("This description.")
        .id("getDescription").answers_json::<Map<String, Value>>(200),
    get   ("/health",                    PUBLIC,         service::health)         .at_root().summary("The process answers.")
        .id("getHealth"),
    get   ("/ready",                     PUBLIC,         service::ready)          .at_root().summary("The database answers, so requests can be served.")
        .id("getReadiness"),
    get   ("/metrics",                   METRICS,        metrics::read)           .at_root().summary("The counts of the service, for Prometheus, where the operator opened them.")
        .id("getMetrics").answers(200, PLAIN).refuses(&[404]),
] }

/// The records of agentflow runs (manual 15.2).
#[rustfmt::skip]
fn execution_routes() -> Vec<Route> { vec![
    get   ("/executions",                any_of(&["executions:view"]), executions::list).summary("Lists the records of agentflow runs.")
        .id("listExecutions").query(params::EXECUTION_FILTER),
    get   ("/executions/:id",            any_of(&["executions:view"]), executions::read).summary("Reads the record of a run.")
        .id("getExecution").query(params::WHOLE_TEXTS),
    get   ("/executions/:id/events",     any_of(&["executions:view"]), executions::events).summary("Follows a run of an agentflow as it goes.")
        .id("followExecution").query(params::EVENTS_SINCE).may_stream(),
    put   ("/executions/:id",            any_of(&["executions:update"]), executions::update).summary("Shares the record of a run with everybody, or with nobody.")
        .id("shareExecution").shows(EXECUTION_SEEN),
    post  ("/executions/:id/stop",       any_of(&["executions:update"]), executions::stop).summary("Ends a run that is under way or waits for a person.")
        .id("stopExecution").shows(EXECUTION_SEEN).refuses(&[409]),
    delete("/executions/:id",            any_of(&["executions:delete"]), executions::delete).summary("Deletes the record of a run.")
        .id("deleteExecution").refuses(&[409]),
    delete("/executions",                any_of(&["executions:delete"]), executions::delete_each).summary("Deletes records of runs that are not under way.")
        .id("deleteExecutions"),
    get   ("/public-executions/:id",     PUBLIC, executions::read_public).summary("Reads the record of a run that is shared.")
        .id("getPublicExecution"),
] }

/// What is served at `SERVICE_METRICS`, where that is an address: nothing else.
#[must_use]
pub fn metrics_table() -> &'static RouteTable {
    static TABLE: LazyLock<RouteTable> =
        LazyLock::new(|| RouteTable::new(vec![get("/metrics", PUBLIC, metrics::read_on_own_port).at_root()]));
    &TABLE
}

const SVG: ContentSpec = ContentSpec::Text("image/svg+xml");

/// What people, pages and keys ask around flows (manual 1.8, 5.4, 8.7, 9.8).
#[rustfmt::skip]
fn flow_routes() -> Vec<Route> { vec![
    get   ("/chatflows/has-changed/:id/:iso", any_of(UPSERT_PERMISSIONS), flows::has_changed).summary("Whether a flow was saved since a time.")
        .id("hasFlowChanged"),
    get   ("/chatflows/apikey/:apikey",  PUBLIC,         keys::flows)             .summary("Lists the flows an API key opens.")
        .id("listFlowsOfKey").query(params::OF_KEY).refuses(&[401, 429]),
    get   ("/verify/apikey/:apikey",     PUBLIC,         keys::verify)            .summary("Whether a value is an API key.")
        .id("verifyApiKey").refuses(&[401, 429]),
    get   ("/public-chatflows/:id",      PUBLIC,         flows::public)           .cors(Cors::Flow).summary("A shared flow as a chat page needs it.")
        .id("getPublicFlow").refuses(&[403]),
    post  ("/node-config",               SIGNED_IN,      nodes::config)           .limit(BODY_CANVAS_BYTES).summary("Lists the settings of a card a request may be allowed to change.")
        .id("listCardSettings"),
    post  ("/node-custom-function",      any_of(CODE_RUN), nodes::try_code)       .limit(BODY_CANVAS_BYTES).summary("Tries the code of a card, with example values and without credentials.")
        .id("tryCode"),
    post  ("/node-answer-schema",        any_of(LOAD),   nodes::answer_schema)    .limit(BODY_CANVAS_BYTES).summary("What a model is sent for the keys that its answer must have, and what is wrong with them.")
        .id("describeAnswer"),
    get   ("/node-icon/:name",           PUBLIC,         nodes::icon)             .summary("The picture of a card.")
        .id("getCardIcon").answers(200, SVG).answers(304, ContentSpec::Nothing),
    get   ("/components-credentials-icon/:name", PUBLIC, nodes::credential_icon)  .summary("The picture of a credential type.")
        .id("getCredentialIcon").answers(200, SVG).answers(304, ContentSpec::Nothing),
    get   ("/credentials/:id/reveal",    any_of(CREDENTIAL_SAVED), credentials::reveal).summary("The addresses of a credential, without their passwords.")
        .id("revealCredential").shows(CREDENTIAL_SEEN),
    get   ("/used-by/:kind",             any_of(USES), credentials::used_by).summary("Which flows use each credential, tool, document store, variable or API key.")
        .id("listUses"),
    get   ("/settings",                  PUBLIC,         service::settings)       .cors(Cors::Listed).summary("What a page needs to know before anybody signs in.")
        .id("getSettings"),
    get   ("/ip",                        PUBLIC,         service::address)        .cors(Cors::Listed).summary("The address a caller is counted by.")
        .id("getAddress"),
    get   ("/server",                    OWNER,          server::read)            .summary("How the server is: settings in force, the health of its parts, problems.")
        .id("getServer"),
    get   ("/server/log",                OWNER,          server::log)             .summary("The newest lines of the log, as far as they are kept in memory.")
        .id("getServerLog").query(params::SERVER_LOG),
] }

/// Whoever may take a kind of thing out of a workspace, and into one (manual 5.11).
const EXPORT: &[&str] = &["chatflows:export", "agentflows:export", "tools:export", "workspace:export"];
const IMPORT: &[&str] = &["chatflows:import", "agentflows:import", "workspace:import"];
/// Conversations leave with their flow.
const EXPORT_FLOWS: &[&str] = &["chatflows:export", "agentflows:export", "workspace:export"];

/// Export, import and templates (manual 5.11, 5.12).
#[rustfmt::skip]
fn transfer_routes() -> Vec<Route> { vec![
    post  ("/export-import/export",      any_of(EXPORT), transfer::export)        .summary("Exports flows, tools, variables, document stores and templates.")
        .id("exportWorkspace"),
    post  ("/export-import/import",      any_of(IMPORT), transfer::import)        .limit(BODY_CANVAS_BYTES).summary("Imports an export, a flow or a canvas, or tells what would become of it.")
        .id("importFile").refuses(&[409]),
    post  ("/export-import/chatflow-messages", any_of(EXPORT_FLOWS), transfer::transcripts).summary("Exports the conversations of a flow.")
        .id("exportConversations").shows(VIEW).answers_json::<Vec<TranscriptView>>(200).refuses(&[404]),
    get   ("/marketplaces/templates",    any_of(&["templates:marketplace"]), templates::starters).summary("Lists the starter flows.")
        .id("listStarters"),
    get   ("/marketplaces/custom",       any_of(&["templates:custom"]), templates::list).summary("Lists the templates of the workspace.")
        .id("listTemplates"),
    post  ("/marketplaces/custom",       any_of(&["templates:flowexport", "templates:toolexport"]), templates::create).summary("Makes a template of a flow or a tool.")
        .id("createTemplate").refuses(&[404]),
    put   ("/marketplaces/custom/:id",   any_of(&["templates:flowexport", "templates:toolexport", "templates:custom-share"]), templates::update).summary("Changes a template of the workspace, and who may use it.")
        .id("changeTemplate"),
    delete("/marketplaces/custom/:id",   any_of(&["templates:custom-delete"]), templates::delete).summary("Deletes a template of the workspace.")
        .id("deleteTemplate"),
] }

/// Document stores (manual 10.9).
#[rustfmt::skip]
fn document_store_routes() -> Vec<Route> { vec![
    get   ("/document-store/store",      any_of(&["documentStores:view"]),   document_stores::list)  .summary("Lists document stores.")
        .id("listDocumentStores").query(params::PAGES),
    post  ("/document-store/store",      any_of(&["documentStores:create"]), document_stores::create).summary("Makes a document store.")
        .id("createDocumentStore"),
    get   ("/document-store/store/:id",  any_of(&["documentStores:view"]),   document_stores::read)  .summary("Reads a document store.")
        .id("getDocumentStore"),
    put   ("/document-store/store/:id",  any_of(&["documentStores:update"]), document_stores::update).summary("Renames a document store.")
        .id("updateDocumentStore").takes_json::<knowledge::stores::DocumentStoreEdit>(),
    delete("/document-store/store/:id",  any_of(&["documentStores:delete"]), document_stores::delete).summary("Deletes a document store.")
        .id("deleteDocumentStore").query(params::FORCE).refuses(&[409]),
    get   ("/document-store/store-configs/:id/:loader", any_of(&["documentStores:view"]), document_stores::config).summary("Reads how a loader of a document store is set.")
        .id("getLoader"),
    get   ("/document-store/components/:group", any_of(&["documentStores:view"]), document_stores::components).summary("Lists the cards a document store can be built from.")
        .id("listStoreCards"),
    post  ("/document-store/loader/preview", any_of(&["documentStores:preview-process"]), document_stores::preview).limit(BODY_CANVAS_BYTES).summary("Shows what a loader would bring.")
        .id("previewLoader").shows(STORE_SEEN).refuses(&[404]),
    post  ("/document-store/loader/save", any_of(&["documentStores:add-loader"]), document_stores::save).limit(BODY_CANVAS_BYTES).summary("Saves a loader of a document store.")
        .id("saveLoader").shows(STORE_SEEN).refuses(&[404, 507]),
    post  ("/document-store/loader/process/:loader", any_of(&["documentStores:preview-process"]), document_stores::process).summary("Runs a loader of a document store.")
        .id("runLoader").shows(STORE_SEEN).takes_json::<knowledge::loaders::LoaderRun>().answers_json::<knowledge::chunks::ChunkPageView>(200).may_stream().refuses(&[409]),
    delete("/document-store/loader/:id/:loader", any_of(&["documentStores:delete-loader"]), document_stores::remove_loader).summary("Removes a loader with its chunks.")
        .id("deleteLoader").shows(STORE_SEEN),
    get   ("/document-store/chunks/:id/:loader/:page", any_of(&["documentStores:view"]), document_stores::chunks).summary("Reads a page of chunks.")
        .id("listChunks"),
    get   ("/document-store/chunk-search/:id/:loader", any_of(&["documentStores:view"]), document_stores::search_chunks).summary("Finds chunks by a text that is in them.")
        .id("searchChunks").query(params::CHUNK_SEARCH),
    put   ("/document-store/chunks/:id/:loader/:chunk", any_of(&["documentStores:update"]), document_stores::edit_chunk).summary("Changes a chunk.")
        .id("updateChunk").takes_json::<knowledge::chunks::ChunkEdit>().refuses(&[409]),
    delete("/document-store/chunks/:id/:loader/:chunk", any_of(&["documentStores:update"]), document_stores::remove_chunk).summary("Removes a chunk.")
        .id("deleteChunk"),
    post  ("/document-store/upsert/:id", any_of(&["documentStores:update"]), document_stores::upsert).accepts(Accepts::JsonOrMultipart).limit(BODY_CANVAS_BYTES).summary("Adds documents to a document store.")
        .id("addDocuments").takes_json::<knowledge::store_upserts::DocumentUpsert>().takes_form::<knowledge::store_upserts::DocumentUpsertForm>().answers_json::<knowledge::store_upserts::DocumentUpsertView>(200).may_stream().refuses(&[409, 507]),
    post  ("/document-store/refresh/:id", any_of(&["documentStores:update"]), document_stores::refresh).summary("Runs loaders of a document store again.")
        .id("runLoadersAgain").may_take_json::<knowledge::store_upserts::Refresh>(),
    post  ("/document-store/vectorstore/save",   any_of(STORE_VECTORS), vectors::save)   .summary("Chooses the cards that make and keep the vectors of a document store.")
        .id("setVectorCards").shows(STORE_SEEN).refuses(&[404]),
    post  ("/document-store/vectorstore/insert", any_of(STORE_VECTORS), vectors::insert) .summary("Embeds the chunks of a document store that are new.")
        .id("embedChunks").shows(STORE_SEEN).answers_json::<knowledge::upserts::FillView>(200).may_stream().refuses(&[404, 409]),
    post  ("/document-store/vectorstore/query",  any_of(&["documentStores:view"]), vectors::query).summary("Searches the vectors of a document store.")
        .id("searchVectors").refuses(&[404]),
    delete("/document-store/vectorstore/:id",    any_of(STORE_VECTORS), vectors::remove) .summary("Removes the vectors of a document store.")
        .id("deleteVectors"),
    post  ("/document-store/generate-tool-desc/:id", any_of(STORE_VECTORS), document_stores::describe).summary("Asks a model what a document store is good for, as the description of a tool.")
        .id("describeDocumentStore").shows(STORE_SEEN).takes_json::<knowledge::stores::DescribeStore>(),
] }

/// People, roles, workspaces, and the list of what was done (manual 8.5).
#[rustfmt::skip]
#[allow(clippy::too_many_lines, reason = "one line for each route")]
fn people_routes() -> Vec<Route> { vec![
    post  ("/auth/resolve",              PUBLIC,  accounts::resolve).summary("Where a page begins: at the setup or at the sign-in.")
        .id("resolveStart").may_take_json::<Map<String, Value>>(),
    post  ("/account/verify",            PUBLIC,  accounts::verify).summary("Says what the link of an invitation or of a new password is for.")
        .id("verifyLink").refuses(&[401, 429]),
    post  ("/account/forgot-password",   PUBLIC,  accounts::forgot_password).summary("Tells the owner that somebody needs a new password.")
        .id("forgotPassword").refuses(&[429]),
    post  ("/account/reset-password",    PUBLIC,  accounts::reset_password).summary("Sets a new password by a link.")
        .id("resetPassword").refuses(&[429]),
    get   ("/user",                      SESSION, accounts::profile).summary("Reads an account.")
        .id("getAccount").query(params::ACCOUNT_FILTER).refuses(&[404]),
    put   ("/user",                      SESSION, accounts::update_profile).summary("Changes one's own account.")
        .id("updateAccount").refuses(&[409, 429]),
    get   ("/account/sessions",          SESSION, accounts::sessions).summary("Lists where one is signed in.")
        .id("listSessions"),
    delete("/account/sessions",          SESSION, accounts::end_other_sessions).summary("Ends one's other sessions.")
        .id("endOtherSessions"),
    delete("/account/sessions/:id",      SESSION, accounts::end_session).summary("Ends one of one's sessions.")
        .id("endSession"),

    get   ("/account/invite",            any_of(INVITE), people::invitations).summary("Lists open invitations.")
        .id("listInvitations"),
    post  ("/account/invite",            any_of(INVITE), people::invite).summary("Invites a person and shows the link once.")
        .id("invite").refuses(&[404, 409]),
    delete("/account/invite/:id",        any_of(INVITE), people::uninvite).summary("Takes an invitation back.")
        .id("removeInvitation"),
    get   ("/organizationuser",          any_of(&["users:manage"]), people::list).summary("Lists people.")
        .id("listPeople").query(params::PAGES),
    put   ("/organizationuser",          OWNER,   people::set_status).summary("Lets a person in or keeps them out.")
        .id("setPersonStatus").refuses(&[404, 409]),
    delete("/organizationuser",          OWNER,   people::delete).summary("Removes a person.")
        .id("deletePerson").query(params::WHOM).refuses(&[404, 409]),
    post  ("/user/:id/reset-link",       OWNER,   people::reset_link).summary("Makes a link for a person's new password and shows it once.")
        .id("createResetLink").refuses(&[409]),
    get   ("/user/:id/sessions",         OWNER,   people::sessions).summary("Lists where a person is signed in.")
        .id("listSessionsOfPerson"),
    delete("/user/:id/sessions",         OWNER,   people::end_sessions).summary("Ends a person's sessions.")
        .id("endSessionsOfPerson"),
    get   ("/organization",              SESSION, people::organization).summary("Reads the organization.")
        .id("getOrganization"),
    put   ("/organization",              OWNER,   people::rename_organization).summary("Renames the organization.")
        .id("updateOrganization"),

    get   ("/workspace",                 SESSION, workspaces::list).summary("Lists one's workspaces.")
        .id("listWorkspaces"),
    post  ("/workspace",                 any_of(&["workspace:create"]), workspaces::create).summary("Makes a workspace.")
        .id("createWorkspace").refuses(&[409]),
    put   ("/workspace",                 any_of(&["workspace:update"]), workspaces::update).summary("Renames a workspace, or bounds what it may hold and use.")
        .id("updateWorkspace").refuses(&[404, 409]),
    delete("/workspace/:id",             any_of(&["workspace:delete"]), workspaces::delete).summary("Deletes an empty workspace.")
        .id("deleteWorkspace").refuses(&[409]),
    post  ("/workspace/switch",          SESSION, workspaces::switch).summary("Makes another workspace the active one.")
        .id("switchWorkspace").query(params::WHERE_TO).refuses(&[404]),
    get   ("/workspaceuser",             any_of(MEMBERS_VIEW), people::members).summary("Lists the members of a workspace.")
        .id("listMembers").query(params::MEMBER_FILTER).refuses(&[404]),
    post  ("/workspaceuser",             any_of(&["workspace:add-user"]), people::add_member).summary("Adds a person to a workspace.")
        .id("addMember").refuses(&[404, 409]),
    put   ("/workspaceuser",             any_of(&["workspace:add-user"]), people::change_member).summary("Gives a member another role.")
        .id("updateMember").refuses(&[404]),
    delete("/workspaceuser",             any_of(&["workspace:unlink-user"]), people::remove_member).summary("Removes a member from a workspace.")
        .id("removeMember").query(params::MEMBER_FILTER).refuses(&[404]),

    get   ("/role",                      any_of(ROLES_VIEW), roles::list).summary("Lists roles.")
        .id("listRoles"),
    post  ("/role",                      any_of(ROLES_EDIT), roles::create).summary("Makes a role.")
        .id("createRole").refuses(&[409]),
    put   ("/role",                      any_of(ROLES_EDIT), roles::update).summary("Changes the role that the body names.")
        .id("updateNamedRole").refuses(&[404, 409]),
    get   ("/role/:id",                  any_of(ROLES_VIEW), roles::read).summary("Reads a role.")
        .id("getRole"),
    put   ("/role/:id",                  any_of(ROLES_EDIT), roles::update).summary("Changes a role.")
        .id("updateRole").refuses(&[409]),
    delete("/role/:id",                  any_of(ROLES_EDIT), roles::delete).summary("Deletes a role that nobody has.")
        .id("deleteRole").refuses(&[409]),

    get   ("/audit",                     OWNER,   audit::list).summary("Lists sign-ins and what people changed.")
        .id("listAudit").query(params::AUDIT_FILTER),
    post  ("/audit/login-activity",      any_of(&["loginActivity:view"]), audit::logins).summary("Lists sign-ins.")
        .id("listLogins"),
] }
