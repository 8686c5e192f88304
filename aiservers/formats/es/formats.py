"""What Django's Spanish formats leave to us."""

# A narrow space that does not break, as the Real Academia Española asks for between thousands.
THOUSAND_SEPARATOR = "\N{NARROW NO-BREAK SPACE}"
