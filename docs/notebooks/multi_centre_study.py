# %% [markdown]
# # A multi-centre study, from raw columns to a page for colleagues
#
# Five centres record the same variables. The columns are raw: an age in years, a pressure with missing values, answers as texts, a
# flag. The rows are simulated below from a seed, so that the notebook runs anywhere.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pandas

import kinfolk

random = np.random.default_rng(11)
centres = {"Aarhus": 320, "Basel": 260, "Cork": 410, "Dijon": 150, "Evora": 220}
tables = []
for centre, patients in centres.items():
    habit = random.normal(0, 0.4)  # centres differ in their probabilities, not in what depends on what
    age = random.normal(58, 12, patients).clip(19, 95).round()
    smoker = random.choice(["never", "former", "current"], patients, p=[0.5, 0.3, 0.2])
    pressure = 80 + 0.95 * age + 9 * (smoker == "current") + random.normal(0, 9, patients)
    risk = -1.5 + 0.08 * (pressure - 135) + 1.5 * (smoker == "current") + habit
    event = random.random(patients) < 1 / (1 + np.exp(-risk))
    aspirin = random.random(patients) < np.where(event, 0.75, 0.2 + 0.1 * (habit > 0))
    tables.append(
        pandas.DataFrame(
            {
                "centre": centre,
                "age": age,
                "smoker": pandas.Categorical(smoker, ["never", "former", "current"]),
                "pressure": np.where(random.random(patients) < 0.02, np.nan, pressure.round()),
                "event": event,
                "aspirin": aspirin,
            }
        )
    )
study = pandas.concat(tables, ignore_index=True)
study.head()

# %% [markdown]
# ## The columns
#
# `describe` summarises the columns before learning. Numbers with many values must be discretised, and missing values need a
# treatment: without an option, both are errors, and the message names the option.

# %%
try:
    kinfolk.learn(study, groups="centre")
except kinfolk.DataError as refusal:
    print(refusal)
else:
    raise AssertionError("numbers with many values are not states")

# %%
bins = {"age": "cuts:45,55,65,75", "pressure": "quantile:4"}
data = kinfolk.read(study, groups="centre", discretize=bins, missing="drop-rows")
for note in data.notes:
    print(note)
assert sum(data.data_sets.values()) == study["pressure"].notna().sum()
data.variables

# %% [markdown]
# ## One network for all centres
#
# Later variables cannot cause earlier ones: tiers express this.

# %%
before_after = [["age"], ["smoker"], ["pressure"], ["event"], ["aspirin"]]
learned = kinfolk.learn(data, tiers=before_after, restarts=5, perturb=3, seed=1)
learned

# %%
arcs = set(zip(learned.arcs["from"], learned.arcs["to"]))
assert {("age", "pressure"), ("pressure", "event"), ("event", "aspirin")} <= arcs

# %% [markdown]
# ## How stable is the network, and do all centres agree?

# %%
sure = kinfolk.bootstrap(data, replicates=40, tiers=before_after, progress=False)
sure.arcs.head(8)

# %%
learned.evidence.round(1)

# %%
explanation = learned.explain()
print(explanation.verdict)
explanation.data_sets

# %% [markdown]
# ## Tables, queries, predictions
#
# Every centre has its own tables. The tables of an unseen centre are those of the common centre.

# %%
network = learned.fit()
network.tables("event")

# %%
network.query("event", {"smoker": "current"}).round(3)

# %%
new_patients = pandas.DataFrame({"centre": ["Cork", "Faro"], "age": [71.0, 71.0], "smoker": ["current", "current"]})
probabilities = network.predict_proba(new_patients, "event", groups="centre")
assert np.allclose(probabilities.sum(axis=1), 1)
probabilities.set_index(new_patients["centre"]).round(3)

# %% [markdown]
# ## A page to share
#
# One self-contained HTML file with the network, the evidence and every table, which works offline.

# %%
folder = Path(tempfile.mkdtemp())
learned.report(folder / "study.html", title="Five centres", figures=folder)
network.save(folder / "study.json")
assert kinfolk.load(folder / "study.json") == network
sorted(path.name for path in folder.iterdir())
