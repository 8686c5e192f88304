"""Guides: Markdown with live blocks, what is wrong with a text, publishing, and the files that ship with the site.

`markdown` turns a text into HTML with places for blocks; `blocks` is the registry of what can stand there and
`reading` fills the places of one page at once; `checks` finds mistakes with their lines; `states` says where
each language stands and `publishing` moves it; `files` reads `fixtures/guides/`.
"""
