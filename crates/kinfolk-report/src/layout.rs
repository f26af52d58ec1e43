//! Layout of the network figure: layers by dagre for each connected component, then packing of the components.

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, layout};

/// A point of the figure.
pub(crate) type Point = (f64, f64);

/// How high a node is.
pub(crate) const NODE_HEIGHT: f64 = 34.0;

/// The figure's shape to aim at, width by height: that of the page's frame on a screen, so that names in large networks stay readable.
const SHAPE: f64 = 2.0;

/// Empty space around the figure, and between its parts.
const MARGIN: f64 = 24.0;

/// The places of all nodes and the ways of all arcs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    /// The centres of the nodes.
    pub(crate) nodes: Vec<Point>,
    /// The points that each arc passes, from the border of its start to that of its end.
    pub(crate) arcs: Vec<Vec<Point>>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Nodes that arcs connect, in column order, and where they are within their part.
type Part = (Vec<usize>, Placed);

impl Placed {
    /// Makes the figure at least so wide, with everything in its middle.
    pub(crate) fn widen(&mut self, width: f64) {
        let shift = (width - self.width) / 2.0;
        if shift > 0.0 {
            self.nodes.iter_mut().chain(self.arcs.iter_mut().flatten()).for_each(|point| point.0 += shift);
            self.width = width;
        }
    }
}

/// Places nodes of the given widths: each connected part in layers, along or across, whichever has the better shape.
pub(crate) fn place(widths: &[f64], arcs: &[(usize, usize)]) -> Placed {
    let parts = parts(widths.len(), arcs);
    let mut boxes: Vec<Part> = Vec::new();
    for part in parts {
        let own: Vec<usize> = (0..arcs.len()).filter(|&arc| part.contains(&arcs[arc].0)).collect();
        let local = |node: usize| part.binary_search(&node).unwrap_or_default();
        let ends: Vec<(usize, usize)> =
            own.iter().map(|&arc| (local(arcs[arc].0), local(arcs[arc].1))).collect();
        let sizes: Vec<f64> = part.iter().map(|&node| widths[node]).collect();
        boxes.push((part, layered(&sizes, &ends)));
    }
    // Parts with arcs first, the largest before the others; single nodes come last, in column order.
    boxes.sort_by_key(|(part, _)| (std::cmp::Reverse(part.len()), part[0]));
    pack(widths, arcs, &boxes)
}

/// The connected parts, each in column order.
fn parts(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut label: Vec<usize> = (0..nodes).collect();
    loop {
        let before = label.clone();
        for &(from, to) in arcs {
            let least = label[from].min(label[to]);
            (label[from], label[to]) = (least, least);
        }
        if label == before {
            break;
        }
    }
    let members = |root: usize| (0..nodes).filter(|&node| label[node] == root).collect();
    (0..nodes).filter(|&node| label[node] == node).map(members).collect()
}

fn layered(widths: &[f64], arcs: &[(usize, usize)]) -> Placed {
    let down = run(widths, arcs, RankDir::TB);
    if down.width <= 2.0 * SHAPE * down.height || arcs.is_empty() {
        return down;
    }
    let across = run(widths, arcs, RankDir::LR);
    let badness = |placed: &Placed| (placed.width / placed.height / SHAPE).ln().abs();
    if badness(&across) < badness(&down) { across } else { down }
}

fn run(widths: &[f64], arcs: &[(usize, usize)], rankdir: RankDir) -> Placed {
    let mut graph = Graph::with_options(GraphOptions { directed: true, multigraph: false, compound: false });
    for (node, &width) in widths.iter().enumerate() {
        let label = NodeLabel { width, height: NODE_HEIGHT, ..NodeLabel::default() };
        graph.set_node(key(node), Some(label));
    }
    for &(from, to) in arcs {
        graph.set_edge(key(from), key(to), Some(EdgeLabel::default()), None);
    }
    let down = rankdir == RankDir::TB;
    let (nodesep, ranksep) = if down { (22.0, 52.0) } else { (12.0, 64.0) };
    let options = LayoutOptions { rankdir, nodesep, ranksep, edgesep: 8.0, ..LayoutOptions::default() };
    layout(&mut graph, Some(options));
    let nodes: Vec<Point> = (0..widths.len())
        .map(|node| {
            let label = graph.node(&key(node)).expect("every node was put there");
            (label.x.unwrap_or_default(), label.y.unwrap_or_default())
        })
        .collect();
    let ways = arcs.iter().map(|&(from, to)| {
        let label = graph.edge(&key(from), &key(to), None).expect("every arc was put there");
        let way: Vec<Point> = label.points.iter().map(|point| (point.x, point.y)).collect();
        attached(way, (nodes[from], widths[from]), (nodes[to], widths[to]), down)
    });
    let ways = ways.collect();
    moved_to_origin(widths, nodes, ways)
}

/// The way with its ends on the facing sides of its nodes, away from their corners.
fn attached(mut way: Vec<Point>, from: (Point, f64), to: (Point, f64), down: bool) -> Vec<Point> {
    let end = |((x, y), width): (Point, f64), along: f64, old: Point| {
        let within = |value: f64, middle: f64, size: f64| {
            let most = size / 2.0 - 8.0;
            value.clamp(middle - most, middle + most)
        };
        if down {
            (within(old.0, x, width), y + along * NODE_HEIGHT / 2.0)
        } else {
            (x + along * width / 2.0, within(old.1, y, NODE_HEIGHT))
        }
    };
    if let [first, .., last] = way.as_mut_slice() {
        (*first, *last) = (end(from, 1.0, *first), end(to, -1.0, *last));
    }
    way
}

fn key(node: usize) -> String {
    // Of equal length, so that their order as text is that of the columns.
    format!("{node:06}")
}

fn moved_to_origin(widths: &[f64], mut nodes: Vec<Point>, mut arcs: Vec<Vec<Point>>) -> Placed {
    let corners = nodes.iter().zip(widths).flat_map(|(&(x, y), width)| {
        [(x - width / 2.0, y - NODE_HEIGHT / 2.0), (x + width / 2.0, y + NODE_HEIGHT / 2.0)]
    });
    let points: Vec<Point> = corners.chain(arcs.iter().flatten().copied()).collect();
    let least = |of: fn(&Point) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
    let most = |of: fn(&Point) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (least(|point| point.0), least(|point| point.1));
    let (width, height) = (most(|point| point.0) - left, most(|point| point.1) - top);
    for point in nodes.iter_mut().chain(arcs.iter_mut().flatten()) {
        *point = (point.0 - left, point.1 - top);
    }
    Placed { nodes, arcs, width, height }
}

/// Puts the parts into rows as wide as the figure should be, each row in its middle; single nodes have rows of their own.
fn pack(widths: &[f64], arcs: &[(usize, usize)], boxes: &[Part]) -> Placed {
    let area: f64 = boxes.iter().map(|(_, placed)| (placed.width + MARGIN) * (placed.height + MARGIN)).sum();
    let widest = boxes.iter().map(|(_, placed)| placed.width).fold(0.0, f64::max);
    let limit = widest.max((area * SHAPE).sqrt());
    let mut rows: Vec<(f64, Vec<&Part>)> = Vec::new();
    for part in boxes {
        let single = part.0.len() == 1;
        match rows.last_mut() {
            Some((width, row))
                if *width + MARGIN + part.1.width <= limit && single == (row[0].0.len() == 1) =>
            {
                *width += MARGIN + part.1.width;
                row.push(part);
            }
            _ => rows.push((part.1.width, vec![part])),
        }
    }
    let inner = rows.iter().map(|(width, _)| *width).fold(0.0, f64::max);
    let mut figure = Placed {
        nodes: vec![(0.0, 0.0); widths.len()],
        arcs: vec![Vec::new(); arcs.len()],
        width: inner + 2.0 * MARGIN,
        height: MARGIN,
    };
    for (width, row) in rows {
        let mut left = MARGIN + (inner - width) / 2.0;
        let top = figure.height;
        for (part, placed) in row {
            let shift = |point: &Point| (point.0 + left, point.1 + top);
            for (&node, point) in part.iter().zip(&placed.nodes) {
                figure.nodes[node] = shift(point);
            }
            let own = (0..arcs.len()).filter(|&arc| part.binary_search(&arcs[arc].0).is_ok());
            for (arc, way) in own.zip(&placed.arcs) {
                figure.arcs[arc] = way.iter().map(shift).collect();
            }
            figure.height = figure.height.max(top + placed.height + MARGIN);
            left += placed.width + MARGIN;
        }
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (5, 6)];

    #[test]
    fn arcs_lead_from_layer_to_layer_and_begin_and_end_at_their_nodes() {
        let widths = [60.0, 80.0, 50.0, 70.0, 60.0, 60.0, 60.0];
        let placed = place(&widths, &ARCS);
        for (&(from, to), way) in ARCS.iter().zip(&placed.arcs) {
            assert!(placed.nodes[from].1 < placed.nodes[to].1, "{from} is above {to}");
            for (&end, node) in [way.first(), way.last()].into_iter().flatten().zip([from, to]) {
                let (x, y) = placed.nodes[node];
                assert!((end.0 - x).abs() <= widths[node] / 2.0 + 1e-6, "{end:?} at {node}");
                assert!((end.1 - y).abs() <= NODE_HEIGHT / 2.0 + 1e-6, "{end:?} at {node}");
            }
        }
    }

    #[test]
    fn nodes_do_not_overlap_and_lie_inside_the_figure() {
        let widths = [60.0, 80.0, 50.0, 70.0, 60.0, 60.0, 60.0];
        let placed = place(&widths, &ARCS);
        for (node, &(x, y)) in placed.nodes.iter().enumerate() {
            assert!(x - widths[node] / 2.0 >= 0.0 && x + widths[node] / 2.0 <= placed.width);
            assert!(y - NODE_HEIGHT / 2.0 >= 0.0 && y + NODE_HEIGHT / 2.0 <= placed.height);
            for other in 0..node {
                let apart = (x - placed.nodes[other].0).abs() >= f64::midpoint(widths[node], widths[other])
                    || (y - placed.nodes[other].1).abs() >= NODE_HEIGHT;
                assert!(apart, "{node} and {other}");
            }
        }
    }

    #[test]
    fn the_same_network_is_placed_the_same_way_every_time() {
        let widths: Vec<f64> = (0..40).map(|node| 50.0 + f64::from(node % 7) * 9.0).collect();
        let arcs: Vec<(usize, usize)> =
            (1..40).flat_map(|to| [(to / 2, to), (to / 3, to)]).filter(|(from, to)| from < to).collect();
        let arcs: Vec<(usize, usize)> =
            arcs.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let first = place(&widths, &arcs);
        for _ in 0..3 {
            assert_eq!(place(&widths, &arcs), first);
        }
    }

    #[test]
    fn a_network_without_arcs_fills_a_figure_of_a_handy_shape() {
        let placed = place(&[60.0; 100], &[]);
        assert!((0.7..3.0).contains(&(placed.width / placed.height)), "{} x {}", placed.width, placed.height);
        assert_eq!(place(&[], &[]).nodes.len(), 0);
    }
}
