"""Validation of arguments and their conversion for the compiled module."""
