//! Every credential type: the fields a person fills in, and which of them are secret (manual 8.8).

use super::oauth2;

#[derive(Debug, PartialEq, Eq)]
pub struct CredentialType {
    /// Its name in records and canvases (`credentialName`).
    pub name: &'static str,
    pub label: &'static str,
    /// What is filled in.
    pub fields: &'static [CredentialField],
}

#[derive(Debug, PartialEq, Eq)]
pub struct CredentialField {
    /// Its name; a card input of the same name goes first.
    pub name: &'static str,
    pub label: &'static str,
    pub kind: FieldKind,
    /// May be left empty.
    pub optional: bool,
    pub default: Option<&'static str>,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A text that is no secret.
    Text,
    /// A secret: never returned.
    Password,
    /// An address, returned without the password in it.
    Url,
    /// A number, or its text.
    Number,
    Boolean,
    Options(&'static [&'static str]),
}

#[must_use]
pub fn find_type(name: &str) -> Option<&'static CredentialType> {
    ALL.iter().find(|kind| kind.name == name)
}

impl CredentialField {
    const fn with_default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

impl CredentialType {
    /// True when a person signs in to it at its provider.
    #[must_use]
    pub fn has_sign_in(&self) -> bool {
        oauth2::has_sign_in(self.name)
    }
}

const fn kind(name: &'static str, label: &'static str, fields: &'static [CredentialField]) -> CredentialType {
    CredentialType { name, label, fields }
}

const fn field(name: &'static str, label: &'static str, kind: FieldKind) -> CredentialField {
    CredentialField { name, label, kind, optional: false, default: None }
}

const fn text(name: &'static str, label: &'static str) -> CredentialField {
    field(name, label, FieldKind::Text)
}

const fn password(name: &'static str, label: &'static str) -> CredentialField {
    field(name, label, FieldKind::Password)
}

const fn url(name: &'static str, label: &'static str) -> CredentialField {
    field(name, label, FieldKind::Url)
}

const fn number(name: &'static str, label: &'static str) -> CredentialField {
    field(name, label, FieldKind::Number)
}

const fn boolean(name: &'static str, label: &'static str) -> CredentialField {
    field(name, label, FieldKind::Boolean)
}

/// What an OAuth2 application of Google is described by. The tokens of a sign-in are kept beside these and never shown.
const GOOGLE_OAUTH2: &[CredentialField] = &[
    text("authorizationUrl", "Authorization URL").with_default(oauth2::GOOGLE_AUTHORIZE),
    text("accessTokenUrl", "Access Token URL").with_default(oauth2::GOOGLE_TOKEN),
    text("clientId", "Client ID"),
    password("clientSecret", "Client Secret"),
    text("additionalParameters", "Additional Parameters").optional().with_default(oauth2::GOOGLE_PARAMETERS),
    text("scope", "Scope").optional(),
];

/// As [`GOOGLE_OAUTH2`], of Microsoft.
const MICROSOFT_OAUTH2: &[CredentialField] = &[
    text("authorizationUrl", "Authorization URL").with_default(oauth2::MICROSOFT_AUTHORIZE),
    text("accessTokenUrl", "Access Token URL").with_default(oauth2::MICROSOFT_TOKEN),
    text("clientId", "Client ID"),
    password("clientSecret", "Client Secret"),
    text("additionalParameters", "Additional Parameters").optional(),
    text("scope", "Scope").optional(),
];

/// Who signs in at a server of databases and, for code of flows, which one it is: code never says where a password goes.
const SQL_SERVER: &[CredentialField] = &[
    text("user", "User"),
    password("password", "Password"),
    text("host", "Host (lets code of flows ask the database)").optional(),
    number("port", "Port").optional(),
    text("database", "Database").optional(),
    boolean("ssl", "SSL"),
    text("certificate", "Certificate of the server's authority (PEM)").optional(),
    boolean("allowWrites", "Code may write"),
];

/// All types, in the order in which forms list them.
#[rustfmt::skip]
pub const ALL: &[CredentialType] = &[
    kind("openAIApi", "OpenAI API", &[password("openAIApiKey", "OpenAI API Key")]),
    kind("azureOpenAIApi", "Azure OpenAI API", &[
        password("azureOpenAIApiKey", "Azure OpenAI API Key"),
        text("azureOpenAIApiInstanceName", "Azure OpenAI API Instance Name"),
        text("azureOpenAIApiDeploymentName", "Azure OpenAI API Deployment Name"),
        text("azureOpenAIApiVersion", "Azure OpenAI API Version"),
    ]),
    kind("anthropicApi", "Anthropic API", &[password("anthropicApiKey", "Anthropic API Key")]),
    kind("googleGenerativeAI", "Google Generative AI", &[password("googleGenerativeAPIKey", "Google AI API Key")]),
    kind("googleVertexAuth", "Google Vertex Auth", &[
        text("googleApplicationCredentialFilePath", "Google Credential JSON File Path").optional(),
        password("googleApplicationCredential", "Google Credential JSON").optional(),
        text("projectID", "Project ID").optional(),
    ]),
    kind("awsApi", "AWS security credentials", &[
        password("awsKey", "AWS Access Key").optional(),
        password("awsSecret", "AWS Secret Key").optional(),
        password("awsSession", "AWS Session Token").optional(),
        text("roleArn", "Role Arn").optional(),
        text("externalId", "External ID").optional(),
    ]),
    kind("ollamaApi", "Ollama API", &[password("ollamaApiKey", "Ollama API Key")]),
    kind("cohereApi", "Cohere API", &[password("cohereApiKey", "Cohere API Key")]),
    kind("mistralAIApi", "MistralAI API", &[password("mistralAIAPIKey", "MistralAI API Key")]),
    kind("groqApi", "Groq API", &[password("groqApiKey", "Groq API Key")]),
    kind("deepseekApi", "DeepseekAI API", &[password("deepseekApiKey", "Deepseek API Key")]),
    kind("AlibabaApi", "Alibaba API", &[password("alibabaApiKey", "Alibaba API Key")]),
    kind("cloudflareApi", "Cloudflare API", &[
        text("cloudflareAccountId", "Cloudflare Account ID"),
        password("cloudflareApiToken", "Cloudflare API Token"),
    ]),
    kind("xaiApi", "Xai API", &[password("xaiApiKey", "xAI API Key")]),
    kind("togetherAIApi", "TogetherAI API", &[password("togetherAIApiKey", "TogetherAI API Key")]),
    kind("fireworksApi", "Fireworks API", &[password("fireworksApiKey", "Fireworks API Key")]),
    kind("cerebrasAIApi", "Cerebras API Key", &[password("cerebrasApiKey", "Cerebras API Key")]),
    kind("perplexityApi", "Perplexity API", &[password("perplexityApiKey", "Perplexity API Key")]),
    kind("openRouterApi", "OpenRouter API Key", &[password("openRouterApiKey", "OpenRouter API Key")]),
    kind("litellmApi", "Litellm API", &[password("litellmApiKey", "LiteLLM API Key")]),
    kind("localAIApi", "LocalAI API", &[password("localAIApiKey", "LocalAI API Key")]),
    kind("nvidiaNIMApi", "NVIDIA NGC API Key", &[password("nvidiaNIMApiKey", "NVIDIA NGC API Key")]),
    kind("sambanovaApi", "Sambanova API", &[password("sambanovaApiKey", "Sambanova API Key")]),
    kind("cometApi", "Comet API", &[password("cometApiKey", "Comet API Key")]),
    kind("huggingFaceApi", "HuggingFace API", &[password("huggingFaceApiKey", "HuggingFace API Key")]),
    kind("replicateApi", "Replicate API", &[password("replicateApiKey", "Replicate API Key")]),
    kind("voyageAIApi", "Voyage AI API", &[
        text("endpoint", "Endpoint").with_default("https://api.voyageai.com/v1/embeddings"),
        password("apiKey", "API Key"),
    ]),
    kind("jinaAIApi", "JinaAI API", &[password("jinaAIAPIKey", "JinaAI API Key")]),
    kind("azureFoundryApi", "Azure Foundry API", &[
        password("azureFoundryApiKey", "Azure Foundry API Key"),
        text("azureFoundryEndpoint", "Azure Foundry Endpoint"),
    ]),
    kind("braveSearchApi", "Brave Search API", &[password("braveApiKey", "Brave API Key")]),
    kind("serperApi", "Serper API", &[password("serperApiKey", "Serper API Key")]),
    kind("serpApi", "Serp API", &[password("serpApiKey", "Serp API Key")]),
    kind("searchApi", "Search API", &[password("searchApiKey", "Search API Key")]),
    kind("tavilyApi", "Tavily API", &[password("tavilyApiKey", "Tavily API Key")]),
    kind("exaSearchApi", "Exa Search API", &[password("exaSearchApiKey", "Exa Search API Key")]),
    kind("googleCustomSearchApi", "Google Custom Search API", &[
        password("googleCustomSearchApiKey", "Google Custom Search API Key"),
        text("googleCustomSearchApiId", "Google Custom Search API ID"),
    ]),
    kind("wolframAlphaAppId", "WolframAlpha App ID", &[password("wolframAlphaAppId", "WolframAlpha App ID")]),
    kind("E2BApi", "E2B API", &[password("e2bApiKey", "E2B API Key")]),
    kind("chatflowApi", "Chatflow API", &[password("chatflowApiKey", "Chatflow API Key")]),
    kind("agentflowApi", "Agentflow API", &[password("agentflowApiKey", "Agentflow API Key")]),
    kind("httpBasicAuth", "HTTP Basic Auth", &[
        text("basicAuthUsername", "Basic Auth Username"),
        password("basicAuthPassword", "Basic Auth Password"),
    ]),
    kind("httpBearerToken", "HTTP Bearer Token", &[password("token", "Token")]),
    kind("httpApiKey", "HTTP Api Key", &[text("key", "Key"), password("value", "Value")]),
    kind("githubApi", "Github API", &[password("accessToken", "Access Token")]),
    kind("slackApi", "Slack Bot Token", &[password("botToken", "Bot Token"), text("teamId", "Team ID")]),
    kind("slackOAuth2", "Slack User Token OAuth2", &[
        text("authorizationUrl", "Authorization URL").with_default("https://slack.com/oauth/v2_user/authorize"),
        text("accessTokenUrl", "Access Token URL").with_default("https://slack.com/api/oauth.v2.user.access"),
        text("clientId", "Client ID"),
        password("clientSecret", "Client Secret"),
        text("additionalParameters", "Additional Parameters").optional(),
        text("scope", "Scope").optional(),
    ]),
    kind("PostgresApi", "Postgres API", SQL_SERVER),
    kind("PostgresUrl", "Postgres URL", &[
        url("postgresUrl", "Postgres URL"),
        boolean("allowWrites", "Code may write"),
    ]),
    kind("MySQLApi", "MySQL API", SQL_SERVER),
    kind("redisCacheApi", "Redis API", &[
        text("redisCacheHost", "Redis Cache Host").with_default("127.0.0.1"),
        number("redisCachePort", "Redis Cache Port").with_default("6379"),
        text("redisCacheUser", "Redis Cache User").optional(),
        password("redisCachePwd", "Redis Cache Password").optional(),
        boolean("redisCacheSslEnabled", "Redis Cache SSL Enabled"),
    ]),
    kind("redisCacheUrlApi", "Redis URL", &[url("redisUrl", "Redis URL").with_default("redis://localhost:6379")]),
    kind("mongoDBUrlApi", "MongoDB ATLAS", &[url("mongoDBConnectUrl", "MongoDB Connection URL")]),
    kind("upstashRedisApi", "Upstash Redis API", &[
        url("upstashConnectionUrl", "Upstash Connection URL"),
        password("upstashConnectionToken", "Upstash Connection Token"),
    ]),
    kind("dynamodbMemoryApi", "DynamodbMemory API", &[
        password("accessKey", "Access Key"),
        password("secretAccessKey", "Secret Access Key"),
    ]),
    kind("zepMemoryApi", "Zep Memory Api", &[password("apiKey", "API Key")]),
    kind("upstashRedisMemoryApi", "Upstash Redis Memory API", &[password("upstashRestToken", "Upstash REST Token")]),
    kind("upstashVectorApi", "Upstash Vector API", &[
        url("UPSTASH_VECTOR_REST_URL", "Upstash Vector REST URL"),
        password("UPSTASH_VECTOR_REST_TOKEN", "Upstash Vector REST Token"),
    ]),
    kind("qdrantApi", "Qdrant API", &[password("qdrantApiKey", "Qdrant API Key")]),
    kind("chromaApi", "Chroma API", &[
        password("chromaApiKey", "Chroma API Key"),
        text("chromaTenant", "Chroma Tenant").optional(),
        text("chromaDatabase", "Chroma Database").optional(),
    ]),
    kind("pineconeApi", "Pinecone API", &[password("pineconeApiKey", "Pinecone API Key")]),
    kind("weaviateApi", "Weaviate API", &[password("weaviateApiKey", "Weaviate API Key")]),
    kind("milvusAuth", "Milvus Auth", &[
        text("milvusUser", "Milvus User"),
        password("milvusPassword", "Milvus Password"),
    ]),
    kind("elasticsearchApi", "Elasticsearch API", &[text("endpoint", "Endpoint"), password("apiKey", "API Key")]),
    kind("elasticSearchUserPassword", "ElasticSearch User Password", &[
        text("cloudId", "Cloud ID"),
        text("username", "Username"),
        password("password", "Password"),
    ]),
    kind("openSearchUrl", "OpenSearch", &[
        url("openSearchUrl", "Open Search URL"),
        text("user", "User").optional(),
        password("password", "Password").optional(),
    ]),
    kind("supabaseApi", "Supabase API", &[password("supabaseApiKey", "Supabase API Key")]),
    kind("meilisearchApi", "Meilisearch API", &[
        password("meilisearchSearchApiKey", "Meilisearch Search API Key"),
        password("meilisearchAdminApiKey", "Meilisearch Admin API Key").optional(),
    ]),
    kind("unstructuredApi", "Unstructured API", &[password("unstructuredAPIKey", "Unstructured API Key")]),
    kind("notionApi", "Notion API", &[password("notionIntegrationToken", "Notion Integration Token")]),
    kind("airtableApi", "Airtable API", &[password("accessToken", "Access Token")]),
    kind("confluenceCloudApi", "Confluence Cloud API", &[
        password("accessToken", "Access Token"),
        text("username", "Username"),
    ]),
    kind("confluenceServerDCApi", "Confluence Server/Data Center API", &[
        password("personalAccessToken", "Personal Access Token"),
    ]),
    kind("figmaApi", "Figma API", &[password("accessToken", "Access Token")]),
    kind("fireCrawlApi", "FireCrawl API", &[
        password("firecrawlApiToken", "Firecrawl API Token"),
        text("firecrawlApiUrl", "Firecrawl API URL").with_default("https://api.firecrawl.dev"),
    ]),
    kind("spiderApi", "Spider API", &[password("spiderApiKey", "Spider API Key")]),
    kind("apifyApi", "Apify API", &[password("apifyApiToken", "Apify API Token")]),
    kind("langfuseApi", "Langfuse API", &[
        password("langFuseSecretKey", "Langfuse Secret Key"),
        text("langFusePublicKey", "Langfuse Public Key"),
        text("langFuseEndpoint", "Langfuse Endpoint").with_default("https://cloud.langfuse.com"),
    ]),
    kind("langsmithApi", "Langsmith API", &[
        password("langSmithApiKey", "LangSmith API Key"),
        text("langSmithEndpoint", "LangSmith Endpoint").with_default("https://api.smith.langchain.com"),
    ]),
    kind("lunaryApi", "Lunary AI", &[
        text("lunaryAppId", "Lunary App ID"),
        text("lunaryEndpoint", "Lunary Endpoint").with_default("https://api.lunary.ai"),
    ]),
    kind("langwatchApi", "LangWatch API", &[
        password("langWatchApiKey", "LangWatch API Key"),
        text("langWatchEndpoint", "LangWatch Endpoint").with_default("https://app.langwatch.ai"),
    ]),
    kind("arizeApi", "Arize API", &[
        password("arizeApiKey", "Arize API Key"),
        text("arizeSpaceId", "Arize Space ID"),
        text("arizeEndpoint", "Arize Endpoint").with_default("https://otlp.arize.com"),
    ]),
    kind("phoenixApi", "Phoenix API", &[
        password("phoenixApiKey", "Phoenix API Key"),
        text("phoenixEndpoint", "Phoenix Endpoint").with_default("https://app.phoenix.arize.com"),
    ]),
    kind("opikApi", "Opik API", &[
        password("opikApiKey", "Opik API Key"),
        text("opikUrl", "Opik URL"),
        text("opikWorkspace", "Opik Workspace"),
    ]),
    kind("assemblyAIApi", "AssemblyAI API", &[password("assemblyAIApiKey", "AssemblyAI API Key")]),
    kind("azureCognitiveServices", "Azure Cognitive Services", &[
        password("azureSubscriptionKey", "Azure Subscription Key"),
        text("serviceRegion", "Service Region"),
        text("apiVersion", "API Version").with_default("2024-05-15-preview"),
    ]),
    kind("elevenLabsApi", "Eleven Labs API", &[password("elevenLabsApiKey", "Eleven Labs API Key")]),
    kind("neo4jApi", "Neo4j API", &[
        text("url", "URL"),
        text("username", "Username"),
        password("password", "Password"),
    ]),
    kind("jiraApi", "Jira API", &[text("username", "Username"), password("accessToken", "Access Token")]),
    kind("jiraApiBearerToken", "Jira API (Bearer Token)", &[password("bearerToken", "Bearer Token")]),
    kind("gmailOAuth2", "Gmail OAuth2", GOOGLE_OAUTH2),
    kind("googleCalendarOAuth2", "Google Calendar OAuth2", GOOGLE_OAUTH2),
    kind("googleDocsOAuth2", "Google Docs OAuth2", GOOGLE_OAUTH2),
    kind("googleDriveOAuth2", "Google Drive OAuth2", GOOGLE_OAUTH2),
    kind("googleSheetsOAuth2", "Google Sheets OAuth2", GOOGLE_OAUTH2),
    kind("microsoftOutlookOAuth2", "Microsoft Outlook OAuth2", MICROSOFT_OAUTH2),
    kind("microsoftTeamsOAuth2", "Microsoft Teams OAuth2", MICROSOFT_OAUTH2),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let names: HashSet<_> = ALL.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), ALL.len());
        for kind in ALL {
            let fields: HashSet<_> = kind.fields.iter().map(|field| field.name).collect();
            assert_eq!(fields.len(), kind.fields.len(), "{}", kind.name);
            assert!(!kind.fields.is_empty(), "{}", kind.name);
        }
    }

    #[test]
    fn what_sounds_secret_is_secret() {
        for field in ALL.iter().flat_map(|kind| kind.fields) {
            let name = field.name.to_lowercase();
            let sounds = ["apikey", "secret", "password", "token"].iter().any(|end| name.ends_with(end));
            assert!(!sounds || field.kind == FieldKind::Password, "{}", field.name);
        }
    }
}
