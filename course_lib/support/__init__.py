"""What everything stands on and nobody reads first: files, paths, messages."""
