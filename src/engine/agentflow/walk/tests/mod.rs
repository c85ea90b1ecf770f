//! The walk against an interpreter that does one thing after another, and each of its rules alone.

mod drive;
mod failures;
mod fates;
mod interpreter;
mod random;
mod rules;
mod takeover;
