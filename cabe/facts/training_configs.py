"""Keys of training configurations, and the options that they set; data/training_configs.yaml has the grammar."""

from __future__ import annotations

from pydantic import Field, model_validator

from cabe.facts.record import Id, Name, Record, Text

Sets = dict[str, Text]  # option → value


class ConfigKey(Record):
    """One key: the `option` that it is, its values by other `names`, what each of its `values` sets, what it sets
    `always`; none of these where it has no bearing on the memory of a step."""

    key: Name
    option: Id | None = None
    names: dict[str, Text] = Field(default_factory=dict)
    values: dict[str, Sets] = Field(default_factory=dict)
    always: Sets = Field(default_factory=dict)
    source: list[Text]

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> ConfigKey:
        if self.option and self.values:
            raise ValueError("has both `option` and `values`, expected one of the two")
        if self.names and not self.option:
            raise ValueError("has `names` but no `option`, expected the option whose values they are")
        if wrong := [value for value in self.values if value != value.lower()]:
            raise ValueError(f"{wrong[0]!r} never matches: values are compared in lower case; write it so")
        if not self.source:
            raise ValueError("source is empty, expected the tool that has the key")
        return self

    def sets(self) -> list[tuple[tuple[str, ...], str, str]]:
        """Every option that it may set: where in the record, the option, the value."""
        found: list[tuple[tuple[str, ...], str, str]] = [
            (("always", option), option, value) for option, value in self.always.items()
        ]
        found += [
            (("values", given, option), option, value)
            for given, options in self.values.items()
            for option, value in options.items()
        ]
        return found + [(("names", name), self.option or "", value) for name, value in self.names.items()]
