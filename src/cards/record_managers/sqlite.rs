//! SQLite Record Manager: what is in a store, remembered by this server. The name is Flowise's; the records lie in
//! the server's own database, so there is nothing to connect to.

use crate::domain::error::Result;
use crate::domain::ids::{CollectionId, NamespaceId};
use crate::kit::stores::records::{CLEANUP, NAMESPACE, SOURCE_KEY, TABLE};
use crate::kit::{
    Capability, Card, Category, Factory, Grant, Host, Input, JsonShape, Knowledge, Need, RecordManager,
    RecordManagerConfig, Risk,
};
use crate::vectors::RowId;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "SQLiteRecordManager",
    label: "SQLite Record Manager",
    version: 1.1,
    category: Category::RecordManager,
    description: "Remembers in this server's own database which chunks a vector store holds, so that filling it \
                  again stores only what is new and removes what is gone.",
    base_classes: &["SQLite RecordManager", "RecordManager"],
    risk: Risk::Safe,
    needs: &[Need::with_refusal(Capability::Knowledge, "a run without a server can keep no records")],
    inputs: &[
        Input::json("additionalConfig", "Additional Connection Configuration")
            .shape(JsonShape::Unread)
            .additional()
            .help("Not used: there is nothing to connect to."),
        Input::text("tableName", "Table Name")
            .additional()
            .help("Keeps records apart, like the namespace. Empty: upsertion_records."),
        NAMESPACE,
        CLEANUP,
        SOURCE_KEY,
    ],
    outputs: &[],
    make: Factory::Records(|inputs| {
        let table = inputs.optional_text("tableName").unwrap_or_else(|| TABLE.to_owned());
        Ok(Arc::new(LocalRecords {
            config: RecordManagerConfig::from_inputs(inputs)?,
            knowledge: inputs.need()?,
            table,
        }))
    }),
};

struct LocalRecords {
    config: RecordManagerConfig,
    knowledge: Grant<dyn Knowledge>,
    table: String,
}

impl LocalRecords {
    fn id(&self, namespace: &str) -> NamespaceId {
        // A table cannot end in what separates it from the namespace: it is written as JSON.
        let name = serde_json::json!([self.table, namespace]).to_string();
        NamespaceId::from_bytes(*CollectionId::from_name(CARD.name, &name).bytes())
    }
}

impl RecordManager for LocalRecords {
    fn config(&self) -> &RecordManagerConfig {
        &self.config
    }

    fn records(&self, namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        self.knowledge.of(host)?.collections().records(&self.id(namespace))
    }

    fn change(
        &self,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        host: &dyn Host,
    ) -> Result<()> {
        self.knowledge.of(host)?.collections().change_records(&self.id(namespace), put, remove)
    }
}
