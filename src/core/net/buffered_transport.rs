//! Room for the head of a response over TLS, whose own buffers are of a fixed, small size.

use super::buffers::BufferLease;
use std::fmt;
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, Either, NextTimeout, Transport};

/// Puts [`BufferedTransport`] around TLS connections and leaves others as they are.
#[derive(Debug)]
pub(super) struct BufferConnector;

impl<In: Transport> Connector<In> for BufferConnector {
    type Out = Either<In, BufferedTransport<In>>;

    fn connect(&self, _: &ConnectionDetails<'_>, inner: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(inner.map(|inner| {
            if inner.is_tls() {
                Either::B(BufferedTransport { inner, buffers: BufferLease::default() })
            } else {
                Either::A(inner)
            }
        }))
    }
}

/// A connection whose own buffers are of a fixed, small size, with buffers around it that grow when a response
/// head needs it.
pub(super) struct BufferedTransport<In> {
    inner: In,
    buffers: BufferLease,
}

impl<In: Transport> Transport for BufferedTransport<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let mut sent = 0;
        while sent < amount {
            let output = &self.buffers.output()[sent..amount];
            let room = self.inner.buffers().output();
            let step = output.len().min(room.len());
            room[..step].copy_from_slice(&output[..step]);
            self.inner.transmit_output(step, timeout)?;
            sent += step;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.inner.maybe_await_input(timeout)?;
        let input = self.inner.buffers().input();
        let room = self.buffers.input_append_buf();
        let amount = input.len().min(room.len());
        room[..amount].copy_from_slice(&input[..amount]);
        self.buffers.input_appended(amount);
        self.inner.buffers().input_consume(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.buffers.release();
        self.inner.buffers().input().is_empty() && self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<In: Transport> fmt::Debug for BufferedTransport<In> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Roomy").field(&self.inner).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds what was sent, and gives it back a few bytes at a time.
    #[derive(Debug)]
    struct Echo {
        sent: Vec<u8>,
        buffers: ureq::unversioned::transport::LazyBuffers,
    }

    impl Transport for Echo {
        fn buffers(&mut self) -> &mut dyn Buffers {
            &mut self.buffers
        }

        fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
            let output = self.buffers.output()[..amount].to_vec();
            self.sent.extend(output);
            Ok(())
        }

        fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
            let room = self.buffers.input_append_buf();
            let amount = room.len().min(self.sent.len()).min(5);
            room[..amount].copy_from_slice(&self.sent[..amount]);
            self.buffers.input_appended(amount);
            self.sent.drain(..amount);
            Ok(amount > 0)
        }

        fn is_open(&mut self) -> bool {
            true
        }
    }

    #[test]
    fn more_passes_through_than_the_inner_buffers_hold() {
        let inner = Echo { sent: Vec::new(), buffers: ureq::unversioned::transport::LazyBuffers::new(7, 11) };
        let mut roomy = BufferedTransport { inner, buffers: BufferLease::default() };
        let all: Vec<u8> = (0..=255).cycle().take(4000).collect();
        roomy.buffers().output()[..all.len()].copy_from_slice(&all);
        roomy.transmit_output(all.len(), NextTimeout::default()).unwrap();
        // Nothing is consumed, as while a response head is not complete yet.
        while roomy.await_input(NextTimeout::default()).unwrap() {}
        assert_eq!(roomy.buffers().input(), all);
        roomy.buffers().input_consume(all.len());
        assert!(roomy.is_open());
    }
}
