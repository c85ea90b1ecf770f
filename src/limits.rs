//! Every number the service holds itself to, unit last; chapter 14 of the manual lists them. A number an operator can change is
//! a row of `settings`, with its range here.

// The door: what a request may be.

/// Longest request line: method, path, query and version; longer gives 414.
pub const REQUEST_LINE_BYTES_MAX: usize = 8 * 1024;
/// Longest head, request line included; longer gives 431. It has 100 fields at most.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Buffer hyper may grow to per connection: a whole head and a little.
pub const CONNECTION_BUFFER_BYTES: usize = HEAD_BYTES_MAX + 8 * 1024;
/// Largest JSON body of an ordinary route.
pub const BODY_BYTES: usize = 10 * 1024 * 1024;
/// Largest JSON body of routes that carry a canvas or a question.
pub const BODY_CANVAS_BYTES: usize = 32 * 1024 * 1024;
/// Largest multipart body, where a route takes one.
pub const BODY_MULTIPART_BYTES: usize = 30 * 1024 * 1024;
/// Parts of one form.
pub const FORM_PARTS_MAX: usize = 64;
/// The head of one part of a form.
pub const FORM_HEAD_BYTES_MAX: usize = 8 * 1024;
/// All larger bodies held at the same time.
pub const BODIES_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Bodies up to here are not counted among the larger ones.
pub const BODY_UNCOUNTED_BYTES: usize = 64 * 1024;
/// Deepest nesting of lists and objects in a JSON body.
pub const JSON_DEPTH_MAX: usize = 127;
/// Requests that run at the same time, each on a thread of its own.
pub const RUNS_MAX: usize = 2_000;
/// Open connections; further ones wait in the listen queue.
pub const CONNECTIONS_MAX: usize = 10_000;
/// Streams one client address may hold open at the same time, unless `SERVICE_STREAMS_PER_ADDRESS` says otherwise. Half of all
/// runs and a little: a proxy that is not trusted, or a whole office, is one address.
pub const STREAMS_PER_ADDRESS: u64 = 1_024;
/// What `SERVICE_STREAMS_PER_ADDRESS` may be: more than all runs would bound nothing.
pub const STREAMS_PER_ADDRESS_RANGE: (u64, u64) = (1, RUNS_MAX as u64);
/// Bytes of a stream that wait for a slow reader before its run has to wait.
pub const STREAM_BUFFER_BYTES: usize = 16 * 1024;
/// Wait named in a 503 while the service stops.
pub const RESTART_RETRY_SECONDS: u64 = 60;
/// Wait named in a 503 while the service is full.
pub const BUSY_RETRY_SECONDS: u64 = 5;

/// Ratings and leads one address may leave at a flow in a minute.
pub const NOTES_PER_MINUTE_MAX: u32 = 60;

// The server's own threads and sockets.

/// Most threads that move bytes; the flows run on threads of their own.
pub const WORKER_THREADS_MAX_COUNT: usize = 4;
/// Most blocking threads beside those of requests: files on their way, tasks, shutdown.
pub const BLOCKING_THREADS_MAX_COUNT: usize = 256;
/// The stack of a thread that a request runs on; only what is used of it takes memory.
pub const REQUEST_STACK_BYTES: usize = 2 * 1024 * 1024;
/// Time an idle blocking thread is kept.
pub const BLOCKING_THREAD_IDLE_SECONDS: u64 = 10;
/// Open files asked for where the system names no limit of its own but has one.
pub const OPEN_FILES_COUNT: u64 = 10_240;
/// A service that may open fewer files says so at its start: every caller and every call of a provider holds one.
pub const OPEN_FILES_MIN_COUNT: u64 = 1_024;
/// What it then asks for: room for all connections there may be, and for what they lead to.
pub const OPEN_FILES_WISH_COUNT: u64 = 65_536;
/// Connections that may wait to be accepted.
pub const LISTEN_BACKLOG_MAX_COUNT: u32 = 4_096;
/// Largest file an operator may import.
pub const IMPORT_FILE_MAX_BYTES: usize = 32 * 1024 * 1024;
/// Longest command of the control socket: a file to import, written as text within JSON.
pub const CONTROL_COMMAND_MAX_BYTES: usize = 2 * IMPORT_FILE_MAX_BYTES + 64 * 1024;
/// Longest answer of the control socket: a canvas, written as text within JSON.
pub const CONTROL_REPLY_MAX_BYTES: usize = 256 * 1024 * 1024;
/// Time a command may take to arrive at the control socket.
pub const CONTROL_COMMAND_SECONDS: u64 = 10;
/// Time a command may take to be done.
pub const CONTROL_REPLY_SECONDS: u64 = 10;
/// Time a command may take that reads from the history.
pub const CONTROL_HISTORY_REPLY_SECONDS: u64 = 60;
/// Time a command may take that works on everything there is: checking a large history takes minutes.
pub const CONTROL_LONG_REPLY_SECONDS: u64 = 3_600;
/// Longest path of a Unix socket that every supported system takes; a longer one moves to the temporary folder.
pub const CONTROL_PATH_MAX_BYTES: usize = 100;
/// Longest canvas of a version, written out for people to read; what is longer could be recorded and never read.
pub const VERSION_CANVAS_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Time between two rounds of packing and tidying the history.
pub const HISTORY_UPKEEP_SECONDS: u64 = 300;
/// Folders that one start looks through for files of a crash.
pub const LEFTOVER_FOLDERS_MAX: usize = 50_000;
/// How much older than the start a file must be to be taken for one of those.
pub const LEFTOVER_AGE_MIN_SECONDS: i64 = 600;
/// Time between the start and the look for them.
pub const LEFTOVER_WAIT_SECONDS: u64 = 20;
/// Time between two writes of the uses of API keys.
pub const USAGE_FLUSH_SECONDS: u64 = 5;
/// Longest line of the log.
pub const LOG_LINE_MAX_BYTES: usize = 8 * 1024;

// Keys, passwords, sessions.

/// Shortest password.
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password.
pub const PASSWORD_MAX_CHARS: usize = 256;

// Running flows.

/// Most rounds of tool calls in one step.
pub const TOOL_ROUNDS_MAX: u64 = 25;
/// Most flows that wait for one another: one that was asked, and those it asked in turn.
pub const FLOWS_DEEP_MAX: usize = 5;
/// Most flows that are asked for one question, all tools of all of them together.
pub const FLOWS_ASKED_MAX: usize = 100;
// What models are shown.

/// Most of the text of one page that a scraping tool hands to a model.
pub const PAGE_TEXT_CHARS_MAX: usize = 50_000;
/// Most of the text of all pages of one call of such a tool.
pub const PAGES_TEXT_BYTES_MAX: usize = 200 * 1024;
/// Largest description of an API.
pub const OPENAPI_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Operations of an API that become tools.
pub const OPENAPI_OPERATIONS_MAX: usize = 300;
/// Values of one schema of an API that a model is shown.
pub const OPENAPI_SCHEMA_VALUES_MAX: usize = 1_000;
// Databases and other servers.

/// Time of one SQL statement that a model wrote.
pub const SQL_SECONDS: u64 = 10;
/// Rows of such a statement's result.
pub const SQL_ROWS_MAX: usize = 500;
/// Columns of its result.
pub const SQL_COLUMNS_MAX: usize = 100;
/// Characters of a text in its result.
pub const SQL_CELL_CHARS_MAX: usize = 2_000;
/// Bytes of its result, as JSON.
pub const SQL_RESULT_BYTES_MAX: usize = 48 * 1024;
/// Tables of a database that are described to a model.
pub const SQL_TABLES_MAX: usize = 100;
/// About how many bytes describe them.
pub const SQL_SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Time of one statement of a PostgreSQL server, unless its owner shortens it.
pub const POSTGRES_SECONDS: u64 = 60;
/// Time to connect to one and sign in.
pub const POSTGRES_SIGN_IN_SECONDS: u64 = 15;
/// Bytes of one thing it says: a row, mostly.
pub const POSTGRES_MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of all rows of one statement, and of the memory that holds them.
pub const POSTGRES_RESULT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Rows of one statement.
pub const POSTGRES_RESULT_ROWS_MAX: usize = 100_000;
/// Time to connect to a MySQL server and sign in.
pub const MYSQL_SIGN_IN_SECONDS: u64 = 15;
/// Columns of one of its results.
pub const MYSQL_COLUMNS_MAX: usize = 4_096;
/// Time of one exchange with a Redis server.
pub const REDIS_SECONDS: u64 = 15;
/// Time to connect to one.
pub const REDIS_SIGN_IN_SECONDS: u64 = 10;
/// Bytes of memory that one of its replies takes.
pub const REDIS_REPLY_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Lists within lists of a reply.
pub const REDIS_REPLY_DEPTH_MAX: usize = 4;
/// Bytes of a line of a reply: a word, a number or a refusal.
pub const REDIS_LINE_BYTES_MAX: usize = 64 * 1024;
// Answers of others, memories and caches.

/// Most of an API's response that a model answers from.
pub const API_RESPONSE_CHARS_MAX: usize = 50_000;
/// Most tools of one MCP server that are looked at.
pub const MCP_TOOLS_MAX: usize = 500;
/// Most pages of its list of tools.
pub const MCP_TOOLS_PAGES_MAX: usize = 20;
/// Largest schema of a tool of an MCP server that a model is shown.
pub const MCP_SCHEMA_BYTES_MAX: usize = 32 * 1024;
/// Longest result of a tool of an MCP server that a model reads.
pub const MCP_RESULT_BYTES_MAX: usize = 200 * 1024;
/// Bytes of passages that an engine answers from in one call of its model.
pub const SYNTHESIS_PASSAGES_BYTES: usize = 24 * 1024;
/// How often answers are answered from again.
pub const SYNTHESIS_ROUNDS_MAX: usize = 5;
/// Most questions that one is divided into.
pub const SUB_QUESTIONS_MAX: usize = 10;
/// Columns of a table that comes as a file.
pub const SHEET_COLUMNS_MAX: usize = 500;
/// Least memory that a process of a local program is given, in mebibytes.
pub const PROGRAM_MEMORY_MIN_MB: u64 = 64;
/// Most memory that a process of a local program may be given, in mebibytes.
pub const PROGRAM_MEMORY_MAX_MB: u64 = 65_536;
/// Local programs that run at the same time.
pub const PROGRAMS_MAX: usize = 16;
/// Processor seconds of a process of a local program.
pub const PROGRAM_CPU_SECONDS: u64 = 120;
/// Files that a process of a local program may have open.
pub const PROGRAM_FILES_MAX: u64 = 1024;
/// Largest file that a local program may write.
pub const PROGRAM_FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Longest line of a local program.
pub const PROGRAM_LINE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// What is kept of the words that a local program says beside its answers.
pub const PROGRAM_WORDS_BYTES_MAX: usize = 4 * 1024;
/// Seconds in which a local program must be ready.
pub const PROGRAM_START_SECONDS: u64 = 60;
/// Seconds in which a local program must answer.
pub const PROGRAM_ANSWER_SECONDS: u64 = 120;
/// Most arguments of a local program, and variables of its environment.
pub const PROGRAM_WORDS_MAX: usize = 100;
/// Longest of them.
pub const PROGRAM_WORD_BYTES_MAX: usize = 16 * 1024;
/// Most messages of an MCP server that are no answer to what it was asked.
pub const MCP_OTHER_MESSAGES_MAX: usize = 1_000;
/// Most messages of a conversation that a memory sends along.
pub const MEMORY_MESSAGES_MAX: usize = 10_000;
/// Bytes of messages that a memory sums up in one call of a model.
pub const SUMMARY_STEP_BYTES: usize = 48 * 1024;
/// Compiled canvases that are kept.
pub const PLANS_KEPT_MAX: usize = 1_000;
/// Model replies kept for one flow by a cache card; the one not used for longest goes first.
pub const REPLIES_PER_FLOW_MAX: usize = 1_000;
/// Bytes of model replies kept for one flow.
pub const REPLIES_PER_FLOW_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of model replies kept for all flows together; the flow not asked for longest goes first.
pub const REPLIES_BYTES_MAX: usize = 32 * 1024 * 1024;
// Knowledge.

/// Texts that are embedded in one call of a provider.
pub const EMBEDDING_TEXTS_AT_ONCE: usize = 64;
/// Passages one filling of a vector store may bring.
pub const FILLING_PASSAGES_MAX: usize = 100_000;
/// Passages of one collection.
pub const COLLECTION_ROWS_MAX: usize = 500_000;
/// Bytes of one collection: vectors, passages and their metadata.
pub const COLLECTION_BYTES_MAX: usize = 4 * 1024 * 1024 * 1024;
/// Collections of one workspace.
pub const COLLECTIONS_MAX: usize = 1_000;
/// Passages of the files of one conversation in one vector store.
pub const CHAT_PASSAGES_MAX: usize = 20_000;
/// Conversations of one workspace with passages in stores of this server.
pub const CHAT_COLLECTIONS_MAX: usize = 10_000;
/// Bytes of the passages of all conversations of one workspace, with their vectors.
pub const CHAT_COLLECTIONS_BYTES_MAX: usize = 1024 * 1024 * 1024;
/// Passages of all conversations of one workspace in databases on other servers.
pub const CHAT_SENT_PASSAGES_MAX: usize = 200_000;
/// Bytes of the texts and metadata of what one conversation sent there.
pub const CHAT_SENT_BYTES_OF_ONE_MAX: usize = 32 * 1024 * 1024;
/// Bytes of those of all conversations of one workspace.
pub const CHAT_SENT_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Hours after which the files of a conversation go in which nothing was said.
pub const SILENT_CHAT_HOURS: i64 = 24;
/// Hours for which what such a conversation sent to databases on other servers, which keep it, is counted.
pub const SILENT_CHAT_COUNTED_HOURS: i64 = 30 * 24;
/// Time between two looks for such conversations.
pub const SILENT_CHATS_SECONDS: u64 = 3_600;
/// What goes of one workspace in one such look.
pub const SILENT_CHATS_AT_ONCE: usize = 1_000;
/// Blocks of a collection that are stored in one commit.
pub const COLLECTION_BLOCKS_AT_ONCE: usize = 8;
/// Fillings of vector stores that are remembered for one flow; older ones go.
pub const FILLINGS_KEPT_MAX: usize = 100;
/// New passages that the answer to a filling shows.
pub const FILLING_SHOWN_MAX: usize = 1_000;
/// Passages of a filling that are remembered.
pub const FILLING_SAMPLES_MAX: usize = 5;
/// Characters of a remembered passage.
pub const FILLING_SAMPLE_CHARS_MAX: usize = 300;
/// Vectors of one store that are made while a question waits, with their passages.
pub const INDEX_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Stores of one flow or collection whose vectors are kept in memory.
pub const INDEXES_PER_OWNER_MAX: usize = 16;
/// Vectors of all stores that are kept in memory; those not asked for longest go first.
pub const INDEXES_BYTES_MAX: usize = 512 * 1024 * 1024;
// Files.

/// Most files of one question.
pub const UPLOADS_MAX: usize = 20;
/// Largest image sent with a question.
pub const IMAGE_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Files of one conversation.
pub const CHAT_FILES_MAX: usize = 100;
/// Bytes of the files of all conversations of one workspace.
pub const WORKSPACE_FILES_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Files of conversations are not written while the disk has less free than this.
pub const DISK_FREE_BYTES_MIN: u64 = 256 * 1024 * 1024;
/// How long a signed link opens its file.
pub const FILE_LINK_SECONDS: i64 = 15 * 60;
/// Bytes of a file that are read at once while it is sent.
pub const FILE_PIECE_BYTES: usize = 64 * 1024;
/// Longest extension of a stored file's name.
pub const FILE_EXTENSION_CHARS_MAX: usize = 10;
// What operators may give code.

/// CPU time of one code input, unless `SERVICE_CODE_SECONDS` says otherwise.
pub const CODE_SECONDS: u64 = 10;
/// What `SERVICE_CODE_SECONDS` may be.
pub const CODE_SECONDS_RANGE: (u64, u64) = (1, 120);
/// Heap of one code input, unless `SERVICE_CODE_MEMORY_MB` says otherwise.
pub const CODE_MEMORY_MB: u64 = 64;
/// What `SERVICE_CODE_MEMORY_MB` may be.
pub const CODE_MEMORY_RANGE_MB: (u64, u64) = (16, 512);

// Outgoing requests.

/// Largest answer after decoding; a document has its own limit.
pub const OUTGOING_BODY_MAX_BYTES: u64 = 10 * 1024 * 1024;

// Checks.

/// Tokens a check may use, unless `SERVICE_CHECK_MAX_TOKENS` says otherwise.
pub const CHECK_TOKENS_COUNT: u64 = 100_000;
/// What `SERVICE_CHECK_MAX_TOKENS` is clamped to.
pub const CHECK_TOKENS_RANGE_COUNT: (u64, u64) = (1_000, 2_000_000);
/// Time a check may take, unless `SERVICE_CHECK_MAX_SECONDS` says otherwise.
pub const CHECK_SECONDS: u64 = 180;
/// What `SERVICE_CHECK_MAX_SECONDS` is clamped to.
pub const CHECK_RANGE_SECONDS: (u64, u64) = (10, 1_800);

// Code inputs beside what can be set.

/// Time on the wall of one code input, waiting included, unless `SERVICE_CODE_SECONDS` says otherwise.
pub const CODE_WALL_SECONDS: u64 = 30;
/// What a worker may go beyond the wall before it is killed.
pub const CODE_GRACE_MS: u64 = 500;
/// Stack of the engine.
pub const CODE_STACK_BYTES: usize = 1024 * 1024;
/// Longest code.
pub const CODE_SOURCE_BYTES_MAX: usize = 256 * 1024;
/// Longest JSON of `$vars`, `$flow` and the named inputs together.
pub const CODE_SCOPE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Longest JSON of a result.
pub const CODE_RESULT_BYTES_MAX: usize = 1024 * 1024;
/// Deepest nesting of a result.
pub const CODE_RESULT_DEPTH_MAX: usize = 64;
/// Longest message of an error that code threw.
pub const CODE_MESSAGE_BYTES_MAX: usize = 2_000;
/// Lines of the console that are kept.
pub const CODE_CONSOLE_LINES_MAX: usize = 200;
/// Bytes of the console that are kept.
pub const CODE_CONSOLE_BYTES_MAX: usize = 64 * 1024;
/// Timers of one run that wait at the same time.
pub const CODE_TIMERS_MAX: usize = 1_000;
/// Requests of one run.
pub const CODE_FETCHES_MAX: u32 = 50;
/// Requests of one run that are under way at the same time.
pub const CODE_FETCHES_AT_ONCE_MAX: usize = 6;
/// Calls of `$tools` in one run of code.
pub const CODE_CALLS_MAX: u32 = 50;
/// Statements that one run of code sends to databases; signing in and goodbyes are counted too.
pub const CODE_QUERIES_MAX: u32 = 200;
/// Time of one of them; no longer than what is left of the run of code.
pub const CODE_QUERY_SECONDS: u64 = 60;
/// Connections to databases that one run of code has at the same time.
pub const CODE_CONNECTIONS_MAX: usize = 5;
/// Rows of one result that code gets from a database.
pub const CODE_ROWS_MAX: usize = 10_000;
/// Bytes of one such result, and of the memory that holds it.
pub const CODE_ROWS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes that one native function of code takes in or gives out.
pub const CODE_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Random bytes that code may ask for at once.
pub const CODE_RANDOM_BYTES_MAX: usize = 64 * 1024;
/// Longest request of code: address, headers and body.
pub const CODE_FETCH_REQUEST_BYTES_MAX: usize = 1024 * 1024;
/// Redirects that one request of code follows.
pub const CODE_REDIRECTS_MAX: usize = 5;
/// Fewest workers that may run code at the same time, however few cores there are.
pub const CODE_WORKERS_MIN_COUNT: usize = 4;
/// How often a worker for code is used before another takes its place.
pub const CODE_WORKER_USES_MAX: u32 = 200;
/// How long code waits for its turn.
pub const CODE_QUEUE_SECONDS: u64 = 30;
/// What a worker for code may use beside the heap of its engine: messages in both directions, read and written.
pub const CODE_WORKER_BYTES: usize = 128 * 1024 * 1024;
/// Longest message to a worker for code: an answer of 10 MiB whose every byte is written as an escape.
pub const CODE_MESSAGE_TO_WORKER_BYTES_MAX: usize = 61 * 1024 * 1024;
/// Longest message from a worker for code: its result and its console, or one request.
pub const CODE_MESSAGE_FROM_WORKER_BYTES_MAX: usize = 8 * 1024 * 1024;

// Documents to text.

/// Time of one document, on the clock and of the processor.
pub const DOCUMENT_SECONDS: u64 = 20;
/// Memory of the worker that reads a document.
pub const DOCUMENT_MEMORY_BYTES: u64 = 768 * 1024 * 1024;
/// How long a document waits for its turn.
pub const DOCUMENT_QUEUE_SECONDS: u64 = 60;
/// Largest document.
pub const DOCUMENT_BYTES_MAX: usize = 25 * 1024 * 1024;
/// Most that an archive unpacks to.
pub const DOCUMENT_UNPACKED_BYTES_MAX: u64 = 200 * 1024 * 1024;
/// How many times its size an archive may unpack to.
pub const DOCUMENT_EXPANSION_MAX: u64 = 10;
/// What every archive may unpack to, since honest text shrinks further than that.
pub const DOCUMENT_UNPACKED_BYTES_FREE: u64 = 32 * 1024 * 1024;
/// Files in an archive.
pub const DOCUMENT_ENTRIES_MAX: usize = 2_000;
/// Pages, sheets, slides or chapters.
pub const DOCUMENT_PARTS_MAX: usize = 5_000;
/// The text of one document.
pub const DOCUMENT_TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// A worker's answer: all text, every byte of it escaped by one more.
pub const DOCUMENT_ANSWER_BYTES_MAX: usize = 2 * DOCUMENT_TEXT_BYTES_MAX + 1024 * 1024;

// Passages.

/// Pages or files that one loader fetches.
pub const PAGES_MAX: usize = 1_000;

/// Passages that one text is cut into, and documents that one loader brings.
pub const PASSAGES_MAX: usize = 100_000;
/// Longest text that a person may write into a passage.
pub const PASSAGE_BYTES_MAX: usize = 1024 * 1024;
/// Passages of one document store.
pub const STORE_PASSAGES_MAX: usize = 1_000_000;
/// Loaders of one document store.
pub const STORE_LOADERS_MAX: usize = 1_000;
/// Bytes of all passages of one text, repeated ends included.
pub const PASSAGES_BYTES_MAX: usize = 256 * 1024 * 1024;

// People.

/// People of the organization.
pub const USERS_MAX: usize = 10_000;
/// Workspaces of the organization.
pub const WORKSPACES_MAX: usize = 1_000;
/// Roles that people make.
pub const ROLES_MAX: usize = 200;
/// Invitations that wait to be accepted.
pub const INVITATIONS_MAX: usize = 500;
/// Sessions one person may have; the one that rested longest makes room.
pub const SESSIONS_PER_USER_MAX: usize = 50;
/// How long an invitation works, unless `SERVICE_INVITATION_MINUTES` says otherwise.
pub const INVITATION_MINUTES: u64 = 15;
/// What `SERVICE_INVITATION_MINUTES` may be: at most a week.
pub const INVITATION_MINUTES_RANGE: (u64, u64) = (15, 10_080);
