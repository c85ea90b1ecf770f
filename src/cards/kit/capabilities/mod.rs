//! What a card may ask of the service: a small trait for each thing, which a card names in its declaration before it gets it.
//!
//! A run has what its [`host::Host`] offers. The engine refuses to build a card whose run lacks what the card cannot do without,
//! and a card holds a [`Grant`] for each thing that it uses: only [`Inputs`] hands it out, and only for what is declared.

pub(crate) mod card_work;
pub(crate) mod code;
pub(crate) mod conversations;
pub(crate) mod files;
pub(crate) mod flows;
pub(crate) mod host;
pub(crate) mod knowledge;
pub(crate) mod observers;
pub(crate) mod part_host;
pub(crate) mod pipelines;
pub(crate) mod replies;
pub(crate) mod run_memory;
pub(crate) mod sign_ins;
#[cfg(any(test, feature = "test-support"))]
pub mod test_host;
pub(crate) mod workspace_tools;

use self::code::CodeRunner;
use self::conversations::Conversations;
use self::files::{AnswerFiles, WorkspaceFiles};
use self::flows::Flows;
use self::host::Host;
use self::knowledge::{Knowledge, VectorIndexes};
use self::observers::ModelObserver;
use self::pipelines::Pipelines;
use self::replies::ReplyStore;
use self::sign_ins::SignIns;
use self::workspace_tools::WorkspaceTools;
use crate::domain::error::{Error, Result};
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::card::Card;
use crate::programs::Programs;
use std::fmt;
use std::marker::PhantomData;

/// Something of the service that cards are granted by its type.
pub trait Grantable {
    const CAPABILITY: Capability;
}

/// The proof that a card declared something and that its run has it.
pub struct Grant<C: ?Sized>(PhantomData<fn(&C)>);

impl<C: ?Sized> Clone for Grant<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C: ?Sized> Copy for Grant<C> {}

impl<C: ?Sized> fmt::Debug for Grant<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grant")
    }
}

impl<C: ?Sized> Grant<C> {
    /// For components that the service itself makes and the engine itself asks. A card gets its grants from its inputs; a test
    /// of the house rules refuses this call in `cards/` outside of the kit.
    #[must_use]
    pub const fn for_service() -> Self {
        Self(PhantomData)
    }
}

/// Declares what there is to grant: a field of [`Capabilities`], its type, its name in declarations, and what a card says that
/// cannot be built without it.
macro_rules! capabilities {
    ($($field:ident, $with:ident: $name:ident => $type:ty, $absence:literal;)*) => {
        /// What a card can name in its declaration.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Capability {
            $($name,)*
        }

        impl Capability {
            /// What a card says that cannot be built without it.
            const fn absence(self) -> &'static str {
                match self {
                    $(Self::$name => $absence,)*
                }
            }
        }

        /// What a run has. A host says it itself; what it does not name is not there.
        #[derive(Clone, Copy, Default)]
        pub struct Capabilities<'a> {
            $($field: Option<&'a $type>,)*
            observer: Option<&'a dyn ModelObserver>,
        }

        impl<'a> Capabilities<'a> {
            $(
                #[must_use]
                pub const fn $with(self, given: &'a $type) -> Self {
                    Self { $field: Some(given), ..self }
                }
            )*

            #[must_use]
            pub const fn has(&self, capability: Capability) -> bool {
                match capability {
                    $(Capability::$name => self.$field.is_some(),)*
                }
            }
        }

        $(
            impl Grantable for $type {
                const CAPABILITY: Capability = Capability::$name;
            }

            impl Grant<$type> {
                /// What was granted.
                ///
                /// # Errors
                /// When a component runs with another host than it was built with.
                pub fn of(self, host: &dyn Host) -> Result<&$type> {
                    host.capabilities().$field.ok_or_else(|| Error::internal(concat!(stringify!($name), " were granted by another run")))
                }
            }
        )*
    };
}

capabilities! {
    conversations, with_conversations: Conversations => dyn Conversations, "there is no conversation here";
    knowledge, with_knowledge: Knowledge => dyn Knowledge, "a run without a server has no stored chunks";
    vector_indexes, with_vector_indexes: VectorIndexes => dyn VectorIndexes, "vectors cannot be held in memory here";
    files, with_files: WorkspaceFiles => dyn WorkspaceFiles, "a run without a server has no files of a workspace";
    answer_files, with_answer_files: AnswerFiles => dyn AnswerFiles, "only an answer keeps files";
    code, with_code: Code => dyn CodeRunner, "code cannot be run on this server at the moment";
    tools, with_tools: WorkspaceTools => dyn WorkspaceTools, "a run without a server has no tools of a workspace";
    flows, with_flows: Flows => dyn Flows, "only a question to a server can ask another flow";
    pipelines, with_pipelines: Pipelines => dyn Pipelines, "only a question to a server can start a pipeline";
    replies, with_replies: Replies => dyn ReplyStore, "no replies of models are kept here";
    sign_ins, with_sign_ins: SignIns => dyn SignIns, "nobody can sign in to a credential here";
    programs, with_programs: Programs => Programs, "no program is started here";
}

impl<'a> Capabilities<'a> {
    #[must_use]
    pub const fn with_observer(self, observer: &'a dyn ModelObserver) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Who counts what models do: for models alone.
    pub(in crate::kit) const fn observer(&self) -> Option<&'a dyn ModelObserver> {
        self.observer
    }
}

/// What a card declares that it uses.
#[derive(Debug, Clone, Copy)]
pub struct Need {
    pub capability: Capability,
    /// What the card says that cannot be built without it; `None` for one that then does less.
    refusal: Option<&'static str>,
}

impl Need {
    /// The card is not built where the run has none.
    #[must_use]
    pub const fn required(capability: Capability) -> Self {
        Self { capability, refusal: Some(capability.absence()) }
    }

    /// The card uses it where the run has it, or where its settings ask for it.
    #[must_use]
    pub const fn optional(capability: Capability) -> Self {
        Self { capability, refusal: None }
    }

    /// As [`Self::required`], in words of the card's own.
    #[must_use]
    pub const fn with_refusal(capability: Capability, refusal: &'static str) -> Self {
        Self { capability, refusal: Some(refusal) }
    }
}

/// Refuses a card whose run lacks what the card cannot do without.
///
/// # Errors
/// What is missing, naming the card.
pub fn require_needs(card: &Card, label: &str, host: &dyn Host) -> Result<()> {
    let offered = host.capabilities();
    let missing = card.needs.iter().filter(|need| !offered.has(need.capability));
    match missing.filter_map(|need| need.refusal).next() {
        Some(refusal) => Err(Error::RunFailed(format!("{label}: {refusal}"))),
        None => Ok(()),
    }
}

impl Inputs<'_> {
    /// The grant of something that the card declared and that the run must have.
    ///
    /// # Errors
    /// When the run has none, naming the card.
    pub fn need<C: Grantable + ?Sized>(&self) -> Result<Grant<C>> {
        let refused = || Error::RunFailed(format!("{}: {}", self.label, C::CAPABILITY.absence()));
        self.want().ok_or_else(refused)
    }

    /// The grant of something that the card declared, where the run has it.
    #[must_use]
    pub(crate) fn want<C: Grantable + ?Sized>(&self) -> Option<Grant<C>> {
        let declared = self.card.needs.iter().any(|need| need.capability == C::CAPABILITY);
        debug_assert!(declared, "{} does not declare {:?}", self.card.name, C::CAPABILITY);
        (declared && self.host.capabilities().has(C::CAPABILITY)).then_some(Grant(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::test_host::TestHost;
    use super::*;
    use crate::registry::{CARDS, find};
    use host::HostContext;

    /// A host that has nothing but what every run has.
    struct BareHost(TestHost);

    impl Host for BareHost {
        fn context(&self) -> HostContext<'_> {
            self.0.context()
        }

        fn capabilities(&self) -> Capabilities<'_> {
            Capabilities::default()
        }
    }

    #[test]
    fn a_card_whose_run_lacks_what_it_needs_is_refused_in_its_own_words() {
        let (full, bare) = (TestHost::default(), BareHost(TestHost::default()));
        let told = |card: &str| {
            let card = find(card).unwrap();
            require_needs(card, "Mine", &full).unwrap();
            require_needs(card, "Mine", &bare).unwrap_err().to_string()
        };
        assert_eq!(told("ChatflowTool"), "Mine: only a question to a server can ask another flow");
        assert_eq!(told("SQLiteRecordManager"), "Mine: a run without a server can keep no records");
        assert_eq!(told("faiss"), "Mine: a run without a server has no stored chunks");
        assert_eq!(told("customFunction"), "Mine: code cannot be run on this server at the moment");
        assert_eq!(told("bm25Retriever"), "Mine: the document store does not exist in this workspace");
    }

    #[test]
    fn what_a_card_can_do_without_refuses_it_nowhere() {
        let bare = BareHost(TestHost::default());
        for card in ["pdfFile", "qdrant", "customMCP", "chatPromptTemplate", "gmail", "chatOpenAI"] {
            require_needs(find(card).unwrap(), "Mine", &bare).unwrap();
        }
    }

    #[test]
    fn a_card_names_each_of_its_needs_once() {
        for card in CARDS {
            let mut named: Vec<Capability> = Vec::new();
            for need in card.needs {
                assert!(!named.contains(&need.capability), "{}: {:?}", card.name, need.capability);
                named.push(need.capability);
            }
        }
    }

    #[test]
    fn code_that_cannot_run_is_refused_in_the_words_of_its_runner() {
        let unavailable = crate::script::ScriptError::Unavailable.to_string();
        assert_eq!(Capability::Code.absence(), unavailable);
    }
}
