//! From text to a scenario in which everything fits, and back.

use serde_json::Value;

use super::claims::{ClaimFile, ClaimNames};
use super::field::{Field, kind_of};
use super::file::Scenario;
use super::json;
use super::lower::Lowering;
use super::problem::{At, Problem, Problems};
use crate::engine::{Command, Setup};

impl Scenario {
    /// Reads a file. A scenario that is returned can be lowered, its claims and variants included; otherwise all
    /// problems are: of values, and of values that do not fit together.
    pub fn from_json(text: &str) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems::default();
        let scenario = json::parse(text, &mut problems)
            .map(without_schema)
            .filter(|value| is_readable(value, &mut problems))
            .and_then(|value| Self::read(&value, At::Root, &mut problems));
        let Some(scenario) = scenario else {
            return Err(problems.into_list());
        };
        let mut found = problems.into_list();
        if let Err(misfits) = scenario.validate() {
            // A value that could not be read stands at its default: what is said about that would mislead.
            let misleads =
                |misfit: &Problem| found.iter().any(|one| one.path.starts_with(&misfit.path));
            let misfits: Vec<Problem> = misfits
                .into_iter()
                .filter(|misfit| !misleads(misfit))
                .collect();
            found.extend(misfits);
        }
        if found.is_empty() {
            Ok(scenario)
        } else {
            Err(found)
        }
    }

    /// Writes the file, for reading and editing by hand. Fields with default values are left out; `made_with` is this
    /// program.
    pub fn to_json(&self) -> String {
        super::print::pretty(&self.stamped().write())
    }

    /// Writes the same in as few characters as possible.
    pub fn to_compact_json(&self) -> String {
        // Not by `to_string`, which would bring a second writer, of JSON over several lines.
        serde_json::to_string(&self.stamped().write()).unwrap_or_default()
    }

    fn stamped(&self) -> Self {
        Self {
            made_with: Some(env!("CARGO_PKG_VERSION").into()),
            ..self.clone()
        }
    }

    /// Checks everything that lowering, claims, view and variants need.
    pub fn validate(&self) -> Result<(), Vec<Problem>> {
        let mut lowering = Lowering::default();
        let setup = self.check_fit(At::Root, &mut lowering);
        if setup.is_some() {
            for (index, variant) in self.variants.iter().enumerate() {
                let list = At::Root.field("variants");
                let place = list.item(index);
                let at = place.field("change");
                let Some(merged) = self.merged(variant, at, &mut lowering.problems) else {
                    continue;
                };
                lowering = lowering.again();
                if let Some(setup) = lowering.scenario(&merged, at) {
                    let at = place.field("expect");
                    check_claims(&variant.expect, &setup, true, at, &mut lowering.problems);
                }
            }
        }
        lowering.problems.finish(Some(()))
    }

    /// Checks all but the variants.
    fn check_fit(&self, at: At<'_>, lowering: &mut Lowering) -> Option<Setup> {
        let setup = lowering.scenario(self, at);
        let view = at.field("view");
        if !(0.25..=1000.0).contains(&self.view.speed) {
            lowering.problems.push(
                view.field("speed"),
                format!("{} is not allowed", kind_of(&self.view.speed.write())),
                "use 0.25 to 1000",
            );
        }
        let setup = setup?;
        for (field, time) in [
            ("from", Some(self.view.from)),
            ("stop_at", self.view.stop_at),
        ] {
            if let (Some(time), Some(end)) = (time, setup.duration)
                && time > end
            {
                let hint = format!("use {} or less", super::format_duration(end));
                lowering
                    .problems
                    .push(view.field(field), "is after the end of the run", hint);
            }
        }
        let names = setup
            .queues
            .iter()
            .map(|queue| queue.name.as_str())
            .chain(
                setup
                    .producers
                    .iter()
                    .map(|producer| producer.name.as_str()),
            )
            .chain(
                setup
                    .consumers
                    .iter()
                    .map(|consumer| consumer.name.as_str()),
            );
        let focus = self.view.focus.as_deref();
        super::lower::find(
            "queue, producer or consumer",
            focus,
            names,
            view.field("focus"),
            &mut lowering.problems,
        );
        if let Some(settings) = self.view.invitation.as_ref().and_then(|it| it.set.as_ref()) {
            let at = view.field("invitation");
            lowering.invitation(settings, self, &setup, at.field("set"));
        }
        check_claims(
            &self.expect,
            &setup,
            true,
            at.field("expect"),
            &mut lowering.problems,
        );
        check_claims(
            &self.alerts,
            &setup,
            false,
            at.field("alerts"),
            &mut lowering.problems,
        );
        Some(setup)
    }

    /// The settings that `view.invitation` names, as commands for a run of this scenario; empty without any.
    pub fn invitation_commands(&self, setup: &Setup) -> Vec<Command> {
        match self.view.invitation.as_ref().and_then(|it| it.set.as_ref()) {
            Some(settings) => Lowering::default().invitation(settings, self, setup, At::Root),
            None => Vec::new(),
        }
    }
}

/// The file without the address of its schema, by which editors complete and check it.
fn without_schema(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut()
        && object.get("$schema").is_some_and(Value::is_string)
    {
        object.remove("$schema");
    }
    value
}

/// Whether the version is one that can be read: what a later one says is not judged.
fn is_readable(value: &Value, problems: &mut Problems) -> bool {
    let version = value.get("version").and_then(Value::as_u64);
    let known = version.is_none_or(|version| version == u64::from(super::VERSION));
    if !known {
        problems.push(
            At::Root.field("version"),
            format!("{} is not known here", version.unwrap_or_default()),
            format!("this program reads version {}", super::VERSION),
        );
    }
    known
}

fn check_claims(
    claims: &[ClaimFile],
    setup: &Setup,
    need_end: bool,
    list: At<'_>,
    problems: &mut Problems,
) {
    if claims.is_empty() {
        return;
    }
    let names = ClaimNames::of(setup);
    for (index, claim) in claims.iter().enumerate() {
        let at = list.item(index);
        claim.lower(&names, at, problems);
        if need_end && claim.at.is_none() && setup.duration.is_none() {
            problems.push(
                at.field("at"),
                "is missing, and the run has no end",
                "give a time, or give the run a duration",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(text: &str) -> Vec<String> {
        match Scenario::from_json(text) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(Problem::to_string).collect(),
        }
    }

    #[test]
    fn every_shipped_scenario_is_valid_and_says_what_the_catalogue_says() {
        for shipped in crate::scenario::catalogue::CATALOGUE {
            let scenario = Scenario::from_json(shipped.json)
                .unwrap_or_else(|problems| panic!("{}: {problems:#?}", shipped.slug));
            assert_eq!(scenario.question, shipped.question, "{}", shipped.slug);
            assert_eq!(scenario.symptom, Some(shipped.symptom), "{}", shipped.slug);
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        for shipped in crate::scenario::catalogue::CATALOGUE {
            let scenario = Scenario::from_json(shipped.json).unwrap();
            assert_eq!(
                Scenario::from_json(&scenario.to_json()),
                Ok(scenario.stamped())
            );
        }
    }

    #[test]
    fn defaults_are_left_out_when_written() {
        let text =
            r#"{"version":1,"queues":[{"name":"q","visibility_timeout":"30s","retention":"4d"}]}"#;
        let scenario = Scenario::from_json(text).unwrap();
        assert_eq!(
            scenario.write().to_string(),
            r#"{"queues":[{"name":"q"}],"version":1}"#
        );
    }

    #[test]
    fn a_written_file_names_the_program_that_wrote_it() {
        let text = r#"{"$schema":"scenario.schema.json","version":1,"queues":[{"name":"q"}]}"#;
        let scenario = Scenario::from_json(text).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            scenario.to_json(),
            format!(
                "{{\n  \"version\": 1,\n  \"made_with\": \"{version}\",\n  \"queues\": [{{ \"name\": \"q\" }}]\n}}\n"
            )
        );
    }

    #[test]
    fn problems_of_values_and_of_fit_come_at_once_each_with_its_path() {
        let found = problems_of(
            r#"{"version":1,"seed":-1,"duration":"1e308s","queues":[{"name":"q","visibilty_timeout":"5s","delay":5}],
                "producers":[{"name":"p","to":"q","every":"-1s"}],
                "consumers":[{"name":"c","from":"q","failures":{"chance":1e308}},{"name":"d","from":"q","prefetch":0}],
                "commands":[{"at":"1s","crush":"c"}]}"#,
        );
        assert_eq!(found.len(), 9, "{found:#?}");
        for expected in [
            "seed: -1 is not allowed; use a whole number from 0 to 18446744073709551615",
            "duration: \"1e308s\" is not allowed; use a number with a unit, such as \"30s\", \"250ms\", \"5min\" or \"1h\", from 0s to 3650d",
            "queues[0].visibilty_timeout: there is no such field; did you mean \"visibility_timeout\"?",
            "queues[0].delay: 5 is not allowed; use a number with a unit, such as \"30s\", \"250ms\", \"5min\" or \"1h\"",
            "producers[0].every: \"-1s\" is not allowed; use a number with a unit, such as \"30s\", \"250ms\", \"5min\" or \"1h\", from 0s to 3650d",
            "consumers[0].failures.chance: 1e+308 is not allowed; use a number from 0 (never) to 1 (always)",
            "consumers[1].prefetch: 0 is not allowed; use 1 or more",
            "commands[0].crush: there is no such field; did you mean \"crash\"?",
        ] {
            assert!(
                found.iter().any(|line| line == expected),
                "{expected}\n{found:#?}"
            );
        }
    }

    #[test]
    fn all_problems_of_fit_come_at_once_each_with_its_path() {
        let found = problems_of(
            r#"{"version":1,"duration":"10s",
                "queues":[{"name":"a","dead_letter_queue":"b"},{"name":"b","dead_letter_queue":"a"},
                          {"name":"f","kind":"fifo","dead_letter_queue":"s"},{"name":"s","kind":"standard"},{"name":"s"}],
                "producers":[{"name":"p","to":"order"},{"name":"r","to":"a","every":"0s"}],
                "consumers":[{"name":"c","from":"a","prefetch":0,"workers":65},{"name":"d","from":"a","wait":"0s"}],
                "view":{"speed":0}}"#,
        );
        for expected in [
            "queues[0].dead_letter_queue: its dead letters come back to it; end the chain with a queue that has no dead_letter_queue, or use cuts_cycles",
            "queues[2].dead_letter_queue: \"s\" is of the other kind; a FIFO queue needs a FIFO one, a standard queue a standard one",
            "queues[4].name: \"s\" is taken; use another name",
            "producers[0].to: there is no queue \"order\"; there is a, b, f, s, s",
            "producers[0]: does not say when it sends, or says it twice; give exactly one of sends, every, poisson and burst",
            "producers[1].every: 0s is not allowed; use 1us or more",
            "consumers[0].prefetch: 0 is not allowed; use 1 or more",
            "consumers[0].workers: 65 is not allowed; use 64 or less",
            "consumers[1].poll_interval: 0s is not allowed with a wait of 0s; use 1ms or more, or a longer wait",
            "view.speed: 0 is not allowed; use 0.25 to 1000",
        ] {
            assert!(
                found.iter().any(|line| line == expected),
                "{expected}\n{found:#?}"
            );
        }
    }

    #[test]
    fn problems_of_commands_claims_and_variants_have_their_paths() {
        let base = |rest: &str| {
            format!(
                r#"{{"version":1,"duration":"10s","queues":[{{"name":"q"}}],"consumers":[{{"name":"c","from":"q"}}],{rest}}}"#
            )
        };
        for (rest, expected) in [
            (
                r#""commands":[{"at":"1s","set":{"consumer":"c","prefetch":0}}]"#,
                "commands[0].set.prefetch: 0 is not allowed; use 1 or more",
            ),
            (
                r#""commands":[{"at":"1s","set":{"consumer":"d","prefetch":1}}]"#,
                "commands[0].set.consumer: there is no consumer \"d\"; did you mean \"c\"?",
            ),
            (
                r#""commands":[{"at":"0s","every":"1us","crash":"c"}]"#,
                "commands: the commands act more than 10000 times; repeat them less often",
            ),
            (
                r#""expect":[{"metric":"deliverys","is":1}]"#,
                "expect[0].metric: \"deliverys\" is not allowed; did you mean \"deliveries\"?",
            ),
            (
                r#""expect":[{"metric":"deliveries","message":"m1","is":1,"at_least":2}]"#,
                "expect[0].message: no message has the body \"m1\"",
            ),
            (
                r#""variants":[{"name":"v","change":{"consumers":{"c":{"prefetch":0}}}}]"#,
                "variants[0].change.consumers[0].prefetch: 0 is not allowed; use 1 or more",
            ),
            (
                r#""variants":[{"name":"v","change":{"consumers":{"k":{"prefetch":1}}}}]"#,
                "variants[0].change.consumers.k: there is nothing of this name; did you mean \"c\"?",
            ),
        ] {
            let found = problems_of(&base(rest));
            assert!(
                found.iter().any(|line| line == expected),
                "{expected}\n{found:#?}"
            );
        }
    }

    #[test]
    fn a_later_version_is_told_apart_from_a_broken_file() {
        assert_eq!(
            problems_of(r#"{"version":2,"quorum":true}"#),
            ["version: 2 is not known here; this program reads version 1"]
        );
    }
}
