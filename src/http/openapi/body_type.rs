//! The JSON of a body as a Rust type. The schema of a type is only needed to write the description, which a test does, so the
//! program that is shipped knows nothing of schemas.

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// A type of `wire` that a route takes or gives.
#[cfg(test)]
pub trait BodyType: JsonSchema {}
#[cfg(test)]
impl<T: JsonSchema> BodyType for T {}
/// A type of `wire` that a route takes or gives.
#[cfg(not(test))]
pub trait BodyType {}
#[cfg(not(test))]
impl<T> BodyType for T {}

/// The schema of a [`BodyType`], made when the description is.
#[derive(Debug, Clone, Copy)]
pub struct TypeSchema {
    #[cfg(test)]
    pub(super) make: fn(&mut SchemaGenerator) -> Schema,
}

impl TypeSchema {
    #[must_use]
    pub const fn of<T: BodyType>() -> Self {
        Self {
            #[cfg(test)]
            make: |generator| generator.subschema_for::<T>(),
        }
    }
}
