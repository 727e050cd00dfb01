"""Runs in their folders: trained, evaluated, kept and resumed; several at a time."""
