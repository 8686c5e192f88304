"""Sections of the sitemap: the pages that search engines should know."""

SITEMAPS = {}
