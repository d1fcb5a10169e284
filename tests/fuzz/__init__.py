"""Inputs made by chance for every way in: emails, orders, records, forms, programs. See `make fuzz`.

Each door is a file with a class of `doors.Door`.
"""
