"""The canonical form of JSON and its checksum."""

import hashlib
import json

import pytest

from puredelta.log.checkpoint.canonical_json import canonical_form, is_json_checksum, json_checksum


def test_checksum_is_that_of_the_specification():
    document = (
        '{"k0":"\'v 0\'","checksum":"x","k1":{"k2":2,"k3":'
        '["v3",[1,2],{"k4":"v4","k5":["v5","v6","v7"]}]}}'
    )

    assert json_checksum(document) == "6a92d155a59bf2eecbd4b4ec7fd1f875"


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ("{}", ""),
        ('{"a": {}, "b": []}', ""),
        ('{"a": null, "b": false}', '"a"=null,"b"=false'),
        ('{"a": 1.50, "b": -2e3}', '"a"=1.50,"b"=-2e3'),
        ('{"a.b~c_d-e": "\\u00e9 +/"}', '"a.b~c_d-e"="%C3%A9%20%2B%2F"'),
        ('{"b": 1, "a": {"checksum": 2}}', '"a"+"checksum"=2,"b"=1'),
        ('{"B": 1, "a": 2, "\\u00e9": 3}', '"%C3%A9"=3,"B"=1,"a"=2'),
    ],
)
def test_form_is_sorted_pairs_of_path_and_value(document, form):
    assert canonical_form(document) == form


def test_spacing_and_order_of_the_document_do_not_matter():
    assert json_checksum('{"a": 1, "b": [true]}') == json_checksum(b'{"b":[true],"a":1}')


@pytest.mark.parametrize(
    "document", ["", "[]", "1", "{", '{"a": 1, "a": 2}', '{"x": {"a":1,"a":1}}']
)
def test_what_is_no_object_or_has_a_key_twice_is_refused(document):
    with pytest.raises(ValueError, match=r".+"):
        json_checksum(document)


def test_lists_of_more_than_ten_are_sorted_as_delta_spark_does_and_as_the_protocol_says():
    document = json.dumps({"a": list(range(11))})

    by_text = canonical_form(document)
    by_path = canonical_form(document, by_path=True)

    assert by_text.startswith('"a"+0=0,"a"+10=10,"a"+1=1')
    assert by_path.startswith('"a"+0=0,"a"+1=1,"a"+10=10')
    for form in (by_text, by_path):
        assert is_json_checksum(hashlib.md5(form.encode()).hexdigest(), document)
    assert not is_json_checksum("0" * 32, document)
