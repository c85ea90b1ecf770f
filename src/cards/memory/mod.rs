//! Memories: parts that know what was said before.

pub mod buffer;
pub mod buffer_window;
