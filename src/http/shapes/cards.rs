//! What can be chosen (manual 9.8).

use crate::http::openapi::shape::{Shape, TEXT, field, object, optional};

pub const CHOICES: Shape = Shape::List(&Shape::Named(&object(
    "Choice",
    "Something that can be chosen.",
    &[field("label", TEXT), field("name", TEXT), optional("description", TEXT)],
)));
