"""What Django's Russian formats leave to us."""

# Without the abbreviation of the word "year": a date ends a sentence, and its point would stand beside another.
DATE_FORMAT = "j E Y"
YEAR_MONTH_FORMAT = "F Y"
