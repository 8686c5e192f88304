"""What goes wrong with a whole file."""


class SheetError(ValueError):
    """A file that cannot be imported; the text says why, in the editor's language."""
