//! The numbers the service holds itself to that several files name, unit last, by section of chapter 14 of the manual. A number
//! that one file names stands there and cites its section, so that the chapter lists it all the same.

// The door (manual 14.1).

/// Longest request line: method, path, query and version; longer gives 414.
pub const REQUEST_LINE_BYTES_MAX: usize = 8 * 1024;
/// Longest head, request line included; longer gives 431. It has 100 fields at most.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Largest JSON body of routes that carry a canvas or a question.
pub const BODY_CANVAS_BYTES: usize = 32 * 1024 * 1024;
/// Largest multipart body, where a route takes one.
pub const BODY_MULTIPART_BYTES: usize = 30 * 1024 * 1024;
/// Requests under way at the same time: those that run, and answers that only wait for a model or a file and hold no thread.
pub const REQUESTS_MAX: usize = 12_000;

// The server's own threads and sockets (manual 14.2).

/// Time an idle blocking thread is kept.
pub const BLOCKING_THREAD_IDLE_SECONDS: u64 = 10;
/// Open files that a service with too few asks for: room for all connections there may be, and for what they lead to.
pub const OPEN_FILES_WISH_COUNT: u64 = 65_536;
/// Largest file an operator may import.
pub const IMPORT_FILE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Longest canvas of a version, written out for people to read; what is longer could be recorded and never read.
pub const VERSION_CANVAS_BYTES_MAX: usize = 64 * 1024 * 1024;

// Keys, passwords, sessions (manual 14.3).

/// Shortest password.
pub(crate) const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password.
pub(crate) const PASSWORD_MAX_CHARS: usize = 256;

// Running flows (manual 14.4).

/// Time that a run may take, whoever started it.
pub const RUN_SECONDS: u64 = 600;
/// Most rounds of tool calls in one step.
pub const TOOL_ROUNDS_MAX: u64 = 25;
/// Most iterations and flows inside of one another: a flow that is asked stands inside of the one that asks, and of the
/// iterations around the step that asks.
pub const NESTING_MAX: usize = 8;

// What models are shown (manual 14.5).

/// Most of the text of all pages that one call of a scraping tool hands to a model.
pub const PAGES_TEXT_BYTES_MAX: usize = 200 * 1024;

// Databases and other servers (manual 14.6).

/// Time of one statement of a PostgreSQL server, unless its owner shortens it.
pub const POSTGRES_SECONDS: u64 = 60;
/// Bytes of all rows of one statement of a database server, and of the memory that holds them.
pub const POSTGRES_RESULT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Rows of one statement of a PostgreSQL server.
pub const POSTGRES_RESULT_ROWS_MAX: usize = 100_000;
/// Bytes of memory that one reply of a Redis server takes.
pub const REDIS_REPLY_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Lists within lists of such a reply.
pub const REDIS_REPLY_DEPTH_MAX: usize = 4;
/// Bytes of a line of such a reply: a word, a number or a refusal.
pub const REDIS_LINE_BYTES_MAX: usize = 64 * 1024;

// Answers of others, memories and caches (manual 14.7).

/// Columns of a table that comes as a file.
pub const SHEET_COLUMNS_MAX: usize = 500;
/// Most messages of a conversation that a memory sends along.
pub const MEMORY_MESSAGES_MAX: usize = 10_000;

// Knowledge (manual 14.8).

/// Chunks of one collection.
pub const COLLECTION_ROWS_MAX: usize = 500_000;
/// Chunks of the files of one conversation in one vector store.
pub const CHAT_CHUNKS_MAX: usize = 20_000;
/// Bytes of the chunks of all conversations of one workspace, with their vectors.
pub const CHAT_COLLECTIONS_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// Chunks of all conversations of one workspace in databases on other servers.
pub const CHAT_SENT_CHUNKS_MAX: usize = 200_000;
/// Bytes of the texts and metadata of what one conversation sent there.
pub const CHAT_SENT_BYTES_OF_ONE_MAX: usize = 32 * 1024 * 1024;
/// Bytes of those of all conversations of one workspace.
pub const CHAT_SENT_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Blocks of a collection that are stored in one commit.
pub const COLLECTION_BLOCKS_AT_ONCE: usize = 8;
/// Vectors of one store that are made while a question waits, with their chunks.
pub const INDEX_BYTES_MAX: usize = 256 * 1024 * 1024;

// Files (manual 14.9).

/// Most files of one question.
pub const UPLOADS_MAX: usize = 20;
/// Largest image sent with a question.
pub const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Files of one conversation.
pub const CHAT_FILES_MAX: usize = 100;

// What operators may give code (manual 14.10).

/// CPU time of one code input, unless `SERVICE_CODE_SECONDS` says otherwise.
pub(crate) const CODE_SECONDS: u64 = 10;
/// Heap of one code input, unless `SERVICE_CODE_MEMORY_MB` says otherwise.
pub(crate) const CODE_MEMORY_MB: u64 = 64;

// Outgoing requests (manual 14.11).

/// Largest answer after decoding; a document has its own limit.
pub const OUTGOING_BODY_MAX_BYTES: u64 = 10 * 1024 * 1024;

// Code inputs beside what can be set (manual 14.12).

/// Lines of the console that are kept.
pub(crate) const CODE_CONSOLE_LINES_MAX: usize = 200;
/// Requests of one run of code.
pub(crate) const CODE_FETCHES_MAX: u32 = 50;
/// Calls of `$tools` in one run of code.
pub(crate) const CODE_CALLS_MAX: u32 = 50;
/// Statements that one run of code sends to databases; signing in and goodbyes are counted too.
pub(crate) const CODE_QUERIES_MAX: u32 = 200;
/// Rows of one result that code gets from a database.
pub const CODE_ROWS_MAX: usize = 10_000;
/// Bytes of one such result, and of the memory that holds it.
pub const CODE_ROWS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes that one native function of code takes in or gives out.
pub(crate) const CODE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Longest message to a worker for code: an answer of 10 MiB whose every byte is written as an escape.
pub(crate) const CODE_MESSAGE_TO_WORKER_BYTES_MAX: usize = 61 * 1024 * 1024;

// Documents to text (manual 14.13).

/// Largest document.
pub const DOCUMENT_BYTES_MAX: usize = 25 * 1024 * 1024;
/// Bytes of UTF-8 text that one document may come to; a longer one is refused.
pub const DOCUMENT_TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;

// Chunks (manual 14.14).

/// Pages or files that one loader fetches.
pub const PAGES_MAX: usize = 1_000;
/// Chunks that one text is cut into, and documents that one loader brings.
pub const CHUNKS_MAX: usize = 100_000;
/// Chunks of one document store.
pub const STORE_CHUNKS_MAX: usize = 1_000_000;
/// Bytes of all chunks of one text, repeated ends included.
pub const CHUNKS_BYTES_MAX: usize = 256 * 1024 * 1024;
