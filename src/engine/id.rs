//! Indexes into a [`Setup`](super::Setup), and the number of a message.

macro_rules! index {
    ($(#[$meta:meta])* $name:ident($inner:ty)) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub $inner);

        impl $name {
            /// The position in the list that it indexes.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index! {
    /// A queue: its position in [`Setup::queues`](super::Setup::queues).
    QueueId(u16)
}
index! {
    /// A producer: its position in [`Setup::producers`](super::Setup::producers).
    ProducerId(u16)
}
index! {
    /// A consumer: its position in [`Setup::consumers`](super::Setup::consumers).
    ConsumerId(u16)
}
index! {
    /// A message group: its position in [`Setup::groups`](super::Setup::groups).
    GroupId(u32)
}
index! {
    /// A message body given in the scenario: its position in [`Setup::bodies`](super::Setup::bodies).
    BodyId(u32)
}
index! {
    /// An explicit deduplication id: its position in [`Setup::deduplication_ids`](super::Setup::deduplication_ids).
    DeduplicationId(u32)
}
index! {
    /// A logical message: 1 for the first send of the run, counting every send by any producer.
    /// Copies, redeliveries and re-sends of a message keep its number.
    MessageNumber(u32)
}
