//! What the service holds in memory while documents of 25 MB arrive, are read and are stored.

use crate::figures::{figure, heading};
use crate::memory::{Watch, resident_kib};
use crate::program::{Throwaway, throwaway};
use crate::wire::Wire;
use crate::{canvases, samples};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;

const PICTURE_BYTES: usize = 24_900_000;
const BOUNDARY: &str = "a-boundary-of-its-own";
/// The document goes out in this many pieces, this far apart: as over a line of about 25 MB a second.
const PIECES: usize = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Sends one document, and eight at once.
pub fn report() {
    heading("A document of 25 MB in a form: memory the service adds");
    for count in [1, 8] {
        let service = throwaway(&[]);
        let flow = flow(&service);
        let request = question(&flow);
        // The first question loads what every later one shares.
        send(service.program.address, &form(&flow, &samples::pdf(&["Rain.".to_owned()])));
        let process = service.program.process_id();
        let before = resident_kib(process);
        let watch = Watch::start(process);
        std::thread::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|| send(service.program.address, &request));
            }
        });
        let added = watch.stop().saturating_sub(before);
        let name = if count == 1 { "one document".to_owned() } else { format!("{count} documents at once") };
        figure(&name, &format!("{:.1} MB", added as f64 / 1024.0), "far below the files");
    }
}

/// A flow whose chat takes documents.
fn flow(service: &Throwaway) -> String {
    let flow = service.program.make_flow(&service.key, "documents", &canvases::scripted(&json!([]), "Yes."));
    let config = json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": "application/pdf"}});
    let bearer = format!("Bearer {}", service.key);
    let answer = service.program.call(
        "PUT",
        &format!("/api/v1/chatflows/{flow}"),
        &[("authorization", &bearer)],
        &json!({"chatbotConfig": config.to_string()}),
    );
    assert_eq!(answer.status(), 200, "{}", answer.text());
    flow
}

fn question(flow: &str) -> Vec<u8> {
    form(flow, &samples::pdf_with_picture(&["Rain.".to_owned()], &samples::noise(PICTURE_BYTES)))
}

fn form(flow: &str, document: &[u8]) -> Vec<u8> {
    let mut body = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"question\"\r\n\r\nWill it rain?\r\n\
         --{BOUNDARY}\r\ncontent-disposition: form-data; name=\"files\"; filename=\"a.pdf\"\r\n\
         content-type: application/pdf\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(document);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    let mut request = format!(
        "POST /api/v1/prediction/{flow} HTTP/1.1\r\nhost: 127.0.0.1\r\n\
         content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.append(&mut body);
    request
}

fn send(address: SocketAddr, request: &[u8]) {
    let mut wire = Wire::to(address).unwrap();
    for piece in request.chunks(request.len().div_ceil(PIECES)) {
        wire.send(piece).unwrap();
        std::thread::sleep(PAUSE);
    }
    let answer = wire.answer().unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text());
}
