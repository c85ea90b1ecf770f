//! Signatures with a secret that both sides know.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// HMAC-SHA256 of these parts one behind the other, under a key of any length.
#[must_use]
pub fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hex::to_hex;

    #[test]
    fn parts_are_signed_as_their_whole() {
        // RFC 4231, test case 2.
        let known = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        for parts in
            [&[b"what do ya want for nothing?".as_slice()][..], &[b"what do ya", b" want for nothing?"]]
        {
            assert_eq!(to_hex(&hmac_sha256(b"Jefe", parts)), known);
        }
    }
}
