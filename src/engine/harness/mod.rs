//! Harnesses: canvases of one team, whose specialists work at the same time.

mod drawing;
mod outcome;
mod plan;
mod run;
mod specialists;

pub(crate) use self::drawing::TeamDrawing;
pub(crate) use self::plan::{TeamPlan, read};
pub(crate) use self::run::{TeamRun, run};
