"""What Django's English formats, which are those of the United States, leave to us."""

DATE_FORMAT = "j F Y"
