//! The bytes a connection holds: little while it streams, nothing while it idles.

use ureq::unversioned::transport::Buffers;

/// Room for input and for output, as it is first taken.
const BUFFER_BYTES: usize = 4 * 1024;
/// The most the input grows to, so that a whole response head fits; the head's own limit is below this.
const BUFFER_BYTES_MAX: usize = super::HEAD_BYTES_MAX + BUFFER_BYTES;

/// Input and output of one connection. Only one of the two is held at a time: a request is written, then its
/// answer is read, and a thousand streams that only read should not each keep a buffer for writing.
#[derive(Default)]
pub(super) struct BufferLease {
    input: Vec<u8>,
    consumed: usize,
    filled: usize,
    output: Vec<u8>,
    progress: bool,
}

impl BufferLease {
    /// Gives all memory back, unless there are bytes nobody has read yet.
    pub(super) fn release(&mut self) {
        if self.input().is_empty() {
            *self = Self::default();
        }
    }

    fn reserve(&mut self) {
        if self.consumed == self.filled {
            (self.consumed, self.filled) = (0, 0);
        } else if self.consumed > 0 {
            self.input.copy_within(self.consumed..self.filled, 0);
            (self.consumed, self.filled) = (0, self.filled - self.consumed);
        }
        if self.filled == 0 && self.input.len() > BUFFER_BYTES {
            self.input = Vec::new();
        }
        if self.filled == self.input.len() {
            let wanted = (self.input.len() * 2).clamp(BUFFER_BYTES, BUFFER_BYTES_MAX);
            self.input.resize(wanted, 0);
        }
    }
}

impl Buffers for BufferLease {
    fn output(&mut self) -> &mut [u8] {
        self.output.resize(BUFFER_BYTES, 0);
        &mut self.output
    }

    fn input(&self) -> &[u8] {
        &self.input[self.consumed..self.filled]
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.output = Vec::new();
        self.reserve();
        &mut self.input[self.filled..]
    }

    fn input_appended(&mut self, amount: usize) {
        self.filled += amount;
        debug_assert!(self.filled <= self.input.len());
    }

    fn input_consume(&mut self, amount: usize) {
        self.progress = amount > 0;
        self.consumed += amount;
        debug_assert!(self.consumed <= self.filled);
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        self.reserve();
        self.output.resize(BUFFER_BYTES, 0);
        (&mut self.input[self.filled..], &mut self.output)
    }

    fn can_use_input(&self) -> bool {
        self.progress && self.consumed < self.filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(leased: &mut BufferLease, bytes: &[u8]) {
        let room = leased.input_append_buf();
        assert!(room.len() >= bytes.len());
        room[..bytes.len()].copy_from_slice(bytes);
        leased.input_appended(bytes.len());
    }

    #[test]
    fn input_grows_to_its_limit_and_shrinks_again() {
        let mut leased = BufferLease::default();
        let mut total = 0;
        loop {
            let room = leased.input_append_buf().len();
            if room == 0 {
                break;
            }
            leased.input_appended(room);
            total += room;
        }
        assert_eq!(total, BUFFER_BYTES_MAX);
        assert!(total > super::super::HEAD_BYTES_MAX);
        leased.input_consume(total);
        assert_eq!(leased.input_append_buf().len(), BUFFER_BYTES);
    }

    #[test]
    fn unread_bytes_survive_a_move_and_a_release() {
        let mut leased = BufferLease::default();
        append(&mut leased, b"hello world");
        leased.input_consume(6);
        assert!(leased.can_use_input());
        append(&mut leased, b"!");
        leased.release();
        assert_eq!(leased.input(), b"world!");
        leased.input_consume(0);
        assert!(!leased.can_use_input());
        leased.input_consume(6);
        leased.release();
        assert_eq!(leased.input.capacity(), 0);
    }

    #[test]
    fn reading_gives_the_output_back() {
        let mut leased = BufferLease::default();
        assert_eq!(leased.output().len(), BUFFER_BYTES);
        append(&mut leased, b"x");
        assert_eq!(leased.output.capacity(), 0);
        assert_eq!(leased.tmp_and_output().1.len(), BUFFER_BYTES);
        assert_eq!(leased.input(), b"x");
    }
}
