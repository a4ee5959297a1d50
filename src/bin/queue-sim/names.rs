//! What brokers call things, and settings in their words.

use queue_playground::scenario::{Name, Profile, concepts};

use crate::output::{self, Failure};

/// One profile for each column of the table of names.
pub const ONE_A_BROKER: [Profile; 7] = [
    Profile::SqsStandard,
    Profile::RabbitClassic,
    Profile::JetStream,
    Profile::RedisStreams,
    Profile::PubSub,
    Profile::ServiceBus,
    Profile::KafkaShare,
];

/// A name in a table.
pub fn cell(name: Name) -> String {
    match name {
        Name::Called(name) => name.to_owned(),
        Name::Own => "(our own)".to_owned(),
        Name::NoCounterpart("") => "no counterpart".to_owned(),
        Name::NoCounterpart(nearest) => format!("no counterpart; nearest: {nearest}"),
    }
}

/// The table of names, of one broker or of all, with tabs between.
pub fn names(profile: Option<Profile>) -> String {
    let profiles = match &profile {
        Some(profile) => std::slice::from_ref(profile),
        None => &ONE_A_BROKER,
    };
    let heading = profiles.iter().map(|it| it.broker());
    let mut text = format!("concept\t{}\n", heading.collect::<Vec<_>>().join("\t"));
    for concept in concepts() {
        let cells = profiles.iter().map(|it| cell(it.name(concept)));
        text.push_str(&format!(
            "{concept}\t{}\n",
            cells.collect::<Vec<_>>().join("\t")
        ));
    }
    text
}

/// Prints the settings of a file in the words of its broker.
pub fn export(file: &str) -> Result<(), Failure> {
    match output::read(file)?.export() {
        Some(text) => output::print(&text),
        None => Err(Failure::Input(vec![format!(
            "{file}: behaves like no broker; give it behaves_like, or view.vocabulary"
        )])),
    }
}
