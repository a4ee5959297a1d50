//! What is at a point of the stage, as something to act on.

use crate::present::actions::ActionTarget;
use crate::present::geometry::Point;

use super::{About, Scene, StationId};

impl Scene {
    /// What is under a point: a message, else a lane's group, else a station. `around` is as in [`Scene::token_at`].
    pub fn target_at(&self, point: Point, around: f64) -> Option<ActionTarget> {
        if let Some(token) = self.token_at(point, around) {
            return Some(ActionTarget::Message(token.message));
        }
        let station = self.station_at(point)?;
        let lane = station.lanes.iter().find(|lane| lane.rect.contains(point));
        if let (StationId::Queue(queue), Some((group, _))) =
            (station.id, lane.and_then(|lane| lane.group))
        {
            return Some(ActionTarget::Group(queue, group));
        }
        About::station(station.id).and_then(ActionTarget::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::QueueId;
    use crate::present::fixtures;
    use crate::present::scene::{Density, properties::input};

    #[test]
    fn a_message_comes_before_its_lane_and_a_lane_before_its_queue() {
        let fixture = fixtures::fifo();
        let scene = Scene::compute(&input(&fixture, 1_320.0, 547.0, 16.0, Density::Simple));
        let token = scene.tokens.last().unwrap();
        let hit = scene.target_at(token.centre, 0.0);
        assert_eq!(hit, Some(ActionTarget::Message(token.message)));
        let queue = scene
            .stations
            .iter()
            .find(|it| !it.lanes.is_empty())
            .unwrap();
        let lane = &queue.lanes[0];
        let (group, _) = lane.group.unwrap();
        let corner = Point::new(lane.rect.x + 1.0, lane.rect.y + 1.0);
        let hit = scene.target_at(corner, 0.0);
        assert_eq!(hit, Some(ActionTarget::Group(QueueId(0), group)));
        let title = Point::new(queue.rect.x + 2.0, queue.rect.y + 2.0);
        let hit = scene.target_at(title, 0.0);
        assert_eq!(hit, Some(ActionTarget::Queue(QueueId(0))));
        assert_eq!(scene.target_at(Point::new(-50.0, -50.0), 0.0), None);
    }
}
