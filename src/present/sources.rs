//! Where something was told: the addresses of public threads and pages.

/// The address of a source: of one that is an address, and of a thread "owner/repository#number". None of others.
pub fn address(source: &str) -> Option<String> {
    if source.starts_with("https://") {
        return Some(source.to_owned());
    }
    let (repository, number) = source.split_once('#')?;
    let (owner, name) = repository.split_once('/')?;
    let plain = |text: &str| {
        let mut bytes = text.bytes();
        !text.is_empty() && bytes.all(|it| it.is_ascii_alphanumeric() || b"-_.".contains(&it))
    };
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    (plain(owner) && plain(name) && is_number)
        .then(|| format!("https://github.com/{owner}/{name}/issues/{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_addresses_lead_somewhere_and_other_sources_nowhere() {
        let thread = address("amqp-node/amqplib#293");
        let there = "https://github.com/amqp-node/amqplib/issues/293";
        assert_eq!(thread.as_deref(), Some(there));
        assert_eq!(
            address("https://a.example/b").as_deref(),
            Some("https://a.example/b")
        );
        for other in [
            "AWS Builders Library: avoiding insurmountable queue backlogs",
            "javascript:alert(1)",
            "a b/c#1",
            "a/b#x",
            "a/b/c#1",
            "",
        ] {
            assert_eq!(address(other), None, "{other}");
        }
    }
}
