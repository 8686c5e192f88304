"""Guides: Markdown with live blocks, what is wrong with a text, publishing, files that ship with the site.

`markdown` turns a text into HTML with places for blocks; `blocks` is the registry of what can stand there,
`reading` what the blocks of one page read together, `article` puts a page together; `checks` finds mistakes
with their lines; `states` says where each language stands, `publishing` moves it; `files` reads the files.
"""
