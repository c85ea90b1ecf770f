//! What Redis servers reply.

use crate::{fuzz, seeds};
use flowkeep::redis::{RedisError, RedisReply, read_reply};

const WORDS: &[&str] = &[
    "*2\r\n",
    "*-1\r\n",
    "$-1\r\n",
    "$0\r\n\r\n",
    "$5\r\nhello\r\n",
    "+OK\r\n",
    "-OOM command\r\n",
    ":-1\r\n",
    "\r\n",
    "*99999999999\r\n",
    "$33554432\r\n",
    "%1\r\n",
    "_\r\n",
];

/// Bytes that a reply takes in memory, and its form.
fn reply_bytes(reply: &RedisReply, form: &mut String) -> usize {
    let (mark, bytes) = match reply {
        RedisReply::Word(text) => ('+', text.len()),
        RedisReply::Refusal(text) => ('-', text.len()),
        RedisReply::Number(_) => (':', 0),
        RedisReply::Bytes(bytes) => ('$', bytes.len()),
        RedisReply::Nothing => ('_', 0),
        RedisReply::List(list) => {
            form.push('*');
            return list.iter().map(|reply| reply_bytes(reply, form)).sum();
        }
    };
    form.push(mark);
    bytes
}

#[test]
fn replies_of_redis() {
    fuzz("redis", seeds("redis"), WORDS, |input| {
        let mut form = String::new();
        match read_reply(&mut &*input) {
            Ok(reply) => assert!(reply_bytes(&reply, &mut form) <= input.len() * 3, "more than came"),
            Err(RedisError::Net(_)) => form.push('n'),
            Err(RedisError::TooLarge) => form.push('l'),
            Err(_) => form.push('g'),
        }
        form.truncate(40);
        form
    });
}
