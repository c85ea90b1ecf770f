//! Passwords: what is accepted, and how they are kept (manual 8.3). Argon2id, 19 MiB, 2 passes, 1 lane,
//! as a PHC string, so that the parameters can grow without losing old hashes.

use super::user::Email;
use crate::domain::error::{Error, Result};
use crate::limits::{PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;
use subtle::ConstantTimeEq as _;

/// Shortest and longest password, in characters.
const CHARACTERS: std::ops::RangeInclusive<usize> = PASSWORD_MIN_CHARS..=PASSWORD_MAX_CHARS;

const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Above these a stored string is not one of ours, and computing it could exhaust the machine.
const MEMORY_KIB_MAX: u32 = 256 * 1024;
const PASSES_MAX: u32 = 16;

/// Lower-case, one a line, after a line that says where they are from.
const COMMON: &str = include_str!("../../../../assets/passwords.txt");

/// A password's hash with its parameters and salt, in PHC form.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasswordHash(String);

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

/// Refuses a password that is too short, too long, well known, or the person's own name or e-mail.
///
/// # Errors
/// 400 saying which rule it breaks.
pub fn check(password: &str, name: &str, email: &Email) -> Result<()> {
    if !CHARACTERS.contains(&password.chars().count()) {
        let (least, most) = CHARACTERS.into_inner();
        return Err(Error::invalid(format!("The password must have {least} to {most} characters.")));
    }
    let lower = password.to_lowercase();
    // A walk over 30 kB takes microseconds and is done once in a person's life; a set would stay in memory.
    if COMMON.lines().skip(1).any(|common| common == lower) {
        return Err(Error::invalid("This password is one of the most common ones. Choose another one."));
    }
    let local = email.as_str().split('@').next().unwrap_or_default();
    if [name.trim().to_lowercase().as_str(), email.as_str(), local].contains(&lower.as_str()) {
        return Err(Error::invalid("The password must not be your name or your e-mail address."));
    }
    Ok(())
}

/// Hashes a password under a fresh salt. Takes tens of milliseconds: never inside a transaction.
#[must_use]
pub fn hash(password: &str) -> PasswordHash {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).expect("the operating system gives random bytes");
    let digest = compute(password, &salt, (MEMORY_KIB, PASSES, LANES)).expect("our own parameters are valid");
    let (salt, digest) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(digest));
    PasswordHash(format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${digest}"))
}

/// True when `password` is the one that was hashed. `None` stands for an account that does not exist: it costs
/// the same work and is never right, so that the time tells nothing.
#[must_use]
pub fn verify(password: &str, stored: Option<&PasswordHash>) -> bool {
    let Some((cost, salt, expected)) = stored.and_then(parse) else {
        let _ = compute(password, &[0; 16], (MEMORY_KIB, PASSES, LANES));
        return false;
    };
    compute(password, &salt, cost).is_some_and(|digest| digest.ct_eq(&expected).into())
}

type Cost = (u32, u32, u32);

fn parse(stored: &PasswordHash) -> Option<(Cost, Vec<u8>, Vec<u8>)> {
    let mut parts = stored.0.strip_prefix("$argon2id$v=19$")?.split('$');
    let (cost, salt, digest) = (parts.next()?, parts.next()?, parts.next()?);
    let mut numbers =
        cost.split(',').zip(["m=", "t=", "p="]).map(|(part, name)| part.strip_prefix(name)?.parse().ok());
    let cost = (numbers.next()??, numbers.next()??, numbers.next()??);
    let bounded = cost.0 <= MEMORY_KIB_MAX && cost.1 <= PASSES_MAX && cost.2 <= 16;
    let digest = STANDARD_NO_PAD.decode(digest).ok()?;
    (bounded && digest.len() == 32).then_some((cost, STANDARD_NO_PAD.decode(salt).ok()?, digest))
}

fn compute(password: &str, salt: &[u8], (memory_kib, passes, lanes): Cost) -> Option<[u8; 32]> {
    let params = Params::new(memory_kib, passes, lanes, Some(32)).ok()?;
    let _turn = HashPermit::acquire();
    let count = params.block_count();
    // More is reserved than used: from 32 MiB on an allocator takes memory from the system and gives it back at
    // once. At 19 MiB glibc keeps it, and the service would idle 19 MiB heavier after each burst of sign-ins.
    let mut memory = Vec::with_capacity(count.max(34 * 1024));
    memory.resize(count, Block::default());
    let mut digest = [0; 32];
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon.hash_password_into_with_memory(password.as_bytes(), salt, &mut digest, &mut memory).ok()?;
    Some(digest)
}

/// One of as many permits as there are cores: sign-ins must not take all memory and all processors.
struct HashPermit;

static ACTIVE_HASHES: Mutex<usize> = Mutex::new(0);
static PERMIT_FREED: Condvar = Condvar::new();

impl HashPermit {
    fn acquire() -> Self {
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        let running = ACTIVE_HASHES.lock().unwrap_or_else(PoisonError::into_inner);
        *PERMIT_FREED
            .wait_while(running, |running| *running >= cores)
            .unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for HashPermit {
    fn drop(&mut self) {
        *ACTIVE_HASHES.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        PERMIT_FREED.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_passwords_are_refused() {
        let email = Email::parse("ada.lovelace@example.org").unwrap();
        let long = "x".repeat(257);
        let weak = [
            "",
            "short",
            "Password",
            "12345678",
            &long,
            "Ada Lovelace",
            "ADA.lovelace@example.org",
            "ada.lovelace",
        ];
        for password in weak {
            assert!(matches!(check(password, "Ada Lovelace", &email), Err(Error::Invalid(_))), "{password}");
        }
        for password in ["correct horse battery", "ÄÖÜäöüß€", &"y".repeat(256)] {
            assert!(check(password, "Ada Lovelace", &email).is_ok(), "{password}");
        }
    }

    #[test]
    fn the_list_of_common_passwords_is_whole() {
        let common: Vec<&str> = COMMON.lines().skip(1).collect();
        assert_eq!(common.len(), 3000);
        assert!(common.iter().all(|word| word.chars().count() >= 8 && *word == word.to_lowercase()));
    }

    #[test]
    fn a_hash_knows_its_password_and_no_other() {
        let stored = hash("correct horse");
        assert!(stored.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert_ne!(stored, hash("correct horse"), "each hash has its own salt");
        assert!(verify("correct horse", Some(&stored)));
        assert!(!verify("correct horsE", Some(&stored)));
        assert!(!verify("correct horse", None));
        for broken in
            ["", "x", "$argon2id$v=19$m=9999999,t=2,p=1$AAAAAAAAAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$$"]
        {
            assert!(!verify("", Some(&PasswordHash(broken.to_owned()))), "{broken}");
        }
    }

    /// The reference string of the Argon2 project's command line tool.
    #[test]
    fn foreign_hashes_of_the_same_kind_verify() {
        let made = compute("password", b"somesalt", (65536, 2, 1)).unwrap();
        assert_eq!(STANDARD_NO_PAD.encode(made), "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc");
    }
}
