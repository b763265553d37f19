"""The pages of pairs events, by what one does there."""
