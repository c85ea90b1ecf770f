//! What limits by address count: one caller, however many addresses it has.

use std::net::{IpAddr, Ipv6Addr};

/// Bits of an IPv6 address that a network gives to one line; the others are its subscriber's to choose.
const SUBSCRIBER_BITS: u32 = 64;

/// The addresses that are one subscriber's: an IPv4 address, or an IPv6 network of 64 bits. A limit that counted single IPv6
/// addresses would count nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressBlock(IpAddr);

impl AddressBlock {
    /// The block an address belongs to.
    #[must_use]
    pub fn from_address(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let line = u128::from(address) & (u128::MAX << (u128::BITS - SUBSCRIBER_BITS));
                IpAddr::V6(Ipv6Addr::from(line))
            }
            address => address,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_caller_and_its_neighbour_another() {
        let same = |one: &str, other: &str| {
            AddressBlock::from_address(one.parse().unwrap())
                == AddressBlock::from_address(other.parse().unwrap())
        };
        for (one, other, expected) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::1", "::2", true),
        ] {
            assert_eq!(same(one, other), expected, "{one} {other}");
        }
    }
}
