//! Which cards can be wired into which inputs.

use crate::canvas::Node;
use crate::cards::kit::{Card, Connects, Make};

/// True when what the card makes of itself is what an input of this kind takes.
pub(super) fn fits(wanted: Connects, card: &Card, node: &Node) -> bool {
    let hands_on_result =
        card.outputs.iter().any(|output| output.predicts && node.output.as_deref() == Some(output.name));
    let is_result = match card.make {
        Make::Branch(_) | Make::Keep(_) | Make::Recall(_) => true,
        Make::Chain(_) | Make::Retriever(_) | Make::Loader(_) => hands_on_result,
        _ => false,
    };
    if is_result {
        return wanted == Connects::Value;
    }
    match wanted {
        Connects::Cache => matches!(card.make, Make::Cache(_)),
        Connects::ChatModel | Connects::LanguageModel => matches!(card.make, Make::ChatModel(_)),
        Connects::Memory | Connects::ChatMemory => matches!(card.make, Make::Memory(_)),
        Connects::Prompt | Connects::ChatPrompt => matches!(card.make, Make::Prompt(_)),
        Connects::OutputParser => matches!(card.make, Make::OutputParser(_)),
        Connects::Moderation => matches!(card.make, Make::Moderation(_)),
        Connects::Tool => matches!(card.make, Make::Tools(_)),
        Connects::Retriever => {
            matches!(card.make, Make::Retriever(_) | Make::VectorStore(_) | Make::Route(_))
        }
        Connects::TextSplitter => matches!(card.make, Make::Splitter(_)),
        Connects::VectorStore => matches!(card.make, Make::VectorStore(_)),
        Connects::VectorStoreRetriever | Connects::PromptRetriever => match card.make {
            Make::Route(_) => card.base_classes.contains(&wanted.class()),
            Make::VectorStore(_) => wanted == Connects::VectorStoreRetriever,
            _ => false,
        },
        Connects::Document => matches!(card.make, Make::Loader(_)),
        Connects::Embeddings => matches!(card.make, Make::Embeddings(_)),
        Connects::RecordManager => matches!(card.make, Make::Records(_)),
        Connects::Chain => matches!(card.make, Make::Chain(_)),
        Connects::Value => false,
        // What these take from each other is of one kind only when it is of their own class.
        Connects::Engine => {
            matches!(card.make, Make::Chain(_)) && card.base_classes.contains(&wanted.class())
        }
        Connects::EngineTool => {
            matches!(card.make, Make::Tools(_)) && card.base_classes.contains(&wanted.class())
        }
        Connects::IndexRetriever => matches!(card.make, Make::VectorStore(_)),
        Connects::EngineModel => matches!(card.make, Make::ChatModel(_)),
        Connects::EngineEmbeddings => matches!(card.make, Make::Embeddings(_)),
        Connects::Synthesizer => matches!(card.make, Make::Synthesis(_)),
    }
}
