//! Document stores, their loaders, chunks and vectors (manual 10.9).

use super::asking::PASSAGE;
use super::{LIMIT, PAGE};
use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, ParamSpec, SETTINGS, Shape, TEXT, TIME, field, object, optional, text,
};

const MAYBE_SETTINGS: Shape = Shape::Maybe(&SETTINGS);

const SET_CARD: Shape = Shape::Named(&object(
    "SetCard",
    "A card and how it is set.",
    &[field("name", TEXT), field("config", SETTINGS)],
));

macro_rules! loader {
    ($name:literal, $about:literal $(, $more:expr)*) => {
        Shape::Named(&object($name, $about, &[
            field("id", ID),
            field("loaderId", TEXT).about("Its card."),
            field("loaderName", TEXT),
            field("loaderConfig", SETTINGS),
            field("credential", MAYBE_TEXT),
            field("splitterId", MAYBE_TEXT),
            field("splitterName", MAYBE_TEXT),
            field("splitterConfig", MAYBE_SETTINGS),
            field("totalChunks", COUNT),
            field("totalChars", COUNT),
            field("status", Shape::Words(&["SYNC", "STALE"])),
            field("source", Shape::Anything),
            $($more,)*
        ]))
    };
}
pub const LOADER: Shape = loader!("StoreLoader", "A loader of a document store.");
/// A loader with its store.
pub const LOADER_CONFIG: Shape = loader!(
    "StoreLoaderConfig",
    "A loader of a document store, and which store that is.",
    field("storeId", ID),
    field("storeName", TEXT)
);

/// How far an upsert is.
const PROGRESS: Shape = Shape::Named(&object(
    "FillProgress",
    "How far a filling is; the data of `progress` events.",
    &[
        field("phase", Shape::Words(&["loading", "embedding", "storing"])),
        field("done", COUNT).about("Passages."),
        field("total", Shape::Maybe(&COUNT)).about("Null as long as nobody knows."),
    ],
));

pub const STORE: Shape = Shape::Named(&object(
    "DocumentStore",
    "A document store.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("description", TEXT),
        field("loaders", Shape::List(&LOADER)),
        field("whereUsed", Shape::List(&Shape::Object(&[field("id", ID), field("name", TEXT)])))
            .about("Flows that use it; only when one store is read."),
        field("embeddingConfig", Shape::Maybe(&SET_CARD)),
        field("vectorStoreConfig", Shape::Maybe(&SET_CARD)),
        field("recordManagerConfig", Shape::Maybe(&SET_CARD)),
        field("status", Shape::Words(&["EMPTY", "SYNC", "STALE", "SYNCING", "UPSERTING", "UPSERTED"])),
        field("progress", Shape::Maybe(&PROGRESS)).about("Of a loader or a filling that is under way."),
        field("totalChars", COUNT),
        field("totalChunks", COUNT),
        field("createdDate", TIME),
        field("updatedDate", TIME),
        field("workspaceId", ID),
    ],
));
/// Stores, or a page of them.
pub const STORES: Shape = Shape::AnyOf(&[
    Shape::List(&STORE),
    Shape::Named(&object(
        "DocumentStorePage",
        "A page of document stores.",
        &[field("data", Shape::List(&STORE)), field("total", COUNT)],
    )),
]);
pub const STORE_PAGES: &[ParamSpec] = &[PAGE, LIMIT];
pub const NEW_STORE: Shape = Shape::Named(&object(
    "NewDocumentStore",
    "A document store to make.",
    &[field("name", text(1, 255)), optional("description", text(0, 10_000))],
));
pub const STORE_EDIT: Shape = Shape::Named(&object(
    "DocumentStoreEdit",
    "What to change; what is left out stays.",
    &[optional("name", Shape::Maybe(&text(1, 255))), optional("description", Shape::Maybe(&text(0, 10_000)))],
));

/// A loader as it is sent.
pub const SENT_LOADER: Shape = Shape::Named(&object(
    "StoreLoaderEdit",
    "A loader to try or save.",
    &[
        optional("storeId", MAYBE_TEXT),
        optional("id", MAYBE_TEXT).about("Of a loader that is saved already."),
        optional("loaderId", MAYBE_TEXT).about("Its card."),
        optional("loaderName", MAYBE_TEXT),
        optional("loaderConfig", MAYBE_SETTINGS),
        optional("splitterId", MAYBE_TEXT),
        optional("splitterConfig", MAYBE_SETTINGS),
        optional("credential", MAYBE_TEXT),
        optional("previewChunkCount", Shape::Maybe(&COUNT)),
    ],
));
/// What a loader would bring.
pub const PREVIEW: Shape = Shape::Named(&object(
    "LoaderPreview",
    "What a loader would bring.",
    &[field("chunks", Shape::List(&PASSAGE)), field("totalChunks", COUNT), field("previewChunkCount", COUNT)],
));
/// Which store a loader runs for.
pub const PROCESS: Shape =
    Shape::Named(&object("LoaderRun", "Which document store a loader fills.", &[field("storeId", TEXT)]));

pub const PASSAGES: Shape = Shape::Named(&object(
    "PassagePage",
    "A page of the passages of a document store.",
    &[
        field(
            "chunks",
            Shape::List(&Shape::Named(&object(
                "StoredPassage",
                "A passage of a document store.",
                &[
                    field("id", ID),
                    field("docId", ID).about("Its loader."),
                    field("storeId", ID),
                    field("chunkNo", COUNT),
                    field("pageContent", TEXT),
                    field("metadata", SETTINGS),
                ],
            ))),
        ),
        field("count", COUNT),
        field("characters", COUNT),
        field("file", Shape::Maybe(&LOADER)),
        field("currentPage", COUNT),
        field("docId", Shape::Maybe(&ID)),
        field("storeName", TEXT),
        field("description", TEXT),
    ],
));
pub const PASSAGE_EDIT: Shape = Shape::Named(&object(
    "PassageEdit",
    "What to change; what is left out stays.",
    &[optional("pageContent", MAYBE_TEXT), optional("metadata", MAYBE_SETTINGS)],
));

const SENT_CARD: Shape = Shape::Named(&object(
    "SentCard",
    "A card and how it is to be set.",
    &[optional("name", MAYBE_TEXT), optional("config", MAYBE_SETTINGS)],
));
pub const UPSERT: Shape = Shape::Named(&object(
    "DocumentUpsert",
    "Documents to add to a document store.",
    &[
        optional("docId", MAYBE_TEXT).about("A loader to run again."),
        optional("metadata", MAYBE_SETTINGS),
        optional("replaceExisting", Shape::Maybe(&Shape::Flag)),
        optional("createNewDocStore", Shape::Maybe(&Shape::Flag)),
        optional("docStore", Shape::Maybe(&NEW_STORE)),
        optional("loaderName", MAYBE_TEXT),
        optional("loader", Shape::Maybe(&SENT_CARD)),
        optional("splitter", Shape::Maybe(&SENT_CARD)),
        optional("embedding", Shape::Maybe(&SENT_CARD))
            .about("Chooses what makes the vectors, as `/document-store/vectorstore/save` does, and embeds the passages."),
        optional("vectorStore", Shape::Maybe(&SENT_CARD)),
        optional("recordManager", Shape::Maybe(&SENT_CARD)),
    ],
));
/// Documents to add, as files.
pub const UPSERT_FORM: Shape = Shape::Named(&object(
    "DocumentUpsertForm",
    "Files to add to a document store.",
    &[
        optional("files", Shape::List(&Shape::File)),
        optional("docId", TEXT),
        optional("metadata", TEXT).about("JSON text."),
        optional("replaceExisting", Shape::Words(&["true", "false"])),
        optional("createNewDocStore", Shape::Words(&["true", "false"])),
        optional("docStore", TEXT).about("JSON text."),
        optional("loaderName", TEXT),
        optional("loader", TEXT).about("JSON text."),
        optional("splitter", TEXT).about("JSON text."),
        optional("embedding", TEXT).about("JSON text."),
        optional("vectorStore", TEXT).about("JSON text."),
        optional("recordManager", TEXT).about("JSON text."),
    ],
));
pub const UPSERTED: Shape = Shape::Named(&object(
    "DocumentUpsertResult",
    "What became of documents.",
    &[
        field("numAdded", COUNT),
        field("numDeleted", COUNT),
        field("numUpdated", COUNT),
        field("numSkipped", COUNT),
        field("totalKeys", COUNT),
        field("docId", ID).about("The loader."),
        optional("storeId", ID).about("The store, when it was made by this."),
    ],
));
pub const REFRESH: Shape = Shape::Named(&object(
    "Refresh",
    "Which loaders to run again; without a list all of them.",
    &[optional("items", Shape::Maybe(&Shape::List(&Shape::Object(&[field("docId", TEXT)]))))],
));
pub const REFRESHED: Shape = Shape::List(&Shape::AnyOf(&[
    UPSERTED,
    Shape::Named(&object(
        "RefreshFault",
        "A loader that could not be run.",
        &[field("docId", ID), field("error", TEXT)],
    )),
]));

/// Which model is to describe a store.
pub const DESCRIBE: Shape = Shape::Named(&object(
    "DescribeStore",
    "Which model says what a document store is good for.",
    &[field(
        "selectedChatModel",
        Shape::Object(&[
            field("name", TEXT).about("Its card."),
            optional("inputs", MAYBE_SETTINGS),
            optional("credential", MAYBE_TEXT),
        ]),
    )],
));
pub const DESCRIBED: Shape = Shape::Named(&object(
    "StoreDescription",
    "What a document store is good for.",
    &[field("content", TEXT)],
));

/// Which cards make and keep vectors.
pub const VECTOR_CARDS: Shape = Shape::Named(&object(
    "StoreVectorCards",
    "Which cards make and keep the vectors of a document store.",
    &[
        field("storeId", TEXT),
        optional("embeddingName", MAYBE_TEXT),
        optional("embeddingConfig", MAYBE_SETTINGS),
        optional("vectorStoreName", MAYBE_TEXT),
        optional("vectorStoreConfig", MAYBE_SETTINGS),
        optional("recordManagerName", MAYBE_TEXT),
        optional("recordManagerConfig", MAYBE_SETTINGS),
    ],
));
/// The cards that were chosen.
pub const VECTORS_SET: Shape = Shape::Named(&object(
    "StoreVectorConfig",
    "The cards that make and keep the vectors of a document store.",
    &[
        field("storeId", ID),
        field("embeddingConfig", SET_CARD),
        field("vectorStoreConfig", Shape::Maybe(&SET_CARD)),
        field("recordManagerConfig", Shape::Maybe(&SET_CARD)),
    ],
));
pub const VECTOR_QUERY: Shape = Shape::Named(&object(
    "StoreQuery",
    "What to look for in a document store.",
    &[field("storeId", TEXT), field("query", text(1, 1_000_000))],
));
pub const VECTORS_FOUND: Shape = Shape::Named(&object(
    "StoreQueryResult",
    "What is nearest.",
    &[
        field("timeTaken", COUNT).about("In milliseconds."),
        field(
            "docs",
            Shape::List(&Shape::Named(&object(
                "ScoredPassage",
                "A passage and how near it is.",
                &[field("pageContent", TEXT), field("metadata", SETTINGS), field("score", Shape::Number)],
            ))),
        ),
    ],
));
