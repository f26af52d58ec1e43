// Exact inference in the page: the posterior of every variable in one pass over a tree of cliques.
//
// The moral graph is triangulated by eliminating variables, each time the one that adds fewest fill-in edges. Every variable has a
// clique: itself with its neighbours at that moment. A clique's parent is that of its neighbour that is eliminated first, so that the
// cliques form a tree with the running intersection property. Messages go to the roots and back (Lauritzen and Spiegelhalter, 1988).
// An intervention leaves out the table of its variable: the tree stays the same.

/** More cells than these in all cliques together are refused: they would take seconds per data set. */
const MOST_CELLS = 4e6;

/** The tree of cliques of a network, with the places of every table in it; `null` if it is too large. */
function cliqueTree(cards, families, most = MOST_CELLS) {
  const count = cards.length;
  const near = cards.map(() => new Set());
  const join = (members) => members.forEach((a) => members.forEach((b) => a !== b && near[a].add(b)));
  families.forEach((parents, child) => join([...parents, child]));
  const left = new Set(cards.keys());
  const cliques = [];
  const cliqueOf = new Array(count);
  let cells = 0;
  const fill = (node) => {
    const around = [...near[node]];
    let missing = 0;
    for (let i = 0; i < around.length; i++) for (let j = 0; j < i; j++) if (!near[around[i]].has(around[j])) missing++;
    return missing;
  };
  const weight = (node) => [...near[node]].reduce((product, other) => product * cards[other], cards[node]);
  const cost = new Map([...left].map((node) => [node, [fill(node), weight(node)]]));
  while (left.size) {
    let best = null;
    for (const node of left) {
      const [a, b] = [cost.get(node), cost.get(best)];
      if (best === null || a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])) best = node;
    }
    const rest = [...near[best]].sort((a, b) => a - b);
    const size = weight(best);
    cells += size;
    if (cells > most) return null;
    join(rest);
    rest.forEach((node) => near[node].delete(best));
    left.delete(best);
    // Only what is within two steps changed.
    const changed = new Set(rest);
    rest.forEach((node) => near[node].forEach((other) => changed.add(other)));
    changed.forEach((node) => cost.set(node, [fill(node), weight(node)]));
    cliqueOf[best] = cliques.length;
    cliques.push({ node: best, members: [best, ...rest], size, between: size / cards[best], parent: null, tables: [] });
  }
  // The place within a smaller table of every cell of a clique; the first member varies slowest in both.
  const places = (clique, members) => {
    const strides = new Map();
    members.reduceRight((stride, member) => (strides.set(member, stride), stride * cards[member]), 1);
    const map = new Int32Array(clique.size);
    let block = clique.size;
    for (const member of clique.members) {
      block /= cards[member];
      const stride = strides.get(member) ?? 0;
      if (stride) for (let cell = 0; cell < clique.size; cell++) map[cell] += (Math.floor(cell / block) % cards[member]) * stride;
    }
    return map;
  };
  cliques.forEach((clique) => {
    const rest = clique.members.slice(1);
    if (!rest.length) return;
    clique.parent = Math.min(...rest.map((member) => cliqueOf[member]));
    clique.inParent = places(cliques[clique.parent], rest);
  });
  families.forEach((parents, child) => {
    const home = cliques[Math.min(...[child, ...parents].map((member) => cliqueOf[member]))];
    home.tables.push({ child, places: places(home, [...parents, child]) });
  });
  return { cards, cliques, cells };
}

/**
 * The posterior of every variable and the logarithm of the probability of what is observed; `null` if that is impossible.
 * `tables`: one per variable, first parent slowest, then the child's states. `given`: variable to { state, set }.
 */
function posteriors(tree, tables, given) {
  const { cards, cliques } = tree;
  const beliefs = cliques.map((clique) => {
    const belief = new Float64Array(clique.size).fill(1);
    for (const { child, places } of clique.tables) {
      if (given.get(child)?.set) continue;
      const values = tables[child];
      for (let cell = 0; cell < belief.length; cell++) belief[cell] *= values[places[cell]];
    }
    const known = given.get(clique.node);
    if (known) belief.forEach((_, cell) => { if (Math.floor(cell / clique.between) !== known.state) belief[cell] = 0; });
    return belief;
  });
  let logProbability = 0;
  const messages = [];
  for (const [index, clique] of cliques.entries()) {
    const message = new Float64Array(clique.between);
    const belief = beliefs[index];
    for (let cell = 0, place = 0; cell < belief.length; cell++) {
      message[place] += belief[cell];
      if (++place === clique.between) place = 0;
    }
    const total = message.reduce((sum, value) => sum + value, 0);
    if (!(total > 0)) return null;
    logProbability += Math.log(total);
    for (let place = 0; place < message.length; place++) message[place] /= total;
    messages.push(message);
    if (clique.parent === null) continue;
    const above = beliefs[clique.parent];
    for (let cell = 0; cell < above.length; cell++) above[cell] *= message[clique.inParent[cell]];
  }
  const marginals = new Array(cards.length);
  for (let index = cliques.length - 1; index >= 0; index--) {
    const clique = cliques[index];
    const belief = beliefs[index];
    if (clique.parent !== null) {
      const above = beliefs[clique.parent];
      const factor = new Float64Array(clique.between);
      for (let cell = 0; cell < above.length; cell++) factor[clique.inParent[cell]] += above[cell];
      for (let place = 0; place < factor.length; place++) if (factor[place] > 0) factor[place] /= messages[index][place];
      for (let cell = 0, place = 0; cell < belief.length; cell++) {
        belief[cell] *= factor[place];
        if (++place === clique.between) place = 0;
      }
    }
    const marginal = new Float64Array(cards[clique.node]);
    for (let cell = 0; cell < belief.length; cell++) marginal[Math.floor(cell / clique.between)] += belief[cell];
    const total = marginal.reduce((sum, value) => sum + value, 0);
    // Scaled to one, so that products of many small numbers stay in range.
    for (let cell = 0; cell < belief.length; cell++) belief[cell] /= total;
    marginals[clique.node] = marginal.map((value) => value / total);
  }
  return { marginals, logProbability };
}
