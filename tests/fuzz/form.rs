//! Forms with files, on the wire of the built program.

use crate::program::Program;
use crate::request_head::{answer, is_well, outcome};
use crate::wire::request;
use crate::{fuzz, seeds};

const WORDS: &[&str] = &[
    "--edge",
    "--edge--",
    "\r\n\r\n",
    "Content-Disposition: form-data; name=\"files\"; filename=\"a.pdf\"",
    "name=",
    "filename*=UTF-8''%e2%82",
    "name=\"question\"",
    "name=\"overrideConfig\"",
    "name=\"uploads\"",
    "Content-Type: image/png",
    "Content-Transfer-Encoding: base64",
    "\"",
];

#[test]
fn forms() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve(&folder.path().join("data"), &[]);
    let path = "/api/v1/prediction/7c9e6679-7425-40de-944b-e07fc1f90ae7";
    let headers = [("content-type", "multipart/form-data; boundary=edge")];
    fuzz("form", seeds("form"), WORDS, |input| {
        outcome(&answer(&program, &request("POST", path, &headers, input)))
    });
    is_well(&program);
}
