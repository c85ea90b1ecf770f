//! Times on the wire.

use crate::clock::iso;
use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// A time as ISO 8601 with milliseconds and `Z`.
#[derive(Debug, Clone, Copy)]
pub struct IsoTime(pub Timestamp);

impl From<Timestamp> for IsoTime {
    fn from(time: Timestamp) -> Self {
        Self(time)
    }
}

impl Serialize for IsoTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&iso(self.0))
    }
}

#[cfg(feature = "test-support")]
impl schemars::JsonSchema for IsoTime {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IsoTime".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}
