//! Forms as a browser writes them.

/// A form in the making.
#[derive(Default, Clone)]
pub struct Form(Vec<u8>);

impl Form {
    const BOUNDARY: &str = "----form7MA4YWxkTrZu0gW";
    pub const CONTENT_TYPE: &str = "multipart/form-data; boundary=----form7MA4YWxkTrZu0gW";

    /// A form with these fields.
    pub fn of(fields: &[(&str, &str)]) -> Self {
        fields.iter().fold(Self::default(), |form, (name, value)| form.field(name, value))
    }

    /// Adds a field.
    pub fn field(self, name: &str, value: &str) -> Self {
        self.part(&format!("Content-Disposition: form-data; name=\"{name}\""), value.as_bytes())
    }

    /// Adds a file with a declared type.
    pub fn file(self, name: &str, mime: &str, content: &[u8]) -> Self {
        let head = format!(
            "Content-Disposition: form-data; name=\"files\"; filename=\"{name}\"\r\nContent-Type: {mime}"
        );
        self.part(&head, content)
    }

    /// Adds a part with this head.
    pub fn part(mut self, head: &str, content: &[u8]) -> Self {
        self.0.extend(format!("--{}\r\n{head}\r\n\r\n", Self::BOUNDARY).bytes());
        self.0.extend(content);
        self.0.extend(b"\r\n");
        self
    }

    /// The whole body.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.0.clone();
        bytes.extend(format!("--{}--\r\n", Self::BOUNDARY).bytes());
        bytes
    }
}
