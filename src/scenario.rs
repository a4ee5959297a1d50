//! Scenario files: the format, its defaults, what is wrong with a file and where, shipped scenarios, links, and the
//! way down to the engine's [`Setup`](crate::engine::Setup).
//!
//! A file is JSON with a version, readable and editable by hand; every field but a few has a default, and unknown
//! fields are refused. All problems of a file are found at once, each with its path. Nothing that a file can say makes
//! this module panic, hang or work without bounds.

mod address;
pub mod catalogue;
mod check;
mod claims;
mod command;
mod duration;
mod edit;
mod field;
mod file;
mod json;
mod limits;
mod link;
mod lower;
mod path;
mod print;
mod problem;
mod profile;
mod rules;
mod setting;
mod validate;
mod variant;
mod view;

pub use address::{PageAddress, PageView};
pub use check::{BoundedRun, Verdict};
pub use claims::{ClaimFile, Is, MessageName};
pub use command::{Action, CommandFile, Redrive, SendByHand, Settings, SlowDown, Target};
pub use duration::{format as format_duration, parse as parse_duration};
pub use edit::command_file;
pub use field::Field;
pub use file::{
    Burst, Consumer, Downstream, GroupsFile, Outage, Poisson, Producer, Queue, Scenario, Send,
};
pub use json::LARGEST_FILE;
pub use limits::{LIVE_MESSAGES_NATIVE, LIVE_MESSAGES_PAGE};
pub use link::{LARGEST_LINKED, LinkError};
pub use print::pretty_in_order;
pub use problem::{At, Problem, Problems, did_you_mean};
pub use profile::{Applied, Hold, May, Name, Note, Profile, Role, TimeUnit, concepts};
pub use variant::{Change, Variant};
pub use view::{Caption, Incident, Invitation, Outside, Symptom, View};

/// The version of the format that is written, and the latest that is read.
pub const VERSION: u32 = 1;

/// The JSON Schema of scenario files, as pretty-printed JSON.
#[cfg(not(target_arch = "wasm32"))]
pub fn schema() -> String {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Scenario>();
    schema.insert("title".into(), "Queue Playground scenario".into());
    if let Some(properties) = schema
        .pointer_mut("/properties")
        .and_then(|it| it.as_object_mut())
    {
        let address =
            serde_json::json!({ "type": "string", "description": "The address of this schema." });
        properties.insert("$schema".into(), address);
    }
    format!("{:#}\n", schema.to_value())
}
