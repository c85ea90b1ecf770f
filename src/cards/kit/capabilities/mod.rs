//! What a card may ask of the service.

pub mod host;
#[cfg(test)]
pub(in crate::cards) mod test_host;
