//! Settings of the network.

use super::*;

macro_rules! delay {
    ($id:literal, $label:literal, $field:ident, $help:literal) => {
        Control {
            id: $id,
            label: $label,
            kind: Kind::Slider,
            help: $help,
            stops: SHORT_SPANS,
            text: plain,
            read: |snapshot, _| Some(Value::Span(snapshot.network.$field)),
            set: |snapshot, _, value| {
                let mut network = snapshot.network;
                network.$field = span(value)?;
                Some(Command::SetNetwork(network))
            },
            idle: always,
        }
    };
}

macro_rules! loss {
    ($id:literal, $label:literal, $field:ident, $help:literal) => {
        Control {
            id: $id,
            label: $label,
            kind: Kind::Slider,
            help: $help,
            stops: CHANCES,
            text: plain,
            read: |snapshot, _| Some(Value::Chance(snapshot.network.$field)),
            set: |snapshot, _, value| {
                let Value::Chance(chance) = value else {
                    return None;
                };
                let mut network = snapshot.network;
                network.$field = chance;
                Some(Command::SetNetwork(network))
            },
            idle: always,
        }
    };
}

pub const CONTROLS: &[Control] = &[
    delay!(
        "send-delay",
        "Sends take",
        send_delay,
        "From a producer to the broker."
    ),
    delay!(
        "confirm-delay",
        "Confirms take",
        confirm_delay,
        "From the broker back to a producer."
    ),
    delay!(
        "ack-delay",
        "Receives and acks take",
        ack_delay,
        "From a consumer to the broker."
    ),
    delay!(
        "delivery-delay",
        "Deliveries take",
        delivery_delay,
        "From the broker to a consumer."
    ),
    loss!(
        "lose-send",
        "Sends lost",
        lose_send,
        "Chance that a send never reaches the broker."
    ),
    loss!(
        "lose-confirm",
        "Confirms lost",
        lose_confirm,
        "Chance that the producer never hears that its message is stored."
    ),
    loss!(
        "lose-response",
        "Deliveries lost",
        lose_response,
        "Chance that messages never reach their consumer; the receive counts all the same."
    ),
    loss!(
        "lose-ack",
        "Acks lost",
        lose_ack,
        "Chance that an ack never reaches the broker."
    ),
];
