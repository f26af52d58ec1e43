"""The checks themselves work: the command answers, and the example is there."""


def test_kinfolk_says_its_version(kinfolk):
    assert kinfolk("--version").startswith("kinfolk ")


def test_the_example_is_scored(kinfolk, clinics):
    assert len(clinics) == 3
    scored = kinfolk.json("score", *clinics, "--structure", "[V01][V02][V03][V04][V05][V06]")
    assert scored["total"] < 0
