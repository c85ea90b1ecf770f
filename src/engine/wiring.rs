//! Which cards can be wired into which inputs.

use crate::canvas::Node;
use crate::cards::kit::{Card, Factory, WireType};

/// True when what the card makes of itself is what an input of this kind takes.
pub(super) fn fits(wanted: WireType, card: &Card, node: &Node) -> bool {
    let hands_on_result =
        card.outputs.iter().any(|output| output.predicts && node.output.as_deref() == Some(output.name));
    let is_result = match card.make {
        Factory::Branch(_) | Factory::SetVariable(_) | Factory::GetVariable(_) => true,
        Factory::Chain(_) | Factory::Retriever(_) | Factory::Loader(_) => hands_on_result,
        _ => false,
    };
    if is_result {
        return wanted == WireType::Value;
    }
    match wanted {
        WireType::Cache => matches!(card.make, Factory::Cache(_)),
        WireType::ChatModel | WireType::LanguageModel => matches!(card.make, Factory::ChatModel(_)),
        WireType::Memory | WireType::ChatMemory => matches!(card.make, Factory::Memory(_)),
        WireType::Prompt | WireType::ChatPrompt => matches!(card.make, Factory::Prompt(_)),
        WireType::OutputParser => matches!(card.make, Factory::OutputParser(_)),
        WireType::Moderation => matches!(card.make, Factory::Moderation(_)),
        WireType::Tool => matches!(card.make, Factory::Tools(_)),
        WireType::Retriever => {
            matches!(card.make, Factory::Retriever(_) | Factory::VectorStore(_) | Factory::Route(_))
        }
        WireType::TextSplitter => matches!(card.make, Factory::Splitter(_)),
        WireType::VectorStore => matches!(card.make, Factory::VectorStore(_)),
        WireType::VectorStoreRetriever | WireType::PromptRetriever => match card.make {
            Factory::Route(_) => card.base_classes.contains(&wanted.class()),
            Factory::VectorStore(_) => wanted == WireType::VectorStoreRetriever,
            _ => false,
        },
        WireType::Document => matches!(card.make, Factory::Loader(_) | Factory::Transform(_)),
        WireType::Embeddings => matches!(card.make, Factory::Embeddings(_)),
        WireType::RecordManager => matches!(card.make, Factory::Records(_)),
        WireType::Chain => matches!(card.make, Factory::Chain(_)),
        WireType::Value => false,
        // What these take from each other is of one kind only when it is of their own class.
        WireType::Engine => {
            matches!(card.make, Factory::Chain(_)) && card.base_classes.contains(&wanted.class())
        }
        WireType::EngineTool => {
            matches!(card.make, Factory::Tools(_)) && card.base_classes.contains(&wanted.class())
        }
        WireType::IndexRetriever => matches!(card.make, Factory::VectorStore(_)),
        WireType::EngineModel => matches!(card.make, Factory::ChatModel(_)),
        WireType::EngineEmbeddings => matches!(card.make, Factory::Embeddings(_)),
        WireType::Synthesizer => matches!(card.make, Factory::Synthesis(_)),
        // Of the members of a team each input takes those that bear one of its classes.
        WireType::Supervisor
        | WireType::AgentState
        | WireType::Checkpointer
        | WireType::SequentialNode
        | WireType::LlmNode => {
            let taken = |class: &&str| wanted.class().split(" | ").any(|wanted| wanted == *class);
            matches!(card.make, Factory::Member(_)) && card.base_classes.iter().any(taken)
        }
        WireType::Specialist => {
            matches!(card.make, Factory::Team) && card.base_classes.contains(&wanted.class())
        }
    }
}
