//! A form with a file, as providers take it that want more than JSON.

use super::json_client::RequestBody;
use uuid::Uuid;

/// A form in the making.
#[derive(Debug)]
pub struct MultipartForm {
    /// Stands between its parts, and nowhere in them.
    boundary: String,
    bytes: Vec<u8>,
}

impl Default for MultipartForm {
    fn default() -> Self {
        Self { boundary: format!("flowkeep-{}", Uuid::new_v4().simple()), bytes: Vec::new() }
    }
}

impl MultipartForm {
    pub fn field(&mut self, name: &str, value: &str) {
        self.part(&format!("name=\"{}\"", quote(name)), None, value.as_bytes());
    }

    /// With a file; `name` is what the other side knows it by.
    pub fn file(&mut self, field: &str, name: &str, kind: &str, bytes: &[u8]) {
        let names = format!("name=\"{}\"; filename=\"{}\"", quote(field), quote(name));
        self.part(&names, Some(kind), bytes);
    }

    fn part(&mut self, names: &str, kind: Option<&str>, bytes: &[u8]) {
        let kind = kind.map_or_else(String::new, |kind| format!("Content-Type: {kind}\r\n"));
        let head = format!("--{}\r\nContent-Disposition: form-data; {names}\r\n{kind}\r\n", self.boundary);
        self.bytes.extend_from_slice(head.as_bytes());
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Does something with it as it is sent.
    pub fn send_with<T>(mut self, send: impl FnOnce(RequestBody<'_>) -> T) -> T {
        self.bytes.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        let kind = format!("multipart/form-data; boundary={}", self.boundary);
        send(RequestBody { kind: &kind, bytes: &self.bytes })
    }
}

/// A name as browsers write it: nothing in it ends the header or the quotes.
fn quote(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_its_place() {
        let mut form = MultipartForm::default();
        form.field("a", "1");
        form.file("files", "x\"\r\nEvil: 1", "text/plain", b"\0two");
        let boundary = form.boundary.clone();
        let (kind, text) =
            form.send_with(|body| (body.kind.to_owned(), String::from_utf8(body.bytes.to_vec()).unwrap()));
        assert_eq!(kind, format!("multipart/form-data; boundary={boundary}"));
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--{boundary}\r\nContent-Disposition: \
             form-data; name=\"files\"; filename=\"x%22%0D%0AEvil: 1\"\r\nContent-Type: text/plain\r\n\r\n\0two\r\n\
             --{boundary}--\r\n"
        );
        assert_eq!(text, expected);
    }
}
