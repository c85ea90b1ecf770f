//! Every table on one screen. The value of a table is JSON unless its line says otherwise.

use super::typed::{GlobalTable, WorkspaceTable, WorkspaceTexts};
use crate::domain::accounts::api_key::{ApiKey, KeyOwner};
use crate::domain::accounts::link::{Invitation, PasswordReset};
use crate::domain::accounts::role::Role;
use crate::domain::accounts::session::Session;
use crate::domain::accounts::user::{Organization, User, Workspace};
use crate::domain::checks::kept::KeptQuestion;
use crate::domain::conversations::conversation_name::NamedConversation;
use crate::domain::conversations::uploads::ConversationUploads;
use crate::domain::flows::draft::Draft;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::history_mark::HistoryMark;
use crate::domain::flows::version::NewVersion;
use crate::domain::ids::{
    AssistantId, CollectionId, ConversationNameId, ConversationUploadsId, CredentialId, DocumentStoreId,
    ExecutionId, FlowId, KeyId, MailId, RoleId, TemplateId, ToolId, ToolServerId, UserId, VariableId,
    WebhookCallbackId, WorkspaceId,
};
use crate::domain::knowledge::collection::{Collection, UnlinkedBlocks};
use crate::domain::knowledge::document_store::DocumentStore;
use crate::domain::knowledge::upsert::UpsertRecord;
use crate::domain::knowledge::vector_config::VectorConfig;
use crate::domain::pipelines::target::PipelineFile;
use crate::domain::predictions::execution::{Execution, ExecutionLeftovers, RunRequest};
use crate::domain::remote::connection::Connection;
use crate::domain::remote::environment::ServerLabel;
use crate::domain::service::mail::alert::AlertRecord;
use crate::domain::service::mail::{MailRecord, QueuedMail};
use crate::domain::triggers::mcp_server::McpServer;
use crate::domain::triggers::schedule::Schedule;
use crate::domain::triggers::webhook_answer::AnswerTotals;
use crate::domain::triggers::webhook_callback::WebhookCallback;
use crate::domain::workspace::assistant::Assistant;
use crate::domain::workspace::credential::{Ciphertext, Credential};
use crate::domain::workspace::template::{SharedTemplate, Template};
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::tool_server::ToolServer;
use crate::domain::workspace::variable::Variable;
use redb::{TableDefinition, TableHandle as _};

/// A table of bytes: keys are built in `keys.rs`, values are read by the typed table or query that owns it.
pub type Table = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// A table whose newest rows may still wait in the memtable (`wal/memtable.rs`): only transactions that began after those were
/// stored may read it.
#[derive(Clone, Copy)]
pub(super) struct MessageTable(Table);

impl MessageTable {
    pub(super) const fn table(self) -> Table {
        self.0
    }
}

const fn table(name: &'static str) -> Table {
    TableDefinition::new(name)
}

// name -> what it holds                                                  key -> value, where it is not obvious
pub(super) const META: Table = table("meta"); //                          "schema" -> number as text
pub(super) const COUNTERS: Table = table("counters"); //                  name -> u64, big-endian
pub(super) const MESSAGES: MessageTable = MessageTable(table("messages")); // flow ‖ chat ‖ sequence -> message
pub(super) const FLOW_TIMELINE: MessageTable = MessageTable(table("flow_timeline")); // flow ‖ sequence -> chat, 16 bytes
const FLOWS_TABLE: Table = table("flows"); //                             workspace ‖ flow
const CANVASES_TABLE: Table = table("canvases"); //                       workspace ‖ flow -> the canvas text itself
const FLOW_WORKSPACE_TABLE: Table = table("flow_home"); //                     flow -> workspace
const API_KEYS_TABLE: Table = table("api_keys"); //                       workspace ‖ key
const KEY_BY_HASH_TABLE: Table = table("key_by_hash"); //                 SHA-256 of the value -> workspace and key
const CREDENTIALS_TABLE: Table = table("credentials"); //                 workspace ‖ credential
const VARIABLES_TABLE: Table = table("variables"); //                     workspace ‖ variable
const DRAFTS_TABLE: Table = table("drafts"); //                           workspace ‖ flow
const DRAFT_CANVASES_TABLE: Table = table("draft_canvases"); //           workspace ‖ flow -> the canvas text itself
pub(super) const INTENTS_TABLE: Table = table("intents"); //               id that sorts by time -> version to record
pub(super) const VERSION_INDEX: Table = table("version_index"); //        rows of the history's index, bytes
const TOOL_SERVERS_TABLE: Table = table("tool_servers"); //               workspace ‖ server of tools
const TOOLS_TABLE: Table = table("tools"); //                             workspace ‖ tool
pub(super) const DOCUMENT_STORES_TABLE: Table = table("document_stores"); //         workspace ‖ document store
pub(super) const LEGACY_CHUNKS: Table = table("chunks"); //                      empty: chunks as format 1 kept them
pub(super) const CHUNKS: Table = table("passages"); //                  document store ‖ loader ‖ chunk
const UPSERTS_TABLE: Table = table("fillings"); //                       workspace ‖ flow -> the newest upserts
const COLLECTIONS_TABLE: Table = table("collections"); //                 workspace ‖ collection -> its head
pub(super) const COLLECTION_BLOCKS: Table = table("collection_blocks"); // workspace ‖ collection ‖ number -> its rows, bytes
pub(super) const CHUNK_RECORDS: Table = table("passage_records"); //    workspace ‖ namespace ‖ chunk -> its source
const VECTOR_CONFIGS_TABLE: Table = table("store_vectors"); //         workspace ‖ document store -> the cards of its vectors
pub(super) const FEEDBACK: Table = table("feedback"); //            flow ‖ chat ‖ sequence of the message -> how it was rated
pub(super) const FEEDBACK_KEYS: Table = table("feedback_home"); //        feedback -> the key of its row
pub(super) const LEADS: Table = table("leads"); //                        flow ‖ lead
pub(super) const LEAD_CONVERSATIONS: Table = table("lead_conversations"); // flow ‖ chat ‖ lead -> nothing
const TEMPLATES_TABLE: Table = table("templates"); //                     workspace ‖ template
const SHARED_TEMPLATES_TABLE: Table = table("shared_templates"); //       workspace ‖ template
const ORGANIZATION_TABLE: Table = table("organization"); //               "organization"
const WORKSPACES_TABLE: Table = table("workspaces"); //                   workspace
const USERS_TABLE: Table = table("users"); //                             user
pub(super) const USER_BY_EMAIL_TABLE: Table = table("user_by_email"); //             normal form of the e-mail -> user
pub(super) const SESSIONS_TABLE: Table = table("sessions"); //                       SHA-256 of the cookie value
const ROLES_TABLE: Table = table("roles"); //                             role
const INVITATIONS_TABLE: Table = table("invitations"); //                 SHA-256 of the token
const PASSWORD_RESETS_TABLE: Table = table("password_resets"); //         SHA-256 of the token
pub(super) const AUDIT: Table = table("audit"); //                        sequence, big-endian -> entry, the newest of them
const FLOW_LAST_WORKSPACE_TABLE: Table = table("flow_last_home"); //           deleted flow -> the workspace it was in
pub(super) const AUDIT_SIGN_INS: Table = table("audit_sign_ins"); // as audit, in the same numbers: what strangers can write
const UNLINKED_BLOCKS_TABLE: Table = table("collection_leftovers"); //   workspace ‖ collection, or zeros -> blocks to remove
const CONVERSATION_UPLOADS_TABLE: Table = table("chat_knowledge"); //           workspace ‖ hash of flow and chat
const NAMED_SESSIONS_TABLE: Table = table("named_sessions"); // workspace ‖ hash of flow, key and name -> conversation, key
const NAME_OF_CONVERSATION_TABLE: Table = table("name_of_conversation"); // workspace ‖ hash of flow, chat -> id of its name
const SECRET_FINGERPRINTS_TABLE: Table = table("secret_prints"); //             file of a server secret -> its fingerprint
const HISTORY_MARK_TABLE: Table = table("history_mark"); //               "mark" -> the newest version, and where it is
pub const EXECUTIONS_TABLE: Table = table("executions"); //                   workspace ‖ execution
const EXECUTION_WORKSPACE_TABLE: Table = table("execution_home"); //      execution -> workspace
pub(super) const EXECUTION_INDEX: Table = table("execution_index"); // workspace ‖ scope ‖ updated ‖ execution -> state, flow
pub(super) const EXECUTION_COUNTS: Table = table("execution_counts"); // workspace ‖ scope ‖ level ‖ bucket -> rows of the index
pub(super) const EXECUTION_ENTRIES: Table = table("execution_entries"); // execution ‖ step -> its entry
pub(super) const EXECUTION_STEPS: Table = table("execution_steps"); //    execution ‖ step -> how it began, while it is under way
pub(super) const EXECUTION_ORDER: Table = table("execution_order"); //    execution ‖ place in the record -> step, 8 bytes
pub(super) const PAUSED_CANVASES: Table = table("paused_canvases"); //    flow ‖ digest -> the canvas text itself
pub(super) const PAUSED_RUNS: Table = table("paused_runs"); //            flow ‖ digest ‖ execution -> what resuming needs beside it
pub(super) const EXECUTION_REQUESTS_TABLE: Table = table("execution_requests"); //     execution -> what it was asked with
const EXECUTION_LEFTOVERS_TABLE: Table = table("execution_leftovers"); // deleted flow
const SCHEDULES_TABLE: Table = table("schedules"); //                     workspace ‖ flow
pub(super) const TRIGGER_LOG: Table = table("trigger_log"); //            flow ‖ number -> what became of a time of its schedule
const WEBHOOK_SECRETS_TABLE: Table = table("webhook_secrets"); //         workspace ‖ flow -> the secret, sealed
const MCP_SERVERS_TABLE: Table = table("mcp_servers"); //                 workspace ‖ flow -> the flow as a tool
const WEBHOOK_CALLBACKS_TABLE: Table = table("webhook_callbacks"); //     callback -> an answer that is still to be sent
pub(super) const WEBHOOK_SIGNATURES: Table = table("webhook_signatures"); // flow ‖ digest -> until when, in seconds
pub(super) const WEBHOOK_ANSWERS: Table = table("webhook_answers"); //    flow ‖ hash of the key -> the first answer
pub(super) const WEBHOOK_ANSWER_ORDER: Table = table("webhook_answer_order"); // flow ‖ time ‖ hash -> bytes of the answer
const KEPT_QUESTIONS_TABLE: Table = table("check_questions"); //             workspace ‖ flow -> questions for its checks
const REMOTE_CONNECTION_TABLE: Table = table("remote_connection"); //     "connection" -> the connected repository
const SERVER_LABEL_TABLE: Table = table("server_label"); //               "label" -> what this server was labelled as
const WEBHOOK_ANSWER_TOTALS_TABLE: Table = table("webhook_answer_totals"); // flow -> how much of them is kept
pub(super) const VERSION_ANSWERS: Table = table("version_answers"); //    flow ‖ change ‖ sequence -> chat, time, rating, bytes
pub(super) const VERSION_FAILURES: Table = table("version_failures"); //  flow ‖ chat ‖ sequence -> change of a run that failed
pub(super) const VERSION_COUNTS: Table = table("version_counts"); //      flow ‖ change ‖ kind ‖ bucket -> rows of these two
pub(super) const CONSUMPTION: Table = table("consumption"); //            workspace ‖ day ‖ source ‖ flow ‖ key ‖ model -> what was counted
const HOSTED_ASSISTANTS_TABLE: Table = table("hosted_assistants"); //     workspace ‖ assistant that runs at its provider
pub(super) const VERSION_NAMES: Table = table("version_names"); //        flow ‖ kind ‖ change or commit -> the other
pub(super) const PIPELINE_RUNS: Table = table("etl_runs"); //             flow ‖ number -> a run of the pipeline
const PIPELINE_FILES_TABLE: Table = table("etl_files"); //               workspace ‖ flow -> the files that the pipeline wrote
const PIPELINES_UNDER_WAY_TABLE: Table = table("etl_under_way"); //       workspace ‖ flow -> the number of the run that goes on
pub(super) const PIPELINE_DIGESTS: Table = table("etl_digests"); //       flow ‖ run or zeros ‖ digest of a document -> nothing
const MAIL_OUTBOX_TABLE: Table = table("mail_outbox"); //                 message -> what waits to be sent
const MAIL_RECORD_TABLE: Table = table("mail_record"); //                 "record" -> what became of mail
const MAIL_ALERTS_TABLE: Table = table("mail_alerts"); //                 problem -> what the owner was told last

/// Flows without their canvases. Written by one room only, `ops/flows/live.rs`.
pub const FLOWS: WorkspaceTable<Flow, FlowId> = WorkspaceTable::new(FLOWS_TABLE);
/// The canvas that is Live, as its owner's editor wrote it.
pub const CANVASES: WorkspaceTexts<FlowId> = WorkspaceTexts::new(CANVASES_TABLE);
/// Where a flow lives: asking names a flow and no workspace.
pub const FLOW_WORKSPACE: GlobalTable<WorkspaceId, FlowId> = GlobalTable::new(FLOW_WORKSPACE_TABLE);
/// API keys, by hash only.
pub const API_KEYS: WorkspaceTable<ApiKey, KeyId> = WorkspaceTable::new(API_KEYS_TABLE);
/// From the hash of a presented key value to the key.
pub const KEY_BY_HASH: GlobalTable<KeyOwner, [u8; 32]> = GlobalTable::new(KEY_BY_HASH_TABLE);
/// Credentials, sealed.
pub const CREDENTIALS: WorkspaceTable<Credential, CredentialId> = WorkspaceTable::new(CREDENTIALS_TABLE);
pub const VARIABLES: WorkspaceTable<Variable, VariableId> = WorkspaceTable::new(VARIABLES_TABLE);
/// Drafts without their canvases.
pub const DRAFTS: WorkspaceTable<Draft, FlowId> = WorkspaceTable::new(DRAFTS_TABLE);
pub const DRAFT_CANVASES: WorkspaceTexts<FlowId> = WorkspaceTexts::new(DRAFT_CANVASES_TABLE);
/// Versions on their way into history, in the order in which Live changed.
pub const INTENTS: GlobalTable<NewVersion, [u8; 16]> = GlobalTable::new(INTENTS_TABLE);
/// MCP servers that workspaces keep. Their addresses and headers are sealed.
pub const TOOL_SERVERS: WorkspaceTable<ToolServer, ToolServerId> = WorkspaceTable::new(TOOL_SERVERS_TABLE);
pub const TOOLS: WorkspaceTable<WorkspaceTool, ToolId> = WorkspaceTable::new(TOOLS_TABLE);
/// Document stores, without their chunks.
pub const DOCUMENT_STORES: WorkspaceTable<DocumentStore, DocumentStoreId> =
    WorkspaceTable::new(DOCUMENT_STORES_TABLE);
/// Upserts into the vector stores of flows, newest last.
pub const UPSERTS: WorkspaceTable<Vec<UpsertRecord>, FlowId> = WorkspaceTable::new(UPSERTS_TABLE);
/// The heads of collections of vectors. Written with their blocks, by `queries/collections.rs`.
pub(super) const COLLECTIONS: WorkspaceTable<Collection, CollectionId> =
    WorkspaceTable::new(COLLECTIONS_TABLE);
/// The cards that make and keep the vectors of document stores.
pub const VECTOR_CONFIGS: WorkspaceTable<VectorConfig, DocumentStoreId> =
    WorkspaceTable::new(VECTOR_CONFIGS_TABLE);
pub const TEMPLATES: WorkspaceTable<Template, TemplateId> = WorkspaceTable::new(TEMPLATES_TABLE);
/// The templates of all workspaces that every workspace may use. Written with them, by `ops/workspace/templates/`.
pub const SHARED_TEMPLATES: GlobalTable<SharedTemplate, [u8; 32]> = GlobalTable::new(SHARED_TEMPLATES_TABLE);
/// The one organization, under [`ORGANIZATION_KEY`].
pub const ORGANIZATION: GlobalTable<Organization, str> = GlobalTable::new(ORGANIZATION_TABLE);
/// The only key of [`ORGANIZATION`].
pub const ORGANIZATION_KEY: &str = "organization";
pub const WORKSPACES: GlobalTable<Workspace, WorkspaceId> = GlobalTable::new(WORKSPACES_TABLE);
pub const USERS: GlobalTable<User, UserId> = GlobalTable::new(USERS_TABLE);
/// From an e-mail in its normal form to a person.
pub const USER_BY_EMAIL: GlobalTable<UserId, str> = GlobalTable::new(USER_BY_EMAIL_TABLE);
/// Sign-in sessions, by the hash of their cookie value.
pub const SESSIONS: GlobalTable<Session, [u8; 32]> = GlobalTable::new(SESSIONS_TABLE);
/// Roles that people made; those that come with the service are in `domain/accounts/role.rs`.
pub const ROLES: GlobalTable<Role, RoleId> = GlobalTable::new(ROLES_TABLE);
/// Invitations that nobody has accepted yet, by the hash of their token.
pub const INVITATIONS: GlobalTable<Invitation, [u8; 32]> = GlobalTable::new(INVITATIONS_TABLE);
/// Links for new passwords, by the hash of their token.
pub const PASSWORD_RESETS: GlobalTable<PasswordReset, [u8; 32]> = GlobalTable::new(PASSWORD_RESETS_TABLE);

/// Where a flow lived that was deleted. Its versions are found by its id alone, and pages out there still name it: nobody
/// but this workspace may use the id again.
pub const FLOW_LAST_WORKSPACE: GlobalTable<WorkspaceId, FlowId> = GlobalTable::new(FLOW_LAST_WORKSPACE_TABLE);

/// Blocks of collections that are to be removed. Written with the heads, by `queries/collections.rs`.
pub(super) const UNLINKED_BLOCKS: GlobalTable<UnlinkedBlocks, [u8; 32]> =
    GlobalTable::new(UNLINKED_BLOCKS_TABLE);

/// What conversations sent to vector stores. Written by one room only, `ops/conversations/chunks.rs`.
pub const CONVERSATION_UPLOADS: WorkspaceTable<ConversationUploads, ConversationUploadsId> =
    WorkspaceTable::new(CONVERSATION_UPLOADS_TABLE);

/// The conversations that holders of keys named. Written, like the next one, by one room only,
/// `ops/conversations/named_sessions.rs`.
pub const NAMED_SESSIONS: WorkspaceTable<NamedConversation, ConversationNameId> =
    WorkspaceTable::new(NAMED_SESSIONS_TABLE);
/// The name of a conversation, to forget it by.
pub const NAME_OF_CONVERSATION: WorkspaceTable<ConversationNameId, ConversationUploadsId> =
    WorkspaceTable::new(NAME_OF_CONVERSATION_TABLE);

/// Which secrets of the server belong to this database. Written by one room only, `ops/service/server_secrets.rs`.
pub const SECRET_FINGERPRINTS: GlobalTable<String, str> = GlobalTable::new(SECRET_FINGERPRINTS_TABLE);

/// What belongs to this database of the history beside it, under [`HISTORY_MARK_KEY`]. Written by one room only,
/// `ops/service/history.rs`.
pub const HISTORY_MARK: GlobalTable<HistoryMark, str> = GlobalTable::new(HISTORY_MARK_TABLE);
/// The only key of [`HISTORY_MARK`].
pub const HISTORY_MARK_KEY: &str = "mark";

/// The records of agentflow runs without their entries. Written with their index, by `queries/executions/`.
pub(super) const EXECUTIONS: WorkspaceTable<Execution, ExecutionId> = WorkspaceTable::new(EXECUTIONS_TABLE);
/// Where a record lives: a shared one is asked for without a workspace.
pub(super) const EXECUTION_WORKSPACE: GlobalTable<WorkspaceId, ExecutionId> =
    GlobalTable::new(EXECUTION_WORKSPACE_TABLE);
/// What runs were asked with.
pub(super) const EXECUTION_REQUESTS: GlobalTable<RunRequest, ExecutionId> =
    GlobalTable::new(EXECUTION_REQUESTS_TABLE);
/// Deleted flows whose records are still to be removed.
pub const EXECUTION_LEFTOVERS: GlobalTable<ExecutionLeftovers, FlowId> =
    GlobalTable::new(EXECUTION_LEFTOVERS_TABLE);

/// What is kept of the schedules of flows. Written by one room only, `ops/triggers/schedules/`.
pub const SCHEDULES: WorkspaceTable<Schedule, FlowId> = WorkspaceTable::new(SCHEDULES_TABLE);

/// What signs the calls of flows' webhooks. Written by one room only, `ops/triggers/webhooks/`.
pub const WEBHOOK_SECRETS: WorkspaceTable<Ciphertext, FlowId> = WorkspaceTable::new(WEBHOOK_SECRETS_TABLE);
/// Flows as tools of MCP servers. Written by one room only, `ops/triggers/mcp/`.
pub const MCP_SERVERS: WorkspaceTable<McpServer, FlowId> = WorkspaceTable::new(MCP_SERVERS_TABLE);
/// Answers of webhooks that are promised to an address, or on their way there.
pub const WEBHOOK_CALLBACKS: GlobalTable<WebhookCallback, WebhookCallbackId> =
    GlobalTable::new(WEBHOOK_CALLBACKS_TABLE);
/// How many answers of a flow's webhook are kept. Written with them, by `queries/webhooks.rs`.
pub(super) const WEBHOOK_ANSWER_TOTALS: GlobalTable<AnswerTotals, FlowId> =
    GlobalTable::new(WEBHOOK_ANSWER_TOTALS_TABLE);

/// Questions that are kept for the checks of flows. Written by one room only, `ops/checks/`.
pub const KEPT_QUESTIONS: WorkspaceTable<Vec<KeptQuestion>, FlowId> =
    WorkspaceTable::new(KEPT_QUESTIONS_TABLE);

/// The run of each pipeline that is under way. Written by one room only, `ops/pipelines/`.
pub const PIPELINES_UNDER_WAY: WorkspaceTable<u64, FlowId> = WorkspaceTable::new(PIPELINES_UNDER_WAY_TABLE);

/// The files that each pipeline wrote. Written by one room only, `ops/pipelines/`.
pub const PIPELINE_FILES: WorkspaceTable<Vec<PipelineFile>, FlowId> =
    WorkspaceTable::new(PIPELINE_FILES_TABLE);

/// The repository that this server is connected to, under [`REMOTE_CONNECTION_KEY`]. Written by one room only, `ops/remote/`.
pub const REMOTE_CONNECTION: GlobalTable<Connection, str> = GlobalTable::new(REMOTE_CONNECTION_TABLE);
/// The only key of [`REMOTE_CONNECTION`].
pub const REMOTE_CONNECTION_KEY: &str = "connection";
/// What this server was labelled as, under [`SERVER_LABEL_KEY`]. Written by the same room.
pub const SERVER_LABEL: GlobalTable<ServerLabel, str> = GlobalTable::new(SERVER_LABEL_TABLE);
/// The only key of [`SERVER_LABEL`].
pub const SERVER_LABEL_KEY: &str = "label";

/// Assistants that run at their providers; those that run here are flows.
pub const HOSTED_ASSISTANTS: WorkspaceTable<Assistant, AssistantId> =
    WorkspaceTable::new(HOSTED_ASSISTANTS_TABLE);

/// Messages that wait for the mail server. Written, like the next two, by one room only, `ops/service/mail/`.
pub const MAIL_OUTBOX: GlobalTable<QueuedMail, MailId> = GlobalTable::new(MAIL_OUTBOX_TABLE);
/// What became of mail, under [`MAIL_RECORD_KEY`].
pub const MAIL_RECORD: GlobalTable<MailRecord, str> = GlobalTable::new(MAIL_RECORD_TABLE);
/// The only key of [`MAIL_RECORD`].
pub const MAIL_RECORD_KEY: &str = "record";
/// What the owner was told of problems, by the names of their kinds.
pub const MAIL_ALERTS: GlobalTable<AlertRecord, str> = GlobalTable::new(MAIL_ALERTS_TABLE);

/// All of them: what is not in this list does not exist in a database.
pub(super) const ALL: [Table; 84] = [
    META,
    COUNTERS,
    MESSAGES.table(),
    FLOW_TIMELINE.table(),
    FLOWS_TABLE,
    CANVASES_TABLE,
    FLOW_WORKSPACE_TABLE,
    API_KEYS_TABLE,
    KEY_BY_HASH_TABLE,
    CREDENTIALS_TABLE,
    VARIABLES_TABLE,
    DRAFTS_TABLE,
    DRAFT_CANVASES_TABLE,
    INTENTS_TABLE,
    VERSION_INDEX,
    TOOLS_TABLE,
    TOOL_SERVERS_TABLE,
    DOCUMENT_STORES_TABLE,
    LEGACY_CHUNKS,
    CHUNKS,
    UPSERTS_TABLE,
    COLLECTIONS_TABLE,
    COLLECTION_BLOCKS,
    CHUNK_RECORDS,
    VECTOR_CONFIGS_TABLE,
    FEEDBACK,
    FEEDBACK_KEYS,
    LEADS,
    LEAD_CONVERSATIONS,
    TEMPLATES_TABLE,
    SHARED_TEMPLATES_TABLE,
    ORGANIZATION_TABLE,
    WORKSPACES_TABLE,
    USERS_TABLE,
    USER_BY_EMAIL_TABLE,
    SESSIONS_TABLE,
    ROLES_TABLE,
    INVITATIONS_TABLE,
    PASSWORD_RESETS_TABLE,
    AUDIT,
    FLOW_LAST_WORKSPACE_TABLE,
    AUDIT_SIGN_INS,
    UNLINKED_BLOCKS_TABLE,
    CONVERSATION_UPLOADS_TABLE,
    NAMED_SESSIONS_TABLE,
    NAME_OF_CONVERSATION_TABLE,
    SECRET_FINGERPRINTS_TABLE,
    HISTORY_MARK_TABLE,
    EXECUTIONS_TABLE,
    EXECUTION_WORKSPACE_TABLE,
    EXECUTION_INDEX,
    EXECUTION_COUNTS,
    EXECUTION_ENTRIES,
    EXECUTION_STEPS,
    EXECUTION_ORDER,
    PAUSED_CANVASES,
    PAUSED_RUNS,
    EXECUTION_REQUESTS_TABLE,
    EXECUTION_LEFTOVERS_TABLE,
    SCHEDULES_TABLE,
    TRIGGER_LOG,
    WEBHOOK_SECRETS_TABLE,
    MCP_SERVERS_TABLE,
    WEBHOOK_CALLBACKS_TABLE,
    WEBHOOK_SIGNATURES,
    WEBHOOK_ANSWERS,
    WEBHOOK_ANSWER_ORDER,
    WEBHOOK_ANSWER_TOTALS_TABLE,
    KEPT_QUESTIONS_TABLE,
    REMOTE_CONNECTION_TABLE,
    SERVER_LABEL_TABLE,
    VERSION_ANSWERS,
    VERSION_FAILURES,
    VERSION_COUNTS,
    VERSION_NAMES,
    PIPELINE_RUNS,
    PIPELINES_UNDER_WAY_TABLE,
    PIPELINE_DIGESTS,
    PIPELINE_FILES_TABLE,
    HOSTED_ASSISTANTS_TABLE,
    CONSUMPTION,
    MAIL_OUTBOX_TABLE,
    MAIL_RECORD_TABLE,
    MAIL_ALERTS_TABLE,
];

/// What runs leave behind with each answer: messages, records of agentflows, and what is kept of what started them. Nothing of it is kept outside of the database,
/// so a change of it makes nothing unknown there ([`super::engine::read_cache`]).
const OF_RUNS: [Table; 28] = [
    COUNTERS,
    MESSAGES.table(),
    FLOW_TIMELINE.table(),
    EXECUTIONS_TABLE,
    EXECUTION_WORKSPACE_TABLE,
    EXECUTION_INDEX,
    EXECUTION_COUNTS,
    EXECUTION_ENTRIES,
    EXECUTION_STEPS,
    EXECUTION_ORDER,
    EXECUTION_REQUESTS_TABLE,
    PAUSED_CANVASES,
    PAUSED_RUNS,
    SCHEDULES_TABLE,
    TRIGGER_LOG,
    WEBHOOK_CALLBACKS_TABLE,
    WEBHOOK_SIGNATURES,
    WEBHOOK_ANSWERS,
    WEBHOOK_ANSWER_ORDER,
    WEBHOOK_ANSWER_TOTALS_TABLE,
    VERSION_ANSWERS,
    VERSION_FAILURES,
    VERSION_COUNTS,
    PIPELINE_RUNS,
    PIPELINES_UNDER_WAY_TABLE,
    PIPELINE_DIGESTS,
    PIPELINE_FILES_TABLE,
    CONSUMPTION,
];

/// True for a table of [`OF_RUNS`].
pub(super) fn is_of_runs(table: Table) -> bool {
    OF_RUNS.iter().any(|known| known.name() == table.name())
}

/// The table of this name.
pub(super) fn find_by_name(name: &[u8]) -> Option<Table> {
    ALL.into_iter().find(|table| table.name().as_bytes() == name)
}

/// The names of the tables a database holds, for a comparison with [`ALL`].
pub(super) fn missing(found: &[String]) -> impl Iterator<Item = Table> + '_ {
    ALL.into_iter().filter(|table| !found.iter().any(|name| name == table.name()))
}
