"""The API: `/api/v1`, for programs with a token. It has no cookies, no sessions and no forms.

Each module has the operations about one subject, with the structs they take and give beside them.
"""
