"""What people and mail programs routinely write, in many languages."""
