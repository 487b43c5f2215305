"""What every command shares: options, and where messages go."""
