//! The layer of every node: every arc goes down, and the sum of their lengths is the least possible.
//!
//! The network simplex method of Gansner, Koutsofios, North and Vo (1993): a spanning tree of arcs of length one is changed arc by arc
//! while one of its cut values is negative. The cut value of a tree arc is the number of arcs from the part above it to the part below
//! it, minus those of the other direction: with unit weights the sum over one part of outgoing minus incoming arcs.

/// Pivots per node before the search ends with the ranks it has: it protects from cycling, which degenerate pivots may cause.
const PIVOTS_PER_NODE: usize = 20;

/// Ranks of a connected acyclic graph with the least sum of arc lengths, from 0.
pub(crate) fn ranks(nodes: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let mut tree = Tree::tight(nodes, arcs);
    let mut next = 0;
    for _ in 0..PIVOTS_PER_NODE * nodes + 100 {
        if !tree.pivot(&mut next) {
            break;
        }
    }
    let first = tree.rank.iter().min().copied().unwrap_or_default();
    let rank: Vec<i64> = tree.rank.iter().map(|rank| rank - first).collect();
    balanced(rank, arcs).into_iter().map(|rank| usize::try_from(rank).unwrap_or_default()).collect()
}

/// Ranks below all parents, as high as possible.
fn longest_paths(nodes: usize, arcs: &[(usize, usize)]) -> Vec<i64> {
    let mut open = vec![0_usize; nodes];
    let mut below = vec![Vec::new(); nodes];
    for &(from, to) in arcs {
        open[to] += 1;
        below[from].push(to);
    }
    let mut rank = vec![0; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|&node| open[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &child in &below[node] {
            rank[child] = rank[child].max(rank[node] + 1);
            open[child] -= 1;
            if open[child] == 0 {
                ready.push(child);
            }
        }
    }
    rank
}

/// Moves nodes with as many arcs into them as out of them to the least crowded rank that their arcs allow: the sum stays the same.
fn balanced(mut rank: Vec<i64>, arcs: &[(usize, usize)]) -> Vec<i64> {
    let (mut parents, mut children) = (vec![Vec::new(); rank.len()], vec![Vec::new(); rank.len()]);
    for &(from, to) in arcs {
        children[from].push(to);
        parents[to].push(from);
    }
    let last = rank.iter().max().copied().unwrap_or_default();
    let mut crowd: Vec<usize> =
        (0..=last).map(|layer| rank.iter().filter(|&&rank| rank == layer).count()).collect();
    let at = |layer: i64| usize::try_from(layer).unwrap_or_default();
    for node in 0..rank.len() {
        if parents[node].len() != children[node].len() || parents[node].is_empty() {
            continue;
        }
        let least = parents[node].iter().map(|&parent| rank[parent] + 1).max().unwrap_or(rank[node]);
        let most = children[node].iter().map(|&child| rank[child] - 1).min().unwrap_or(rank[node]);
        crowd[at(rank[node])] -= 1;
        let best = (least..=most).min_by_key(|&layer| (crowd[at(layer)], layer)).unwrap_or(rank[node]);
        rank[node] = best;
        crowd[at(best)] += 1;
    }
    rank
}

/// A spanning tree of arcs of length one, with the ranks that it implies.
struct Tree<'a> {
    arcs: &'a [(usize, usize)],
    rank: Vec<i64>,
    /// The arcs of the tree.
    members: Vec<usize>,
    /// The neighbours of every node in the tree, with the arcs to them.
    near: Vec<Vec<(usize, usize)>>,
    /// Outgoing minus incoming arcs of every node.
    surplus: Vec<i64>,
    /// The place of every node in a walk that visits a node after all below it, and the first place below it: a node is below another
    /// if its place is between these two.
    place: Vec<usize>,
    first: Vec<usize>,
    /// The sum of the surplus of every node and all below it.
    below: Vec<i64>,
}

impl<'a> Tree<'a> {
    /// A tree that begins at the first node and takes in the nearest node until it has all; the ranks of its part follow.
    fn tight(nodes: usize, arcs: &'a [(usize, usize)]) -> Self {
        let mut rank = longest_paths(nodes, arcs);
        let mut surplus = vec![0; nodes];
        for &(from, to) in arcs {
            surplus[from] += 1;
            surplus[to] -= 1;
        }
        let mut within = vec![false; nodes];
        within.iter_mut().take(1).for_each(|first| *first = true);
        let mut members = Vec::new();
        while let Some((slack, arc)) = (0..arcs.len())
            .filter(|&arc| within[arcs[arc].0] != within[arcs[arc].1])
            .map(|arc| (rank[arcs[arc].1] - rank[arcs[arc].0] - 1, arc))
            .min()
        {
            let (from, to) = arcs[arc];
            let shift = if within[from] { slack } else { -slack };
            rank.iter_mut().zip(&within).filter(|(_, within)| **within).for_each(|(rank, _)| *rank += shift);
            (within[from], within[to]) = (true, true);
            members.push(arc);
        }
        let mut tree = Self {
            arcs,
            rank,
            members,
            near: vec![Vec::new(); nodes],
            surplus,
            place: vec![0; nodes],
            first: vec![0; nodes],
            below: vec![0; nodes],
        };
        for &arc in &tree.members {
            let (from, to) = arcs[arc];
            tree.near[from].push((to, arc));
            tree.near[to].push((from, arc));
        }
        tree.walk();
        tree
    }

    /// Visits the tree from its first node and notes places and sums.
    fn walk(&mut self) {
        let mut stack: Vec<(usize, usize, usize)> = Vec::new();
        if self.rank.is_empty() {
            return;
        }
        let mut next = 0;
        stack.push((0, usize::MAX, 0));
        self.first[0] = 0;
        self.below[0] = self.surplus[0];
        while let Some((node, from, branch)) = stack.pop() {
            if let Some(&(child, arc)) = self.near[node].get(branch) {
                stack.push((node, from, branch + 1));
                if arc != from {
                    self.first[child] = next;
                    self.below[child] = self.surplus[child];
                    stack.push((child, arc, 0));
                }
                continue;
            }
            self.place[node] = next;
            next += 1;
            if let Some(&(parent, _, _)) = stack.last() {
                self.below[parent] += self.below[node];
            }
        }
    }

    fn is_below(&self, node: usize, top: usize) -> bool {
        (self.first[top]..=self.place[top]).contains(&self.place[node])
    }

    /// Exchanges one tree arc with a negative cut value for the tightest arc that holds its parts together the other way. Says whether
    /// there was one. The search for it goes on where the last one ended.
    fn pivot(&mut self, next: &mut usize) -> bool {
        let count = self.members.len();
        for step in 0..count {
            let member = (*next + step) % count;
            let (from, to) = self.arcs[self.members[member]];
            // The lower end of the arc in the tree's walk is the top of one of the two parts.
            let tail_is_below = self.place[from] < self.place[to];
            let top = if tail_is_below { from } else { to };
            let cut = if tail_is_below { self.below[top] } else { -self.below[top] };
            if cut >= 0 {
                continue;
            }
            *next = member + 1;
            let in_tail = |node: usize| self.is_below(node, top) == tail_is_below;
            let entering = (0..self.arcs.len())
                .filter(|&arc| !in_tail(self.arcs[arc].0) && in_tail(self.arcs[arc].1))
                .map(|arc| (self.slack(arc), arc))
                .min();
            let Some((slack, arc)) = entering else { continue };
            let lowered: Vec<usize> = (0..self.rank.len()).filter(|&node| in_tail(node)).collect();
            lowered.into_iter().for_each(|node| self.rank[node] -= slack);
            self.exchange(member, arc);
            return true;
        }
        false
    }

    fn slack(&self, arc: usize) -> i64 {
        let (from, to) = self.arcs[arc];
        self.rank[to] - self.rank[from] - 1
    }

    fn exchange(&mut self, member: usize, entering: usize) {
        let leaving = std::mem::replace(&mut self.members[member], entering);
        let (from, to) = self.arcs[leaving];
        self.near[from].retain(|&(_, arc)| arc != leaving);
        self.near[to].retain(|&(_, arc)| arc != leaving);
        let (from, to) = self.arcs[entering];
        self.near[from].push((to, entering));
        self.near[to].push((from, entering));
        self.walk();
    }
}

#[cfg(test)]
mod tests {
    use super::ranks;

    /// The least sum of arc lengths, by trying all ranks.
    fn least_length(nodes: usize, arcs: &[(usize, usize)]) -> usize {
        let mut best = usize::MAX;
        let mut rank = vec![0; nodes];
        loop {
            if arcs.iter().all(|&(from, to)| rank[from] < rank[to]) {
                best = best.min(arcs.iter().map(|&(from, to)| rank[to] - rank[from]).sum());
            }
            let Some(place) = rank.iter().position(|&rank| rank + 1 < nodes) else { return best };
            rank[place] += 1;
            rank[..place].fill(0);
        }
    }

    #[test]
    fn the_sum_of_arc_lengths_is_the_least_possible() {
        // Every acyclic graph of five nodes in this order whose arcs are one of these subsets of all pairs.
        let pairs: Vec<(usize, usize)> = (1..5).flat_map(|to| (0..to).map(move |from| (from, to))).collect();
        for subset in 0_u32..1 << pairs.len() {
            let arcs: Vec<(usize, usize)> =
                (0..pairs.len()).filter(|&pair| subset >> pair & 1 == 1).map(|pair| pairs[pair]).collect();
            let mut part = vec![0, 1, 2, 3, 4];
            for _ in 0..5 {
                for &(from, to) in &arcs {
                    let least = part[from].min(part[to]);
                    (part[from], part[to]) = (least, least);
                }
            }
            if part != [0; 5] {
                continue;
            }
            let rank = ranks(5, &arcs);
            assert!(arcs.iter().all(|&(from, to)| rank[from] < rank[to]), "{arcs:?} {rank:?}");
            let length: usize = arcs.iter().map(|&(from, to)| rank[to] - rank[from]).sum();
            assert_eq!(length, least_length(5, &arcs), "{arcs:?} {rank:?}");
        }
    }
}
