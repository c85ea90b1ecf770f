//! Samples of every family and of what only looks like one, written down apart from the rules: as patterns after
//! the shapes of the scanner (manual 6.8 r3), from which tests draw.

use proptest::prelude::*;
use proptest::string::string_regex;

/// A secret in its surroundings. Only `secret` must not survive.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub lead: String,
    pub secret: String,
    pub tail: String,
}

impl Sample {
    pub(crate) fn text(&self) -> String {
        format!("{}{}{}", self.lead, self.secret, self.tail)
    }
}

/// Lead, pattern of the secret, tail: one line for each shape of the table.
#[rustfmt::skip]
pub(crate) const SHAPES: &[(&str, &str, &str)] = &[
    ("", "sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}", ""),
    ("", "sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{58}T3BlbkFJ[A-Za-z0-9_-]{58}", ""),
    ("", "sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}", ""),
    ("", "sk-[A-Z]{2}[a-z]{2}[0-9]{2}[A-Za-z0-9_-]{26,60}", ""),
    ("", "sk-[0-9a-f]{32,64}", ""),
    ("", "sk-ant-(api|admin|oat)0[1-9]-[A-Za-z0-9_-]{80,110}", ""),
    ("", "gsk_[A-Za-z0-9]{52}", ""), ("", "xai-[A-Za-z0-9]{80}", ""), ("", "pplx-[A-Za-z0-9]{48}", ""),
    ("", "r8_[A-Za-z0-9]{37,40}", ""), ("", "hf_[A-Za-z]{34}", ""), ("", "api_org_[A-Za-z]{34}", ""),
    ("", "sk-or-v1-[0-9a-f]{64}", ""), ("", "pcsk_[A-Za-z0-9_]{60,75}", ""), ("", "tvly-[A-Za-z0-9-]{20,40}", ""),
    ("", "fc-[0-9a-f]{32}", ""), ("", "lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", ""),
    ("", "sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", ""), ("", "sk_[0-9a-f]{48}", ""),
    ("", "gh[pousr]_[A-Za-z0-9]{36,80}", ""), ("", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", ""),
    ("", "gl(pat|dt|rt|ft|soat|ffct)-[A-Za-z0-9_-]{20,40}", ""), ("", "glptt-[0-9a-f]{40}", ""),
    ("", "glagent-[A-Za-z0-9_-]{50}", ""), ("", "gloas-[A-Za-z0-9_-]{64}", ""), ("", "glcbt-[A-Za-z0-9]{1,5}_[A-Za-z0-9_-]{20}", ""),
    ("", "(AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}", ""), ("", "ABSK[A-Za-z0-9+/]{109,260}", ""),
    ("aws_secret_access_key = ", "[A-Z]{2}[a-z]{2}[0-9]{2}[A-Za-z0-9/+]{34}", ""),
    ("AWS_SECRET=\"", "[A-Z]{2}[a-z]{2}[0-9]{2}[A-Za-z0-9/+]{34}", "\""),
    ("the aws one is ", "[A-Z]{2}[a-z]{2}[0-9]{2}[A-Za-z0-9/+]{34}", ""),
    ("", "AIza[A-Za-z0-9_-]{35}", ""), ("", "ya29\\.[A-Za-z0-9_-]{30,120}", ""), ("", "1//[A-Za-z0-9_-]{40,100}", ""),
    ("", "GOCSPX-[A-Za-z0-9_-]{28}", ""),
    ("", "[A-Za-z0-9]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}", ""), ("AccountKey=", "[A-Za-z0-9+/]{86}==", ";"),
    ("SharedAccessKey=", "[A-Za-z0-9+/]{43}=", ""), ("https://a.blob.core.windows.net/c?sv=2020&sig=", "[A-Za-z0-9%]{40,60}", "&x=1"),
    ("AZURE_OPENAI: ", "[0-9a-f]{15}[0-9][0-9a-f]{16}", ""), ("azureOpenAIApiKey\": \"", "[0-9a-f]{15}[0-9][0-9a-f]{16}", "\""),
    ("", "xox[bparso]-[0-9]{10,12}-[0-9]{10,12}-[A-Za-z0-9]{24}", ""), ("", "xoxe-[0-9]-[A-Za-z0-9]{40}", ""),
    ("", "xoxe\\.xox[bp]-1-[A-Za-z0-9]{60}", ""), ("", "xapp-1-[A-Z0-9]{11}-[0-9]{13}-[0-9a-f]{64}", ""),
    ("https://hooks.slack.com/services/", "T[A-Z0-9]{10}/B[A-Z0-9]{10}/[A-Za-z0-9]{24}", ""),
    ("https://hooks.slack.com/triggers/", "T[A-Z0-9]{10}/[0-9]{13}/[0-9a-f]{32}", ""),
    ("", "[sr]k_(live|test|prod)_[A-Za-z0-9]{10,99}", ""), ("", "whsec_[A-Za-z0-9+/]{32,44}", ""),
    ("", "sq0(atp|csp)-[A-Za-z0-9_-]{22,43}", ""), ("", "EAAA[A-Za-z0-9_-]{60}", ""), ("", "shp(at|ca|pa|ss)_[0-9a-f]{32}", ""),
    ("", "access_token\\$production\\$[0-9a-z]{16}\\$[0-9a-f]{32}", ""),
    ("", "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}", ""), ("", "key-[0-9a-f]{32}", ""), ("", "[0-9a-f]{32}-us[0-9]{1,2}", ""),
    ("", "(SK|AC)[0-9a-f]{32}", ""), ("", "[0-9]{8,10}:[A-Za-z0-9_-]{35}", ""),
    ("", "[MN][A-Z][a-z][0-9][A-Za-z0-9_-]{20,24}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}", ""),
    ("https://discord.com/api/webhooks/", "[0-9]{18,19}/[A-Za-z0-9_-]{60,68}", ""),
    ("", "do[opr]_v1_[0-9a-f]{64}", ""), ("", "dapi[0-9a-f]{32}", ""), ("", "npm_[A-Za-z0-9]{36}", ""),
    ("", "pypi-[A-Za-z0-9_-]{50,180}", ""), ("", "rubygems_[0-9a-f]{48}", ""), ("", "pul-[0-9a-f]{40}", ""),
    ("", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}", ""), ("", "hvs\\.[A-Za-z0-9_-]{24,100}", ""),
    ("", "hvb\\.[A-Za-z0-9_-]{100,200}", ""), ("", "dp\\.pt\\.[A-Za-z0-9]{43}", ""), ("", "HRKU-AA[A-Za-z0-9_-]{58}", ""),
    ("", "fo1_[A-Za-z0-9_-]{43}", ""), ("", "fm[12]_[A-Za-z0-9+/]{100,200}={0,2}", ""), ("", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}", ""),
    ("", "nfp_[A-Za-z0-9]{36}", ""), ("", "sbp_[0-9a-f]{40}", ""), ("", "sb_secret_[A-Za-z0-9_-]{20,40}", ""),
    ("", "pscale_(tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,64}", ""),
    ("", "glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}", ""), ("", "glc_[A-Za-z0-9+/]{32,200}={0,2}", ""), ("", "NRAK-[A-Z0-9]{27}", ""),
    ("", "dt0c01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}", ""), ("", "sntrys_eyJ[A-Za-z0-9+/]{60,120}=_[A-Za-z0-9+/]{43}", ""),
    ("", "sntryu_[0-9a-f]{64}", ""), ("", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}", ""), ("", "lin_api_[A-Za-z0-9]{40}", ""),
    ("", "ntn_[A-Za-z0-9]{40,50}", ""), ("", "secret_[A-Za-z0-9]{43}", ""), ("", "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}", ""),
    ("", "pat-(na|eu)1-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", ""), ("", "figd_[A-Za-z0-9_-]{40}", ""),
    ("", "ATATT3[A-Za-z0-9_=-]{100,190}", ""), ("", "EZ[AT]K[A-Za-z0-9]{54}", ""), ("", "EAA[CM][A-Za-z0-9]{100,180}", ""),
    ("", "sl\\.[A-Za-z0-9_-]{130,140}", ""), ("", "ops_eyJ[A-Za-z0-9+/]{250,300}", ""),
    ("", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", ""),
    ("", "eyJ[A-Za-z0-9_-]{10,40}\\.eyJ[A-Za-z0-9_-]{10,90}\\.[A-Za-z0-9_-]{10,43}", ""), ("", "ZXlK[A-Za-z0-9+/]{60,200}={0,2}", ""),
    ("", "-----BEGIN (RSA |EC |OPENSSH )?PRIVATE KEY-----(\n[A-Za-z0-9+/]{64}){2,4}\n-----END PRIVATE KEY-----", ""),
    ("", "-----BEGIN PRIVATE KEY-----(\\\\n[A-Za-z0-9+/]{64}){2,4}\\\\n-----END PRIVATE KEY-----\\\\n", ""),
    ("", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n[A-Za-z0-9+/]{64}", ""),
    ("postgres://ada:", "[A-Za-z0-9!^*()_+.-]{6,24}", "@db.example.com:5432/app"), ("amqp+ssl://:", "[A-Za-z0-9]{6,24}", "@h"),
    ("mongodb+srv://u:", "[a-z][A-Za-z0-9]{2}[/#?][A-Za-z0-9]{5}", "@cluster0.example.net"),
    ("Server=db;Database=app;User Id=sa;Password=", "[A-Za-z0-9!^*_+.-]{6,24}", ";"), ("Pwd=", "[a-zA-Z0-9]{6,20}", ";Encrypt=yes"),
    ("Authorization: Bearer ", "[A-Za-z0-9._~+/-]{16,80}", ""), ("curl -H 'authorization: Basic ", "[A-Za-z0-9+/]{16,40}={0,2}", "'"),
    ("headers.set(\"Authorization\", \"Token ", "[0-9a-f]{40}", "\")"), ("{\\\"Authorization\\\": \\\"Bearer ", "[A-Za-z0-9]{24}", "\\\"}"),
    ("curl -s -u ada:", "[A-Za-z0-9!^*_+.-]{4,24}", " https://x"), ("curl --user 'ada:", "[A-Za-z0-9!^*_+. -]{4,24}", "' https://x"),
    ("https://api.example.com/v1?api_key=", "[A-Za-z0-9]{16,40}", "&q=1"), ("https://x.example/?a=1&access_token=", "[A-Za-z0-9_.-]{16,60}", ""),
    ("api_key = ", "[a-z]{2}[0-9]{4}[A-F]{3}[A-Za-z0-9+/_.-]{11,40}[A-Z]", ""), ("\"clientSecret\" : \"", "[a-z]{3}[0-9]{5}[A-Z]{4}[A-Za-z0-9]{10}", "\""),
    ("token => '", "[a-z]{3}[0-9]{5}[A-Z]{4}[A-Za-z0-9]{10}", "'"), ("MY_AUTH_CREDENTIAL=", "[a-z]{3}[0-9]{5}[A-Z]{4}[A-Za-z0-9]{10}", ""),
    ("x-api-key: ", "[a-z]{3}[0-9]{5}[A-Z]{4}[A-Za-z0-9]{10}", "\n"), ("config['secret'] = '", "[a-z]{3}[0-9]{5}[A-Z]{4}[A-Za-z0-9]{10}", "'"),
    ("db_password: \"", "[a-z]{4,8}[0-9!^*#@]{4}[a-zA-Z0-9!*]{0,9}", "\""), ("const pwd = '", "[a-z]{4,8}[0-9!^*#@]{4}[a-zA-Z0-9!*]{0,9}", "'"),
    ("", "fk_[A-Za-z0-9_-]{43}", ""), ("", "fk[srw]_[A-Za-z0-9_-]{43}", ""), ("Cookie: flowkeep_session=", "[A-Za-z0-9_-]{43}", "; Path=/"),
];

/// Patterns of what must stay readable.
pub(crate) const HARMLESS: &[&str] = &[
    "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "[0-9a-f]{40}",
    "commit [0-9a-f]{7,40}",
    "(gpt-4o-mini-2024-07-18|claude-sonnet-4-20250514|text-embedding-3-large|meta-llama/Llama-3\\.1-70B-Instruct|gemini-2\\.0-flash-001|ft:gpt-4o-mini-2024-07-18)",
    "(model|tokenizerKey|authModel)(: |=|\": \")(gpt-4o-mini-2024-07-18|claude-3-5-sonnet-20241022|text-embedding-ada-002|llama-3\\.3-70b-versatile)\"",
    "\"(key|tokenId|credentialName)\": \"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\"",
    "pk_(live|test)_[A-Za-z0-9]{24,99}",
    "(publishableKey|NEXT_PUBLIC_KEY|stripe_key)\"?(: |=|\": \")pk_(live|test)_[A-Za-z0-9]{24,40}",
    "pk-lf-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "oauthClientId: [0-9]{12}-[a-z0-9]{32}\\.apps\\.googleusercontent\\.com",
    "data:image/(png|jpeg);base64,iVBORw0KGgo[A-Za-z0-9+/]{40,400}={0,2}",
    "<img src=\"data:image/jpeg;base64,/9j/[A-Za-z0-9+/]{40,400}\">",
    "(task|risk|desk|disk|mask)-x[A-Za-z0-9]{10,60}",
    "(task|risk)-(learn|management)-[a-z]{4,20}-[0-9]{1,4}",
    "sk-learn|scikit-learn|sk-(learn|image)==1\\.[0-9]\\.[0-9]",
    "\"password\": ?\"(string|password|yourpassword)\"",
    "\\{\"type\":\"object\",\"properties\":\\{\"(password|apiKey|token)\":\\{\"type\":\"string\"\\}\\}\\}",
    "(api_key|token|password|secret)(=|: |\": \")(\\{\\{\\$vars\\.apiToken2024\\}\\}|\\$API_KEY_12345678|<your-api-key-1234567>|\\$\\{SECRET_12345678\\})",
    "Authorization: Bearer (\\{\\{\\$vars\\.token\\}\\}|\\$TOKEN|<token>|YOUR_API_TOKEN_HERE)",
    "postgres://user:(\\{\\{\\$vars\\.pw\\}\\}|<password>|\\$PGPASSWORD|\\$\\{PGPASSWORD\\})@host:5432/db",
    "https?://[a-z]{3,8}\\.example\\.com(:[0-9]{2,5})?/[a-z]{2,9}/@[a-z]{3,9}",
    "(https|ftp)://[a-z]{3,9}@[a-z]{3,9}\\.example\\.com",
    "The (key|token|secret|password): keep it safe, and never show it to [a-z]{3,12} people before 20(1|2)[0-9]\\.",
    "(author|authority|keyboard|monkey)(=|: )(jane|peter|claire)-(miller|okafor|tanaka)-[0-9]{4}",
    "(endpointKey|authHost): [a-z]{3,8}-[0-9]{2}\\.eu-west-1\\.[a-z]{3,9}\\.example\\.com",
    "(chatOpenAI|llmChain|bufferMemory)_[0-9]{1,2}-(input|output)-(model|openAIApiKey|password)-(BaseChatModel|password|string)",
    "keys?=(value|default)&token_count=[0-9]{1,9}&maxTokens=[0-9]{1,6}",
    "[A-Z][a-z]{2,9}( [a-z]{2,12}){3,20}\\.",
    "version: v?[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{1,2}-beta\\.[0-9]{8}",
    "const key = createKeyFromSeed1234567890\\(seed\\);",
    "if \\(token\\) \\{ password=getPassword\\(\\); user=1; \\}",
    "AKIA[A-Z2-7]{4}|ghp_[a-z]{5}|AIza[a-z]{8}|hf_transfer|fc-[a-f0-9]{6}|key-value|SG\\.[a-z]{4}",
    "-----BEGIN (CERTIFICATE|PUBLIC KEY)-----\n[A-Za-z0-9+/]{64}\n-----END (CERTIFICATE|PUBLIC KEY)-----",
];

fn drawn(pattern: &str) -> impl Strategy<Value = String> + use<> {
    string_regex(pattern).expect("the pattern is one of ours")
}

/// Samples of one line of the table.
pub(crate) fn samples_of(line: usize) -> impl Strategy<Value = Sample> {
    let (lead, secret, tail) = SHAPES[line];
    drawn(secret).prop_map(move |secret| Sample { lead: lead.to_owned(), secret, tail: tail.to_owned() })
}

pub(crate) fn samples() -> impl Strategy<Value = Sample> {
    (0..SHAPES.len()).prop_flat_map(samples_of)
}

/// Texts that must stay as they are.
pub(crate) fn harmless() -> impl Strategy<Value = String> {
    (0..HARMLESS.len()).prop_flat_map(|line| drawn(HARMLESS[line]))
}
