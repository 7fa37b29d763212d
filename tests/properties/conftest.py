"""Settings of the property tests: no time limit for an example, for machines that are busy."""

from hypothesis import settings

settings.register_profile("puredelta", deadline=None)
settings.load_profile("puredelta")
