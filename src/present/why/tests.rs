use std::sync::Arc;

use super::*;
use crate::engine::setup::{Chance, Groups, Poison, Processing};
use crate::engine::{Command, MessageNumber, Micros, Ordinal, Setup, TimedCommand};
use crate::present::controls::Control;
use crate::present::format::NBSP;
use crate::present::names::Bodies;
use crate::scenario::{Scenario, catalogue};
use crate::session::Session;

const ENOUGH: u64 = 10_000_000;

/// A run of a scenario up to a time.
struct Asked {
    session: Session,
    bodies: Bodies,
    label: String,
}

impl Asked {
    fn new(setup: Setup, label: &str, until: Micros) -> Self {
        let mut session = Session::new(Arc::new(setup));
        session.advance_to(until, ENOUGH);
        let mut asked = Self {
            session,
            bodies: Bodies::default(),
            label: label.to_owned(),
        };
        asked.learn();
        asked
    }

    fn shipped(slug: &str, seconds: f64) -> Self {
        let scenario = Scenario::from_json(catalogue::find(slug).unwrap().json).unwrap();
        let label = scenario.view.outside.as_ref();
        let label = label.map_or("effects", |outside| &outside.label).to_owned();
        let until = Micros((seconds * 1e6) as u64);
        Self::new(scenario.lower().unwrap(), &label, until)
    }

    fn learn(&mut self) {
        let known = Ordinal(0)..self.session.known_events();
        for event in self.session.events(known, ENOUGH).unwrap() {
            self.bodies.observe(&event);
        }
    }

    fn ask<T>(
        &mut self,
        message: Option<u32>,
        answer: impl FnOnce(&Inquiry, &[Event], u64) -> T,
        ahead: &[Event],
    ) -> T {
        let life = message.map(|message| {
            let life = self.session.life(MessageNumber(message), ENOUGH);
            assert!(life.complete);
            (life.events.to_vec(), life.left_out)
        });
        let (life, left_out) = life.unwrap_or_default();
        let own_from = self.session.base().commands.len();
        let inquiry = Inquiry {
            teller: Teller {
                setup: self.session.simulation().setup(),
                bodies: &self.bodies,
                ledger: Some(self.session.ledger()),
                effect_label: &self.label,
                own_from,
                vocabulary: crate::scenario::Profile::Free,
                unit: "€",
            },
            own_from,
            life: &life,
        };
        answer(&inquiry, ahead, left_out)
    }

    fn event(&mut self, is: impl Fn(&EventKind) -> bool) -> Event {
        let known = Ordinal(0)..self.session.known_events();
        let events = self.session.events(known, ENOUGH).unwrap();
        let found = events.into_iter().rev().find(|event| is(&event.kind));
        found.expect("it happens")
    }

    fn explain(&mut self, event: Event) -> Explanation {
        let causes = self.session.causes(event.ordinal, ENOUGH).events.to_vec();
        let message = event.kind.message().map(|message| message.0);
        let mut explained = self.ask(
            message,
            |inquiry, causes, _| inquiry.explain(causes),
            &causes,
        );
        for text in explained.roots.iter_mut().map(|root| &mut root.text) {
            *text = text.replace(NBSP, " ");
        }
        explained
    }

    /// Why the newest event like this happened: what is at the root, with the controls.
    fn why(&mut self, is: impl Fn(&EventKind) -> bool) -> Vec<(String, &'static str)> {
        let event = self.event(is);
        let roots = self.explain(event).roots;
        let control = |root: &Root| root.control.map_or("", |it| it.control);
        roots
            .iter()
            .map(|root| {
                (
                    format!("{}: {}", root.kind.label(), root.text),
                    control(root),
                )
            })
            .collect()
    }

    fn story(&mut self, message: u32) -> Vec<String> {
        let ahead = self
            .session
            .foresee(MessageNumber(message), ENOUGH)
            .events
            .to_vec();
        let here = self.session.playhead().ordinal;
        let told = self.ask(
            Some(message),
            |inquiry, ahead, left_out| story(inquiry, here, ahead, left_out),
            &ahead,
        );
        told.lines
            .iter()
            .map(|line| {
                let ahead = if line.ahead { "… " } else { "" };
                format!("{ahead}{}: {}", line.time, line.text).replace(NBSP, " ")
            })
            .collect()
    }
}

fn is_second_effect(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Effect { nth: 2, .. })
}

const NOT_IDEMPOTENT: &str =
    "Setting: worker-1 is not idempotent: every delivery that it finishes has its effect.";

/// Three orders, two workers, one of them too slow; changed by hand.
fn changed(change: impl Fn(&mut Setup), seconds: f64) -> Asked {
    let scenario = Scenario::from_json(catalogue::find("charged-twice").unwrap().json).unwrap();
    let mut setup = scenario.lower().unwrap();
    setup.consumers[1].processing = setup.consumers[0].processing;
    change(&mut setup);
    Asked::new(setup, "cards charged", Micros((seconds * 1e6) as u64))
}

#[test]
fn a_duplicate_comes_of_a_timeout_that_is_shorter_than_the_work() {
    let mut asked = Asked::shipped("charged-twice", 6.0);
    let roots = asked.why(is_second_effect);
    assert_eq!(
        roots[0],
        (
            "Setting: The visibility timeout of orders is 3 s, and worker-2 needs 4.5 s for Ben."
                .to_owned(),
            "visibility-timeout"
        )
    );
    assert_eq!(roots[1].1, "idempotent");
    let second = asked.event(is_second_effect);
    let links = asked.explain(second).links;
    let texts: Vec<String> = links
        .iter()
        .map(|link| link.text.replace(NBSP, " "))
        .collect();
    assert_eq!(
        texts,
        [
            "Ben charged by worker-1, €20.",
            "Ben handed to worker-1 for the second time, hidden until 7.0 s.",
            "No ack within 3 s: Ben is visible again. The queue cannot see whether worker-2 is still working.",
            "Ben handed to worker-2, hidden until 4.0 s.",
            "Ben sent to orders.",
        ]
    );
}

#[test]
fn a_life_is_told_in_lines_with_what_is_still_to_come() {
    let mut asked = Asked::shipped("charged-twice", 4.6);
    assert_eq!(
        asked.story(2),
        [
            "1.0 s: sent by shop",
            "1.0 s: delivered to worker-2, hidden for 3 s",
            "4.0 s: timeout ended before the ack: visible again",
            "4.0 s: delivered to worker-1, the second of 5, hidden for 3 s",
            "… 5.0 s: worker-1 will finish: charged, acknowledged and removed",
            "… 5.5 s: worker-2 will finish: a duplicate effect, ack too late, nothing removed",
        ]
    );
}

#[test]
fn a_message_has_a_title_and_fields() {
    let mut asked = Asked::shipped("charged-twice", 6.0);
    let now = Micros::from_secs(6);
    let ben = MessageNumber(2);
    let (title, facts) = asked.ask(
        Some(2),
        |inquiry, _, _| (title(inquiry, ben), facts(inquiry, ben, now)),
        &[],
    );
    assert_eq!(title, "Ben · message 2");
    let facts: Vec<String> = facts
        .iter()
        .map(|fact| format!("{}: {}", fact.name, fact.value).replace(NBSP, " "))
        .collect();
    assert_eq!(
        facts,
        [
            "Message ID: 2",
            "Body: Ben",
            "Sent: 1.0 s by shop to orders",
            "Attempt 1: worker-2 at 1.0 s, timeout ended 4.0 s, finished 5.5 s",
            "Attempt 2: worker-1 at 4.0 s, finished 5.0 s",
        ]
    );
}

#[test]
fn a_timeout_in_the_buffer_comes_of_prefetch() {
    let roots = Asked::shipped("prefetched-expires-in-buffer", 125.0).why(is_second_effect);
    assert_eq!(
        roots[0],
        (
            "Setting: m2 was still in the buffer of w1 when its timeout of 1 min ended. w1 holds up to 2 at once and works on 1."
                .to_owned(),
            "prefetch"
        )
    );
}

#[test]
fn a_dead_letter_comes_of_its_budget_and_of_what_used_it_up() {
    let is = |kind: &EventKind| matches!(kind, EventKind::DeadLettered { .. });
    let roots = Asked::shipped("retry-budget-off-by-one", 30.0).why(is);
    assert_eq!(roots[0].1, "retry-budget");
    assert_eq!(
        roots[1].0,
        "Plan: The scenario sends p as poison: it can never be processed."
    );
    assert_eq!(roots[2].1, "on-failure");
    let mut every = changed(
        |setup| {
            setup.producers[0].poison = Poison::Every(2);
            setup.queues[0].max_deliveries = Some(2);
        },
        20.0,
    );
    let roots = every.why(is);
    assert_eq!(
        roots[1],
        (
            "Setting: One message of shop in 2 is poison: it can never be processed.".to_owned(),
            "poison"
        )
    );
}

#[test]
fn a_lost_ack_is_a_chance_or_a_command() {
    let by_chance = |setup: &mut Setup| setup.network.lose_ack = Chance(1_000_000);
    let roots = changed(by_chance, 6.0).why(is_second_effect);
    assert_eq!(
        roots[0],
        (
            "Chance: By chance: the network loses an ack with a probability of 100 %, and drew it for this one."
                .to_owned(),
            "lose-ack"
        )
    );
    let mut asked = changed(|_| (), 0.6);
    asked.session.command(Command::LoseNextAck(ConsumerId(0)));
    asked.session.advance_to(Micros::from_secs(8), ENOUGH);
    let roots = asked.why(is_second_effect);
    assert_eq!(
        roots[0].0,
        "Your command: At 0.6 s the next ack of worker-1 will be lost."
    );
}

#[test]
fn a_crash_is_the_command_that_made_it_the_scenarios_or_ones_own() {
    let crash = TimedCommand {
        at: Micros::from_millis(600),
        command: Command::Crash(ConsumerId(0)),
    };
    let is = |kind: &EventKind| matches!(kind, EventKind::Delivered { delivery: 2, .. });
    let mut planned = changed(|setup| setup.commands = vec![crash.clone()], 6.0);
    assert_eq!(
        planned.why(is)[0].0,
        "The scenario's command: At 0.6 s worker-1 is made to crash."
    );
    let mut live = changed(|_| (), 0.6);
    live.session.command(crash.command);
    live.session.advance_to(Micros::from_secs(6), ENOUGH);
    assert!(live.why(is)[0].0.starts_with("Your command: At 0.6 s"));
}

#[test]
fn slow_work_and_a_pause_are_the_commands_that_made_them() {
    let is = |kind: &EventKind| matches!(kind, EventKind::TimeoutEnded { .. });
    let mut slow = changed(|_| (), 0.4);
    slow.session.command(Command::SlowDown {
        consumer: ConsumerId(0),
        percent: 1_000,
    });
    slow.session.advance_to(Micros::from_secs(6), ENOUGH);
    assert_eq!(
        slow.why(is)[0].0,
        "Your command: At 0.4 s worker-1's work now takes 10 times as long."
    );
    let mut paused = changed(|setup| setup.consumers[0].prefetch = 3, 1.1);
    paused.session.command(Command::Pause(ConsumerId(0)));
    paused.session.advance_to(Micros::from_secs(6), ENOUGH);
    assert_eq!(
        paused.why(is)[0].0,
        "Your command: At 1.1 s worker-1 is paused."
    );
}

#[test]
fn a_returned_message_leads_to_the_chance_of_failure() {
    let failing = |setup: &mut Setup| setup.consumers[0].failure.chance = Chance(1_000_000);
    let roots = changed(failing, 3.0)
        .why(|kind| matches!(kind, EventKind::Delivered { delivery: 2.., .. }));
    assert_eq!(
        roots[0],
        (
            "Chance: By chance: worker-1 fails 100 % of its deliveries, and drew it for this one of Ada."
                .to_owned(),
            "failures"
        )
    );
}

#[test]
fn a_repeated_send_leads_to_the_confirm_that_was_lost() {
    let unconfirmed = |setup: &mut Setup| {
        setup.network.lose_confirm = Chance(1_000_000);
        setup.producers[0].confirm_timeout = Some(Micros::from_millis(200));
    };
    let roots = changed(unconfirmed, 6.0).why(is_second_effect);
    assert_eq!(roots[0].1, "lose-confirm");
    assert_eq!(
        roots[1].0,
        NOT_IDEMPOTENT.replace("worker-1", roots[1].0.split(' ').nth(1).unwrap())
    );
}

#[test]
fn a_starving_group_waits_for_what_a_dead_worker_holds() {
    let mut asked = Asked::shipped("fifo-dead-consumer-blocks-group", 310.0);
    let roots = asked.why(|kind| matches!(kind, EventKind::StarvationBegan { .. }));
    let controls: Vec<&str> = roots.iter().map(|root| root.1).collect();
    assert_eq!(controls, ["", "visibility-timeout", "order"]);
    assert_eq!(
        roots[0].0,
        "The scenario's command: At 20.0 s c1 is made to crash."
    );
}

#[test]
fn out_of_order_comes_of_a_queue_that_promises_none() {
    let grouped = |setup: &mut Setup| {
        setup.groups = vec!["A".to_owned()];
        setup.producers[0].groups = Groups::Cycle(vec![crate::engine::GroupId(0)]);
        setup.consumers[1].processing = Processing::Constant(Micros::from_millis(2_500));
    };
    let roots =
        changed(grouped, 6.0).why(|kind| matches!(kind, EventKind::FinishedOutOfOrder { .. }));
    assert_eq!(roots.last().map(|root| root.1), Some("order"));
}

/// Whatever is asked about, whoever is asked: nothing fails, every root is a sentence and every control exists.
#[test]
fn every_event_of_the_shipped_scenarios_can_be_asked_why() {
    for shipped in catalogue::CATALOGUE {
        let mut asked = Asked::shipped(shipped.slug, 40.0);
        let known = Ordinal(0)..asked.session.known_events();
        let events = asked.session.events(known, ENOUGH).unwrap();
        // All of them where there are few: the rest are much the same.
        let step = (events.len() / 400).max(3);
        for event in events.into_iter().step_by(step) {
            let explained = asked.explain(event);
            for root in &explained.roots {
                assert!(root.text.ends_with('.'), "{:?}", root);
                let control = root.control.map(|it| it.control);
                assert!(control.is_none_or(|id| Control::find(id).is_some()));
            }
            let plain = matches!(event.kind, EventKind::StarvationEnded { .. });
            assert!(plain || !explained.roots.is_empty(), "{:?}", event);
            assert!(explained.links.len() <= Explanation::MOST);
        }
    }
}

#[test]
fn messages_are_found_by_number_and_by_name() {
    let asked = Asked::shipped("charged-twice", 6.0);
    let (setup, ledger) = (asked.session.simulation().setup(), asked.session.ledger());
    let find = |text| find(text, setup, ledger, MessageNumber(3)).map(|message| message.0);
    assert_eq!(find("2"), Some(2));
    assert_eq!(find(" #3 "), Some(3));
    assert_eq!(find("ben"), Some(2));
    assert_eq!(find("Cl"), Some(3));
    assert_eq!((find("4"), find("Zoe"), find("")), (None, None, None));
    let all = MessageNumber(3);
    assert_eq!(next(MessageNumber(3), all), None);
    assert_eq!(previous(MessageNumber(1)), None);
}

#[test]
fn words_name_a_setting_as_it_was_then() {
    let mut asked = Asked::shipped("charged-twice", 4.6);
    let longer = crate::engine::QueueChange::VisibilityTimeout(Micros::from_secs(60));
    asked.session.command(Command::SetQueue(QueueId(0), longer));
    asked.session.advance_to(Micros::from_secs(6), ENOUGH);
    let roots = asked.why(is_second_effect);
    assert!(
        roots[0].0.contains("visibility timeout of orders is 3 s"),
        "{roots:?}"
    );
}

#[test]
fn a_consumer_that_asks_for_its_own_timeout_is_named() {
    let own = |setup: &mut Setup| {
        setup.consumers[0].visibility_timeout = Some(Micros::from_millis(400));
    };
    let roots = changed(own, 3.0).why(|kind| matches!(kind, EventKind::TimeoutEnded { .. }));
    assert_eq!(
        roots[0],
        (
            "Setting: worker-1 asks for a visibility timeout of 0.4 s, and needs 1 s for Cleo."
                .to_owned(),
            "own-visibility-timeout"
        )
    );
}

#[test]
fn a_partition_and_a_timeout_ended_by_hand_are_commands() {
    let mut apart = changed(|_| (), 0.6);
    apart.session.command(Command::Partition(ConsumerId(0)));
    apart.session.advance_to(Micros::from_secs(8), ENOUGH);
    let is = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::TimeoutEnded {
                consumer: Some(ConsumerId(0)),
                ..
            }
        )
    };
    let roots = apart.why(is);
    assert!(
        roots[0].0.starts_with("Your command: At 0.6 s"),
        "{roots:?}"
    );
    let mut ended = changed(|_| (), 0.6);
    ended.session.command(Command::ExpireNow(MessageNumber(1)));
    ended.session.advance_to(Micros::from_secs(8), ENOUGH);
    let roots = ended.why(|kind| matches!(kind, EventKind::Delivered { delivery: 2, .. }));
    assert!(
        roots[0].0.starts_with("Your command: At 0.6 s"),
        "{roots:?}"
    );
}

#[test]
fn a_long_life_keeps_its_beginning_and_its_end() {
    let failing = |setup: &mut Setup| {
        setup.consumers[0].failure.chance = Chance(1_000_000);
        setup.consumers[1].failure.chance = Chance(1_000_000);
        setup.queues[0].max_deliveries = None;
    };
    let mut asked = changed(failing, 60.0);
    let here = asked.session.playhead().ordinal;
    let told = asked.ask(
        Some(1),
        |inquiry, ahead, left_out| story(inquiry, here, ahead, left_out),
        &[],
    );
    assert_eq!(told.lines.len(), Story::MOST);
    assert!(told.left_out > 0);
    assert_eq!(told.lines[0].text, "sent by shop");
}

/// Whatever the rules of a broker do to a message or a consumer leads to a setting, a command or a plan.
#[test]
fn every_event_of_a_rule_has_a_root() {
    use crate::engine::event::*;
    use EventKind as E;
    let (message, queue, consumer) = (MessageNumber(1), crate::engine::QueueId(0), ConsumerId(0));
    let mut kinds = vec![
        E::ReceiveRefused { queue, consumer },
        E::Claimed {
            message,
            queue,
            consumer,
            from: ConsumerId(1),
        },
        E::SessionAccepted {
            queue,
            group: None,
            consumer,
        },
        E::SessionClosed {
            queue,
            group: None,
            consumer,
            lost: false,
        },
        E::SessionClosed {
            queue,
            group: None,
            consumer,
            lost: true,
        },
        E::ChannelOpened { queue, consumer },
        E::Requeued {
            message,
            queue,
            consumer,
            reason: RequeueReason::KeyReplayed,
        },
        E::Exhausted {
            message,
            queue,
            deliveries: 3,
            archived: true,
            reason: ExhaustedReason::BudgetUsedUp,
        },
        E::Expired { message, queue },
        E::LostInRestart { message, queue },
        E::DeadLetterKept {
            message,
            queue,
            reason: DeadLetterReason::Rejected,
        },
        E::QueueDeleted { queue },
        E::BreakerOpened { consumer },
        E::BreakerClosed { consumer },
        E::Crashed { consumer, held: 1 },
    ];
    use RefusalReason::{Full, NoQueue, NoSession, OwnDelay, Quota};
    for reason in [Full, Quota, NoQueue, OwnDelay, NoSession] {
        kinds.push(E::Refused {
            message,
            queue,
            reason,
        });
    }
    for reason in [
        CloseReason::Timeout,
        CloseReason::UnknownDelivery,
        CloseReason::Shared,
    ] {
        kinds.push(E::ChannelClosed {
            queue,
            consumer,
            reason,
        });
    }
    use DeadLetterReason::{Cycle, Expired, NoTarget, Overflow};
    for reason in [Expired, Overflow, Cycle, NoTarget] {
        kinds.push(E::Dropped {
            message,
            queue,
            reason,
        });
        kinds.push(E::DeadLettered {
            message,
            from: queue,
            to: queue,
            reason,
            deliveries: 1,
        });
    }
    let mut asked = Asked::shipped("charged-twice", 6.0);
    for kind in kinds {
        let event = Event {
            ordinal: Ordinal(10_000),
            at: Micros::from_secs(7),
            cause: None,
            kind,
        };
        let explained = asked.ask(
            Some(1),
            |inquiry, causes, _| inquiry.explain(causes),
            &[event],
        );
        assert!(!explained.roots.is_empty(), "{kind:?}");
        for root in explained.roots {
            assert!(root.text.ends_with('.'), "{root:?}");
            let control = root.control.map(|it| it.control);
            assert!(
                control.is_none_or(|id| Control::find(id).is_some()),
                "{root:?}"
            );
        }
    }
}

#[test]
fn a_command_at_the_root_says_how_it_comes_to_what_follows() {
    let file = r#"{"version":1,"duration":"10s","queues":[{"name":"jobs","hand_over":"push","durability":"persistent"}],
        "producers":[{"name":"p","to":"jobs","sends":[{"at":"0s","count":3}]}],
        "consumers":[{"name":"c","from":"jobs","processing":"3s"}],
        "commands":[{"at":"1s","close_channel":"c"},{"at":"6s","restart_broker":true}]}"#;
    let mut scenario = Scenario::from_json(file).unwrap().lower().unwrap();
    scenario.seed = 1;
    let mut asked = Asked::new(scenario, "effects", Micros::from_secs(9));
    for (index, how) in [
        (0, "c works on in vain"),
        (1, "jobs keeps only what was sent as persistent"),
    ] {
        let roots = asked.why(|kind| *kind == EventKind::CommandApplied { index });
        assert!(roots[0].0.contains(how), "{roots:?}");
    }
}
