"""The API: `/api/v1`, for programs with a token. It has no cookies, no sessions and no forms.

The operations are in `subjects`; the modules here are what they share, and the document that is written from them.
"""
