"""Random inputs for every entrance: emails, orders, records, forms, programs. See `make fuzz`.

Each entrance is a file with a subclass of `doors.Door`.
"""
