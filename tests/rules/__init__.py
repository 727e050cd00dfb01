"""The rules, scenario by scenario; files and names follow the phases of the rules."""
