use queue_playground::scenario::Scenario;

/// Links as they were made by released versions. They must open for ever.
const VERSION_1: &[(&str, &str)] = &[
    (
        "Charged twice",
        include_str!("../links/charged-twice.1.txt"),
    ),
    (
        "Round and round",
        include_str!("../links/redrive-loop.1.txt"),
    ),
];

#[test]
fn links_of_version_1_keep_opening_and_show_what_they_showed() {
    for (title, link) in VERSION_1 {
        let opened = Scenario::from_link(link.trim()).unwrap();
        assert_eq!(opened.title, *title);
        assert!(!opened.expect.is_empty(), "{title}");
        for verdict in opened.check(1_000_000).unwrap() {
            assert!(verdict.held, "{title}: {verdict}");
        }
    }
}

#[test]
fn every_field_of_a_link_of_version_1_is_still_understood() {
    let link = include_str!("../links/every-field.1.txt");
    let opened = Scenario::from_link(link.trim()).unwrap();
    let mut today = Scenario::from_json(super::files_of::EVERY_FIELD).unwrap();
    // Commands that came later stand at the end.
    today.commands.truncate(opened.commands.len());
    assert_eq!(opened, today);
}
