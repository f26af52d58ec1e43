//! Layout of the network figure: layers for each connected component (Sugiyama's method), then packing of the
//! components.

use crate::ordering::{self, Layers};

/// A point of the figure.
pub(crate) type Point = (f64, f64);

/// Width and height of a node.
pub(crate) type NodeSize = (f64, f64);

/// The target aspect ratio: that of the page's frame on a screen.
const SHAPE: f64 = 2.0;

/// The margin around the figure, and between its components.
const MARGIN: f64 = 24.0;

/// Empty space between neighbours of a layer, around a passing arc, and between layers.
const BESIDE: f64 = 22.0;
const BESIDE_ARC: f64 = 12.0;
const BETWEEN_LAYERS: f64 = 50.0;

/// The number of sweeps over the layers; more have no visible effect.
const SWEEPS: usize = 40;

/// The positions of all nodes and the routes of all arcs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    /// The centres of the nodes.
    pub(crate) nodes: Vec<Point>,
    /// The points of each arc: the border of its tail, that of the tail's layer, the borders of the layers passed, that of the head's
    /// layer, and that of its head.
    pub(crate) arcs: Vec<Vec<Point>>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The nodes of a connected component, in column order, and their positions within it.
type Part = (Vec<usize>, Placed);

impl Placed {
    /// Widens the figure to at least this width and centres its content.
    pub(crate) fn widen(&mut self, width: f64) {
        let shift = (width - self.width) / 2.0;
        if shift > 0.0 {
            self.nodes.iter_mut().chain(self.arcs.iter_mut().flatten()).for_each(|point| point.0 += shift);
            self.width = width;
        }
    }
}

/// Places nodes of the given sizes: each component in layers, every arc from a higher to a lower layer.
pub(crate) fn place(sizes: &[NodeSize], arcs: &[(usize, usize)]) -> Placed {
    let mut boxes: Vec<Part> = Vec::new();
    for part in parts(sizes.len(), arcs) {
        let own: Vec<usize> = (0..arcs.len()).filter(|&arc| part.contains(&arcs[arc].0)).collect();
        let local = |node: usize| part.binary_search(&node).unwrap_or_default();
        let ends: Vec<(usize, usize)> =
            own.iter().map(|&arc| (local(arcs[arc].0), local(arcs[arc].1))).collect();
        let own_sizes: Vec<NodeSize> = part.iter().map(|&node| sizes[node]).collect();
        boxes.push((part, layered(&own_sizes, &ends)));
    }
    // The largest components first; single nodes last, in column order.
    boxes.sort_by_key(|(part, _)| (std::cmp::Reverse(part.len()), part[0]));
    pack(sizes, arcs, &boxes)
}

/// The connected components, each in column order.
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

/// Places one component in layers.
fn layered(sizes: &[NodeSize], arcs: &[(usize, usize)]) -> Placed {
    let layers = ordering::ordered(sizes.len(), arcs);
    let heights: Vec<f64> = layers
        .order
        .iter()
        .map(|layer| {
            layer.iter().filter_map(|&vertex| sizes.get(vertex)).map(|size| size.1).fold(0.0, f64::max)
        })
        .collect();
    let mut tops = Vec::new();
    let mut bottom = 0.0;
    for height in &heights {
        tops.push(bottom);
        bottom += height + BETWEEN_LAYERS;
    }
    let x = across(sizes, &layers);
    let nodes: Vec<Point> = (0..sizes.len())
        .map(|node| (x[node], tops[layers.rank[node]] + heights[layers.rank[node]] / 2.0))
        .collect();
    let ways = arcs.iter().zip(&layers.chains).map(|(&(from, to), chain)| {
        let passed: Vec<Point> = chain
            .iter()
            .flat_map(|&vertex| {
                let (top, height) = (tops[layers.rank[vertex]], heights[layers.rank[vertex]]);
                [(x[vertex], top), (x[vertex], top + height)]
            })
            .collect();
        // An arc leaves and enters a node on the side that it comes from.
        let port = |node: usize, towards: f64, side: f64| {
            let (middle, y) = nodes[node];
            let most = (sizes[node].0 / 2.0 - 8.0).max(0.0);
            (middle + ((towards - middle) * 0.3).clamp(-most, most), y + side * sizes[node].1 / 2.0)
        };
        let first = passed.first().map_or(nodes[to].0, |point| point.0);
        let last = passed.last().map_or(nodes[from].0, |point| point.0);
        let (start, end) = (port(from, first, 1.0), port(to, last, -1.0));
        // Where the arc leaves the layer of its tail, and where it comes to that of its head.
        let border = |node: usize, x: f64, side: f64| {
            let rank = layers.rank[node];
            (x, tops[rank] + heights[rank] * f64::midpoint(1.0, side))
        };
        let (leaves, comes) = (border(from, start.0, 1.0), border(to, end.0, -1.0));
        [start, leaves].into_iter().chain(passed).chain([comes, end]).collect()
    });
    let ways = ways.collect();
    moved_to_origin(sizes, nodes, ways)
}

/// The horizontal positions of all vertices: every layer in turn is moved as close to its neighbours as the order and
/// the widths allow, by weighted least squares. Long arcs have larger weights, so that they become straight.
fn across(sizes: &[NodeSize], layers: &Layers) -> Vec<f64> {
    let half = |vertex: usize| sizes.get(vertex).map_or(0.0, |size| size.0 / 2.0);
    let room = |vertex: usize| if vertex < sizes.len() { BESIDE / 2.0 } else { BESIDE_ARC / 2.0 };
    let apart = |a: usize, b: usize| half(a) + half(b) + room(a) + room(b);
    let mut x = vec![0.0; layers.rank.len()];
    for layer in &layers.order {
        let mut place = 0.0;
        for (index, &vertex) in layer.iter().enumerate() {
            place += if index == 0 { 0.0 } else { apart(layer[index - 1], vertex) };
            x[vertex] = place;
        }
        let middle = place / 2.0;
        layer.iter().for_each(|&vertex| x[vertex] -= middle);
    }
    let weight = |a: usize, b: usize| match (a < sizes.len(), b < sizes.len()) {
        (true, true) => 1.0,
        (false, false) => 8.0,
        _ => 2.0,
    };
    for sweep in 0..SWEEPS {
        let count = layers.order.len();
        for step in 0..count {
            let layer = &layers.order[if sweep % 2 == 0 { step } else { count - 1 - step }];
            let wanted: Vec<(f64, f64)> = layer
                .iter()
                .map(|&vertex| {
                    let around = layers.above[vertex].iter().chain(&layers.below[vertex]);
                    let (sum, total) = around.fold((0.0, 0.0), |(sum, total), &other| {
                        let weight = weight(vertex, other);
                        (sum + weight * x[other], total + weight)
                    });
                    if total > 0.0 { (sum / total, total) } else { (x[vertex], 0.01) }
                })
                .collect();
            let gaps: Vec<f64> = layer.windows(2).map(|pair| apart(pair[0], pair[1])).collect();
            for (&vertex, place) in layer.iter().zip(nearest(&wanted, &gaps)) {
                x[vertex] = place;
            }
        }
    }
    x
}

/// The positions closest to the wanted ones (position, weight) by weighted least squares, with at least these gaps
/// between neighbours: isotonic regression by pooling adjacent violators.
fn nearest(wanted: &[(f64, f64)], gaps: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    // Blocks of equal value after subtracting the gaps: value, weight, length.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (index, &(place, weight)) in wanted.iter().enumerate() {
        offset += if index == 0 { 0.0 } else { gaps[index - 1] };
        let mut block = (place - offset, weight, 1);
        while let Some(&(value, before, length)) = blocks.last().filter(|last| last.0 > block.0) {
            blocks.pop();
            let total = before + block.1;
            block = ((value * before + block.0 * block.1) / total, total, length + block.2);
        }
        blocks.push(block);
    }
    let values = blocks.iter().flat_map(|&(value, _, length)| std::iter::repeat_n(value, length));
    let mut offset = 0.0;
    let places = values.enumerate().map(|(index, value)| {
        offset += if index == 0 { 0.0 } else { gaps[index - 1] };
        value + offset
    });
    places.collect()
}

fn moved_to_origin(sizes: &[NodeSize], mut nodes: Vec<Point>, mut arcs: Vec<Vec<Point>>) -> Placed {
    let corners = nodes.iter().zip(sizes).flat_map(|(&(x, y), (width, height))| {
        [(x - width / 2.0, y - height / 2.0), (x + width / 2.0, y + height / 2.0)]
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

/// Packs the components into centred rows of the figure's width; single nodes have their own rows.
fn pack(sizes: &[NodeSize], arcs: &[(usize, usize)], boxes: &[Part]) -> Placed {
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
        nodes: vec![(0.0, 0.0); sizes.len()],
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
        let sizes = [60.0, 80.0, 50.0, 70.0, 60.0, 60.0, 60.0].map(|width| (width, 34.0 + width / 5.0));
        let placed = place(&sizes, &ARCS);
        for (&(from, to), way) in ARCS.iter().zip(&placed.arcs) {
            assert!(placed.nodes[from].1 < placed.nodes[to].1, "{from} is above {to}");
            for (&end, node) in [way.first(), way.last()].into_iter().flatten().zip([from, to]) {
                let (x, y) = placed.nodes[node];
                assert!((end.0 - x).abs() <= sizes[node].0 / 2.0 + 1e-6, "{end:?} at {node}");
                assert!((end.1 - y).abs() <= sizes[node].1 / 2.0 + 1e-6, "{end:?} at {node}");
            }
        }
    }

    #[test]
    fn nodes_do_not_overlap_and_lie_inside_the_figure() {
        let sizes = [60.0, 80.0, 50.0, 70.0, 60.0, 60.0, 60.0].map(|width| (width, 34.0 + width / 5.0));
        let placed = place(&sizes, &ARCS);
        for (node, &(x, y)) in placed.nodes.iter().enumerate() {
            assert!(x - sizes[node].0 / 2.0 >= 0.0 && x + sizes[node].0 / 2.0 <= placed.width);
            assert!(y - sizes[node].1 / 2.0 >= 0.0 && y + sizes[node].1 / 2.0 <= placed.height);
            for other in 0..node {
                let apart = (x - placed.nodes[other].0).abs() >= f64::midpoint(sizes[node].0, sizes[other].0)
                    || (y - placed.nodes[other].1).abs() >= f64::midpoint(sizes[node].1, sizes[other].1);
                assert!(apart, "{node} and {other}");
            }
        }
    }

    #[test]
    fn the_same_network_is_placed_the_same_way_every_time() {
        let sizes: Vec<NodeSize> = (0..40).map(|node| (50.0 + f64::from(node % 7) * 9.0, 34.0)).collect();
        let arcs: Vec<(usize, usize)> =
            (1..40).flat_map(|to| [(to / 2, to), (to / 3, to)]).filter(|(from, to)| from < to).collect();
        let arcs: Vec<(usize, usize)> =
            arcs.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let first = place(&sizes, &arcs);
        for _ in 0..3 {
            assert_eq!(place(&sizes, &arcs), first);
        }
    }

    #[test]
    fn a_network_without_arcs_fills_a_figure_of_a_handy_shape() {
        let placed = place(&[(60.0, 34.0); 100], &[]);
        assert!((0.7..3.0).contains(&(placed.width / placed.height)), "{} x {}", placed.width, placed.height);
        assert_eq!(place(&[], &[]).nodes.len(), 0);
    }
}
