use super::*;
use crate::engine::Micros;
use crate::present::fixtures;
use crate::present::names::Bodies;

fn ids(snapshot: &Snapshot, target: ActionTarget) -> Vec<&'static str> {
    Action::available(snapshot, target)
        .into_iter()
        .map(|(action, _)| action.id)
        .collect()
}

#[test]
fn only_what_makes_sense_now_is_available() {
    let mut running = fixtures::charged_twice().snapshot;
    let worker = ActionTarget::Consumer(ConsumerId(1));
    assert_eq!(
        ids(&running, worker),
        [
            "crash",
            "pause",
            "slow-down",
            "lose-ack",
            "partition",
            "be-it"
        ]
    );
    running.consumers[1].cut_off = true;
    assert!(ids(&running, worker).contains(&"heal"));
    running.consumers[1].status = ConsumerStatus::NotStarted;
    running.consumers[1].cut_off = false;
    running.consumers[1].setup.start = running.at;
    assert!(ids(&running, worker).contains(&"crash"), "it starts now");
    running.consumers[1].setup.start = running.at + Micros(1);
    assert!(ids(&running, worker).is_empty(), "nothing to break yet");
    let crashed = fixtures::crashed().snapshot;
    assert_eq!(ids(&crashed, worker), ["restart"]);
    let dead = ActionTarget::Queue(QueueId(1));
    assert!(!ids(&running, dead).contains(&"redrive"));
    assert!(ids(&fixtures::fifo().snapshot, dead).contains(&"redrive"));
}

#[test]
fn what_can_be_done_to_a_message_depends_on_where_it_is() {
    let fixture = fixtures::fifo();
    let snapshot = &fixture.snapshot;
    let orders = &snapshot.queues[0];
    let of = |token: &Token| ids(snapshot, ActionTarget::Message(token.message));
    let flying = &orders.in_flight[0].token;
    let change = if flying.poison { "fix" } else { "poison" };
    assert_eq!(of(flying), ["expire-now", change]);
    let waiting = orders.lanes.iter().find_map(|lane| lane.waiting.first());
    assert_eq!(of(waiting.unwrap()), ["poison"]);
    let dead = &snapshot.queues[1].dead_letters[0].token;
    let discards = ["unprocessable", "handled", "duplicate", "obsolete"];
    let discards = discards.map(|reason| format!("discard-{reason}"));
    let mut wanted = if dead.poison {
        vec!["fix", "redrive-message", "fix-and-redrive"]
    } else {
        vec!["poison", "redrive-message"]
    };
    wanted.extend(discards.iter().map(String::as_str));
    assert_eq!(of(dead), wanted);
    let gone = ActionTarget::Message(MessageNumber(4_000));
    assert!(ids(snapshot, gone).is_empty());
}

#[test]
fn what_is_left_of_a_message_as_an_effect_alone_cannot_be_acted_on() {
    let snapshot = fixtures::charged_twice_end().snapshot;
    let done = snapshot.outside.recent[0].token.message;
    assert!(ids(&snapshot, ActionTarget::Message(done)).is_empty());
}

#[test]
fn ids_are_unique_and_helps_are_sentences() {
    let mut ids: Vec<&str> = Action::ALL.iter().map(|action| action.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Action::ALL.len());
    assert!(Action::ALL.iter().all(|action| action.help.ends_with('.')));
    assert!(Action::find("crash").is_some());
}

#[test]
fn a_key_does_one_thing_to_what_has_the_focus() {
    for fixture in [
        fixtures::fifo(),
        fixtures::crashed(),
        fixtures::dead_letters(),
    ] {
        let snapshot = &fixture.snapshot;
        let consumers = (0..snapshot.consumers.len() as u16).map(ConsumerId);
        let mut targets: Vec<ActionTarget> = consumers.map(ActionTarget::Consumer).collect();
        targets.extend([
            ActionTarget::Queue(QueueId(0)),
            ActionTarget::Queue(QueueId(1)),
        ]);
        targets.extend((1..130).map(|n| ActionTarget::Message(MessageNumber(n))));
        for target in targets {
            let available = Action::available(snapshot, target);
            let mut keys: Vec<&str> = available
                .iter()
                .filter_map(|(action, _)| action.key)
                .collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{target:?}");
        }
    }
    let snapshot = fixtures::crashed().snapshot;
    let worker = ActionTarget::Consumer(ConsumerId(1));
    let restart = Command::Restart(ConsumerId(1));
    assert_eq!(Action::by_key("c", &snapshot, worker), Some(restart));
    let keys = Action::keys();
    assert_eq!(keys[0], ("c", "crash / restart".to_owned()));
    assert_eq!(keys.iter().filter(|(key, _)| *key == "p").count(), 1);
}

#[test]
fn a_send_by_hand_is_like_those_of_the_producer() {
    let snapshot = fixtures::charged_twice().snapshot;
    let action = Action::find("send-one").unwrap();
    let Some(Command::Send(send)) = action.command(&snapshot, ActionTarget::Queue(QueueId(0)))
    else {
        panic!("a queue can be sent to");
    };
    assert_eq!((send.count, send.amount), (1, 20));
}

#[test]
fn one_can_be_sent_to_a_group() {
    let snapshot = fixtures::fifo().snapshot;
    let action = Action::find("send-one").unwrap();
    let target = ActionTarget::Group(QueueId(0), GroupId(2));
    let Some(Command::Send(send)) = action.command(&snapshot, target) else {
        panic!("a group can be sent to");
    };
    assert_eq!((send.to, send.group), (QueueId(0), Some(GroupId(2))));
}

fn menu(whom: Whom, fixture: &fixtures::Fixture) -> Menu {
    let bodies = Bodies::default();
    let selected = Some(fixture.snapshot.queues[0].in_flight[0].token.message);
    Menu::of(whom, selected, &fixture.snapshot, &fixture.setup, &bodies)
}

#[test]
fn the_menu_of_everything_leads_to_each_thing_and_a_queue_to_its_groups() {
    let fixture = fixtures::fifo();
    let all = menu(Whom::All, &fixture);
    let RowKind::Open(first) = all.rows[0].kind else {
        panic!("leads on");
    };
    assert!(
        matches!(first, ActionTarget::Message(_)),
        "what is looked at comes first"
    );
    let named = |name: &str| all.rows.iter().any(|row| row.label == name);
    for queue in &fixture.setup.queues {
        assert!(named(&queue.name), "{}", queue.name);
    }
    let queue = menu(Whom::One(ActionTarget::Queue(QueueId(0))), &fixture);
    let groups = queue
        .rows
        .iter()
        .filter(|row| matches!(row.kind, RowKind::Open(_)));
    assert_eq!(groups.count(), fixture.snapshot.queues[0].lanes.len());
}

#[test]
fn a_menu_says_how_many_groups_it_does_not_list() {
    let mut fixture = fixtures::fifo();
    let queue = Whom::One(ActionTarget::Queue(QueueId(0)));
    let last = |fixture: &fixtures::Fixture| {
        let rows = menu(queue, fixture).rows;
        rows.last().map(|row| row.label.clone())
    };
    assert!(last(&fixture).is_some_and(|label| label.starts_with("Group")));
    let listed = fixture.snapshot.queues[0].lanes.len() as u32;
    fixture.snapshot.queues[0].more_lanes = 13 - listed;
    assert_eq!(last(&fixture).as_deref(), Some("and 1\u{a0}more group"));
}

#[test]
fn rows_of_an_open_menu_stay_where_they_are_when_they_can_no_more_be_chosen() {
    let fixture = fixtures::crashed();
    let whom = Whom::One(ActionTarget::Consumer(ConsumerId(1)));
    let mut running = fixtures::charged_twice();
    running.snapshot.queues[0].in_flight.truncate(1);
    let mut open = menu(whom, &running);
    let labels = |menu: &Menu| {
        menu.rows
            .iter()
            .map(|row| row.label.clone())
            .collect::<Vec<_>>()
    };
    let before = labels(&open);
    open.refresh(&menu(whom, &fixture));
    assert_eq!(labels(&open), before);
    assert!(open.rows.iter().all(|row| row.kind == RowKind::Act(None)));
}

#[test]
fn a_key_that_two_things_share_lists_what_it_does_once() {
    let pause = Action::keys().into_iter().find(|(key, _)| *key == "p");
    assert_eq!(pause, Some(("p", "pause / resume".to_owned())));
}
