//! The families of secrets, one row per shape (manual 6.8 r3).

use super::SecretFamily::{
    self, Anthropic, Aws, Azure, Cloud, GitHub, GitLab, Google, Mail, ModelProvider, Monitoring, OpenAi, Own,
    Payments, Slack,
};
use super::alphabet::{
    ALNUM, ANY64, AZURE, B64, B64U, BASE32, CharClass, DIGIT, DOTTED, HEX, QUERY, UPPER_ALNUM,
};

/// A piece of a shape. Each takes as much as it may and never gives back, so that a row is read once.
#[derive(Debug, Clone, Copy)]
pub(super) enum ShapePart {
    /// So many characters of a class.
    Exactly(CharClass, usize),
    /// From so many to so many characters of a class.
    Between(CharClass, usize, usize),
    /// So many characters of a class, and all that follow.
    AtLeast(CharClass, usize),
    Text(&'static str),
    Uuid,
}

/// A shape: what stands before an anchor, the anchor, and what follows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecretShape {
    pub(super) family: SecretFamily,
    /// The text a scan looks for.
    pub(super) anchor: &'static str,
    /// What must stand before the anchor, in reading order; empty for a plain boundary.
    pub(super) before: &'static [ShapePart],
    pub(super) after: &'static [ShapePart],
    /// The anchor stays readable: it names a place, and only what follows is secret.
    pub(super) keeps_anchor: bool,
}

const fn shape(family: SecretFamily, anchor: &'static str, after: &'static [ShapePart]) -> SecretShape {
    SecretShape { family, anchor, before: &[], after, keeps_anchor: false }
}

const fn around(
    family: SecretFamily,
    before: &'static [ShapePart],
    anchor: &'static str,
    after: &'static [ShapePart],
) -> SecretShape {
    SecretShape { family, anchor, before, after, keeps_anchor: false }
}

/// A shape whose anchor is an address or a name.
const fn at(family: SecretFamily, anchor: &'static str, after: &'static [ShapePart]) -> SecretShape {
    SecretShape { family, anchor, before: &[], after, keeps_anchor: true }
}

use ShapePart::{AtLeast, Between, Exactly, Text, Uuid};

/// Every shape that begins, or has in it, a fixed text. Where two begin alike, the more telling one comes first.
#[rustfmt::skip]
pub(super) const SHAPES: &[SecretShape] = &[
    shape(Anthropic, "sk-ant-", &[Between(ALNUM, 2, 20), Text("-"), AtLeast(B64U, 80)]),
    shape(OpenAi, "sk-", &[Exactly(ALNUM, 20), Text("T3BlbkFJ"), Exactly(ALNUM, 20)]),
    shape(OpenAi, "sk-proj-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 58)]),
    shape(OpenAi, "sk-proj-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-proj-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-proj-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 58)]),
    shape(OpenAi, "sk-svcacct-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 58)]),
    shape(OpenAi, "sk-svcacct-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-svcacct-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-svcacct-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 58)]),
    shape(OpenAi, "sk-admin-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 58)]),
    shape(OpenAi, "sk-admin-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-admin-", &[Exactly(B64U, 58), Text("T3BlbkFJ"), Exactly(B64U, 74)]),
    shape(OpenAi, "sk-admin-", &[Exactly(B64U, 74), Text("T3BlbkFJ"), Exactly(B64U, 58)]),

    shape(ModelProvider, "gsk_", &[Exactly(ALNUM, 52)]),
    shape(ModelProvider, "xai-", &[Exactly(ALNUM, 80)]),
    shape(ModelProvider, "pplx-", &[Exactly(ALNUM, 48)]),
    shape(ModelProvider, "r8_", &[Between(ALNUM, 37, 40)]),
    shape(ModelProvider, "hf_", &[Exactly(ALNUM, 34)]),
    shape(ModelProvider, "api_org_", &[Exactly(ALNUM, 34)]),
    shape(ModelProvider, "sk-or-v1-", &[Exactly(HEX, 64)]),
    shape(ModelProvider, "pcsk_", &[AtLeast(B64U, 60)]),
    shape(ModelProvider, "tvly-", &[AtLeast(B64U, 20)]),
    shape(ModelProvider, "fc-", &[Exactly(HEX, 32)]),
    shape(ModelProvider, "lsv2_pt_", &[Exactly(HEX, 32), Text("_"), Exactly(HEX, 10)]),
    shape(ModelProvider, "lsv2_sk_", &[Exactly(HEX, 32), Text("_"), Exactly(HEX, 10)]),
    shape(ModelProvider, "sk-lf-", &[Uuid]),
    shape(ModelProvider, "sk_", &[Exactly(HEX, 48)]),

    shape(GitHub, "ghp_", &[AtLeast(ALNUM, 36)]),
    shape(GitHub, "gho_", &[AtLeast(ALNUM, 36)]),
    shape(GitHub, "ghu_", &[AtLeast(ALNUM, 36)]),
    shape(GitHub, "ghs_", &[AtLeast(ALNUM, 36)]),
    shape(GitHub, "ghr_", &[AtLeast(ALNUM, 36)]),
    shape(GitHub, "github_pat_", &[Exactly(ALNUM, 22), Text("_"), Exactly(ALNUM, 59)]),

    shape(GitLab, "glpat-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "gldt-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "glrt-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "glft-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "glsoat-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "glffct-", &[AtLeast(B64U, 20)]),
    shape(GitLab, "glptt-", &[Exactly(HEX, 40)]),
    shape(GitLab, "glagent-", &[Exactly(B64U, 50)]),
    shape(GitLab, "gloas-", &[Exactly(B64U, 64)]),
    shape(GitLab, "glcbt-", &[Between(ALNUM, 1, 8), Text("_"), Exactly(B64U, 20)]),

    shape(Aws, "AKIA", &[Exactly(BASE32, 16)]),
    shape(Aws, "ASIA", &[Exactly(BASE32, 16)]),
    shape(Aws, "ABIA", &[Exactly(BASE32, 16)]),
    shape(Aws, "ACCA", &[Exactly(BASE32, 16)]),
    shape(Aws, "A3T", &[Exactly(UPPER_ALNUM, 1), Exactly(BASE32, 16)]),
    shape(Aws, "ABSK", &[Between(B64, 109, 269)]),

    shape(Google, "AIza", &[Exactly(B64U, 35)]),
    shape(Google, "ya29.", &[AtLeast(B64U, 30)]),
    shape(Google, "1//", &[AtLeast(B64U, 40)]),
    shape(Google, "GOCSPX-", &[Exactly(B64U, 28)]),

    around(Azure, &[Exactly(AZURE, 3), Exactly(DIGIT, 1)], "Q~", &[Between(AZURE, 31, 34)]),
    at(Azure, "AccountKey=", &[Between(B64, 44, 88)]),
    at(Azure, "SharedAccessKey=", &[Between(B64, 44, 88)]),
    at(Azure, "?sig=", &[AtLeast(QUERY, 40)]),
    at(Azure, "&sig=", &[AtLeast(QUERY, 40)]),

    shape(Slack, "xoxb-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxp-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxa-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxr-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxs-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxo-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxe-", &[AtLeast(B64U, 20)]),
    shape(Slack, "xoxe.xox", &[AtLeast(B64U, 20)]),
    shape(Slack, "xapp-", &[Exactly(DIGIT, 1), Text("-"), AtLeast(B64U, 20)]),
    at(Slack, "hooks.slack.com/services/", &[AtLeast(B64, 40)]),
    at(Slack, "hooks.slack.com/workflows/", &[AtLeast(B64, 40)]),
    at(Slack, "hooks.slack.com/triggers/", &[AtLeast(B64, 40)]),

    shape(Payments, "sk_live_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "sk_test_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "sk_prod_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "rk_live_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "rk_test_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "rk_prod_", &[Between(ALNUM, 10, 99)]),
    shape(Payments, "whsec_", &[AtLeast(ANY64, 32)]),
    shape(Payments, "sq0atp-", &[AtLeast(B64U, 22)]),
    shape(Payments, "sq0csp-", &[AtLeast(B64U, 22)]),
    shape(Payments, "EAAA", &[Exactly(B64U, 60)]),
    shape(Payments, "shpat_", &[Exactly(HEX, 32)]),
    shape(Payments, "shpca_", &[Exactly(HEX, 32)]),
    shape(Payments, "shppa_", &[Exactly(HEX, 32)]),
    shape(Payments, "shpss_", &[Exactly(HEX, 32)]),
    shape(Payments, "access_token$production$", &[Between(ALNUM, 8, 32), Text("$"), Exactly(HEX, 32)]),
    shape(Payments, "access_token$sandbox$", &[Between(ALNUM, 8, 32), Text("$"), Exactly(HEX, 32)]),

    shape(Mail, "SG.", &[Exactly(B64U, 22), Text("."), Exactly(B64U, 43)]),
    shape(Mail, "key-", &[Exactly(HEX, 32)]),
    around(Mail, &[Exactly(HEX, 32)], "-us", &[Between(DIGIT, 1, 2)]),
    shape(Mail, "SK", &[Exactly(HEX, 32)]),
    shape(Mail, "AC", &[Exactly(HEX, 32)]),
    around(Mail, &[Between(DIGIT, 8, 10)], ":", &[Exactly(B64U, 35)]),
    at(Mail, "discord.com/api/webhooks/", &[Between(DIGIT, 15, 22), Text("/"), AtLeast(B64U, 40)]),
    at(Mail, "discordapp.com/api/webhooks/", &[Between(DIGIT, 15, 22), Text("/"), AtLeast(B64U, 40)]),

    shape(Cloud, "dop_v1_", &[Exactly(HEX, 64)]),
    shape(Cloud, "doo_v1_", &[Exactly(HEX, 64)]),
    shape(Cloud, "dor_v1_", &[Exactly(HEX, 64)]),
    shape(Cloud, "dapi", &[Exactly(HEX, 32)]),
    shape(Cloud, "npm_", &[Exactly(ALNUM, 36)]),
    shape(Cloud, "pypi-", &[AtLeast(B64U, 50)]),
    shape(Cloud, "rubygems_", &[Exactly(HEX, 48)]),
    shape(Cloud, "pul-", &[Exactly(HEX, 40)]),
    around(Cloud, &[Exactly(ALNUM, 14)], ".atlasv1.", &[AtLeast(ANY64, 60)]),
    shape(Cloud, "hvs.", &[AtLeast(B64U, 24)]),
    shape(Cloud, "hvb.", &[AtLeast(B64U, 100)]),
    shape(Cloud, "dp.pt.", &[Exactly(ALNUM, 43)]),
    shape(Cloud, "HRKU-AA", &[Exactly(B64U, 58)]),
    shape(Cloud, "fo1_", &[AtLeast(ANY64, 40)]),
    shape(Cloud, "fm1_", &[AtLeast(ANY64, 40)]),
    shape(Cloud, "fm1a_", &[AtLeast(ANY64, 40)]),
    shape(Cloud, "fm1r_", &[AtLeast(ANY64, 40)]),
    shape(Cloud, "fm2_", &[AtLeast(ANY64, 40)]),
    shape(Cloud, "v1.0-", &[Exactly(HEX, 24), Text("-"), Exactly(HEX, 146)]),
    shape(Cloud, "nfp_", &[Exactly(ALNUM, 36)]),
    shape(Cloud, "sbp_", &[Exactly(HEX, 40)]),
    shape(Cloud, "sb_secret_", &[AtLeast(B64U, 20)]),
    shape(Cloud, "pscale_tkn_", &[AtLeast(DOTTED, 32)]),
    shape(Cloud, "pscale_oauth_", &[AtLeast(DOTTED, 32)]),
    shape(Cloud, "pscale_pw_", &[AtLeast(DOTTED, 32)]),

    shape(Monitoring, "glsa_", &[Exactly(ALNUM, 32), Text("_"), Exactly(HEX, 8)]),
    shape(Monitoring, "glc_", &[AtLeast(B64, 32)]),
    shape(Monitoring, "NRAK-", &[Exactly(UPPER_ALNUM, 27)]),
    shape(Monitoring, "dt0c01.", &[Exactly(UPPER_ALNUM, 24), Text("."), Exactly(UPPER_ALNUM, 64)]),
    shape(Monitoring, "sntrys_", &[AtLeast(ANY64, 40)]),
    shape(Monitoring, "sntryu_", &[Exactly(HEX, 64)]),
    shape(Monitoring, "PMAK-", &[Exactly(HEX, 24), Text("-"), Exactly(HEX, 34)]),
    shape(Monitoring, "lin_api_", &[Exactly(ALNUM, 40)]),
    shape(Monitoring, "ntn_", &[AtLeast(ALNUM, 40)]),
    shape(Monitoring, "secret_", &[Exactly(ALNUM, 43)]),
    shape(Monitoring, "pat", &[Exactly(ALNUM, 14), Text("."), Exactly(HEX, 64)]),
    shape(Monitoring, "pat-na1-", &[Uuid]),
    shape(Monitoring, "pat-eu1-", &[Uuid]),
    shape(Monitoring, "figd_", &[Exactly(B64U, 40)]),
    shape(Monitoring, "ATATT3", &[AtLeast(DOTTED, 100)]),
    shape(Monitoring, "EZAK", &[Exactly(ALNUM, 54)]),
    shape(Monitoring, "EZTK", &[Exactly(ALNUM, 54)]),
    shape(Monitoring, "EAAC", &[AtLeast(ALNUM, 100)]),
    shape(Monitoring, "EAAM", &[AtLeast(ALNUM, 100)]),
    shape(Monitoring, "sl.", &[AtLeast(DOTTED, 130)]),
    shape(Monitoring, "ops_eyJ", &[AtLeast(ANY64, 250)]),
    shape(Monitoring, "AGE-SECRET-KEY-1", &[Exactly(UPPER_ALNUM, 58)]),

    shape(Own, "fk_", &[Exactly(B64U, 43)]),
    // The other tokens of ours: sign-in, reset, invitation, webhook; and the two cookies.
    shape(Own, "fks_", &[Exactly(B64U, 43)]),
    shape(Own, "fkr_", &[Exactly(B64U, 43)]),
    shape(Own, "fki_", &[Exactly(B64U, 43)]),
    shape(Own, "fkw_", &[Exactly(B64U, 43)]),
    at(Own, "flowkeep_session=", &[Exactly(B64U, 43)]),
    at(Own, "service_session=", &[Uuid, Text("."), Exactly(B64U, 43)]),
];
