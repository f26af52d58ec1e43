# %% [markdown]
# # Pooled or not?
#
# Should several data sets be pooled, analysed separately, or treated as related? This notebook compares the answers on three
# simulated cases with known truth: data sets with identical tables, with related tables, and with unrelated tables.

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
# ## Evidence
#
# `explain` compares the marginal likelihoods of the same rows for identical, related and unrelated data sets.

# %%
explanations = {name: kinfolk.explain(made.frames, structure=made.network, rivals=False) for name, made in worlds.items()}
for name, explanation in explanations.items():
    print(f"{name}: {explanation.verdict}")

# %%
assert {name: one.choice for name, one in explanations.items()} == {"identical": "pool", "related": "relate", "unrelated": "separate"}

# %% [markdown]
# The answer may differ between nodes: `P(identical)` is the probability that the data sets share a table.

# %%
explanations["related"].pooling

# %% [markdown]
# ## Prediction
#
# Held-out rows are a second criterion. Hierarchical tables predict best if the data sets are related, and no worse than separate
# tables if they are not. If the data sets are identical, pooled tables are correct, and hierarchical ones are worse by only a few
# thousandths of a nat per row.

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
# ## Structure
#
# The distance of each score's network from the true one (SHD between equivalence classes; 0 is the truth):

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
