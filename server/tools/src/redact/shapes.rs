//! What keys look like: the beginnings that their makers give them, and the places in which passwords stand. A table.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::Found;

/// A shape of a key.
struct Shape {
    /// What it is.
    kind: &'static str,
    /// What it may begin with, in any letter case.
    starts: &'static [&'static str],
    /// The whole of it from there. Its first group, if it has one, is the secret.
    pattern: &'static str,
    /// What else must be true of the secret.
    check: Check,
    /// Whether its beginning goes on through letters, digits, `-` and `_`: where it does not fit at one of its starts, it
    /// does not fit at a later one before another character either.
    runs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// The shape is proof enough.
    Nothing,
    /// It has letters in both cases, and digits.
    Mixed,
    /// It does not stand for a secret that is left out.
    NoPlaceholder,
}

const fn shape(
    kind: &'static str,
    starts: &'static [&'static str],
    pattern: &'static str,
) -> Shape {
    checked(kind, starts, pattern, Check::Nothing)
}

const fn checked(
    kind: &'static str,
    starts: &'static [&'static str],
    pattern: &'static str,
    check: Check,
) -> Shape {
    Shape {
        kind,
        starts,
        pattern,
        check,
        runs: false,
    }
}

const fn running(shape: Shape) -> Shape {
    Shape {
        runs: true,
        ..shape
    }
}

/// The forms are those that the makers document, or that their own scanners look for.
#[rustfmt::skip]
static SHAPES: &[Shape] = &[
    shape("github token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,255}\b"),
    shape("github token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{22,255}\b"),
    shape("gitlab token", &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"], r"gl[a-z]{2,5}-[A-Za-z0-9_-]{20,}"),
    shape("anthropic key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{20,}"),
    checked("api key", &["sk-"], r"sk-[A-Za-z0-9_-]{20,}", Check::Mixed),
    shape("aws access key id", &["AKIA", "ASIA", "ABIA", "ACCA"], r"A(?:KI|SI|BI|CC)A[A-Z2-7]{16}\b"),
    shape("aws secret key", &["aws_secret_access_key", "SecretAccessKey"], r#"(?i:aws_secret_access_key|secretaccesskey)["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#),
    shape("google api key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    shape("google token", &["ya29."], r"ya29\.[A-Za-z0-9_-]{20,}"),
    shape("google client secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{28}"),
    shape("azure key", &["AccountKey=", "SharedAccessKey="], r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})"),
    shape("slack token", &["xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], r"(?:xox[abeoprs][-.]|xapp-)[A-Za-z0-9.-]{16,}"),
    shape("slack webhook", &["hooks.slack.com/"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/+]{30,})"),
    shape("discord webhook", &["/api/webhooks/"], r"/api/webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,})"),
    shape("telegram token", &[":AA"], r":(AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)"),
    shape("stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_"], r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    shape("webhook secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,}"),
    shape("npm token", &["npm_"], r"npm_[A-Za-z0-9]{36}\b"),
    checked("npm token", &["_authToken=", "_password="], r#"_(?:authToken|password)=["']?([^\s"']{8,})"#, Check::NoPlaceholder),
    shape("pypi token", &["pypi-"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    checked("crates.io token", &["cio"], r"cio[A-Za-z0-9]{32}\b", Check::Mixed),
    shape("rubygems key", &["rubygems_"], r"rubygems_[a-f0-9]{48}\b"),
    shape("docker token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    checked("hugging face token", &["hf_"], r"hf_[A-Za-z0-9]{34,}\b", Check::Mixed),
    checked("api key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}\b", Check::Mixed),
    checked("api key", &["xai-", "pplx-"], r"(?:xai|pplx)-[A-Za-z0-9]{40,}\b", Check::Mixed),
    checked("replicate token", &["r8_"], r"r8_[A-Za-z0-9]{37}\b", Check::Mixed),
    shape("sendgrid key", &["SG."], r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    shape("twilio key", &["SK"], r"SK[0-9a-f]{32}\b"),
    shape("mailgun key", &["key-"], r"key-[0-9a-f]{32}\b"),
    shape("digitalocean token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}\b"),
    shape("databricks token", &["dapi"], r"dapi[0-9a-f]{32}(?:-\d)?\b"),
    shape("shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    shape("vault token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    shape("grafana token", &["glsa_", "glc_"], r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    shape("atlassian token", &["ATATT3", "ATCTT3"], r"AT[AC]TT3[A-Za-z0-9_=-]{100,}"),
    shape("sentry token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    shape("linear key", &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    shape("notion token", &["ntn_"], r"ntn_[A-Za-z0-9]{40,}"),
    shape("new relic key", &["NRAK-"], r"NRAK-[A-Z0-9]{27}\b"),
    shape("postman key", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    shape("doppler token", &["dp.pt.", "dp.st.", "dp.ct."], r"dp\.(?:pt|st|ct)\.[A-Za-z0-9.]{40,}"),
    shape("supabase token", &["sbp_", "sb_secret_"], r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
    shape("planetscale token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9._=-]{32,}"),
    shape("tailscale key", &["tskey-"], r"tskey-[a-z]+-[A-Za-z0-9-]{20,}"),
    shape("fly token", &["FlyV1 ", "fo1_"], r"(?:FlyV1 fm\d_[A-Za-z0-9+/=,_-]{40,}|fo1_[A-Za-z0-9_-]{43})"),
    shape("1password token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    shape("age key", &["AGE-SECRET-KEY-1"], r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    running(shape("json web token", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    checked("password", &["://"], r#"://[^\s/:@"'<>]*:([^\s/"'<>`]+)@"#, Check::NoPlaceholder),
    checked("credential", &["authorization"], r#"(?i:authorization)["']?\s*[:=]\s*["']?(?i:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{16,})"#, Check::NoPlaceholder),
];

struct Table {
    starts: AhoCorasick,
    /// The shape of each start.
    shape_of: Vec<usize>,
    /// One for each shape, in their order.
    patterns: Vec<Regex>,
}

/// None never comes: the table is tested. If it did, the texts would stay as they are.
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let mut starts: Vec<&str> = Vec::new();
    let (mut shape_of, mut patterns) = (Vec::new(), Vec::new());
    for (index, shape) in SHAPES.iter().enumerate() {
        starts.extend(shape.starts);
        shape_of.extend(shape.starts.iter().map(|_| index));
        patterns.push(Regex::new(&format!(r"\A(?:{})", shape.pattern)).ok()?);
    }
    let starts = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(starts)
        .ok()?;
    Some(Table {
        starts,
        shape_of,
        patterns,
    })
});

/// Everything in the text that has the shape of a key.
pub(super) fn find(text: &str, found: &mut Vec<Found<'_>>) {
    let Some(table) = TABLE.as_ref() else { return };
    let mut shaped = Vec::new();
    // Where each shape is looked for again: text made of nothing but starts would else be read from each to its end.
    let mut next = vec![0; SHAPES.len()];
    for hit in table.starts.find_overlapping_iter(text) {
        let index = table.shape_of[hit.pattern().as_usize()];
        let shape = &SHAPES[index];
        if hit.start() < next[index] || !begins_a_word(text, hit.start()) {
            continue;
        }
        let rest = &text[hit.start()..];
        let Some(groups) = table.patterns[index].captures(rest) else {
            if shape.runs {
                next[index] = hit.start() + run(rest);
            }
            continue;
        };
        // What begins within this one is a part of it.
        next[index] = hit.start() + groups.get_match().end();
        let group = groups.get(1);
        let Some(secret) = group.or_else(|| groups.get(0)) else {
            continue;
        };
        let holds = match shape.check {
            Check::Nothing => true,
            Check::Mixed => is_mixed(secret.as_str()),
            Check::NoPlaceholder => !is_placeholder(secret.as_str()),
        };
        if holds {
            let range = hit.start() + secret.start()..hit.start() + secret.end();
            let kind = shape.kind;
            shaped.push((index, Found { range, kind }));
        }
    }
    // What fits several shapes is of the first, which says more.
    shaped.sort_by_key(|(index, _)| *index);
    found.extend(shaped.into_iter().map(|(_, found)| found));
}

/// Whether a word may begin here, also after an escape as `\n` in a string.
fn begins_a_word(text: &str, index: usize) -> bool {
    let bytes = text.as_bytes();
    let first = bytes.get(index).is_some_and(u8::is_ascii_alphanumeric);
    let before = index.checked_sub(1).map(|before| bytes[before]);
    if !first || !before.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return true;
    }
    index >= 2 && bytes[index - 2] == b'\\' && matches!(bytes[index - 1], b'n' | b't' | b'r')
}

/// How many bytes of the text are letters, digits, `-` and `_` before another comes.
fn run(text: &str) -> usize {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.bytes().take_while(|byte| inside(*byte)).count()
}

fn is_mixed(secret: &str) -> bool {
    let has = |what: fn(&u8) -> bool| secret.as_bytes().iter().any(what);
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}

/// Whether this stands where a secret is to be put, or is one that everybody knows.
fn is_placeholder(secret: &str) -> bool {
    const EVERYBODYS: &[&str] = &[
        "admin",
        "changeme",
        "example",
        "guest",
        "mypassword",
        "mysecretpassword",
        "null",
        "pass",
        "passwd",
        "password",
        "password123",
        "postgres",
        "pwd",
        "root",
        "secret",
        "test",
        "token",
        "user",
        "your_password",
        "your-password",
        "yourpassword",
    ];
    let lower = secret.to_ascii_lowercase();
    secret.len() < 3
        || secret.starts_with(['$', '{', '<', '%', '*', '[', '#', '.', '‹', '('])
        || EVERYBODYS.contains(&lower.as_str())
        || lower.starts_with("your") && lower.contains(['-', '_'])
        || secret.bytes().all(|byte| byte == secret.as_bytes()[0])
}

#[cfg(test)]
pub(super) fn is_compiled() -> bool {
    TABLE.is_some()
}
