"""`python -m shimgen`."""

from shimgen.cli.main import main

if __name__ == "__main__":
    main()
