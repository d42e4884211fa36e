"""How a function's receivers are followed: rules of the profile, values of expressions, guards, statements."""
