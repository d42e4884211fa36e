"""Results -> text for a person, JSON, markdown and commit messages. Pure: values in, a string out."""
