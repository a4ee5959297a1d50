//! A fingerprint of a trace, the same natively and in wasm.

use std::fmt::Write;

use super::event::Event;

/// The 64-bit FNV-1a hash of the events' debug texts: every field of every event counts, and nothing depends on the
/// width of a machine word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceHash(u64);

impl Default for TraceHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl TraceHash {
    /// Takes in the next event.
    pub fn observe(&mut self, event: &Event) {
        // Writing into the hash cannot fail.
        let _ = writeln!(self, "{event:?}");
    }

    /// The fingerprint of all events observed.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Write for TraceHash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
