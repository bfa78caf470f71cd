"""What is written: the site folder and the bundles."""

from cabe.publishing.bundle import write_bundles, zipped
from cabe.publishing.writer import apart, collect, publish

__all__ = ["apart", "collect", "publish", "write_bundles", "zipped"]
