"""Output for people: HTML for notebooks, plots, progress bars."""
