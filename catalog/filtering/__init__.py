"""What the list of servers is filtered by, how many there are of each, its orders and its files.

`facts` reads the catalog once a version, `facets` say what can be asked, `matching` answers and counts;
`catalog.filters` is the form, with what the page says about it.
"""
