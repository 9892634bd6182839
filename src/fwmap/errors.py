"""What can go wrong, as exceptions a caller can tell apart."""


class FwmapError(Exception):
    """Base class of every error raised on purpose by this package."""


class InvalidModel(FwmapError, ValueError):
    """The model given is not one: the message names what, where and what was expected."""


class InvalidSetting(FwmapError, ValueError):
    """A setting has a value it cannot have."""


class FormatError(InvalidModel):
    """A file does not follow its format: the message names file, line or place, and expectation."""


class TooLarge(FwmapError, MemoryError):
    """What was asked for does not fit into memory: the message says how much it would take."""


class OracleError(FwmapError, RuntimeError):
    """A user's oracle raised, or returned something that is not a minimiser's description."""
