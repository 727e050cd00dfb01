"""The games of a server: tables where they are played, kept in one file, and told of to pages."""
