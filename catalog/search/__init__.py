"""One box that finds what the catalog has, in three languages and on any database alike.

`tokens` makes texts into tokens (pure), `registry` says which kinds of pages are found, `kinds` declares
those of the catalog, `index` keeps the table of tokens in step with the facts, `query` answers.
"""
