//! Layers of an acyclic graph and the order within them: few crossings of arcs.
//!
//! Ranks keep arcs short. Arcs over several layers get a vertex in every layer they pass. The order is improved by weighted medians
//! and transpositions (Gansner, Koutsofios, North and Vo, 1993) from several starting orders, and the best is kept.

/// Starting orders beyond the two of a search from the sources and from the sinks.
const SHUFFLES: u64 = 14;

/// Sweeps down and up from one starting order, unless nothing improves any more.
const SWEEPS: usize = 24;
const WITHOUT_GAIN: usize = 6;

/// The vertices of a drawing: the nodes, then the places where arcs pass a layer.
pub(crate) struct Layers {
    /// The layer of every vertex.
    pub(crate) rank: Vec<usize>,
    /// The vertices of every layer, from left to right.
    pub(crate) order: Vec<Vec<usize>>,
    /// The neighbours of every vertex in the layer above and below.
    pub(crate) above: Vec<Vec<usize>>,
    pub(crate) below: Vec<Vec<usize>>,
    /// The vertices that every arc passes between its ends.
    pub(crate) chains: Vec<Vec<usize>>,
}

/// The layers of a connected acyclic graph, in an order with few crossings. The same graph gets the same order every time.
pub(crate) fn ordered(nodes: usize, arcs: &[(usize, usize)]) -> Layers {
    let mut layers = Layers::with_passing_arcs(ranks(nodes, arcs), arcs);
    let mut best: Option<(usize, Vec<Vec<usize>>)> = None;
    for start in 0..SHUFFLES + 2 {
        layers.start(start);
        layers.improve();
        let crossings = layers.crossings();
        if best.as_ref().is_none_or(|(fewest, _)| crossings < *fewest) {
            best = Some((crossings, layers.order.clone()));
        }
        if crossings == 0 {
            break;
        }
    }
    layers.order = best.map(|(_, order)| order).unwrap_or_default();
    layers
}

/// Ranks with short arcs: each node below its parents, moved step by step to where the sum of its arcs' lengths is least.
fn ranks(nodes: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let mut rank = vec![0_usize; nodes];
    for _ in 0..nodes {
        let mut changed = false;
        for &(from, to) in arcs {
            if rank[to] <= rank[from] {
                rank[to] = rank[from] + 1;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let degree = |node: usize| {
        let into = arcs.iter().filter(|arc| arc.1 == node).count();
        (into, arcs.iter().filter(|arc| arc.0 == node).count())
    };
    let degrees: Vec<(usize, usize)> = (0..nodes).map(degree).collect();
    for _ in 0..nodes {
        let mut changed = false;
        for node in 0..nodes {
            let least = arcs.iter().filter(|arc| arc.1 == node).map(|arc| rank[arc.0] + 1).max();
            let most = arcs.iter().filter(|arc| arc.0 == node).map(|arc| rank[arc.1] - 1).min();
            let (into, out) = degrees[node];
            let wanted = match (least, most) {
                (_, Some(most)) if out > into => most,
                (Some(least), _) if into > out => least,
                _ => rank[node],
            };
            changed |= wanted != rank[node];
            rank[node] = wanted;
        }
        if !changed {
            break;
        }
    }
    let first = rank.iter().copied().min().unwrap_or_default();
    let mut used: Vec<usize> = rank.iter().map(|rank| rank - first).collect();
    // Layers that nothing is left in are removed.
    let mut taken = vec![false; used.iter().max().map_or(0, |most| most + 1)];
    used.iter().for_each(|&rank| taken[rank] = true);
    for rank in &mut used {
        *rank = taken[..*rank].iter().filter(|taken| **taken).count();
    }
    used
}

impl Layers {
    fn with_passing_arcs(mut rank: Vec<usize>, arcs: &[(usize, usize)]) -> Self {
        let mut chains = Vec::new();
        let mut links = Vec::new();
        for &(from, to) in arcs {
            let mut chain = Vec::new();
            let mut before = from;
            for between in rank[from] + 1..rank[to] {
                let vertex = rank.len();
                rank.push(between);
                links.push((before, vertex));
                chain.push(vertex);
                before = vertex;
            }
            links.push((before, to));
            chains.push(chain);
        }
        let (mut above, mut below) = (vec![Vec::new(); rank.len()], vec![Vec::new(); rank.len()]);
        for (upper, lower) in links {
            below[upper].push(lower);
            above[lower].push(upper);
        }
        let mut order = vec![Vec::new(); rank.iter().max().map_or(0, |most| most + 1)];
        rank.iter().enumerate().for_each(|(vertex, &rank)| order[rank].push(vertex));
        Self { rank, order, above, below, chains }
    }

    /// A starting order: of a depth-first search from the top or the bottom, then shuffled ones.
    fn start(&mut self, number: u64) {
        let mut seen = vec![false; self.rank.len()];
        let mut layers = vec![Vec::new(); self.order.len()];
        let mut vertices: Vec<usize> = (0..self.rank.len()).collect();
        if number == 1 {
            vertices.sort_by_key(|&vertex| (std::cmp::Reverse(self.rank[vertex]), vertex));
        } else {
            vertices.sort_by_key(|&vertex| (self.rank[vertex], vertex));
        }
        let mut random = Random(number);
        if number > 1 {
            for place in (1..vertices.len()).rev() {
                vertices.swap(place, random.below(place + 1));
            }
        }
        for vertex in vertices {
            let mut stack = vec![vertex];
            while let Some(vertex) = stack.pop() {
                if std::mem::replace(&mut seen[vertex], true) {
                    continue;
                }
                layers[self.rank[vertex]].push(vertex);
                let (first, second) =
                    if number == 1 { (&self.below, &self.above) } else { (&self.above, &self.below) };
                stack.extend(
                    first[vertex]
                        .iter()
                        .rev()
                        .chain(second[vertex].iter().rev())
                        .filter(|&&next| !seen[next]),
                );
            }
        }
        self.order = layers;
    }

    /// Medians and transpositions, downwards and upwards in turn, while they help. Ends with the best order seen.
    fn improve(&mut self) {
        let mut best = (self.crossings(), self.order.clone());
        let mut idle = 0;
        for sweep in 0..SWEEPS {
            self.medians(sweep % 2 == 0, sweep % 4 < 2);
            self.transpose();
            let crossings = self.crossings();
            idle += 1;
            if crossings < best.0 {
                best = (crossings, self.order.clone());
                idle = 0;
            }
            if best.0 == 0 || idle == WITHOUT_GAIN {
                break;
            }
        }
        self.order = best.1;
    }

    /// Sorts every layer by the medians of its neighbours in the layer before; vertices without one keep their places.
    fn medians(&mut self, down: bool, left_first: bool) {
        let mut place = self.places();
        let count = self.order.len();
        for step in 1..count {
            let layer = if down { step } else { count - 1 - step };
            let neighbours = if down { &self.above } else { &self.below };
            let median = |vertex: usize| {
                let mut places: Vec<usize> = neighbours[vertex].iter().map(|&other| place[other]).collect();
                places.sort_unstable();
                weighted_median(&places)
            };
            let old = self.order[layer].clone();
            let mut movable: Vec<(f64, usize)> =
                old.iter().filter_map(|&vertex| Some((median(vertex)?, vertex))).collect();
            if !left_first {
                // Equal medians change places, which gets past plateaus.
                movable.reverse();
            }
            movable.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut sorted = movable.into_iter().map(|(_, vertex)| vertex);
            let fixed = |vertex: usize| neighbours[vertex].is_empty();
            let new: Vec<usize> = old
                .iter()
                .map(|&vertex| if fixed(vertex) { vertex } else { sorted.next().unwrap_or(vertex) })
                .collect();
            for (index, &vertex) in new.iter().enumerate() {
                place[vertex] = index;
            }
            self.order[layer] = new;
        }
    }

    /// Exchanges neighbours as long as that removes crossings.
    fn transpose(&mut self) {
        let mut place = self.places();
        loop {
            let mut improved = false;
            for layer in 0..self.order.len() {
                for left in 1..self.order[layer].len() {
                    let (a, b) = (self.order[layer][left - 1], self.order[layer][left]);
                    let now = self.crossings_of(a, b, &place);
                    if self.crossings_of(b, a, &place) < now {
                        self.order[layer].swap(left - 1, left);
                        (place[a], place[b]) = (left, left - 1);
                        improved = true;
                    }
                }
            }
            if !improved {
                return;
            }
        }
    }

    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.rank.len()];
        for layer in &self.order {
            layer.iter().enumerate().for_each(|(index, &vertex)| place[vertex] = index);
        }
        place
    }

    /// The crossings between the links of two neighbours if the first stands to the left.
    fn crossings_of(&self, left: usize, right: usize, place: &[usize]) -> usize {
        let pairs = |neighbours: &[Vec<usize>]| {
            let inverted = |&a: &usize| neighbours[right].iter().filter(|&&b| place[a] > place[b]).count();
            neighbours[left].iter().map(inverted).sum::<usize>()
        };
        pairs(&self.above) + pairs(&self.below)
    }

    /// The crossings of all links between neighbouring layers.
    pub(crate) fn crossings(&self) -> usize {
        let place = self.places();
        let mut all = 0;
        for layer in &self.order {
            // Ends in the next layer, in the order of the starts: every inversion is a crossing.
            let mut ends: Vec<usize> = Vec::new();
            for &vertex in layer {
                let mut own: Vec<usize> = self.below[vertex].iter().map(|&other| place[other]).collect();
                own.sort_unstable();
                let larger = |end: &usize| ends.iter().filter(|&other| other > end).count();
                all += own.iter().map(larger).sum::<usize>();
                ends.extend(own);
            }
        }
        all
    }
}

/// The median; between two, nearer to the side where the others are closer together.
fn weighted_median(places: &[usize]) -> Option<f64> {
    let count = places.len();
    let at = |index: usize| places[index] as f64;
    match count {
        0 => None,
        2 => Some(f64::midpoint(at(0), at(1))),
        _ if count % 2 == 1 => Some(at(count / 2)),
        _ => {
            let (left, right) = (at(count / 2 - 1) - at(0), at(count - 1) - at(count / 2));
            let middle =
                (at(count / 2 - 1) * right + at(count / 2) * left) / (left + right).max(f64::MIN_POSITIVE);
            Some(if left + right == 0.0 { at(count / 2) } else { middle })
        }
    }
}

/// A small generator of repeatable numbers (splitmix64): shuffles need no more.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % limit as u64).expect("it is below a length")
    }
}
