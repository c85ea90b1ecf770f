//! The languages that messages are written in.

/// A language of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MailLanguage {
    #[default]
    English,
    German,
}

impl MailLanguage {
    /// The first of them that a browser asks for by its header `Accept-Language`; English where it names neither.
    #[must_use]
    pub fn from_header(header: Option<&str>) -> Self {
        let wish = |part: &str| {
            let mut fields = part.split(';').map(str::trim);
            let tag = fields.next()?.split('-').next()?.to_ascii_lowercase();
            let language = match tag.as_str() {
                "de" => Self::German,
                "en" => Self::English,
                _ => return None,
            };
            let weight =
                fields.find_map(|field| field.strip_prefix("q=")?.parse::<f32>().ok()).unwrap_or(1.0);
            (weight > 0.0).then_some((language, weight))
        };
        let mut best: Option<(Self, f32)> = None;
        // Of equals the first counts.
        for (language, weight) in header.unwrap_or_default().split(',').take(32).filter_map(wish) {
            if best.is_none_or(|(_, most)| weight > most) {
                best = Some((language, weight));
            }
        }
        best.map_or(Self::English, |(language, _)| language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_known_one_that_is_wanted() {
        for (header, expected) in [
            (None, MailLanguage::English),
            (Some(""), MailLanguage::English),
            (Some("de"), MailLanguage::German),
            (Some("de-AT,de;q=0.9,en;q=0.8"), MailLanguage::German),
            (Some("en-US,en;q=0.9,de;q=0.8"), MailLanguage::English),
            (Some("en;q=0.5, de;q=0.9"), MailLanguage::German),
            (Some("fr, de;q=0.5"), MailLanguage::German),
            (Some("fr-FR, *;q=0.1"), MailLanguage::English),
            (Some("de;q=0, en"), MailLanguage::English),
            (Some("\u{0};;;q=,,,"), MailLanguage::English),
        ] {
            assert_eq!(MailLanguage::from_header(header), expected, "{header:?}");
        }
    }
}
