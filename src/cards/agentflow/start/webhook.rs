//! The inputs of a start by a call of the flow's webhook. Whoever takes the call reads them.

use super::{KIND, WEBHOOK};
use crate::kit::{Choice, Input};

const VALIDATES: &str = "webhookEnableValidation";
const SIGNS: &str = "webhookEnableAuth";
const MODE: &str = "webhookInputMode";
pub(crate) const ANSWERS: &str = "webhookResponseMode";

pub(crate) const METHOD: Input = Input::choice(
    "webhookMethod",
    "HTTP Method",
    &[
        Choice::new("GET", "GET"),
        Choice::new("POST", "POST"),
        Choice::new("PUT", "PUT"),
        Choice::new("PATCH", "PATCH"),
        Choice::new("DELETE", "DELETE"),
    ],
)
.or("POST")
.when(KIND, WEBHOOK);

pub(crate) const CONTENT_TYPE: Input = Input::choice(
    "webhookContentType",
    "Content Type",
    &[
        Choice::new("application/json", "application/json"),
        Choice::new("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
    ],
)
.or("application/json")
.when(KIND, WEBHOOK);

pub(super) const INPUT_MODE: Input = Input::choice(
    MODE,
    "Input Mode",
    &[Choice::new("text", "Text"), Choice::new("payload", "Payload"), Choice::new("none", "None")],
)
.or("text")
.when(KIND, WEBHOOK)
.help("What the flow is asked: the text below, nothing but the payload, or nothing.");

pub(super) const DEFAULT_INPUT: Input = Input::lines("webhookDefaultInput", "Default Input")
    .optional()
    .variables()
    .when(KIND, WEBHOOK)
    .when_any(MODE, &["text"])
    .help("The question of each run; {{ $webhook.body.name }} stands for a value of the call.");

pub(crate) const ENABLE_AUTH: Input = Input::switch(SIGNS, "Enable Authentication")
    .optional()
    .when(KIND, WEBHOOK)
    .help("Only calls that know the secret of the webhook start the flow.");

pub(crate) const SIGNATURE_TYPE: Input = Input::choice(
    "webhookSignatureType",
    "Signature Type",
    &[Choice::new("hmac-sha256", "HMAC-SHA256"), Choice::new("plain-token", "Plain Token")],
)
.or("hmac-sha256")
.when(SIGNS, "true");

pub(crate) const SIGNATURE_HEADER: Input =
    Input::text("webhookSignatureHeader", "Signature Header").or("x-webhook-signature").when(SIGNS, "true");

pub(crate) const TIMESTAMP_HEADER: Input = Input::text("webhookTimestampHeader", "Timestamp Header")
    .optional()
    .when(SIGNS, "true")
    .help("The time in this header is signed with the body, and must be of the last five minutes.");

pub(crate) const ENABLE_VALIDATION: Input =
    Input::switch(VALIDATES, "Enable Validation").optional().when(KIND, WEBHOOK);

pub(crate) const HEADER_PARAMS: Input =
    Input::rows("webhookHeaderParams", "Expected Headers", NAMES).optional().when(VALIDATES, "true");

pub(crate) const BODY_PARAMS: Input =
    Input::rows("webhookBodyParams", "Expected Body Fields", TYPED_NAMES).optional().when(VALIDATES, "true");

pub(crate) const QUERY_PARAMS: Input =
    Input::rows("webhookQueryParams", "Expected Query Parameters", NAMES).optional().when(VALIDATES, "true");

pub(super) const RESPONSE_MODE: Input = Input::choice(
    ANSWERS,
    "Response Mode",
    &[
        Choice::new("sync", "Whole"),
        Choice::new("stream", "Stream"),
        Choice::new("async", "Later, by a callback"),
    ],
)
.or("sync")
.when(KIND, WEBHOOK);

pub(super) const CALLBACK_URL: Input = Input::address("callbackUrl", "Callback URL")
    .optional()
    .when(KIND, WEBHOOK)
    .when_any(ANSWERS, &["async"])
    .help("Where the answer is sent.");

pub(super) const CALLBACK_SECRET: Input = Input::secret("callbackSecret", "Callback Secret")
    .optional()
    .when(KIND, WEBHOOK)
    .when_any(ANSWERS, &["async"])
    .help("Signs the answer, so that its reader knows who sent it.");

const NAME: Input = Input::text("name", "Name");
const REQUIRED: Input = Input::switch("required", "Required").optional();
const NAMES: &[Input] = &[NAME, REQUIRED];
const TYPED_NAMES: &[Input] = &[
    NAME,
    Input::choice(
        "type",
        "Type",
        &[
            Choice::new("string", "String"),
            Choice::new("number", "Number"),
            Choice::new("boolean", "Boolean"),
            Choice::new("object", "Object"),
            Choice::new("array[string]", "Array of texts"),
            Choice::new("array[number]", "Array of numbers"),
            Choice::new("array[boolean]", "Array of booleans"),
            Choice::new("array[object]", "Array of objects"),
        ],
    )
    .or("string"),
    REQUIRED,
];
