//! API keys, credentials, variables and tools (manual 8.7).

use crate::http::openapi::shape::{
    COUNT, ID, MAYBE_TEXT, MAYBE_TIME, ParamSpec, SETTINGS, Shape, ShapeField, TEXT, TEXTS, TIME, field,
    object, optional, query, text,
};

const TOTAL: ShapeField = field("total", COUNT).about("Rows on all pages.");

/// A credential without its secrets.
pub const CREDENTIAL: Shape = Shape::Named(&object("Credential", "A credential.", CREDENTIAL_FIELDS));
const CREDENTIAL_FIELDS: &[ShapeField] = &[
    field("id", ID),
    field("name", TEXT),
    field("credentialName", TEXT).about("Its type."),
    field("createdDate", TIME),
    field("updatedDate", TIME),
    field("workspaceId", ID),
    optional("plainDataObj", SETTINGS)
        .about("Its fields, with secrets hidden; only when one credential is read."),
];
pub const CREDENTIALS: Shape = Shape::List(&CREDENTIAL);
pub const CREDENTIAL_FILTER: &[ParamSpec] =
    &[query("credentialName", TEXTS, "Only credentials of these types; may be given several times.")];
pub const NEW_CREDENTIAL: Shape = Shape::Named(&object(
    "NewCredential",
    "A credential to store.",
    &[
        field("name", text(1, 100)),
        field("credentialName", TEXT),
        optional("plainDataObj", Shape::Maybe(&SETTINGS)),
    ],
));
pub const CREDENTIAL_EDIT: Shape = Shape::Named(&object(
    "CredentialEdit",
    "What to change; what is left out stays.",
    &[
        optional("name", Shape::Maybe(&text(1, 100))),
        optional("credentialName", MAYBE_TEXT),
        optional("plainDataObj", Shape::Maybe(&SETTINGS)),
    ],
));

/// A sign-in that was begun.
pub const SIGN_IN: Shape = Shape::Named(&object(
    "SignIn",
    "A sign-in to a credential that was begun.",
    &[
        field("success", Shape::Flag).about("True."),
        field("message", TEXT),
        field("credentialId", ID),
        field("authorizationUrl", TEXT).about("What a person opens within ten minutes; it counts once."),
        field("redirectUri", TEXT)
            .about("Where the provider sends them back to: register it there exactly like this."),
    ],
));
/// What a provider sends a person back with.
pub const RETURNED: &[ParamSpec] = &[
    query("state", TEXT, "The word of the sign-in, which counts once."),
    query("code", TEXT, "What buys tokens."),
    query("error", TEXT, "Why there is no code."),
];
/// Tokens that were renewed. None of them is shown.
pub const RENEWED: Shape = Shape::Named(&object(
    "RenewedSignIn",
    "The tokens of a credential were renewed; none of them is shown.",
    &[
        field("success", Shape::Flag).about("True."),
        field("message", TEXT),
        field("credentialId", ID),
        field(
            "tokenInfo",
            Shape::Object(&[
                field("token_type", TEXT),
                field("has_new_refresh_token", Shape::Flag),
                field("expires_at", MAYBE_TIME),
            ]),
        ),
    ],
));

pub const CREDENTIAL_TYPE: Shape = Shape::Named(&object(
    "CredentialType",
    "A type of credential.",
    &[
        field("label", TEXT),
        field("name", TEXT),
        field("version", COUNT),
        optional("signIn", Shape::Flag).about("A person signs in to it at its provider."),
        field(
            "inputs",
            Shape::List(&Shape::Named(&object(
                "CredentialField",
                "A field of a credential.",
                &[
                    field("label", TEXT),
                    field("name", TEXT),
                    field(
                        "type",
                        Shape::Words(&["string", "password", "url", "number", "boolean", "options"]),
                    ),
                    optional("optional", Shape::Flag),
                    optional("default", Shape::AnyOf(&[TEXT, Shape::Number])),
                    optional("options", super::cards::CHOICES),
                ],
            ))),
        ),
    ],
));
pub const CREDENTIAL_TYPES: Shape = Shape::List(&CREDENTIAL_TYPE);
/// One type, or several that were asked for as `a&b`.
pub const CREDENTIAL_TYPE_OR_TYPES: Shape = Shape::AnyOf(&[CREDENTIAL_TYPE, CREDENTIAL_TYPES]);

pub const TOOL: Shape = Shape::Named(&object(
    "Tool",
    "A tool that people wrote.",
    &[
        field("id", ID),
        field("name", TEXT),
        field("description", TEXT),
        field("color", TEXT),
        field("iconSrc", MAYBE_TEXT),
        field("schema", TEXT).about("JSON text of a list of arguments."),
        field("func", TEXT).about("Its code."),
        field("createdDate", TIME),
        field("updatedDate", TIME),
        field("workspaceId", ID),
    ],
));
/// Tools, or a page of them.
pub const TOOLS: Shape = Shape::AnyOf(&[
    Shape::List(&TOOL),
    Shape::Named(&object("ToolPage", "A page of tools.", &[field("data", Shape::List(&TOOL)), TOTAL])),
]);

const ARGUMENTS: Shape = Shape::List(&Shape::Named(&object(
    "ToolArgument",
    "An argument of a tool.",
    &[
        optional("id", Shape::Maybe(&Shape::Whole(0))),
        field("property", TEXT),
        field("type", Shape::Words(&["string", "number", "boolean", "date"])),
        optional("description", TEXT),
        optional("required", Shape::Flag),
    ],
)));

macro_rules! tool_fields {
    ($needed:ident) => {
        &[
            $needed("name", text(1, 128)),
            optional("description", Shape::Maybe(&text(0, 4_096))),
            optional("color", Shape::Maybe(&text(0, 128))),
            optional("iconSrc", MAYBE_TEXT),
            optional("schema", Shape::Maybe(&Shape::AnyOf(&[TEXT, ARGUMENTS])))
                .about("A list of arguments, or its JSON text."),
            optional("func", MAYBE_TEXT),
        ]
    };
}
pub const NEW_TOOL: Shape = Shape::Named(&object("NewTool", "A tool to store.", tool_fields!(field)));
pub const TOOL_EDIT: Shape =
    Shape::Named(&object("ToolEdit", "What to change; what is left out stays.", tool_fields!(optional)));

/// The addresses among the fields of a credential.
pub const ADDRESSES: Shape = Shape::Named(&object(
    "CredentialAddresses",
    "The addresses among the fields of a credential, without passwords in them.",
    &[field("plainDataObj", SETTINGS)],
));
