use queue_playground::scenario::catalogue;
use queue_playground::scenario::{Queue, Scenario};

/// Links as they were made by released versions. They must open for ever.
const VERSION_1: &[(&str, &str)] = &[
    (
        "charged-twice",
        include_str!("../links/charged-twice.1.txt"),
    ),
    ("redrive-loop", include_str!("../links/redrive-loop.1.txt")),
];

#[test]
fn links_of_version_1_keep_opening() {
    for (slug, link) in VERSION_1 {
        let opened = Scenario::from_link(link.trim()).unwrap();
        let shipped = Scenario::from_json(catalogue::find(slug).unwrap().json).unwrap();
        let names = |scenario: &Scenario| -> Vec<String> {
            scenario
                .queues
                .iter()
                .map(|queue: &Queue| queue.name.clone())
                .collect()
        };
        assert_eq!(names(&opened), names(&shipped), "{slug}");
        assert!(
            opened
                .check(1_000_000)
                .unwrap()
                .iter()
                .all(|verdict| verdict.held),
            "{slug}"
        );
    }
}

#[test]
fn every_field_of_a_link_of_version_1_is_still_understood() {
    let link = include_str!("../links/every-field.1.txt");
    let opened = Scenario::from_link(link.trim()).unwrap();
    assert_eq!(
        opened,
        Scenario::from_json(super::files_of::EVERY_FIELD).unwrap()
    );
}
