"""The types of methods whose argument `dryRun` decides what they return.

Overloads would repeat the signature of each such method twice. Here they are written once, for a
method of any signature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, cast, overload

Arguments = ParamSpec("Arguments")
Owner = TypeVar("Owner")
Result = TypeVar("Result")
Preview = TypeVar("Preview")
Result_co = TypeVar("Result_co", covariant=True)
Preview_co = TypeVar("Preview_co", covariant=True)


class MethodWithDryRun(Protocol[Arguments, Result_co, Preview_co]):
    """A method, bound to its table, that returns a preview when `dryRun` is true.

    Type checkers look at the other arguments only where `dryRun` is left out: Python has no type
    for "the same arguments, and this keyword".
    """

    @overload
    def __call__(self, *args: Any, dryRun: Literal[True], **kwargs: Any) -> Preview_co: ...

    @overload
    def __call__(self, *args: Any, dryRun: Literal[False], **kwargs: Any) -> Result_co: ...

    @overload
    def __call__(self, *args: Any, dryRun: bool, **kwargs: Any) -> Result_co | Preview_co: ...

    @overload
    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result_co: ...


def dry_run_returns(
    preview: type[Preview],  # noqa: ARG001  # only type checkers look at it
) -> Callable[
    [Callable[Concatenate[Owner, Arguments], Result | Preview]],
    MethodWithDryRun[Arguments, Result, Preview],
]:
    """Declare that a method returns a preview for `dryRun=True`, and only then.

    Nothing changes when the program runs; the method stays what it is.

    Args:
        preview: what it returns then.
    """

    def typed(
        method: Callable[Concatenate[Owner, Arguments], Result | Preview],
    ) -> MethodWithDryRun[Arguments, Result, Preview]:
        return cast("MethodWithDryRun[Arguments, Result, Preview]", method)

    return typed
