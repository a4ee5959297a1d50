//! What holds for the stage at any size, text size and moment.

use proptest::prelude::*;

use super::*;
use crate::present::fixtures::{self, Fixture};
use crate::present::geometry::{Rect, Within};
use crate::present::measure;

pub fn input(
    fixture: &Fixture,
    width: f64,
    height: f64,
    root_font: f64,
    density: Density,
) -> SceneInput<'_> {
    SceneInput {
        snapshot: &fixture.snapshot,
        setup: &fixture.setup,
        recent: &[],
        width,
        height,
        root_font,
        pace: 1.0,
        reduced_motion: false,
        density,
        vocabulary: crate::scenario::Profile::Free,
        effect_label: fixture.effect_label,
        unit: fixture.unit,
    }
}

macro_rules! ensure {
    ($found:ident, $holds:expr, $($message:tt)+) => {
        let holds: bool = $holds;
        if !holds {
            $found.push(format!($($message)+));
        }
    };
}

pub fn problems(name: &str, scene: &Scene) -> Vec<String> {
    let mut found = Vec::new();
    let stage = Rect::new(0.0, 0.0, scene.width, scene.height);
    let at = format!("{name} at {} × {}", scene.width, scene.height);
    for (i, station) in scene.stations.iter().enumerate() {
        ensure!(
            found,
            stage.encloses(&station.rect),
            "{at}: {:?} is outside: {:?}",
            station.id,
            station.rect
        );
        for other in scene.stations.iter().skip(i + 1) {
            ensure!(
                found,
                !station.rect.overlaps(&other.rect),
                "{at}: {:?} and {:?} overlap",
                station.id,
                other.id
            );
        }
        check_station(&mut found, &at, station);
    }
    for (i, token) in scene.tokens.iter().enumerate() {
        let Place::At(place) = token.place else {
            continue;
        };
        let home = scene
            .stations
            .iter()
            .find(|station| station.id == place)
            .unwrap();
        let body = body(token);
        ensure!(
            found,
            home.rect.encloses(&body),
            "{at}: token {} leaves {place:?}: {body:?} {:?}",
            token.label,
            home.rect
        );
        ensure!(
            found,
            token.label_size >= measure::SMALLEST,
            "{at}: small label"
        );
        let wanted = measure::width(&token.label, token.label_size, true);
        ensure!(
            found,
            wanted <= 2.0 * token.half_width,
            "{at}: label {} is wider than its token",
            token.label
        );
        for other in scene
            .tokens
            .iter()
            .skip(i + 1)
            .filter(|other| other.place == token.place)
        {
            ensure!(
                found,
                !body.overlaps(&self::body(other)),
                "{at}: tokens {} and {} overlap in {place:?}",
                token.label,
                other.label
            );
        }
        let texts = home
            .texts
            .iter()
            .chain(home.lanes.iter().flat_map(|lane| &lane.texts));
        for text in texts {
            let inked = inked(text);
            ensure!(
                found,
                !body.overlaps(&inked),
                "{at}: token {} is on {:?} in {place:?}",
                token.label,
                text.text
            );
        }
        let number = wanted / 2.0;
        let corner = |side: f64| {
            let x = token.centre.x + side * number;
            Rect::new(x, token.centre.y - 0.3 * token.label_size, 0.0, 0.0)
        };
        let badges = token.badge().map(|badge| (badge, corner(1.0)));
        let group = token.group.as_ref();
        let group = group.filter(|group| !group.letter.is_empty());
        let badges = badges
            .into_iter()
            .chain(group.map(|group| (group.badge(), corner(-1.0))));
        for (badge, corner) in badges.filter(|_| !token.poison) {
            ensure!(
                found,
                !covers(&badge, &corner),
                "{at}: a badge hides the number {} in {place:?}: {badge:?} {corner:?}",
                token.label
            );
        }
        ensure!(
            found,
            home.more.is_none_or(|more| !more.overlaps(&body)),
            "{at}: token {} is on the button of {place:?}",
            token.label
        );
        for (slot, _) in &home.slots {
            ensure!(
                found,
                !body.overlaps(slot),
                "{at}: token {} is on a slot",
                token.label
            );
        }
        for button in &home.buttons {
            ensure!(
                found,
                !body.overlaps(&button.rect),
                "{at}: token {} is on {:?}",
                token.label,
                button.label
            );
        }
    }
    for bar in &scene.bars {
        let home = scene
            .stations
            .iter()
            .find(|station| station.id == StationId::Consumer(bar.consumer))
            .unwrap();
        ensure!(
            found,
            home.rect.encloses(&bar.track) && bar.track.w > 0.0,
            "{at}: bar {:?}",
            bar.track
        );
        for text in &home.texts {
            ensure!(
                found,
                !bar.track.overlaps(&inked(text)),
                "{at}: a bar is on {:?}",
                text.text
            );
        }
    }
    found
}

fn check_station(found: &mut Vec<String>, at: &str, station: &Station) {
    let lanes = station.lanes.iter();
    let texts: Vec<&Text> = station
        .texts
        .iter()
        .chain(lanes.flat_map(|lane| &lane.texts))
        .collect();
    for (i, text) in texts.iter().enumerate() {
        ensure!(
            found,
            text.size >= measure::SMALLEST,
            "{at}: {:?} is too small",
            text.text
        );
        let wanted = measure::width(&text.text, text.size, text.strong);
        ensure!(
            found,
            wanted <= text.rect.w + 0.01,
            "{at}: {:?} does not fit its box",
            text.text
        );
        ensure!(
            found,
            station.rect.encloses(&text.rect),
            "{at}: {:?} leaves {:?}: {:?} {:?}",
            text.text,
            station.id,
            text.rect,
            station.rect
        );
        for other in texts.iter().skip(i + 1) {
            ensure!(
                found,
                !inked(text).overlaps(&inked(other)),
                "{at}: {:?} and {:?} overlap",
                text.text,
                other.text
            );
        }
    }
    for (i, lane) in station.lanes.iter().enumerate() {
        ensure!(
            found,
            station.rect.encloses(&lane.rect),
            "{at}: lane {:?}",
            lane.rect
        );
        for other in station.lanes.iter().skip(i + 1) {
            ensure!(
                found,
                !lane.rect.overlaps(&other.rect),
                "{at}: two lanes overlap"
            );
        }
    }
    for (slot, _) in &station.slots {
        ensure!(
            found,
            station.rect.encloses(slot),
            "{at}: slot {slot:?} leaves {:?}",
            station.id
        );
        let buttons = station.buttons.iter().map(|button| button.rect);
        for taken in texts.iter().map(|text| inked(text)).chain(buttons) {
            ensure!(
                found,
                !slot.overlaps(&taken),
                "{at}: slot {slot:?} is on {taken:?} in {:?}",
                station.id
            );
        }
    }
    if let Some(more) = station.more {
        ensure!(
            found,
            station.rect.encloses(&more) && more.w >= 24.0 && more.h >= 24.0,
            "{at}: {more:?} leaves {:?}",
            station.id
        );
        let buttons = station.buttons.iter().map(|button| button.rect);
        let taken = texts.iter().map(|text| inked(text)).chain(buttons);
        for rect in taken {
            ensure!(
                found,
                !more.overlaps(&rect),
                "{at}: {rect:?} is under the button {more:?} of {:?}",
                station.id
            );
        }
    }
    for (i, button) in station.buttons.iter().enumerate() {
        ensure!(
            found,
            station.rect.encloses(&button.rect),
            "{at}: button {:?} leaves {:?}",
            button.label,
            station.id
        );
        ensure!(
            found,
            button.rect.w >= 24.0 && button.rect.h >= 24.0,
            "{at}: button {:?} is too small",
            button.label
        );
        ensure!(
            found,
            measure::width(&button.label, button.size, false) <= button.rect.w,
            "{at}: label {:?}",
            button.label
        );
        for other in station.buttons.iter().skip(i + 1) {
            ensure!(
                found,
                !button.rect.overlaps(&other.rect),
                "{at}: {:?} and {:?} overlap",
                button.label,
                other.label
            );
        }
        for text in &texts {
            ensure!(
                found,
                !button.rect.overlaps(&inked(text)),
                "{at}: {:?} is on {:?}",
                text.text,
                button.label
            );
        }
    }
}

/// Whether a badge with round ends covers a point.
fn covers(badge: &Rect, point: &Rect) -> bool {
    let round = badge.h / 2.0;
    let x = point.x.within(
        badge.x + round,
        (badge.right() - round).max(badge.x + round),
    );
    (point.x - x).hypot(point.y - badge.centre().y) < round - 0.5
}

fn body(token: &TokenMark) -> Rect {
    let (w, h) = (token.half_width, token.radius);
    Rect::new(token.centre.x - w, token.centre.y - h, 2.0 * w, 2.0 * h)
}

/// The part of a text's box that its letters take.
fn inked(text: &Text) -> Rect {
    let w = measure::width(&text.text, text.size, text.strong);
    let x = match text.align {
        Align::Start => text.rect.x,
        Align::Middle => text.rect.centre().x - w / 2.0,
        Align::End => text.rect.right() - w,
    };
    Rect::new(x, text.baseline() - text.size * 0.74, w, text.size * 0.94)
}

#[test]
fn nothing_overlaps_or_leaves_the_stage_at_the_usual_sizes() {
    let mut found = Vec::new();
    for (name, fixture) in fixtures::all() {
        for width in [
            320.0, 390.0, 480.0, 600.0, 722.0, 736.0, 768.0, 980.0, 1_320.0, 1_898.0,
        ] {
            for height in [200.0, 420.0, 547.0, 900.0] {
                for root_font in [14.0, 16.0, 32.0] {
                    for density in [Density::Simple, Density::Full] {
                        let scene =
                            Scene::compute(&input(&fixture, width, height, root_font, density));
                        found.extend(problems(&format!("{name} {density:?} {root_font}"), &scene));
                        assert!(scene.height >= height);
                        assert!(!scene.stations.is_empty(), "{name} at {width}");
                    }
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} problems\n{}",
        found.len(),
        found.join("\n")
    );
}

/// What holds of a stage beside what holds of all: at its size it is not higher than its room where stations stand
/// beside each other.
fn fits_its_room(name: &str, fixture: &Fixture, size: (f64, f64, f64), full: bool) -> Vec<String> {
    let (width, height, root_font) = size;
    let density = if full { Density::Full } else { Density::Simple };
    let scene = Scene::compute(&input(fixture, width, height, root_font, density));
    let name = format!("{name} {density:?} {root_font} in {width} × {height}");
    let mut found = problems(&name, &scene);
    let left_of = |a: &Station, b: &Station| a.rect.right() <= b.rect.x;
    let queue = scene
        .stations
        .iter()
        .find(|station| matches!(station.id, StationId::Queue(_)));
    let outside = scene
        .stations
        .iter()
        .find(|station| station.id == StationId::Outside);
    let across = queue
        .zip(outside)
        .is_some_and(|(queue, outside)| left_of(queue, outside));
    if across && scene.height > height + 0.5 {
        found.push(format!("{name}: {} high", scene.height));
    }
    let unit = (root_font / 16.0).max(1.0);
    if !across && (width > 640.0 * unit || scene.height > height.max(1_900.0 * unit)) {
        found.push(format!("{name}: below each other, {} high", scene.height));
    }
    found
}

#[test]
fn crowds_fit_every_usual_screen() {
    let mut found = Vec::new();
    for (producers, groups, consumers) in [
        (1, 1, 1),
        (1, 3, 2),
        (1, 3, 3),
        (2, 6, 5),
        (3, 12, 8),
        (3, 16, 10),
        (4, 0, 6),
    ] {
        let fixture = fixtures::crowd(producers, groups, consumers);
        let name = format!("{producers}/{groups}/{consumers}");
        for (width, height) in [
            (390.0, 500.0),
            (500.0, 300.0),
            (660.0, 300.0),
            (744.0, 560.0),
            (820.0, 440.0),
            (983.0, 625.0),
            (1_320.0, 547.0),
            (1_880.0, 800.0),
            (2_500.0, 1_100.0),
        ] {
            for root_font in [16.0, 32.0] {
                for full in [false, true] {
                    found.extend(fits_its_room(
                        &name,
                        &fixture,
                        (width, height, root_font),
                        full,
                    ));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} problems\n{}",
        found.len(),
        found.join("\n")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn crowds_fit_any_stage(
        width in 320.0..2_560.0_f64,
        height in 300.0..1_400.0_f64,
        root_font in prop_oneof![Just(16.0), Just(32.0)],
        full in any::<bool>(),
        producers in 1..=4_u32,
        groups in 0..=16_u32,
        consumers in 1..=10_u32,
    ) {
        let fixture = fixtures::crowd(producers, groups, consumers);
        let name = format!("{producers}/{groups}/{consumers}");
        let found = fits_its_room(&name, &fixture, (width, height, root_font), full);
        prop_assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn nothing_overlaps_or_leaves_the_stage(
        width in 320.0..1_920.0_f64,
        height in 200.0..1_200.0_f64,
        root_font in prop_oneof![Just(14.0), Just(16.0), Just(20.0), Just(32.0)],
        full in any::<bool>(),
        which in 0..fixtures::all().len(),
    ) {
        let (name, fixture) = fixtures::all().swap_remove(which);
        let density = if full { Density::Full } else { Density::Simple };
        let scene = Scene::compute(&input(&fixture, width, height, root_font, density));
        let found = problems(name, &scene);
        prop_assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn stations_stay_where_they_are_while_a_run_plays() {
    for (name, fixture) in fixtures::all() {
        let mut quiet = fixtures::quiet(&fixture.setup, 0);
        for (quiet, full) in quiet.queues.iter_mut().zip(&fixture.snapshot.queues) {
            quiet.setup = full.setup.clone();
        }
        for (quiet, full) in quiet.consumers.iter_mut().zip(&fixture.snapshot.consumers) {
            quiet.setup = full.setup.clone();
        }
        let empty = Fixture {
            snapshot: quiet,
            setup: fixture.setup.clone(),
            ..fixture
        };
        for (width, density) in [
            (390.0, Density::Simple),
            (980.0, Density::Full),
            (1_320.0, Density::Simple),
        ] {
            let scene =
                |fixture: &Fixture| Scene::compute(&input(fixture, width, 547.0, 16.0, density));
            let places = |scene: Scene| -> Vec<_> {
                let lanes = |station: &Station| {
                    station
                        .lanes
                        .iter()
                        .map(|lane| lane.rect)
                        .collect::<Vec<_>>()
                };
                scene
                    .stations
                    .iter()
                    .map(|station| (station.id, station.rect, lanes(station)))
                    .collect()
            };
            assert_eq!(places(scene(&empty)), places(scene(&fixture)), "{name}");
        }
    }
}

#[test]
fn the_stage_uses_its_whole_panel() {
    for (name, fixture) in fixtures::all() {
        for (width, height) in [
            (320.0, 300.0),
            (736.0, 420.0),
            (1_320.0, 547.0),
            (1_898.0, 700.0),
        ] {
            let scene = Scene::compute(&input(&fixture, width, height, 16.0, Density::Simple));
            let right = scene
                .stations
                .iter()
                .map(|station| station.rect.right())
                .fold(0.0, f64::max);
            let left = scene
                .stations
                .iter()
                .map(|station| station.rect.x)
                .fold(width, f64::min);
            assert!(
                left <= width * 0.06 && right >= width * 0.94,
                "{name} at {width}: {left} to {right}"
            );
        }
    }
}

#[test]
fn odd_sizes_and_paces_give_a_stage_all_the_same() {
    let odd = [
        0.0,
        -5.0,
        1.0,
        1e9,
        f64::NAN,
        f64::INFINITY,
        f64::MIN_POSITIVE,
    ];
    for (_, fixture) in fixtures::all() {
        for value in odd {
            let sizes = [
                (value, 500.0, 16.0),
                (800.0, value, 16.0),
                (800.0, 500.0, value),
            ];
            for (width, height, root_font) in sizes {
                let input = input(&fixture, width, height, root_font, Density::Full);
                let scene = Scene::compute(&SceneInput {
                    pace: value,
                    ..input
                });
                assert!(!scene.stations.is_empty());
            }
        }
    }
}
