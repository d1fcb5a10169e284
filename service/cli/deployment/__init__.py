"""The processes of a deployment on one machine."""
