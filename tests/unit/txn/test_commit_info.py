"""What a commit says about itself."""

from puredelta.txn.commit_info import encoded_metrics, encoded_parameters, engine_info


def test_parameters_are_encoded_as_the_reference_does():
    parameters = {
        "mode": "Append",
        "partitionBy": ["a", "b"],
        "properties": {"x": "1"},
        "ifExists": True,
        "version": 7,
        "description": None,
        "columns": ("é",),
    }

    assert encoded_parameters(parameters) == {
        "mode": "Append",
        "partitionBy": '["a","b"]',
        "properties": '{"x":"1"}',
        "ifExists": True,
        "version": 7,
        "description": None,
        "columns": '["é"]',
    }


def test_metrics_are_texts():
    assert encoded_metrics({"numFiles": 3, "status": "done"}) == {"numFiles": "3", "status": "done"}


def test_engine_is_named_with_and_without_spark():
    assert engine_info("4.3.0").startswith("Apache-Spark/4.3.0 PureDelta/")
    assert engine_info().startswith("PureDelta/")
