"""The entry, .venv/bin/python build.py, and the table of contents of a build (see `cabe.cli.build_site`)."""

import sys

if __name__ == "__main__":
    try:
        from cabe.cli import main

        main()
    except ModuleNotFoundError as error:
        if str(error.name).startswith("cabe"):
            raise
        sys.exit(f"{error.name} is not installed here; run `make site` first, then .venv/bin/python build.py …")
    except KeyboardInterrupt:  # before click, which says the same, has taken over
        sys.exit("Aborted!")
