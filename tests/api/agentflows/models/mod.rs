//! What models and tools give to the steps that ask them.

mod blocks;
mod facts;
mod past_pictures;
pub mod pictures;
mod provider_tools;
mod tool_failures;
