//! Every number the service holds itself to, unit last. "S n" is a section of the specification, "R n" of the
//! security rules, "C n" of the contract. A number an operator can change is a row of `settings`, with its range here.

// Requests (R 2).

/// Longest request line (R 2).
pub const REQUEST_LINE_MAX_BYTES: usize = 8 * 1024;
/// Longest header block of a request (R 2).
pub const REQUEST_HEADERS_MAX_BYTES: usize = 32 * 1024;
/// Most header fields of a request (R 2).
pub const REQUEST_HEADERS_MAX_COUNT: usize = 100;
/// Largest JSON body of an ordinary route (R 2).
pub const JSON_BODY_MAX_BYTES: usize = 10 * 1024 * 1024;
/// Largest JSON body of the prediction and canvas routes (R 2).
pub const CANVAS_BODY_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Largest multipart request (R 2).
pub const MULTIPART_BODY_MAX_BYTES: usize = 30 * 1024 * 1024;
/// Largest uploaded document; a larger one is refused with 400 (S 8).
pub const DOCUMENT_MAX_BYTES: usize = 25 * 1024 * 1024;
/// Most files of one multipart request (R 2).
pub const MULTIPART_FILES_MAX_COUNT: usize = 20;
/// Most parts of one multipart request (R 2).
pub const MULTIPART_PARTS_MAX_COUNT: usize = 64;
/// Longest header block of one multipart part (R 2).
pub const MULTIPART_PART_HEADERS_MAX_BYTES: usize = 8 * 1024;
/// Deepest nesting of a JSON body (R 2).
pub const JSON_DEPTH_MAX_LEVELS: usize = 128;
/// Deepest nesting of an override value; a deeper one is dropped whole (S 8).
pub const OVERRIDE_DEPTH_MAX_LEVELS: usize = 8;
/// Most ignored override names one request may log (R 6).
pub const OVERRIDE_NAMES_LOGGED_MAX_COUNT: usize = 50;

// Time allowed to a connection and to a run (R 2, R 11).

/// Time for the first byte and the headers of a request (R 2).
pub const REQUEST_HEADERS_SECONDS: u64 = 15;
/// Time a kept-alive connection may be idle (R 2).
pub const KEEP_ALIVE_IDLE_SECONDS: u64 = 30;
/// Time for a body of any size, before its size is counted (R 2).
pub const REQUEST_BODY_SECONDS: u64 = 30;
/// Bytes of a body that earn it one more second (R 2).
pub const REQUEST_BODY_BYTES_PER_SECOND: u64 = 100 * 1024;
/// Time a reply may wait for its reader (R 2).
pub const REPLY_STALL_SECONDS: u64 = 30;
/// Longest run whose answer is not streamed (R 2).
pub const RUN_MAX_SECONDS: u64 = 600;
/// Time between two keep-alive comments of a stream (C 6.1).
pub const STREAM_HEARTBEAT_SECONDS: u64 = 15;
/// Time runs have to end once the service is stopping (R 11).
pub const SHUTDOWN_DRAIN_SECONDS: u64 = 25;
/// The `Retry-After` of a 503 while the service stops (S 7).
pub const SHUTDOWN_RETRY_AFTER_SECONDS: u64 = 60;
/// Time within which a client that left ends its run and its provider call (R 11).
pub const CANCEL_EFFECT_MAX_SECONDS: u64 = 2;

// The server's own threads and sockets.

/// Most threads that move bytes; the flows run on the blocking threads below.
pub const WORKER_THREADS_MAX_COUNT: usize = 4;
/// Most blocking threads: one per request under way, 2,000 streams and room to manage beside them.
pub const BLOCKING_THREADS_MAX_COUNT: usize = 2_200;
/// Time an idle blocking thread is kept.
pub const BLOCKING_THREAD_IDLE_SECONDS: u64 = 10;
/// Connections that may wait to be accepted.
pub const LISTEN_BACKLOG_MAX_COUNT: u32 = 4_096;
/// Longest command, and longest answer, of the control socket.
pub const CONTROL_LINE_MAX_BYTES: usize = 64 * 1024;
/// Time a command may take to arrive at the control socket, and its answer to leave.
pub const CONTROL_LINE_SECONDS: u64 = 10;
/// Longest path of a Unix socket that every supported system takes; a longer one moves to the temporary folder.
pub const CONTROL_PATH_MAX_BYTES: usize = 100;
/// Longest line of the log (R 2).
pub const LOG_LINE_MAX_BYTES: usize = 8 * 1024;

// Keys, passwords, sessions (R 3, R 4).

/// Shortest password (R 3).
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password (R 3).
pub const PASSWORD_MAX_CHARS: usize = 256;
/// Random bytes in an API key, a session and every token (R 3).
pub const TOKEN_RANDOM_BYTES: usize = 32;
/// Memory of one password hash (R 3).
pub const PASSWORD_HASH_MEMORY_KIB: u32 = 19 * 1024;
/// Passes of one password hash (R 3).
pub const PASSWORD_HASH_PASSES_COUNT: u32 = 2;
/// Failed attempts before an account or an address has to wait (R 3).
pub const ATTEMPTS_MAX_COUNT: u32 = 10;
/// The window in which failed attempts are counted, and the longest wait they can cause (R 3).
pub const ATTEMPTS_WINDOW_SECONDS: u64 = 15 * 60;
/// Time an unused sign-in lasts (R 3).
pub const SESSION_IDLE_SECONDS: u64 = 24 * 3_600;
/// Time a sign-in lasts at most (R 3).
pub const SESSION_MAX_SECONDS: u64 = 30 * 24 * 3_600;
/// Time a reset or invitation token lasts (R 3).
pub const RESET_TOKEN_SECONDS: u64 = 15 * 60;
/// Window in which a signed webhook is accepted (R 6).
pub const WEBHOOK_WINDOW_SECONDS: u64 = 5 * 60;

// Running flows (R 6).

/// Most rounds of tool calls in one step (R 6).
pub const TOOL_ROUNDS_MAX: u64 = 25;
/// Most messages of a conversation that a memory sends along.
pub const MEMORY_MESSAGES_MAX: usize = 10_000;
/// Compiled canvases that are kept.
pub const PLANS_KEPT_MAX: usize = 1_000;
/// Most files of one question (R 2).
pub const UPLOADS_MAX: usize = 20;
/// Largest image sent with a question.
pub const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// CPU time of one code input, unless `SERVICE_CODE_SECONDS` says otherwise (R 6).
pub const CODE_SECONDS: u64 = 10;
/// What `SERVICE_CODE_SECONDS` may be (R 6).
pub const CODE_SECONDS_RANGE: (u64, u64) = (1, 120);
/// Time of one code input by the clock on the wall, as a multiple of its CPU time (R 6: 10 s and 30 s).
pub const CODE_WALL_PER_CPU_FACTOR: u64 = 3;
/// Heap of one code input, unless `SERVICE_CODE_MEMORY_MB` says otherwise (R 6).
pub const CODE_MEMORY_MB: u64 = 64;
/// What `SERVICE_CODE_MEMORY_MB` may be (R 6).
pub const CODE_MEMORY_RANGE_MB: (u64, u64) = (16, 512);
/// Stack of one code input (R 6).
pub const CODE_STACK_BYTES: usize = 1024 * 1024;
/// Longest source of one code input (R 6).
pub const CODE_SOURCE_MAX_BYTES: usize = 256 * 1024;
/// Largest result of one code input (R 6).
pub const CODE_RESULT_MAX_BYTES: usize = 1024 * 1024;
/// Deepest nesting of a code input's result (R 6).
pub const CODE_RESULT_DEPTH_MAX_LEVELS: usize = 64;

// Outgoing requests (R 7, S 8).

/// Time to connect (R 7).
pub const OUTGOING_CONNECT_SECONDS: u64 = 5;
/// Time to the first byte of an answer; a model has the run's limit instead (R 7).
pub const OUTGOING_FIRST_BYTE_SECONDS: u64 = 60;
/// Time an answer may pause (R 7).
pub const OUTGOING_STALL_SECONDS: u64 = 30;
/// Largest answer after decoding; a document has its own limit (R 7).
pub const OUTGOING_BODY_MAX_BYTES: u64 = 10 * 1024 * 1024;
/// Most header fields of an answer (R 7).
pub const OUTGOING_HEADERS_MAX_COUNT: usize = 100;
/// Most redirects, where a caller allows any (R 7).
pub const OUTGOING_REDIRECTS_MAX_COUNT: usize = 5;
/// Tries a provider that answers 429 gets (S 8).
pub const PROVIDER_TRIES_MAX_COUNT: u32 = 3;
/// Time all tries together may take (S 8).
pub const PROVIDER_TRIES_SECONDS: u64 = 20;
/// What one wait between two tries may be (R 7).
pub const PROVIDER_WAIT_RANGE_SECONDS: (u64, u64) = (1, 20);
/// `Retry-After` of the final 429 when the provider named no wait (S 8).
pub const PROVIDER_RETRY_AFTER_SECONDS: u64 = 30;

// Files (R 8, S 8).

/// Time a signed file link opens (S 8).
pub const FILE_LINK_SECONDS: u64 = 15 * 60;
/// Longest label of a file (R 8).
pub const FILE_NAME_MAX_BYTES: usize = 255;
/// Most files of one conversation (R 8).
pub const CONVERSATION_FILES_MAX_COUNT: usize = 100;
/// Most file bytes of one workspace (R 8).
pub const WORKSPACE_FILES_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Free space under which nothing more is stored (R 8).
pub const FREE_SPACE_MIN_BYTES: u64 = 256 * 1024 * 1024;
/// Most a compressed document may grow (R 8).
pub const DOCUMENT_EXPANSION_MAX_FACTOR: u64 = 10;
/// Most an unpacked document may hold (R 8).
pub const DOCUMENT_UNPACKED_MAX_BYTES: u64 = 200 * 1024 * 1024;
/// Most entries of an archive (R 8).
pub const DOCUMENT_ENTRIES_MAX_COUNT: usize = 2_000;
/// Most pages of a document (R 8).
pub const DOCUMENT_PAGES_MAX_COUNT: usize = 5_000;
/// Largest image (R 8: 50 megapixels).
pub const IMAGE_MAX_PIXELS: u64 = 50_000_000;
/// Deepest nesting inside a document (R 8).
pub const DOCUMENT_DEPTH_MAX_LEVELS: usize = 64;
/// Time to read one document (R 8).
pub const DOCUMENT_SECONDS: u64 = 20;

// Checks (S 8).

/// Most questions of a check (S 8).
pub const CHECK_QUESTIONS_MAX_COUNT: usize = 10;
/// Longest question of a check (S 8).
pub const CHECK_QUESTION_MAX_CHARS: usize = 2_000;
/// Tokens a check may use, unless `SERVICE_CHECK_MAX_TOKENS` says otherwise (S 8).
pub const CHECK_TOKENS_COUNT: u64 = 100_000;
/// What `SERVICE_CHECK_MAX_TOKENS` is clamped to (S 8).
pub const CHECK_TOKENS_RANGE_COUNT: (u64, u64) = (1_000, 2_000_000);
/// Time a check may take, unless `SERVICE_CHECK_MAX_SECONDS` says otherwise (S 8).
pub const CHECK_SECONDS: u64 = 180;
/// What `SERVICE_CHECK_MAX_SECONDS` is clamped to (S 8).
pub const CHECK_RANGE_SECONDS: (u64, u64) = (10, 1_800);
/// Longest single run of a check (S 8).
pub const CHECK_RUN_MAX_SECONDS: u64 = 60;
/// Checks that may run at once on the server; one per flow (S 8).
pub const CHECKS_MAX_COUNT: usize = 3;
/// Longest stored answer of a check (S 8).
pub const CHECK_ANSWER_MAX_CHARS: usize = 4_000;
/// Time the result of a check is kept in memory (S 8).
pub const CHECK_KEPT_SECONDS: u64 = 30 * 60;

// History and its copy (S 8, R 10).

/// Versions listed, newest first (S 8).
pub const VERSIONS_LISTED_MAX_COUNT: usize = 200;
/// Changes listed for a flow that can be promoted (S 8).
pub const INCOMING_CHANGES_MAX_COUNT: usize = 20;
/// Repositories listed (S 8).
pub const REPOSITORIES_LISTED_MAX_COUNT: usize = 1_000;
/// Shortest and longest version id in a path, hex digits (S 8).
pub const VERSION_ID_RANGE_CHARS: (usize, usize) = (7, 40);
/// Time between a recorded version and its copy (S 8: a few seconds).
pub const COPY_DELAY_SECONDS: u64 = 3;
/// Longest wait before a failed copy is tried again (S 8).
pub const COPY_RETRY_MAX_SECONDS: u64 = 15 * 60;
/// Time between two reads on a Prod server (S 8).
pub const INCOMING_READ_SECONDS: u64 = 120;
/// Time one read of a remote may take (R 10).
pub const REMOTE_READ_SECONDS: u64 = 60;
/// Largest pack read from a remote (R 10).
pub const REMOTE_PACK_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Largest object read from a remote (R 10).
pub const REMOTE_OBJECT_MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Most bytes read from a remote, decoded (R 10).
pub const REMOTE_DECODED_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Longest delta chain read from a remote (R 10).
pub const REMOTE_DELTA_DEPTH_MAX_LEVELS: usize = 50;
/// Deepest folder read from a remote (R 10).
pub const REMOTE_TREE_DEPTH_MAX_LEVELS: usize = 8;
/// Most new objects of one read (R 10).
pub const REMOTE_OBJECTS_MAX_COUNT: usize = 100_000;
/// Longest commit message read from a remote (R 10).
pub const REMOTE_MESSAGE_MAX_BYTES: usize = 64 * 1024;
