"""What Django's Russian formats leave to us."""

# Without the word for year: its abbreviation ends in a point, which would stand beside that of a sentence.
DATE_FORMAT = "j E Y"
YEAR_MONTH_FORMAT = "F Y"
