//! What is wrong with a drawing.

use crate::domain::flows::card_problems::LostConnection;

/// The kinds of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphFault {
    NoStart,
    SeveralStarts,
    /// Start stands inside of an iteration, or something leads to it.
    StartPlace,
    /// Nothing leads to a card outside of iterations that is not Start.
    Unconnected,
    Circle,
    /// An edge that leads to, or comes from, a card that is not there.
    MissingCard,
    SelfEdge,
    /// An edge that goes into an iteration, or out of one.
    Border,
    /// An edge from a card that ends its branch.
    EdgeFromEnd,
    /// A Loop that goes nowhere, or not back.
    LoopTarget,
    LoopCount,
    /// A card inside of something that is no iteration.
    Parent,
    Nesting,
}

/// One thing that is wrong, at one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphProblem {
    /// The id of the card; empty when it is about the whole canvas.
    pub(crate) node: String,
    pub(crate) label: String,
    pub(crate) fault: GraphFault,
    /// The id of the connection of which an end is no more, where it is about one; empty where that has none.
    pub(crate) edge: Option<String>,
    /// A whole sentence that says what to do.
    pub(crate) message: String,
}

impl GraphProblem {
    /// True when the canvas can be walked all the same.
    pub(crate) const fn is_warning(&self) -> bool {
        matches!(self.fault, GraphFault::LoopCount)
    }

    /// The connection that it is about, where an end of it is no more.
    pub(crate) fn lost_connection(&self) -> Option<LostConnection> {
        let edge = self.edge.clone()?;
        Some(LostConnection { edge, issue: self.message.clone() })
    }
}
