# %% [markdown]
# # Pooled or not?
#
# Should several data sets be stacked, kept apart, or treated as relatives? The same question is put to three made-up worlds whose
# truth is known: data sets with identical tables, with related ones, and with tables that have nothing in common.

# %%
import pandas

import kinfolk

rows = [300] * 6
worlds = {
    "identical": kinfolk.simulate(nodes=6, arcs=7, rows=rows, states=[2, 3], parameters="id", max_parents=2, seed=7),
    "related": kinfolk.simulate(nodes=6, arcs=7, rows=rows, states=[2, 3], parameters="hier", s=40, max_parents=2, seed=7),
    "unrelated": kinfolk.simulate(nodes=6, arcs=7, rows=rows, states=[2, 3], parameters="iid", max_parents=2, seed=7),
}

# %% [markdown]
# ## What the evidence says
#
# `explain` compares evidences that can be compared: the same rows, if the data sets are identical, related or unrelated.

# %%
explanations = {name: kinfolk.explain(made.frames, structure=made.network, rivals=False) for name, made in worlds.items()}
for name, explanation in explanations.items():
    print(f"{name}: {explanation.verdict}")

# %%
assert {name: one.choice for name, one in explanations.items()} == {"identical": "pool", "related": "relate", "unrelated": "separate"}

# %% [markdown]
# The answer may differ from node to node: `P(identical)` says where the data sets share a table.

# %%
explanations["related"].pooling

# %% [markdown]
# ## What prediction says
#
# Evidence is one judge; rows that were held out are another. Related tables predict best where the data sets are related, and are
# no worse than separate ones where they are not. Where the data sets are identical, pooled tables are the truth, and related ones come
# close: what they lose is a few thousandths of a nat per row.

# %%
validations = {name: kinfolk.validate(made.frames, structure=made.network, folds=5, seed=1) for name, made in worlds.items()}
per_row = pandas.DataFrame({name: one.methods["per_row"] for name, one in validations.items()}).T
per_row.round(4)

# %%
verdicts = pandas.DataFrame({name: one.differences["verdict"] for name, one in validations.items()}).T
assert verdicts.loc["related"].tolist() == ["better", "better"]
assert verdicts.loc["unrelated", "pooled"] == "better"
assert -0.01 < validations["identical"].differences.loc["pooled", "per_row"]
verdicts

# %% [markdown]
# ## What it means for the structure
#
# How far is each score's network from the true one? (SHD between equivalence classes; 0 is the truth.)

# %%
shd = pandas.DataFrame(
    {
        name: {
            score: kinfolk.compare(kinfolk.learn(made.frames, score=score), made.network)["shd"]["cpdag"]
            for score in ("bhd", "kin", "bdeu", "bdeu-separate")
        }
        for name, made in worlds.items()
    }
).T
shd
