//! The drawn line of every arc: smooth where possible, and behind no node.

use crate::layout::{NodeSize, Point};

/// The least distance between a line and the nodes that it passes.
const CLEAR: f64 = 3.0;

/// The points of a curve at which its distance from nodes is checked.
const CHECKED: usize = 24;

/// The boxes of all nodes, by their left borders.
pub(crate) struct Boxes {
    boxes: Vec<NodeBox>,
    widest: f64,
}

struct NodeBox {
    node: usize,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Boxes {
    /// The boxes of nodes with these centres.
    pub(crate) fn new(centres: &[Point], sizes: &[NodeSize]) -> Self {
        let all = centres.iter().zip(sizes).enumerate();
        let mut boxes: Vec<NodeBox> = all
            .map(|(node, (&(x, y), &(width, height)))| NodeBox {
                node,
                left: x - width / 2.0,
                right: x + width / 2.0,
                top: y - height / 2.0,
                bottom: y + height / 2.0,
            })
            .collect();
        boxes.sort_by(|one, other| one.left.total_cmp(&other.left));
        let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
        Self { boxes, widest }
    }

    /// Whether a point is within `clear` of a node other than these two.
    fn hold(&self, (x, y): Point, ends: (usize, usize), clear: f64) -> bool {
        let first = self.boxes.partition_point(|one| one.left < x - self.widest - clear);
        let near = self.boxes[first..].iter().take_while(|one| one.left <= x + clear);
        near.filter(|one| one.node != ends.0 && one.node != ends.1)
            .any(|one| x <= one.right + clear && y >= one.top - clear && y <= one.bottom + clear)
    }
}

/// A start and cubic Bézier curves: two control points and the end of each.
struct Line {
    start: Point,
    curves: Vec<[Point; 3]>,
}

impl Line {
    /// A uniform cubic B-spline with clamped ends: smooth, but it cuts corners.
    fn smooth(points: &[Point]) -> Self {
        let curves = (1..points.len()).map(|place| {
            let (a, b) = (points[place - 1], points[place]);
            let into = mix(a, b, 2.0 / 3.0);
            let stop = points.get(place + 1).map_or(b, |&c| mix(into, mix(b, c, 1.0 / 3.0), 0.5));
            [mix(a, b, 1.0 / 3.0), into, stop]
        });
        Self { start: points[0], curves: curves.collect() }
    }

    /// Vertical through every layer, and curved only between layers, where there are no nodes.
    fn stepped(points: &[Point]) -> Self {
        let curves = points.windows(2).filter(|pair| pair[0] != pair[1]).map(|pair| {
            let (a, b) = (pair[0], pair[1]);
            let middle = f64::midpoint(a.1, b.1);
            [(a.0, middle), (b.0, middle), b]
        });
        Self { start: points[0], curves: curves.collect() }
    }

    /// Whether it comes within `clear` of a node other than its ends.
    fn meets(&self, boxes: &Boxes, ends: (usize, usize), clear: f64) -> bool {
        let mut from = self.start;
        self.curves.iter().any(|&[first, second, to]| {
            let at = |step: usize| {
                let share = step as f64 / CHECKED as f64;
                let (a, b, c) = (mix(from, first, share), mix(first, second, share), mix(second, to, share));
                mix(mix(a, b, share), mix(b, c, share), share)
            };
            let met = (0..=CHECKED).any(|step| boxes.hold(at(step), ends, clear));
            from = to;
            met
        })
    }

    fn path(&self) -> String {
        let curve =
            |[first, second, to]: &[Point; 3]| format!("C{} {} {}", pair(*first), pair(*second), pair(*to));
        format!("M{}{}", pair(self.start), self.curves.iter().map(curve).collect::<String>())
    }
}

/// The line of an arc along the points of its route, and its arrowhead if it is directed, as SVG paths.
pub(crate) fn paths(
    way: &[Point],
    width: f64,
    directed: bool,
    ends: (usize, usize),
    boxes: &Boxes,
) -> (String, String) {
    let [tail, _, ref passed @ .., comes, tip] = *way else { return (String::new(), String::new()) };
    let (long, half) = (7.0 + 1.6 * width, 3.2 + 0.9 * width);
    // The line ends inside the head; otherwise a wide line would be visible beside the tip.
    let end = |along: Point| {
        if directed { (tip.0 - along.0 * long * 0.8, tip.1 - along.1 * long * 0.8) } else { tip }
    };
    let before = *passed.last().unwrap_or(&tail);
    let length = (tip.0 - before.0).hypot(tip.1 - before.1).max(1e-9);
    let straight = ((tip.0 - before.0) / length, (tip.1 - before.1) / length);
    let smooth = Line::smooth(&[&[tail], passed, &[end(straight)]].concat());
    let (line, along) = if smooth.meets(boxes, ends, CLEAR) {
        let down = (0.0, 1.0);
        let end = end(down);
        // The head can reach beyond the border of its layer.
        let comes = (comes.0, comes.1.min(end.1));
        (Line::stepped(&[&way[..way.len() - 2], &[comes, end]].concat()), down)
    } else {
        (smooth, straight)
    };
    if !directed {
        return (line.path(), String::new());
    }
    let foot = (tip.0 - along.0 * long, tip.1 - along.1 * long);
    let corner = |side: f64| (foot.0 - along.1 * half * side, foot.1 + along.0 * half * side);
    let head = format!("M{}L{}L{}Z", pair(tip), pair(corner(1.0)), pair(corner(-1.0)));
    (line.path(), head)
}

fn mix(a: Point, b: Point, share: f64) -> Point {
    (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share)
}

fn pair(point: Point) -> String {
    format!("{} {}", tenth(point.0), tenth(point.1))
}

/// Rounds to tenths of a pixel.
pub(crate) fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout;
    use crate::ordering::tests::random_graph;

    /// The numbers of a path as a line.
    fn parsed(path: &str) -> Line {
        let numbers: Vec<f64> =
            path.split(['M', 'C', ' ']).filter_map(|number| number.parse().ok()).collect();
        let points: Vec<Point> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let curves = points[1..].chunks(3).map(|three| [three[0], three[1], three[2]]);
        Line { start: points[0], curves: curves.collect() }
    }

    #[test]
    fn no_line_passes_behind_a_node() {
        let mut cut = 0;
        for seed in 0..12 {
            let (nodes, arcs) = [(8, 12), (20, 30), (60, 90), (100, 150)][seed % 4];
            let arcs = random_graph(nodes, arcs, seed as u64);
            // Narrow and wide, low and high: as names and bars make them.
            let sizes: Vec<NodeSize> = (0..nodes)
                .map(|node| (60.0 + 40.0 * (node % 4) as f64, 34.0 + 20.0 * (node % 5) as f64))
                .collect();
            let placed = layout::place(&sizes, &arcs);
            let boxes = Boxes::new(&placed.nodes, &sizes);
            for (&ends, way) in arcs.iter().zip(&placed.arcs) {
                for directed in [false, true] {
                    let (line, _) = paths(way, 4.0, directed, ends, &boxes);
                    assert!(!parsed(&line).meets(&boxes, ends, 0.5), "seed {seed}: {ends:?}");
                }
                let spline = [&way[..1], &way[2..way.len() - 2], &way[way.len() - 1..]].concat();
                cut += usize::from(Line::smooth(&spline).meets(&boxes, ends, 0.5));
            }
        }
        // Splines alone would pass behind some.
        assert!(cut > 20, "{cut}");
    }

    #[test]
    fn a_line_with_room_is_a_spline_and_ends_in_its_head() {
        let way = [(0.0, 0.0), (0.0, 5.0), (30.0, 50.0), (30.0, 60.0)];
        let boxes = Boxes::new(&[], &[]);
        let (line, head) = paths(&way, 1.0, true, (0, 1), &boxes);
        assert!(head.starts_with("M30 60L"), "{head}");
        assert_eq!(line.matches('C').count(), 1);
        assert_eq!(paths(&way, 1.0, false, (0, 1), &boxes).1, "");
    }
}
