//! Bodies that are JSON, of the routes that strangers may call, on the wire of the built program.

use crate::program::Program;
use crate::request_head::{answer, is_well, outcome};
use crate::wire::request;
use crate::{fuzz, seeds};

const WORDS: &[&str] = &[
    "\"question\":",
    "\"history\":",
    "\"overrideConfig\":",
    "\"uploads\":",
    "\"chatId\":",
    "\"sessionToken\":",
    "\"streaming\":true",
    "null",
    "{}",
    "[]",
    "\"\\ud800\"",
    "\"data:image/png;base64,\"",
    "\"__proto__\":",
    "1e400",
    "-0",
    "[[[[[[[[",
    "{\"a\":",
    "\"vars\":",
    "\"form\":",
    "\"humanInput\":",
];

#[test]
fn bodies_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve(&folder.path().join("data"), &[]);
    let paths = [
        "/api/v1/prediction/7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "/api/v1/auth/login",
        "/api/v1/feedback",
        "/api/v1/leads",
        "/api/v1/vector/upsert/7c9e6679-7425-40de-944b-e07fc1f90ae7",
    ];
    let mut turn = 0;
    fuzz("json", seeds("json"), WORDS, |input| {
        turn += 1;
        let path = paths[turn % paths.len()];
        outcome(&answer(&program, &request("POST", path, &[("content-type", "application/json")], input)))
    });
    is_well(&program);
}
