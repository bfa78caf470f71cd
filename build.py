"""python build.py: the entry, and the table of contents of a build (see `cabe.cli.build_site`)."""

from cabe.cli import main

if __name__ == "__main__":
    main()
