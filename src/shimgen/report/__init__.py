"""Results -> text for a person, JSON, SARIF, HTML, markdown and commit messages. Pure: values in, a string out."""
